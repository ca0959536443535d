// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// An object without a name at the carrier is named by its service, or by its own name.
func TestAMessageNamesTheSubjectInTheCarriersTerms(t *testing.T) {
	t.Parallel()
	test := &v1alpha1.DiagnosticTest{}
	test.Name = "once"
	order := &v1alpha1.ServiceOrder{Spec: v1alpha1.ServiceOrderSpec{CustomerReference: "A-1"}}
	ofService := &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{
		Diagnostics: &v1alpha1.LedgerService{ID: "7"},
	}}
	for want, in := range map[string]*Input{
		"the order with reference A-1": {Subject: order, Ledger: &v1alpha1.RequestLedger{}},
		"service 7":                    {Subject: test, Ledger: ofService},
		"dtest/once":                   {Subject: test, Ledger: &v1alpha1.RequestLedger{}},
	} {
		if got := atCarrier(in); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := atCarrier(&Input{Subject: test}); got != "dtest/once" {
		t.Errorf("without a ledger: %q", got)
	}
}
