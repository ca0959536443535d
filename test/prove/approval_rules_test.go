// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// A request that a person has ended needs a new approval (R11), whatever was approved before.
func TestR11ResolvedAsNotAcceptedNeedsANewApproval(t *testing.T) {
	t.Parallel()
	for _, resolutions := range [][]string{{"NotAccepted"}, {"Succeeded", "NotAccepted"}} {
		runScript(t, converting, 1, func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.editAccount(t, func(account *v1alpha1.CarrierAccountSpec) { account.Approval = v1alpha1.ApprovalAlways })
			s.faultAt = atFirst("POST "+submitPath(converting), func() FaultKind { return BadGateway })
			s.runFor(t, s.managers[0], time.Minute)
			hash := s.service(t).Status.Pending.Hash
			s.edit(t.Context(), func(subject Subject) { annotate(subject, v1alpha1.AnnotationApprove, hash) })
			s.notifyManagers()
			s.runFor(t, s.managers[0], time.Minute)
			attempt := s.subject().Record().RequestOf(converting).AttemptID
			for _, resolution := range resolutions {
				s.edit(t.Context(), func(subject Subject) {
					annotate(subject, v1alpha1.AnnotationResolve, attempt+"="+resolution)
				})
				s.notifyManagers()
				s.runFor(t, s.managers[0], 10*time.Minute)
			}
			if reason, _, _ := stateOf(s.subject()); reason != v1alpha1.ReasonAwaitingApproval || s.posted(converting) != 1 {
				t.Errorf("%v: it is %s, and %d were sent", resolutions, reason, s.posted(converting))
			}
		})
	}
}

// One approval covers a plan and a conversion. While the account needs no approval, the carrier
// moves the service to another plan, and the operator moves it back. Then the account needs
// approvals again, and the carrier moves the service to where it was at the first approval. That
// approval was used up and allows nothing more, although its annotation is still there.
func TestR11AnApprovalThatWasCarriedOutIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	runScript(t, changing, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		require := func(approval v1alpha1.Approval) {
			s.editAccount(t, func(account *v1alpha1.CarrierAccountSpec) { account.Approval = approval })
		}
		require(v1alpha1.ApprovalOnCost)
		s.edit(t.Context(), func(subject Subject) {
			if service, is := subject.(*v1alpha1.BroadbandService); is {
				service.Spec.DriftPolicy, service.Spec.AggregationMethod = v1alpha1.DriftCorrect, "ETHERNET"
			}
		})
		s.notifyManagers()
		s.expectPosted(t, changing, 0, v1alpha1.ReasonAwaitingApproval)
		before, approved := s.service(t).Status.Carrier.Plan.Value, pendingOf(s.subject()).Hash
		s.approve(t.Context())
		s.expectPosted(t, changing, 1, v1alpha1.ReasonInSync)
		s.moveTo(t, world.PlanFast) // where it is: the first name in health is how the carrier spells it
		s.expectPosted(t, changing, 1, v1alpha1.ReasonInSync)

		require(v1alpha1.ApprovalAutomatic)
		s.moveTo(t, world.PlanGiga)
		s.expectPosted(t, changing, 2, v1alpha1.ReasonInSync)
		s.moveTo(t, world.PlanFast)
		s.expectPosted(t, changing, 2, v1alpha1.ReasonInSync)
		require(v1alpha1.ApprovalOnCost)
		s.moveTo(t, before)
		s.expectPosted(t, changing, 2, v1alpha1.ReasonAwaitingApproval)
		if again := pendingOf(s.subject()).Hash; again == approved || s.posted(converting) != 1 {
			t.Errorf("%s waits after %s, and %d conversions were sent", again, approved, s.posted(converting))
		}
	})
}

// moveTo makes the carrier change the plan by itself, and lets the operator read it.
func (s *scriptedRun) moveTo(t *testing.T, plan string) {
	t.Helper()
	must(s.world.Carrier.SetPlan(lineID, plan))
	sleep(48 * time.Hour)
	s.edit(t.Context(), func(subject Subject) { annotate(subject, v1alpha1.AnnotationReconcile, plan) })
	s.notifyManagers()
}
