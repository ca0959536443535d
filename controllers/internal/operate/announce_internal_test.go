// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// eventLog records Events.
type eventLog struct{ events []string }

// Eventf records the Event.
//
//nolint:revive // argument-limit: the parameters are those of Kubernetes' events.EventRecorder
func (h *eventLog) Eventf(_, _ runtime.Object, kind, reason, _, note string, args ...any) {
	h.events = append(h.events, kind+" "+reason+" "+fmt.Sprintf(note, args...))
}

// Only what a person has ended can be corrected.
func TestR14AContradictionOfTheCarriersOwnReportCannotBeCorrected(t *testing.T) {
	t.Parallel()
	events := &eventLog{}
	(&Protocol{Events: events}).warnOfContradiction(&v1alpha1.ServiceOrder{}, &v1alpha1.Request{
		AttemptID: "one", Phase: v1alpha1.PhaseRejected, EndedBy: v1alpha1.EndedByCarrier,
	}, Fact{By: decide.WriterPoll, To: v1alpha1.PhaseSucceeded})
	const want = "attempt one is recorded as Rejected (as the carrier reported), but now the carrier reports Succeeded: " +
		"the record is kept. Ask the carrier"
	if text := strings.Join(events.events, "\n"); !strings.HasSuffix(text, want) {
		t.Error(text)
	}
}

// A change that the table does not have is refused where it is made, with an Event if it
// contradicts the record (R14).
func TestR14ARefusedFactThatContradictsIsReported(t *testing.T) {
	t.Parallel()
	for _, phase := range []v1alpha1.RequestPhase{
		v1alpha1.PhaseSucceeded, v1alpha1.PhaseAbandoned, v1alpha1.PhaseNotAccepted,
	} {
		reported := phase == v1alpha1.PhaseSucceeded
		order := &v1alpha1.ServiceOrder{}
		order.Record().PutRequest(v1alpha1.Request{
			Operation: v1alpha1.OperationOrderCreate, AttemptID: "one", Phase: phase, Location: "/api/connect/orders/7",
			EndedBy: v1alpha1.EndedByPerson,
		})
		events := &eventLog{}
		began := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
		protocol := Protocol{Events: events, Now: func() time.Time { return began }}
		scope := Scope{Subject: order, Describe: func() {}}
		if err := protocol.Record(t.Context(), scope, "one", notSent(errTooLate)); err != nil {
			t.Fatal(err)
		}
		if order.Status.Request.Phase != phase {
			t.Errorf("%s became %s", phase, order.Status.Request.Phase)
		}
		text := strings.Join(events.events, "\n")
		want := "Warning OutcomeContradicted OrderCreate attempt one is recorded as " + string(phase) +
			" (as a person resolved it), but now the process that sent it reports NotSent: the record is kept. Ask the " +
			"carrier; if the record is wrong, correct it with wholesale.broadband/resolve"
		if strings.Contains(text, want) != reported {
			t.Errorf("events for %s: %s", phase, text)
		}
	}
}
