// SPDX-License-Identifier: Apache-2.0

package decide

import "testing"

func TestInsteadOfNamesTheSpellingTheNearestAndTheFirst(t *testing.T) {
	t.Parallel()
	many := []string{"A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "B1", "B2", "B3"}
	for _, row := range []struct {
		name   string
		offers []string
		want   string
	}{
		{"home 50/20", []string{"Home 50/20"}, `: it is spelled "Home 50/20"`},
		{
			"Home 5O/20",
			[]string{"Home 100/20", "Home 50/20"},
			`; nearest: "Home 50/20"; it offers: "Home 100/20", "Home 50/20"`,
		},
		{"Gold", []string{"Standard"}, `; it offers: "Standard"`},
		{"X", many, `; it offers: "A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "B1" and 2 more`},
	} {
		if got := InsteadOf(row.name, row.offers); got != row.want {
			t.Errorf("%s: %s", row.name, got)
		}
	}
}
