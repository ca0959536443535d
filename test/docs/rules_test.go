// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"regexp"
	"strings"
	"testing"
)

var (
	namedByFunction = regexp.MustCompile(`func Test((?:R\d+)+)[A-Z]`)
	namedByText     = regexp.MustCompile(`(?:It|Entry|Describe|DescribeTable)\("[^"]*\((R\d+(?:, R\d+)*)\)"`)
	oneRule         = regexp.MustCompile(`R\d+`)
)

// ruleTests counts the tests that name each rule, as TestR1… or as a spec whose text ends in (R1).
func ruleTests(t *testing.T) map[string]int {
	t.Helper()
	found := map[string]int{}
	for at, read := range files(t, ".go") {
		if !strings.HasSuffix(at, "_test.go") {
			continue
		}
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
	tests := ruleTests(t)
	for rule := range headings(t, rulesPage, ruleHeading) {
		if tests[rule] == 0 {
			t.Errorf("%s has no test", rule)
		}
		delete(tests, rule)
	}
	for rule := range tests {
		t.Errorf("there is no rule %s", rule)
	}
}
