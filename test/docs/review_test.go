// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// ofReview is the page with the findings of the review.
const ofReview = "docs/design/0003-what-a-review-found.md"

// finding is a line of its table.
var finding = regexp.MustCompile(`^\| ([MSWXN]\d+) \| [^|]+ \| [^|]+ \| ([^|]+) \|$`)

// findings returns the number of findings by their first letter.
func findings() map[string]int { return map[string]int{"M": 13, "S": 7, "W": 6, "X": 6, "N": 8} }

func TestEachFindingOfTheReviewHasATest(t *testing.T) {
	t.Parallel()
	tests := map[string]string{}
	for line := range strings.Lines(text(t, ofReview)) {
		if found := finding.FindStringSubmatch(strings.TrimSpace(line)); found != nil {
			tests[found[1]] = found[2]
		}
	}
	for letter, most := range findings() {
		for number := 1; number <= most; number++ {
			name := fmt.Sprintf("%s%d", letter, number)
			for _, gap := range gaps(t, tests[name]) {
				t.Errorf("%s: %s", name, gap)
			}
			delete(tests, name)
		}
	}
	for name := range tests {
		t.Errorf("the review has no %s", name)
	}
}

// gaps describes what is wrong with the tests in a line.
func gaps(t *testing.T, tests string) (wrong []string) {
	t.Helper()
	all := named.FindAllStringSubmatch(tests, -1)
	if len(all) == 0 {
		return []string{"it names no test"}
	}
	for _, test := range all {
		if !holds(text(t, test[2]), test[1]) {
			wrong = append(wrong, fmt.Sprintf("there is no test %q in %s", test[1], test[2]))
		}
	}
	return wrong
}
