// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// M4a of the review: a limit that was counted in the status of one object never counted more than
// three of its changes.
func TestR10OneServiceThatIsEditedOftenSpendsNoMoreThanTheLimit(t *testing.T) {
	t.Parallel()
	const limit, edits = 5, 16
	script(t, v1alpha1.OperationPlanChange, 1, func(t *testing.T, s *scripted) {
		t.Helper()
		s.allows(t, limit)
		began := now()
		for i := range edits {
			s.wants(t, []string{world.PlanSlow, world.PlanCheap, world.PlanFast}[i%3])
			s.passes(t, s.managers[0], 3*time.Minute)
		}
		if took, posted := now().Sub(began), s.posted(v1alpha1.OperationPlanChange); posted != limit || took > time.Hour {
			t.Errorf("%d plan changes within %v", posted, took)
		}
		if reason, _, _ := stateOf(s.subject()); reason != v1alpha1.ReasonChargeLimit {
			t.Errorf("it says %s", reason)
		}
		s.passes(t, s.managers[0], 2*time.Hour)
		if posted := s.posted(v1alpha1.OperationPlanChange); posted != limit+1 {
			t.Errorf("%d plan changes once the hour is over", posted)
		}
	})
}

// wants sets a plan as a user would.
func (s *scripted) wants(t *testing.T, plan string) {
	t.Helper()
	s.edit(t.Context(), func(subject Subject) {
		if service, is := subject.(*v1alpha1.BroadbandService); is {
			service.Spec.Plan.Name = plan
		}
	})
	s.alert()
}
