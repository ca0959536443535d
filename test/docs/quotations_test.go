// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	quotation = regexp.MustCompile(`"([^"]*)"`)
	codeSpan  = regexp.MustCompile("`[^`]*`")
	markup    = strings.NewReplacer("`", "", "*", "", "[", "", "]", "")
	linked    = regexp.MustCompile(`\]\([^)]*\)`)
)

// unmarked returns a text in one line, without the markup of Markdown.
func unmarked(words string) string {
	return strings.Join(strings.Fields(markup.Replace(linked.ReplaceAllString(words, "]"))), " ")
}

// quotedIn returns the quotations in a comment: texts of three words or more in quotation marks. Code
// and markers are none.
func quotedIn(comment *ast.CommentGroup) (found []string) {
	words := codeSpan.ReplaceAllString(proseOf(comment), "")
	for _, match := range quotation.FindAllStringSubmatch(words, -1) {
		if quoted := unmarked(match[1]); strings.Count(quoted, " ") > 1 {
			found = append(found, strings.Trim(quoted, ".,:; "))
		}
	}
	return found
}

// proseOf returns a comment without its directives, its markers and its code.
func proseOf(comment *ast.CommentGroup) string {
	var prose strings.Builder
	for line := range strings.Lines(comment.Text()) {
		if !strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "  ") {
			prose.WriteString(line)
		}
	}
	return prose.String()
}

// quotations returns the quotations in the comments of a Go file, by the place of the comment.
func quotations(t *testing.T, at, code string) map[string][]string {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, at, code, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, comment := range parsed.Comments {
		found[set.Position(comment.Pos()).String()] = quotedIn(comment)
	}
	return found
}

// documents returns the texts of all documents.
func documents(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, page := range files(t, ".md") {
		all.WriteString(unmarked(page) + "\n")
	}
	return all.String()
}

// A quotation in a comment that stands nowhere else cannot be looked up, and nobody notices when it is
// no longer true.
func TestQuotationsInCommentsStandInADocument(t *testing.T) {
	t.Parallel()
	written := documents(t)
	for at, code := range files(t, ".go") {
		for place, quoted := range quotations(t, at, code) {
			quoted = slices.DeleteFunc(quoted, func(words string) bool { return strings.Contains(written, words) })
			if len(quoted) > 0 {
				t.Errorf("%s: no document has %q: say it in a plain sentence", place, quoted)
			}
		}
	}
}
