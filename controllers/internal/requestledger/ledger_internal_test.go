// SPDX-License-Identifier: Apache-2.0

package requestledger

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// The status may have been written from a newer ledger: another manager may show the very attempt
// that is about to be sent.
func TestR12ALedgerIsBehindAStatusThatHasSeenMore(t *testing.T) {
	t.Parallel()
	attempt := func(id string) v1alpha1.Request {
		return v1alpha1.Request{Operation: v1alpha1.OperationPlanChange, AttemptID: id, Phase: v1alpha1.PhaseInProgress}
	}
	written := &Ledger{Name: "service-1", ledger: &v1alpha1.RequestLedger{}}
	written.ledger.Open(attempt("a-1"))
	written.ledger.Spec.Revision = 2
	for name, row := range map[string]struct {
		shown  *v1alpha1.LedgerReference
		id     string
		behind bool
	}{
		"no ledger":                       {nil, "a-2", false},
		"another ledger":                  {&v1alpha1.LedgerReference{Name: "service-2", Revision: 3}, "a-2", false},
		"an older one":                    {&v1alpha1.LedgerReference{Name: "service-1", Revision: 1}, "a-2", false},
		"this one":                        {&v1alpha1.LedgerReference{Name: "service-1", Revision: 2}, "a-1", false},
		"this one, with another attempt":  {&v1alpha1.LedgerReference{Name: "service-1", Revision: 2}, "a-2", true},
		"a newer one":                     {&v1alpha1.LedgerReference{Name: "service-1", Revision: 3}, "a-1", true},
		"a newer one, and other attempts": {&v1alpha1.LedgerReference{Name: "service-1", Revision: 3}, "a-2", true},
	} {
		status := Shown{At: &row.shown, Requests: []v1alpha1.Request{attempt(row.id)}}
		if got := written.lacks(status); got != row.behind {
			t.Errorf("the status shows %s: behind %t", name, got)
		}
	}
}
