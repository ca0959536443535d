// SPDX-License-Identifier: Apache-2.0

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

// rules is the number of rules of the request ledger: R1 to R33.
const rules = 33

// notImplemented returns the rules that are not implemented. A rule with a test must not be listed
// here.
func notImplemented() []int { return nil }

var (
	namedByFunction = regexp.MustCompile(`func Test((?:R\d+)+)[A-Z]`)
	namedByText     = regexp.MustCompile(`(?:It|Entry|Describe|DescribeTable)\("[^"]*\((R\d+(?:, R\d+)*)\)"`)
	oneRule         = regexp.MustCompile(`R\d+`)
)

// testFiles returns the texts of all test files.
func testFiles(t *testing.T) []string {
	t.Helper()
	var texts []string
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, "_test.go") {
			texts = append(texts, text(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// ruleTests counts the tests that name each rule, as TestR1… or as a spec whose text ends in (R1).
func ruleTests(t *testing.T) map[string]int {
	t.Helper()
	found := map[string]int{}
	for _, read := range testFiles(t) {
		named := append(namedByFunction.FindAllStringSubmatch(read, -1), namedByText.FindAllStringSubmatch(read, -1)...)
		for _, names := range named {
			for _, rule := range oneRule.FindAllString(names[1], -1) {
				found[rule]++
			}
		}
	}
	return found
}

func TestEachRuleOfTheLedgerHasATest(t *testing.T) {
	t.Parallel()
	found := ruleTests(t)
	for number := 1; number <= rules; number++ {
		rule := "R" + strconv.Itoa(number)
		if implemented := !slices.Contains(notImplemented(), number); implemented != (found[rule] > 0) {
			t.Errorf("%s is implemented: %t, and has %d tests", rule, implemented, found[rule])
		}
		delete(found, rule)
	}
	for rule := range found {
		t.Errorf("there is no rule %s", rule)
	}
}
