// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// label is a label of a kustomization.
func label(version string) string {
	return "  app.kubernetes.io/version: " + version + " # the file VERSION: make manifests\n"
}

// tree is a project of version v9.8.7 whose files still state other versions.
func tree(version string) fstest.MapFS {
	return fstest.MapFS{
		"VERSION": {Data: []byte(version + "\n")},
		"config/manager/kustomization.yaml": {
			Data: []byte("images:\n- name: x\n  newTag: v0.0.1 # the file VERSION: make manifests\n"),
		},
		"config/default/kustomization.yaml": {Data: []byte(label("v0.0.1"))},
		"config/install/kustomization.yaml": {Data: []byte(label("v0.0.6"))},
		"config/ci/github.yaml":             {Data: []byte("  VERSION: v0.0.1 # of the plugin\n")},
		"config/ci/gitlab.yaml":             {Data: []byte("    VERSION: v0.0.1 # of the plugin\n")},
		"README.md":                         {Data: []byte("```sh\nVERSION=v0.0.2\n```\nsince v0.0.1\n")},
		"CONTRIBUTING.md":                   {Data: []byte("`make dist VERSION=v0.0.4`\n")},
		"docs/install.md": {
			Data: []byte("```sh\nVERSION=v0.0.3\n```\n- https://example//config?ref=v0.0.3\n"),
		},
		"docs/gitops.md": {Data: []byte("  targetRevision: v0.0.5-rc.1\nwith `ref: {tag: v0.0.5}` and\n")},
	}
}

func TestEveryFileStatesTheVersion(t *testing.T) {
	t.Parallel()
	into := t.TempDir()
	if err := run(tree("v9.8.7"), into); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"config/default/kustomization.yaml": label("v9.8.7"),
		"config/install/kustomization.yaml": label("v9.8.7"),
		"config/manager/kustomization.yaml": "images:\n- name: x\n  newTag: v9.8.7 # the file VERSION: make manifests\n",
		"config/ci/github.yaml":             "  VERSION: v9.8.7 # of the plugin\n",
		"config/ci/gitlab.yaml":             "    VERSION: v9.8.7 # of the plugin\n",
		"README.md":                         "```sh\nVERSION=v9.8.7\n```\nsince v0.0.1\n",
		"CONTRIBUTING.md":                   "`make dist VERSION=v9.8.7`\n",
		"docs/install.md":                   "```sh\nVERSION=v9.8.7\n```\n- https://example//config?ref=v9.8.7\n",
		"docs/gitops.md":                    "  targetRevision: v9.8.7\nwith `ref: {tag: v9.8.7}` and\n",
	} {
		got, err := os.ReadFile(filepath.Join(into, name)) //nolint:gosec // our own folder
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
}

func TestAVersionInAnotherFormIsRefused(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "1.2.3", "v1.2", "v1.2.3-dirty", "latest"} {
		if err := run(tree(version), t.TempDir()); err == nil || !strings.Contains(err.Error(), "write v1.2.3") {
			t.Errorf("%q: %v", version, err)
		}
	}
}

func TestAFileThatNoLongerStatesTheVersionIsReported(t *testing.T) {
	t.Parallel()
	changed := tree("v9.8.7")
	changed["README.md"].Data = []byte("no command\n")
	if err := run(changed, t.TempDir()); err == nil || !strings.Contains(err.Error(), "README.md no longer states") {
		t.Error(err)
	}
}
