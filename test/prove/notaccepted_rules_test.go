// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// confirmedScenario is a change of plan at a carrier that has confirmed its list.
func confirmedScenario() *Scenario {
	at := slices.IndexFunc(Scenarios(), func(scenario *Scenario) bool { return scenario.Confirmed })
	return Scenarios()[at]
}

// A person gives up an attempt while it is Submitting, as its message says. The manager's cache
// shows the annotation only after the rule has ended the attempt. Nothing is sent again.
func TestAChangeIsNotSentAgainIfAPersonAbandonsItWhileTheRuleEndsIt(t *testing.T) {
	t.Parallel()
	const changing = v1alpha1.OperationPlanChange
	runScriptOf(t, confirmedScenario(), 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.faultAt = atFirst("POST "+submitPath(changing), func() FaultKind { return Unavailable })
		s.runFor(t, s.managers[0], 10*time.Minute)
		open := s.subject().OpenRequests()
		if len(open) != 1 || open[0].Phase != v1alpha1.PhaseSubmitting || s.posted(changing) != 0 {
			t.Fatalf("after ten minutes: %+v, %d sent", open, s.posted(changing))
		}
		s.staleVersions["*v1alpha1.BroadbandService"] = s.store.Version()
		s.setResolution(t, "Abandoned")
		s.runFor(t, s.managers[0], 30*time.Second) // the description read after 10¼ minutes ends it
		clear(s.staleVersions)
		s.notifyManagers()
		s.drive(t.Context())
		for _, ended := range s.onlyLedger(t).Spec.Ended {
			t.Logf("%s ended as %s by %s", ended.AttemptID, ended.Outcome, ended.EndedBy)
		}
		if reason, _, _ := stateOf(s.subject()); s.posted(changing) != 0 {
			t.Errorf("%d were accepted, and it is %s", s.posted(changing), reason)
		}
	})
}
