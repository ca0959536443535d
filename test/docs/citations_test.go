// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
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

// files returns the texts of the files of the tree with an extension, by path. Folders of outputs and
// hidden folders are left out.
func files(t *testing.T, ext string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(os.DirFS("../.."), ".", func(at string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		if entry.IsDir() && (name == "bin" || name == "dist" || name != "." && strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		if !entry.IsDir() && path.Ext(at) == ext {
			found[at] = text(t, at)
		}
		return err
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("%d files %s: %v", len(found), ext, err)
	}
	return found
}

// headings returns what an expression finds in the headings of a page.
func headings(t *testing.T, page string, heading *regexp.Regexp) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, match := range heading.FindAllStringSubmatch(text(t, page), -1) {
		found[match[1]] = true
	}
	if len(found) == 0 {
		t.Fatalf("%s has no headings", page)
	}
	return found
}

// A reader of the code has nothing but the tree.
func TestWhatTheCodeCitesHasAHeading(t *testing.T) {
	t.Parallel()
	code := files(t, ".go")
	for page, cited := range map[string][2]*regexp.Regexp{
		rulesPage: {citedRule, ruleHeading}, apiPage: {citedSection, sectionHeading},
	} {
		known := headings(t, page, cited[1])
		for at, content := range code {
			for _, name := range cited[0].FindAllString(content, -1) {
				if name = strings.ReplaceAll(name, " ", ""); !known[name] {
					t.Errorf("%s cites %s, which %s does not have", at, name, page)
				}
			}
		}
	}
}
