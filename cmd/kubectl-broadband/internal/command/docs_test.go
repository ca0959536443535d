// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/test/world"
)

// shownOutput is a block of output in the documentation.
var shownOutput = regexp.MustCompile("(?s)```\n(\\$ kubectl broadband .*?)\n```")

// The documentation may only show output that the specs have seen. The specs run before this test,
// because this test is parallel. With GOLDEN set, the test updates the page.
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

// Scripts rely on the kinds of the JSON output, so the page lists each kind, and a golden file
// shows each.
func TestTheDocumentationListsTheKindsOfTheOutput(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docs", "kubectl-plugin.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "and a `kind` per command:")
	list, _, _ = strings.Cut(list, ". Fields are added")
	document := `(?s)apiVersion"?: "?plugin\.wholesale\.broadband/v1.*?\n(?: {2}")?kind"?: "?([A-Za-z]+)`
	listed, shown := allMatches("`([A-Za-z]+)`", list), allMatches(document, seenOutput(t))
	if !slices.Equal(listed, shown) {
		t.Fatalf("the page lists %q, and the golden files show %q", listed, shown)
	}
}

// allMatches are the parts of a text that match the group of a pattern, each once, sorted.
func allMatches(pattern, text string) []string {
	matches := regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1)
	all := make([]string, 0, len(matches))
	for _, found := range matches {
		all = append(all, found[1])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// named replaces the masked namespaces and clients of the golden files by short names. In a cell of a
// table, which ends in three spaces, the name is padded to the width of the column.
var named = strings.NewReplacer("nnnnnnnnnnnnn   ", "sites           ", "nnnnnnnnnnnnn", "sites",
	maskedClient+"   ", "reseller            ", maskedClient, world.ClientName)

// seenOutput is the text of the golden files, with a namespace and a client that people would have.
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
		seen.WriteString(named.Replace(string(text)))
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
