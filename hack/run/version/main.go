// SPDX-License-Identifier: Apache-2.0

// Version writes the version of the file VERSION into the other files that state it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	into := flag.String("into", ".", "the `folder` to write to")
	flag.Parse()
	if err := run(os.DirFS("."), *into); err != nil {
		fmt.Fprintln(os.Stderr, "version:", err)
		os.Exit(1)
	}
}

// places are the files that state the version, each with an expression whose groups are the text
// before and after the version.
func places() map[string]*regexp.Regexp {
	text := regexp.MustCompile(`(?m)(^VERSION=|dist VERSION=|[?]ref=|targetRevision: |[{]tag: )v\d[\w.-]+()`)
	label := regexp.MustCompile(`(app[.]kubernetes[.]io/version: )v\S+( # the file VERSION)`)
	plugin := regexp.MustCompile(`(VERSION: )v\S+( # of the plugin)`)
	return map[string]*regexp.Regexp{
		"config/default/kustomization.yaml": label,
		"config/install/kustomization.yaml": label,
		"config/manager/kustomization.yaml": regexp.MustCompile(`(newTag: )v\S+( # the file VERSION)`),
		"config/ci/github.yaml":             plugin,
		"config/ci/gitlab.yaml":             plugin,
		"README.md":                         text,
		"CONTRIBUTING.md":                   text,
		"docs/install.md":                   text,
		"docs/gitops.md":                    text,
	}
}

// released matches the version of a release or of a release candidate.
var released = regexp.MustCompile(`^v\d+\.\d+\.\d+(-rc\.\d+)?$`)

func run(tree fs.FS, into string) error {
	text, err := fs.ReadFile(tree, "VERSION")
	if err != nil {
		return fmt.Errorf("read the version: %w", err)
	}
	version := strings.TrimSpace(string(text))
	if !released.MatchString(version) {
		return fmt.Errorf("the file VERSION contains %q: write v1.2.3 or v1.2.3-rc.1", version)
	}
	var failed []error
	for name, place := range places() {
		failed = append(failed, state(tree, into, name, func(text string) (string, bool) {
			return place.ReplaceAllString(text, "${1}"+version+"${2}"), place.MatchString(text)
		}))
	}
	return errors.Join(failed...)
}

// state writes a file with the version in it.
func state(tree fs.FS, into, name string, replace func(string) (string, bool)) error {
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		return fmt.Errorf("read a file that states the version: %w", err)
	}
	replaced, found := replace(string(text))
	if !found {
		return fmt.Errorf("%s no longer states the version: correct the file, or places of hack/run/version", name)
	}
	path := filepath.Join(into, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return fmt.Errorf("make the folder of %s: %w", name, err)
	}
	if err := os.WriteFile(path, []byte(replaced), 0o644); err != nil { //nolint:gosec // others may read it
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
