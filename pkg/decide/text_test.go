// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

func TestNamesAreListedAsInASentence(t *testing.T) {
	t.Parallel()
	for want, names := range map[string][]string{
		"plan": {"plan"}, "plan and term": {"plan", "term"}, "plan, term and SLA": {"plan", "term", "SLA"},
	} {
		if got := decide.ListOf(names); got != want {
			t.Errorf("%q are listed as %q", names, got)
		}
	}
}
