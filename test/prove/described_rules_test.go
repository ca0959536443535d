// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// What the account says about its carrier is not true: the carrier has accepted a request that it does
// not list. Another manager ends the attempt and sends the next one, and then the first response
// arrives.
func TestR15ChangeThatWasShownNotToBeAcceptedWaitsForAPerson(t *testing.T) {
	t.Parallel()
	const changing = v1alpha1.OperationPlanChange
	at := slices.IndexFunc(Scenarios(), func(scenario *Scenario) bool { return scenario.Confirmed })
	runScriptOf(t, Scenarios()[at], 2, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.world.Carrier.SetServiceReadLag(24 * time.Hour)
		s.faultAt = atFirst("POST "+submitPath(changing), delayed)
		s.whileDelayed = func() { s.runFor(t, s.managers[1], 15*time.Minute) }
		s.runFor(t, s.managers[0], time.Minute)
		s.drive(t.Context())
		reason, _, stuck := stateOf(s.subject())
		if reason != v1alpha1.ReasonLateAcceptance || !stuck || s.posted(changing) != 2 {
			t.Fatalf("%s, stalled %t, after %d POSTs", reason, stuck, s.posted(changing))
		}
		conditions, _ := s.subject().Describes()
		at := slices.IndexFunc(*conditions, func(c metav1.Condition) bool { return c.Type == v1alpha1.ConditionReady })
		if message := (*conditions)[at].Message; !strings.Contains(message, "remove spec.serviceRead") {
			t.Error(message)
		}
		s.setResolution(t, "Succeeded")
		s.drive(t.Context())
		if reason, _, _ := stateOf(s.subject()); reason != v1alpha1.ReasonInSync || s.posted(changing) != 2 {
			t.Errorf("%s, after %d POSTs", reason, s.posted(changing))
		}
	})
}
