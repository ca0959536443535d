// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"
)

// InsteadOf lists what is offered in place of a name: another spelling of it, or the nearest
// name, and the first ten of all offers.
func InsteadOf(name string, offers []string) string {
	const most = 10
	for _, offer := range offers {
		if SameName(name, offer) {
			return fmt.Sprintf(": it is spelled %q", offer)
		}
	}
	words := ""
	if near := nearest(name, offers); near != "" {
		words = fmt.Sprintf("; nearest: %q", near)
	}
	listed := make([]string, 0, most)
	for _, offer := range offers[:min(len(offers), most)] {
		listed = append(listed, fmt.Sprintf("%q", offer))
	}
	words += "; it offers: " + strings.Join(listed, ", ")
	if more := len(offers) - most; more > 0 {
		words += fmt.Sprintf(" and %d more", more)
	}
	return words
}

// nearest returns the name that needs the fewest edits; "" if each name needs edits of more than
// a third of the characters: it is then another name, not a typing mistake.
func nearest(name string, offers []string) string {
	found, fewest := "", len([]rune(name))/3
	for _, offer := range offers {
		if needed := edits([]rune(strings.ToLower(name)), []rune(strings.ToLower(offer))); needed <= fewest {
			if found == "" || needed < fewest {
				found = offer
			}
			fewest = needed
		}
	}
	return found
}

// edits returns how many characters must be inserted, deleted or replaced to turn a into b.
func edits(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, from := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, to := range b {
			replaced := diagonal
			if from != to {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
