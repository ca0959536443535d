// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// "A newer schema is not written, and stalls what it is about" (R30). The same holds for attempts
// that such a ledger has lost.
func TestR30ANewerLedgerIsLeftAloneEvenIfItHasLostSomething(t *testing.T) {
	t.Parallel()
	ledger := &v1alpha1.RequestLedger{}
	ledger.Spec.Schema, ledger.Spec.BaseURL = v1alpha1.LedgerSchema+1, "https://a"
	account := &v1alpha1.CarrierAccount{Spec: v1alpha1.CarrierAccountSpec{BaseURL: "https://a", Identity: "i"}}
	view := func(subject decide.Subject) decide.LedgerInput {
		return decide.LedgerInput{Lost: true, Input: decide.Input{
			Subject: subject, Ledger: ledger, Now: start, Account: decide.Account{Object: account},
		}}
	}
	order, test := &v1alpha1.ServiceOrder{}, &v1alpha1.DiagnosticTest{}
	for kind, judged := range map[string]decide.LedgerVerdict{
		"BroadbandService": decide.JudgeServiceLedger(view(&v1alpha1.BroadbandService{})),
		"ServiceOrder":     decide.JudgeOrderLedger(view(order), order),
		"DiagnosticTest":   decide.JudgeTestLedger(view(test), test),
	} {
		if judged.Verdict == nil || judged.Verdict.Reason != v1alpha1.ReasonLedgerUnreadable || judged.Lost != nil {
			t.Errorf("%s: %+v", kind, judged)
		}
	}
}
