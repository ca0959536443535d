// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"
)

// The fields of a change that several kinds name, and the name of the SLA in messages.
const (
	FieldPlan    = "plan.name"
	FieldTerm    = "plan.term"
	FieldSLA     = "restorationSLA"
	FieldContact = "plan.contact" // the new value says whose data is sent, without the data
	FieldFee     = "fee"          // of an order; the new value is the name of the fee

	NameOfSLA = "restoration SLA" // in messages
)

// MonthsOf returns the months of a term as the carrier writes it: "12", or "12 months".
func MonthsOf(term string) string {
	term = strings.TrimSpace(term)
	end := strings.IndexFunc(term, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		return term
	}
	return term[:end]
}

// SameName compares names of plans and other values, ignoring case and extra spaces.
func SameName(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// InsteadOf says what is offered in place of a name: its other spelling, or the nearest name, and the
// first ten of all.
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

// nearest returns the name that needs the fewest edits; "" if each needs more than a third of the
// characters, because then it is another name and not a typing mistake.
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

// edits returns how many characters have to be inserted, deleted or replaced to make b of a.
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
