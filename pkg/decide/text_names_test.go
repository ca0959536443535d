// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The carrier writes a term as a number, or with words.
func TestTheMonthsOfATerm(t *testing.T) {
	t.Parallel()
	for term, want := range map[string]string{
		"12": "12", "12 months": "12", " 24 months ": "24", "months": "", "none": "", "": "",
	} {
		if got := decide.MonthsOf(term); got != want {
			t.Errorf("%q is %q months, want %q", term, got, want)
		}
	}
}
