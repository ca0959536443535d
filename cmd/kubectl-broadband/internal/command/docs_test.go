// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shownOutput is a block of output in the documentation.
var shownOutput = regexp.MustCompile("(?s)```\n(\\$ kubectl broadband .*?)\n```")

// The documentation shows output that the specs have seen. They run before this test, because it is
// a parallel one. With GOLDEN set, it updates the page.
func TestTheDocumentationShowsRealOutput(t *testing.T) {
	t.Parallel()
	page := filepath.Join(root, "docs", "kubectl-plugin.md")
	text, err := os.ReadFile(page) //nolint:gosec // a file of this repository
	if err != nil {
		t.Fatal(err)
	}
	seen := seenOutput(t)
	updated := shownOutput.ReplaceAllStringFunc(string(text), func(block string) string {
		shown := shownOutput.FindStringSubmatch(block)[1]
		if strings.Contains(seen, shown) {
			return block
		}
		return "```\n" + longestOutput(seen, strings.SplitN(shown, "\n", 2)[0]) + "\n```"
	})
	if blocks := shownOutput.FindAllString(string(text), -1); len(blocks) < 6 {
		t.Fatalf("the page shows %d outputs", len(blocks))
	}
	if updated == string(text) {
		return
	}
	if os.Getenv("GOLDEN") == "" {
		t.Fatal("docs/kubectl-plugin.md shows output that no spec has seen: update it with GOLDEN=1, and review it")
	}
	if err := os.WriteFile(page, []byte(updated), 0o600); err != nil { //nolint:gosec // a file of this repository
		t.Fatal(err)
	}
}

// seenOutput is the text of the golden files, with a namespace that people would have.
func seenOutput(t *testing.T) string {
	t.Helper()
	golden := filepath.Join(root, "cmd", "kubectl-broadband", "internal", "command", "testdata", "*.golden")
	files, err := filepath.Glob(golden)
	if err != nil {
		t.Fatal(err)
	}
	var seen strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file) //nolint:gosec // a file of this repository
		if err != nil {
			t.Fatal(err)
		}
		seen.WriteString(strings.ReplaceAll(string(text), "nnnnnnnnnnnnn", "sites"))
	}
	return seen.String()
}

// longestOutput is the longest output of a command among the golden files.
func longestOutput(seen, command string) string {
	longest := command
	for _, rest := range strings.Split(seen, command+"\n")[1:] {
		output, _, _ := strings.Cut(rest, "\n$ ")
		if whole := command + "\n" + strings.Trim(output, "\n"); len(whole) > len(longest) {
			longest = whole
		}
	}
	return longest
}
