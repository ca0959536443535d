// SPDX-License-Identifier: Apache-2.0

// Package docs_test compares the documentation with the files of the repository.
package docs_test

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	page  = "docs/security-cases.md"
	cases = 114
)

// row is one line of a table of the page.
type row struct {
	number string
	tests  string // "`name` in `file`", once or more often
}

var (
	numbered = regexp.MustCompile(`^\| (\d+) \| [^|]+ \| [^|]+ \| ([^|]+) \|$`)
	named    = regexp.MustCompile("`([^`]+)` in `([^`]+)`")
)

// rows returns the lines of the page that begin with a number: case, outcome and test.
func rows(t *testing.T) []row {
	t.Helper()
	var read []row
	for line := range strings.Lines(text(t, page)) {
		if found := numbered.FindStringSubmatch(strings.TrimSpace(line)); found != nil {
			read = append(read, row{number: found[1], tests: found[2]})
		}
	}
	return read
}

// text returns a file of the repository.
func text(t *testing.T, path string) string {
	t.Helper()
	read, err := fs.ReadFile(os.DirFS("../.."), path)
	if err != nil {
		t.Fatal(err)
	}
	return string(read)
}

func TestEverySecurityCaseIsThereOnce(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for _, row := range rows(t) {
		seen[row.number]++
	}
	for number := 1; number <= cases; number++ {
		if times := seen[strconv.Itoa(number)]; times != 1 {
			t.Errorf("case %d is there %d times, with a case, an outcome and a test", number, times)
		}
	}
	if len(seen) > cases {
		t.Errorf("there are %d cases, and not %d", len(seen), cases)
	}
}

func TestEverySecurityCaseNamesItsTest(t *testing.T) {
	t.Parallel()
	for _, row := range rows(t) {
		for _, gap := range missingTests(t, row.tests) {
			t.Errorf("case %s: %s", row.number, gap)
		}
	}
}

// contains reports whether a test is in a file: a function, a name in quotes, or the name of a
// refused manifest.
func contains(file, test string) bool {
	forms := []string{
		"func " + test + "(", strconv.Quote(test), "{name: " + test + ",", "{name: " + strconv.Quote(test) + ",",
	}
	return slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(file, form) })
}
