// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// endedAt is an attempt at an order that has ended in a phase.
func endedAt(id string, phase v1alpha1.RequestPhase, at time.Time) v1alpha1.Request {
	return v1alpha1.Request{
		AttemptID: id, Operation: v1alpha1.OperationOrderCreate, Attempt: 1, Phase: phase, Location: "/orders/" + id,
		SubmittedAt: v1alpha1.WholeSeconds(at), FinishedAt: v1alpha1.WholeSeconds(at), ApprovedBy: "jo",
		Error: &v1alpha1.RequestError{Code: "SOME_CODE", Message: "a long message"},
	}
}

// orderLedger is the ledger of an order, with attempts that have ended, the oldest first.
func orderLedger(attempts ...v1alpha1.Request) *v1alpha1.RequestLedger {
	ledger := &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{
		Schema: v1alpha1.LedgerSchema, Order: &v1alpha1.LedgerOrder{CustomerReference: "SITE-014"},
		Known: v1alpha1.KnownToLedger{
			Order: &v1alpha1.OrderFacts{OrderID: "7", ServiceID: "8", PlanName: "Home 50/20"},
			Term:  &v1alpha1.KnownValue{Value: "12"}, AgreedCancellation: "2026-08-31",
		},
		Baseline: &v1alpha1.KnownValue{Value: "Home 50/20"},
	}}
	for _, attempt := range attempts {
		open := attempt
		open.Phase = v1alpha1.PhaseInProgress
		ledger.Open(open)
		ledger.Put(attempt)
	}
	return ledger
}

func TestOnlyALedgerThatNothingNeedsForLongMayShrink(t *testing.T) {
	t.Parallel()
	start := decidetest.Start()
	after := start.Add(decide.LedgerKeptWhole)
	succeeded := endedAt("a", v1alpha1.PhaseSucceeded, start)
	open := orderLedger(succeeded)
	open.Open(endedAt("b", v1alpha1.PhaseOutcomeUnknown, start))
	late := orderLedger(succeeded)
	late.Open(endedAt("b", v1alpha1.PhaseLateAcceptance, start))
	resolved := endedAt("a", v1alpha1.PhaseAbandoned, start)
	resolved.ResolvedBy = &v1alpha1.Resolution{Word: "a=Abandoned", At: v1alpha1.WholeSeconds(start.Add(time.Minute))}
	newer := orderLedger(succeeded)
	newer.Spec.Schema++
	deleting := orderLedger(succeeded)
	deleting.DeletionTimestamp = new(metav1.NewTime(start))
	ofLogin := &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{Account: &v1alpha1.LedgerAccount{}}}
	for name, row := range map[string]struct {
		ledger *v1alpha1.RequestLedger
		now    time.Time
		may    bool
	}{
		"long ago":               {orderLedger(succeeded), after, true},
		"a moment too early":     {orderLedger(succeeded), after.Add(-time.Second), false},
		"its outcome is unknown": {open, after, false},
		"it was accepted late":   {late, after, false},
		"it was resolved since":  {orderLedger(resolved), after, false},
		"a newer version's":      {newer, after, false},
		"it is being deleted":    {deleting, after, false},
		"that of a login":        {ofLogin, after, false},
	} {
		if may := decide.MayShrink(row.ledger, row.now); may != row.may {
			t.Errorf("%s: %t", name, may)
		}
	}
}

func TestAShrunkLedgerStillPreventsASecondRequest(t *testing.T) {
	t.Parallel()
	at := decidetest.Start()
	ledger := orderLedger(
		endedAt("a", v1alpha1.PhaseAbandoned, at), endedAt("b", v1alpha1.PhaseSucceeded, at),
		endedAt("c", v1alpha1.PhaseNotSent, at),
	)
	if !decide.Shrink(ledger) || decide.Shrink(ledger) {
		t.Error("it does not shrink once")
	}
	last := ledger.ReachedLast(v1alpha1.OperationOrderCreate)
	if last == nil {
		t.Fatal("it keeps no attempt")
	}
	want := v1alpha1.Request{
		AttemptID: "b", Operation: v1alpha1.OperationOrderCreate, Attempt: 1, Phase: v1alpha1.PhaseSucceeded,
		Location: "/orders/b", SubmittedAt: v1alpha1.WholeSeconds(at), FinishedAt: v1alpha1.WholeSeconds(at),
		ApprovedBy: "jo", Error: &v1alpha1.RequestError{Code: "SOME_CODE"},
	}
	if difference := cmp.Diff(want, *last); difference != "" || len(ledger.Spec.Last) != 1 || len(ledger.Spec.Ended) > 0 {
		t.Errorf("it keeps %d attempts, %d before them, and of the last one: %s",
			len(ledger.Spec.Last), len(ledger.Spec.Ended), difference)
	}
	known := v1alpha1.KnownToLedger{
		Order: &v1alpha1.OrderFacts{OrderID: "7", ServiceID: "8"},
		Term:  &v1alpha1.KnownValue{Value: "12"}, AgreedCancellation: "2026-08-31",
	}
	if difference := cmp.Diff(known, ledger.Spec.Known); difference != "" || ledger.Spec.Baseline == nil {
		t.Errorf("it keeps the baseline %v, and of what is known: %s", ledger.Spec.Baseline, difference)
	}
}
