// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"sigs.k8s.io/yaml"

	. "github.com/onsi/gomega"
)

func TestActionlintFindsNothingInTheWorkflows(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	files, err := filepath.Glob(repository + "/.github/workflows/*.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(files).To(HaveLen(3))
	var said bytes.Buffer
	linter, err := actionlint.NewLinter(&said, &actionlint.LinterOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = linter.LintFiles(files, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(said.String()).To(BeEmpty())
}

// ko and docker build set the same variables as make does.
func TestEveryBuildSetsVersionAndCommit(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	var ko struct {
		DefaultBaseImage string
		Builds           []struct {
			ID      string
			Main    string
			Ldflags []string
			Flags   []string
			Env     []string
		}
	}
	g.Expect(yaml.Unmarshal([]byte(contents(t, repository, ".ko.yaml")), &ko)).To(Succeed())
	g.Expect(ko.Builds).To(HaveLen(1))
	g.Expect(ko.Builds[0].Ldflags).To(ContainElements(
		"-X "+managerPackage+".version={{.Env.VERSION}}", "-X "+managerPackage+".revision={{.Env.REVISION}}"))
	g.Expect(contents(t, repository, "Dockerfile")).To(And(
		ContainSubstring("-X "+managerPackage+".version=$(cat VERSION) "),
		ContainSubstring("-X "+managerPackage+`.revision=$REVISION"`)))
	program, err := os.ReadFile(repository + "/internal/manager/run.go")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(program)).To(And(ContainSubstring("\tversion  = "), ContainSubstring("\trevision = ")))
}

// docker build sees only the folders that the Dockerfile copies.
func TestTheDockerfileCopiesWhatTheManagerImports(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	const module = "github.com/broadband-operator/broadband-operator/"
	list := exec.CommandContext(t.Context(), "go", "-C", repository, "list", "-deps", ".")
	list.Env = append(os.Environ(), "GOWORK=off")
	imported, err := list.Output()
	g.Expect(err).NotTo(HaveOccurred())
	folders := map[string]bool{}
	for line := range strings.Lines(string(imported)) {
		if below, isOurs := strings.CutPrefix(strings.TrimSpace(line), module); isOurs {
			folder, _, _ := strings.Cut(below, "/")
			folders[folder] = true
		}
	}
	g.Expect(folders).To(HaveKey("internal"))
	text := contents(t, repository, "Dockerfile")
	for folder := range folders {
		g.Expect(text).To(ContainSubstring("\nCOPY " + folder + " " + folder + "\n"))
	}
}
