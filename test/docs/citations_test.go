// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The pages with what the code cites by number.
const (
	rulesPage = "docs/design/rules.md"
	apiPage   = "docs/carrier-api.md"
)

var (
	citedRule   = regexp.MustCompile(`\bR[1-9]\d?\b`)
	ruleHeading = regexp.MustCompile(`(?m)^###? (R[1-9]\d?) `)

	citedSection   = regexp.MustCompile(`§ ?\d+(?:\.\d+)*`)
	sectionHeading = regexp.MustCompile(`(?m)^## (§\d+) `)
)

// files returns the texts of the files of the tree with an extension, by path.
func files(t *testing.T, ext string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(os.DirFS("../.."), ".", func(at string, entry fs.DirEntry, err error) error {
		switch {
		case entry.IsDir() && isLeftOut(entry.Name()):
			return fs.SkipDir
		case path.Ext(at) == ext:
			found[at] = text(t, at)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// isLeftOut reports whether a folder has outputs, or is hidden.
func isLeftOut(folder string) bool {
	return folder == "bin" || folder == "dist" || len(folder) > 1 && folder[0] == '.'
}

// headings returns what an expression finds in the headings of a page.
func headings(t *testing.T, page string, heading *regexp.Regexp) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, match := range heading.FindAllStringSubmatch(text(t, page), -1) {
		found[match[1]] = true
	}
	return found
}

// A reader of the code has nothing but the tree.
func TestWhatTheCodeCitesHasAHeading(t *testing.T) {
	t.Parallel()
	rules, sections := headings(t, rulesPage, ruleHeading), headings(t, apiPage, sectionHeading)
	for at, code := range files(t, ".go") {
		for _, name := range without(rules, citedRule.FindAllString(code, -1)) {
			t.Errorf("%s cites %s, which %s does not have", at, name, rulesPage)
		}
		for _, name := range without(sections, citedSection.FindAllString(code, -1)) {
			t.Errorf("%s cites %s, which %s does not have", at, name, apiPage)
		}
	}
}

// without returns the names that are not known.
func without(known map[string]bool, names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return known[strings.ReplaceAll(name, " ", "")] })
}
