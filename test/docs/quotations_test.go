// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
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
func quotedIn(comment *ast.CommentGroup) (quotations []string) {
	words := codeSpan.ReplaceAllString(proseOf(comment), "")
	for _, match := range quotation.FindAllStringSubmatch(words, -1) {
		if quoted := unmarked(match[1]); strings.Count(quoted, " ") > 1 {
			quotations = append(quotations, strings.Trim(quoted, ".,:; "))
		}
	}
	return quotations
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

// isProduction reports whether a Go file is part of what runs, and was not generated.
func isProduction(at string) bool {
	return !strings.HasSuffix(at, "_test.go") && !strings.HasPrefix(path.Base(at), "zz_generated") &&
		!strings.HasPrefix(at, "test/") && !strings.HasPrefix(at, "hack/")
}

// A quotation in a comment that stands nowhere else cannot be looked up, and nobody notices when it is
// no longer true.
func TestQuotationsInCommentsStandInADocument(t *testing.T) {
	t.Parallel()
	var documents strings.Builder
	for _, page := range files(t, ".md") {
		documents.WriteString(unmarked(page) + "\n")
	}
	written := documents.String()
	for at, code := range files(t, ".go") {
		if !isProduction(at) {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, at, code, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, comment := range parsed.Comments {
			for _, quoted := range quotedIn(comment) {
				if !strings.Contains(written, quoted) {
					t.Errorf("%s: no document has %q: say it in a plain sentence", set.Position(comment.Pos()), quoted)
				}
			}
		}
	}
}
