// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// architecturePage links each function that it names to the file that declares it.
const architecturePage = "docs/architecture.md"

// codeLink is a link to a file or folder of the tree: its text and its target.
var codeLink = regexp.MustCompile("\\[`([^`]+)`\\]\\(\\.\\./([^)#]+)\\)")

// Without this test, the page would be out of date after the first rename.
func TestArchitectureLinksToWhatItNames(t *testing.T) {
	t.Parallel()
	links := codeLink.FindAllStringSubmatch(strings.ReplaceAll(text(t, architecturePage), "\n", " "), -1)
	if len(links) == 0 {
		t.Fatal("there are no links")
	}
	for _, link := range links {
		name, target := link[1], link[2]
		switch info, err := os.Stat(path.Join("../..", target)); {
		case err != nil:
			t.Errorf("%s leads to %s, which does not exist", name, target)
		case info.IsDir() || name == target || !strings.HasSuffix(target, ".go"):
		case !declares(text(t, target), name):
			t.Errorf("%s does not declare %s", target, name)
		}
	}
}

// declares reports whether the text of a Go file declares a name: a function, a method with or
// without its receiver's type, a type, a constant, a variable or a field.
func declares(code, name string) bool {
	kind, last := "", name
	if owner, member, is := strings.Cut(name, "."); is {
		kind, last = owner, member
	}
	receiver := `\([^)]*\b` + kind + `\) `
	if kind == "" {
		receiver = `(?:\([^)]*\) )?`
	}
	declared := regexp.MustCompile(`(?m)^(?:func ` + receiver + `|type |const |var |\t)` + regexp.QuoteMeta(last) + `\b`)
	return declared.MatchString(code)
}
