// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// No approval is requested for a change that is open or has failed. Otherwise two processes that
// both lead would overwrite each other's status if only one of them has the reading.
func TestR7EveryProcessReportsOpenAndFailedChangesAlike(t *testing.T) {
	t.Parallel()
	for _, phase := range []v1alpha1.RequestPhase{v1alpha1.PhaseInProgress, v1alpha1.PhaseFailed} {
		has, lacks := settled(wanting, with(phase)), settled(wanting, refusing, with(phase))
		if diff := cmp.Diff(services.Decide(has).Aspects, services.Decide(lacks).Aspects); diff != "" {
			t.Errorf("%s: one that has no reading shows %s", phase, diff)
		}
		if diff := cmp.Diff(services.Decide(has).Pending, services.Decide(lacks).Pending); diff != "" {
			t.Errorf("%s: to one that has no reading these changes are pending: %s", phase, diff)
		}
	}
}

func TestR7AnUnreadPlanProvesNothing(t *testing.T) {
	t.Parallel()
	decision := services.Decide(settled(wanting, refusing, approvedAsShown))
	submit, sends := decision.Step.(decide.Submit)
	if !sends || submit.Request.Before.Plan != "" || submit.Request.ApprovedHash != decision.Pending.Hash {
		t.Errorf("%T of %+v", decision.Step, submit.Request)
	}
	decision = services.Decide(settled(onlySLA, refusing))
	if changes := decision.Pending.Changes; len(changes) != 2 || changes[0].From != "" || changes[0].To != "Fast" {
		t.Errorf("the plan that goes with the SLA is not shown: %+v", changes)
	}
}
