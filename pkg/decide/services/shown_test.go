// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// planTo is a change of the plan, as an entry in a plan of changes.
func planTo(name string) v1alpha1.Change {
	return v1alpha1.Change{Operation: v1alpha1.OperationPlanChange, Field: "plan.name", From: "Slow", To: name}
}

// A request in progress is shown first, then a change, then a future cancellation.
func TestTheChangeColumnDescribesTheChange(t *testing.T) {
	t.Parallel()
	service := &v1alpha1.BroadbandService{}
	expect := func(want string) {
		t.Helper()
		if got := services.ChangeColumn(service); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
	expect("")
	service.Status.Carrier = &v1alpha1.CarrierState{
		Cancellation: &v1alpha1.CancellationState{PendingDate: "2026-12-31"},
	}
	expect("cancelled on 2026-12-31")
	sla := v1alpha1.Change{Operation: v1alpha1.OperationPlanChange, Field: "restorationSLA", To: "Gold"}
	service.Status.Pending = &v1alpha1.Pending{Changes: []v1alpha1.Change{sla}}
	expect("unknown → Gold")
	service.Status.Pending.Changes = []v1alpha1.Change{planTo("Fast"), sla}
	expect("Slow → Fast, +1")
	term := v1alpha1.Change{Operation: v1alpha1.OperationPlanChange, Field: "plan.term", To: "12"}
	service.Status.Pending.Changes = []v1alpha1.Change{planTo("Fast"), term, sla}
	expect("→ Fast for 12 months, +1")
	service.Status.Pending.Changes = []v1alpha1.Change{sla, term}
	expect("unknown → Gold, term 12")
	service.Status.Pending.Changes = []v1alpha1.Change{term}
	expect("term unknown → 12")
	service.PutRequest(v1alpha1.Request{
		Operation: v1alpha1.OperationPlanChange, Phase: v1alpha1.PhaseInProgress,
		Plan: []v1alpha1.Change{planTo("Faster"), {Operation: v1alpha1.OperationAggregationConversion, To: "ETHERNET"}},
	})
	service.ShowInFlight()
	expect("Slow → Faster")
}

// Requests that did not reach the carrier are not among them.
func TestTheHistoryShowsTheLastTenRequests(t *testing.T) {
	t.Parallel()
	ledger := &v1alpha1.RequestLedger{}
	for i := range 12 {
		attempt := v1alpha1.Request{
			Operation: v1alpha1.OperationPlanChange, AttemptID: fmt.Sprint(i), Phase: v1alpha1.PhaseSucceeded,
			ApprovedBy: "alice", Plan: []v1alpha1.Change{planTo(fmt.Sprint("Fast ", i))},
			FinishedAt: metav1.NewTime(decidetest.Start().Add(time.Duration(i) * time.Minute)),
		}
		if i == 11 {
			attempt.Phase = v1alpha1.PhaseNotSent
		}
		ledger.Put(attempt)
	}
	service := &v1alpha1.BroadbandService{}
	services.Project(service, ledger, decide.Clock{Now: decidetest.Start().Add(time.Hour)})
	if count := len(service.Status.History); count != 9 {
		t.Fatalf("it has %d entries, want those of the ten recorded that reached the carrier", count)
	}
	newest := service.Status.History[0]
	if newest.Change != `plan.name "Slow" → "Fast 10"` || newest.ApprovedBy != "alice" ||
		newest.Outcome != v1alpha1.PhaseSucceeded ||
		!newest.At.Equal(&metav1.Time{Time: decidetest.Start().Add(10 * time.Minute)}) {
		t.Errorf("the newest is %+v", newest)
	}
}
