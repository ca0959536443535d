// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
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
	program, err := os.ReadFile(repository + "/internal/manager/version.go")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(program)).To(And(ContainSubstring("\tversion  = "), ContainSubstring("\trevision = ")))
}
