// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// heard records Events.
type heard struct{ said []string }

// Eventf records the Event.
//
//nolint:revive // argument-limit: the parameters are those of Kubernetes' events.EventRecorder
func (h *heard) Eventf(_, _ runtime.Object, kind, reason, _, note string, args ...any) {
	h.said = append(h.said, kind+" "+reason+" "+fmt.Sprintf(note, args...))
}

// "Whatever it does not list is refused where it is made, with an Event if it ... contradicts" (R14).
func TestR14ARefusedFactThatContradictsIsTold(t *testing.T) {
	t.Parallel()
	for _, phase := range []v1alpha1.RequestPhase{
		v1alpha1.PhaseSucceeded, v1alpha1.PhaseAbandoned, v1alpha1.PhaseNotAccepted,
	} {
		told := phase == v1alpha1.PhaseSucceeded
		order := &v1alpha1.ServiceOrder{}
		order.PutRequest(v1alpha1.Request{
			Operation: v1alpha1.OperationOrderCreate, AttemptID: "one", Phase: phase, Location: "/api/connect/orders/7",
			EndedBy: v1alpha1.EndedByPerson,
		})
		events := &heard{}
		began := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
		protocol := Protocol{Events: events, Now: func() time.Time { return began }}
		scope := Scope{Subject: order, Describe: func() {}}
		if err := protocol.Record(t.Context(), scope, "one", notSent(errTooLate)); err != nil {
			t.Fatal(err)
		}
		if order.Status.Request.Phase != phase {
			t.Errorf("%s became %s", phase, order.Status.Request.Phase)
		}
		said := strings.Join(events.said, "\n")
		want := "Warning OutcomeContradicted OrderCreate attempt one is recorded as " + string(phase)
		if strings.Contains(said, want) != told {
			t.Errorf("of %s it is told: %s", phase, said)
		}
	}
}
