// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// A page of a gateway with a status of refusal is no refusal: the carrier may have done the work. A
// retry does not send the request again, because a retry applies to a failure.
func TestAGatewaysPageIsNoRefusal(t *testing.T) {
	t.Parallel()
	for _, operation := range []v1alpha1.Operation{
		v1alpha1.OperationOrderCreate, v1alpha1.OperationAggregationConversion, v1alpha1.OperationDiagnosticTest,
	} {
		t.Run(string(operation), func(t *testing.T) {
			t.Parallel()
			runScript(t, operation, 1, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.faultAt = atFirst("POST "+submitPath(operation), func() FaultKind { return GatewayPage })
				s.drive(t.Context())
				reason, _, _ := stateOf(s.subject())
				request := s.subject().Record().RequestOf(operation)
				if reason != v1alpha1.ReasonOutcomeUnknown || !strings.Contains(request.Error.Message, "is not the carrier's") {
					t.Errorf("it is %s: %s", reason, request.Error.Message)
				}
				s.edit(t.Context(), func(subject Subject) { annotate(subject, v1alpha1.AnnotationRetry, request.AttemptID) })
				s.notifyManagers()
				s.runFor(t, s.managers[0], time.Hour)
				if s.posted(operation) != 1 {
					t.Errorf("it was sent %d times", s.posted(operation))
				}
			})
		})
	}
}

// The ten seconds for which a decision is valid are checked again once there is a connection. A
// request that is given up then is sent again, because nothing of it was written.
func TestAnIntentIsCheckedWithTheConnectionInHand(t *testing.T) {
	t.Parallel()
	operation := v1alpha1.OperationOrderCreate
	runScript(t, operation, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		connecting := 0
		s.faultAt = func(effect Effect) FaultKind {
			if strings.HasPrefix(effect.What, "POST "+submitPath(operation)) {
				connecting++
				if connecting == 1 {
					sleep(10 * time.Second)
				}
			}
			return noFault
		}
		s.drive(t.Context())
		reason, _, _ := stateOf(s.subject())
		if reason != v1alpha1.ReasonSubmitted || s.posted(operation) != 1 || connecting != 2 {
			t.Errorf("%d were sent with %d connections, and it is %s", s.posted(operation), connecting, reason)
		}
	})
}
