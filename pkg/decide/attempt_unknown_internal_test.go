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

// After the loss of a ledger, one request stands for whatever was sent. The carrier does not know
// it, until a person has found one of those requests there.
func TestTheCarrierIsNotAskedAboutARequestThatWasNeverSent(t *testing.T) {
	t.Parallel()
	in := &Input{Subject: &v1alpha1.BroadbandService{Spec: v1alpha1.BroadbandServiceSpec{ServiceID: "7"}}}
	lost := &v1alpha1.RequestError{Code: v1alpha1.ReasonLedgerLost, Message: "it is missing"}
	open := &v1alpha1.Request{Operation: v1alpha1.OperationPlanChange, Error: lost}
	const all = "it is not known which requests the carrier has received for service 7 (it is missing)"
	if got := DescribeUnknown(in, open, lost); got != all {
		t.Errorf("%q", got)
	}
	open.Error = nil
	found := &v1alpha1.RequestError{Message: "it is gone"}
	if got := DescribeUnknown(in, open, found); got != "the outcome of PlanChange for service 7 is unknown (it is gone)" {
		t.Errorf("once found: %q", got)
	}
}
