// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// A receipt that only the object's status has (R16) makes the status claim more than its ledger
// (R5).
func TestR16AnAnswerRecordedOnlyInTheStatusCountsAsLost(t *testing.T) {
	t.Parallel()
	const submitting, unknown = v1alpha1.PhaseSubmitting, v1alpha1.PhaseOutcomeUnknown
	for name, c := range map[string]struct {
		ledgerCase

		asked bool // whether a person's decision is already requested
		id    string
	}{
		"submitting":                {ledgerCase: ledgerCase{phase: submitting, losing: true}, id: "a"},
		"outcome unknown":           {ledgerCase: ledgerCase{phase: unknown, losing: true}, id: "a"},
		"a person is asked":         {ledgerCase: ledgerCase{phase: unknown}, asked: true},
		"resolved as not accepted":  {ledgerCase: ledgerCase{phase: v1alpha1.PhaseNotAccepted, losing: true}},
		"abandoned, which is final": {ledgerCase: ledgerCase{phase: v1alpha1.PhaseAbandoned}},
		"held by another object":    {ledgerCase: ledgerCase{phase: submitting, holder: "x", holderLives: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view, order := c.view(), c.order()
			shown := v1alpha1.Request{
				Operation: v1alpha1.OperationOrderCreate, AttemptID: "a", Phase: v1alpha1.PhaseSucceeded, Location: "/orders/7",
			}
			order.Record().PutRequest(shown)
			view.Subject, view.Receipt = order, &shown
			if c.asked {
				view.Ledger.Spec.Open[0].Error = &v1alpha1.RequestError{Code: v1alpha1.ReasonLedgerLost}
			}
			lost := orders.JudgeLedger(view, order).Lost
			if (lost != nil) != c.losing {
				t.Fatalf("%+v stands for what was lost", lost)
			}
			if lost != nil && (lost.AttemptID != c.id || lost.Phase != unknown || lost.Location != "" ||
				!strings.Contains(lost.Error.Message, "attempt a as /orders/7")) {
				t.Errorf("%+v: %+v stands for what was lost", lost, lost.Error)
			}
		})
	}
}

// The attempt in an outdated ledger was not sent, but a later attempt may have been.
func TestR5AnUnsentAttemptOfALostLedgerProvesNothing(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{v1alpha1.ReasonLedgerLost: "Rest", "": "Resolve NotSent"} {
		view := refusedOrder("")
		unsent := v1alpha1.Request{
			Operation: v1alpha1.OperationOrderCreate, AttemptID: "a-1", UID: "u-1", Sender: view.Memory.Sender,
			Generation: 1, Phase: v1alpha1.PhaseOutcomeUnknown, Error: &v1alpha1.RequestError{Code: code},
			Login: view.Account.Memory(),
		}
		view.Ledger.Open(unsent)
		orders.Project(view.Order, view.Ledger, metav1.NewTime(view.Now))
		if decision := orders.Decide(view); decidetest.StepName(decision.Step) != want {
			t.Errorf("%q: %s (%s)", code, decidetest.StepName(decision.Step), decision.Verdict.Message)
		}
	}
}

// The placeholder for a lost order is unknown from the time when the loss was noticed, so an
// earlier resolution does not apply to it (R27).
func TestR27ALostOrderIsUnknownFromWhenTheLossIsSeen(t *testing.T) {
	t.Parallel()
	for _, phase := range []v1alpha1.RequestPhase{v1alpha1.PhaseSubmitting, v1alpha1.PhaseOutcomeUnknown} {
		older := ledgerCase{phase: phase, lost: true}
		view := older.view()
		view.Now = decidetest.Start().Add(time.Hour)
		judged := orders.JudgeLedger(view, older.order())
		if judged.Lost == nil || !judged.Lost.FinishedAt.Time.Equal(view.Now) {
			t.Errorf("%s: %+v", phase, judged.Lost)
		}
	}
}
