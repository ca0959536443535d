// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/broadband-operator/broadband-operator/hack/internal/machine"
)

// repository is the Git repository that Argo CD reads.
type repository struct {
	machine *machine.Machine
	program string
	folder  string
	commits int
	head    string // the newest revision
}

// initRepository creates a repository with the given files, without committing them.
func (s *site) initRepository(ctx context.Context, files map[string]string) error {
	s.repository = &repository{machine: s.Machine, program: s.git, folder: s.InState("repository")}
	if err := os.MkdirAll(s.repository.path(""), machine.FolderMode); err != nil {
		return fmt.Errorf("make the repository: %w", err)
	}
	_, err := s.repository.git(ctx, "init", "--quiet", "--initial-branch=main")
	for name, content := range files {
		err = errors.Join(err, s.repository.write(name, content))
	}
	return err
}

func (r *repository) url() string { return "file://" + r.folder }

// path returns the path of a file in the folder that the example's Application reads.
func (r *repository) path(name string) string { return filepath.Join(r.folder, "sites", name) }

// edit replaces a text in a file, and fails if the file does not contain it.
func (r *repository) edit(name, from, to string) error {
	content, err := os.ReadFile(r.path(name))
	if err != nil {
		return fmt.Errorf("edit: %w", err)
	}
	if !strings.Contains(string(content), from) {
		return fmt.Errorf("edit: there is no %q in %s", from, name)
	}
	return r.write(name, strings.ReplaceAll(string(content), from, to))
}

func (r *repository) write(name, content string) error {
	const mode = 0o600
	//nolint:gosec // our own folder
	if err := os.WriteFile(r.path(name), []byte(content), mode); err != nil {
		return fmt.Errorf("write %s into the repository: %w", name, err)
	}
	return nil
}

func (r *repository) remove(name string) error {
	if err := os.Remove(r.path(name)); err != nil {
		return fmt.Errorf("remove %s from the repository: %w", name, err)
	}
	return nil
}

// commit commits all changes and returns the revision.
func (r *repository) commit(ctx context.Context, message string) (string, error) {
	if _, err := r.git(ctx, "add", "--all"); err != nil {
		return "", err
	}
	if _, err := r.git(ctx, "commit", "--quiet", "--message="+message); err != nil {
		return "", err
	}
	r.commits++
	var err error
	r.head, err = r.git(ctx, "rev-parse", "HEAD")
	return r.head, err
}

// git runs git without the user's own configuration, which may enable signing or hooks.
func (r *repository) git(ctx context.Context, args ...string) (string, error) {
	output, err := r.machine.Finish(ctx, machine.Program{
		Command: append([]string{r.program}, args...),
		Folder:  r.folder,
		Environment: []string{
			"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=" + program, "GIT_AUTHOR_EMAIL=" + program + "@example.invalid",
			"GIT_COMMITTER_NAME=" + program, "GIT_COMMITTER_EMAIL=" + program + "@example.invalid",
		},
	})
	return strings.TrimSpace(output), err
}
