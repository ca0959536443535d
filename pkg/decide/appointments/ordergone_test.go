// SPDX-License-Identifier: Apache-2.0

package appointments_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/appointments"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// offered is an AppointmentRequest that shows the slots for an order, of which nothing is left to do.
func offered() appointments.Input {
	request := &v1alpha1.AppointmentRequest{}
	request.Spec.OrderRef, request.Spec.DateFrom = &v1alpha1.OrderReference{Name: "placed"}, "2026-12-01"
	status := &request.Status
	status.AppointmentRequestID, status.OrderID, status.DateFrom = "77", "555", "2026-12-01"
	status.Since = metav1.NewTime(decidetest.Start())
	return appointments.Input{Appointment: request, Input: decidetest.Input(request)}
}

// An AppointmentRequest once stayed Completed when its order was gone.
func TestAnOrderThatIsGoneIsReported(t *testing.T) {
	t.Parallel()
	placed, rejected := &v1alpha1.ServiceOrder{}, &v1alpha1.ServiceOrder{}
	placed.Status.OrderID, rejected.Status.OrderID = "555", "555"
	rejected.Status.Rejection = &v1alpha1.Notice{Event: "OrderRejected"}
	none := func(*appointments.Input) {}
	for name, c := range map[string]struct {
		order  *v1alpha1.ServiceOrder
		edit   func(*appointments.Input)
		reason string
		words  []string
	}{
		"it is there": {placed, none, v1alpha1.ReasonCompleted, nil},
		"its ServiceOrder was deleted": {nil, none, v1alpha1.ReasonOrderGone, []string{
			"ServiceOrder placed no longer exists", "what became of order 555", "create the ServiceOrder again",
			"Appointment-request 77 is still open at the carrier: delete this AppointmentRequest to cancel it",
		}},
		"and nothing is cancelled on deletion": {nil, func(in *appointments.Input) {
			in.Appointment.Spec.DeletionPolicy = v1alpha1.DeletionKeep
		}, v1alpha1.ReasonOrderGone, []string{"is still open at the carrier, and deletionPolicy is Keep"}},
		"and other slots are requested": {nil, func(in *appointments.Input) {
			in.Appointment.Spec.DateFrom = "2026-12-24"
		}, v1alpha1.ReasonOrderGone, []string{"no longer exists"}},
		"and it was never queried": {nil, func(in *appointments.Input) {
			in.Appointment.Status = v1alpha1.AppointmentRequestStatus{}
		}, v1alpha1.ReasonOrderNotReady, []string{"does not exist in this namespace: create it"}},
		"it is named by its number": {nil, func(in *appointments.Input) {
			in.Appointment.Spec.OrderRef, in.Appointment.Spec.OrderID = nil, "555"
		}, v1alpha1.ReasonCompleted, nil},
		"it was rejected": {rejected, none, v1alpha1.ReasonOrderGone, []string{
			"the carrier has rejected the order of ServiceOrder placed", "Appointment-request 77 is still open",
		}},
		"it was rejected before the query": {rejected, func(in *appointments.Input) {
			in.Appointment.Status = v1alpha1.AppointmentRequestStatus{}
		}, v1alpha1.ReasonOrderGone, []string{"its condition says what to do"}},
		"its appointment was cancelled before": {nil, func(in *appointments.Input) {
			in.Appointment.Status.Cancelled = &v1alpha1.CancelledAppointment{
				AppointmentID: "9", LocalTime: "Tue 2026-12-01 08:00–12:00 +11:00",
			}
		}, v1alpha1.ReasonCancelled, []string{"cancelled the appointment of Tue 2026-12-01 08:00–12:00 +11:00 (9)"}},
	} {
		in := offered()
		in.Order = c.order
		c.edit(&in)
		decision := appointments.Decide(in)
		if _, rests := decision.Step.(decide.Rest); !rests || decision.Verdict.Reason != c.reason {
			t.Errorf("%s: %s, %T", name, decision.Verdict.Reason, decision.Step)
		}
		for _, words := range c.words {
			if !strings.Contains(decision.Verdict.Message, words) {
				t.Errorf("%s: %q is not in %q", name, words, decision.Verdict.Message)
			}
		}
	}
}
