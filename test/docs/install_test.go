// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// applies is a command that applies manifests, with its continued lines.
var applies = regexp.MustCompile(`kubectl\)? (?:--?\S+ )*apply (?:[^\n]*\\\n)*[^\n]*`)

// A client-side apply of an object conflicts with a server-side apply of it.
func TestEveryDocumentedApplyIsServerSide(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, page := range append(pages, "../../README.md") {
		for _, block := range shellBlocks(text(t, strings.TrimPrefix(page, "../../"))) {
			for _, command := range applies.FindAllString(block, -1) {
				found++
				if !strings.Contains(command, "--server-side") {
					t.Errorf("%s: not server-side: %s", page, command)
				}
			}
		}
	}
	if found == 0 {
		t.Error("there is no command")
	}
}

// fenced is a fenced block of commands.
var fenced = regexp.MustCompile("(?s)\n *```sh\n(.*?)\n *```\n")

// shellBlocks returns the fenced blocks of commands of a page.
func shellBlocks(page string) []string {
	matches := fenced.FindAllStringSubmatch(page, -1)
	blocks := make([]string, 0, len(matches))
	for _, match := range matches {
		blocks = append(blocks, match[1])
	}
	return blocks
}
