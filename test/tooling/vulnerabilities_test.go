// SPDX-License-Identifier: Apache-2.0

package tooling_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

// tree writes files below a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	g, folder := NewWithT(t), t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		g.Expect(os.MkdirAll(filepath.Dir(path), 0o700)).To(Succeed())
		g.Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
	}
	return folder
}

// program is a module whose program calls a function of Go's standard library.
func program(t *testing.T, call string) string {
	t.Helper()
	return tree(t, map[string]string{
		"go.mod":  "module example.test/program\n\ngo 1.26.0\n",
		"main.go": "package main\n\nimport \"path\"\n\nfunc main() { println(" + call + ") }\n",
	})
}

// The database has one entry, of the form that Go's own has: every version of a function.
func TestAReachableVulnerabilityIsFound(t *testing.T) {
	t.Parallel()
	const id, modified = "GO-9999-0001", `"modified": "2026-01-01T00:00:00Z"`
	database := tree(t, map[string]string{
		"index/db.json":      `{` + modified + `}`,
		"index/modules.json": `[{"path": "stdlib", "vulns": [{"id": "` + id + `", ` + modified + `}]}]`,
		"ID/" + id + ".json": `{"schema_version": "1.3.1", "id": "` + id + `", ` + modified + `,
			"published": "2026-01-01T00:00:00Z", "summary": "an example", "details": "an example",
			"database_specific": {"url": "https://pkg.go.dev/vuln/` + id + `"},
			"affected": [{"package": {"name": "stdlib", "ecosystem": "Go"},
				"ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}],
				"ecosystem_specific": {"imports": [{"path": "path", "symbols": ["Join"]}]}}]}`,
	})
	check := func(folders ...string) (string, error) {
		script := append([]string{"../../hack/check/vulnerabilities.sh"}, folders...)
		command := exec.CommandContext(t.Context(), "bash", script...) //nolint:gosec // our own script
		command.Env = append(os.Environ(), "VULNDB=file://"+database)
		text, err := command.CombinedOutput()
		return string(text), err
	}
	g, harmless := NewWithT(t), program(t, `path.Base("a/b")`)
	text, err := check(harmless)
	g.Expect(err).NotTo(HaveOccurred(), text)
	text, err = check(program(t, `path.Join("a", "b")`), harmless)
	g.Expect(err).To(HaveOccurred(), text)
	g.Expect(text).To(And(ContainSubstring("Vulnerability #1: "+id), ContainSubstring("path.Join"),
		ContainSubstring("vulnerabilities: "+harmless)), "the folders after it are checked, too")
}
