// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// reviewPage is the page with the findings of the review.
const reviewPage = "docs/design/0003-what-a-review-found.md"

// finding matches a line of the page's table.
var finding = regexp.MustCompile(`^\| ([MSWXNLTUV]\d+) \| [^|]+ \| [^|]+ \| ([^|]+) \|$`)

// findings returns the number of findings by their first letter.
func findings() map[string]int {
	return map[string]int{"M": 13, "S": 7, "W": 6, "X": 6, "N": 8, "L": 12, "T": 19, "U": 53, "V": 67}
}

func TestEachFindingOfTheReviewHasATest(t *testing.T) {
	t.Parallel()
	tests := map[string]string{}
	for line := range strings.Lines(text(t, reviewPage)) {
		if found := finding.FindStringSubmatch(strings.TrimSpace(line)); found != nil {
			tests[found[1]] = found[2]
		}
	}
	for letter, most := range findings() {
		for number := 1; number <= most; number++ {
			name := fmt.Sprintf("%s%d", letter, number)
			for _, gap := range missingTests(t, tests[name]) {
				t.Errorf("%s: %s", name, gap)
			}
			delete(tests, name)
		}
	}
	for name := range tests {
		t.Errorf("the review has no %s", name)
	}
}

// missingTests describes what is wrong with the tests in a line.
func missingTests(t *testing.T, tests string) (missing []string) {
	t.Helper()
	all := named.FindAllStringSubmatch(tests, -1)
	if len(all) == 0 {
		return []string{"it names no test"}
	}
	for _, test := range all {
		if !contains(text(t, test[2]), test[1]) {
			missing = append(missing, fmt.Sprintf("there is no test %q in %s", test[1], test[2]))
		}
	}
	return missing
}
