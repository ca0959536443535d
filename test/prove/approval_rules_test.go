// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// "An attempt that a person ended makes a new hash" (R11), whatever was approved before.
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
			attempt := s.subject().RequestOf(converting).AttemptID
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
