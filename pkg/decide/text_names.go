// SPDX-License-Identifier: Apache-2.0

package decide

import (
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
