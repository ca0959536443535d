// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// cancelGrace is how long a deleted AppointmentRequest is kept for its cancel: "given up
// with a Warning event after 10 minutes".
const cancelGrace = 10 * time.Minute

// AppointmentDeparture says whether a deleted appointment-request may go.
type AppointmentDeparture struct {
	Go      bool
	Warning string // what is left behind at the carrier; "" when nothing is
}

// CancelsOnDelete is what the schema defaults to, for an object that it never saw.
func CancelsOnDelete(a *v1alpha1.AppointmentRequest) bool {
	return a.Spec.DeletionPolicy != v1alpha1.DeletionKeep
}

// LeaveAppointment judges whether a deleted object may go: once there is nothing to cancel,
// or nobody who could, or when it has been tried for long enough.
func LeaveAppointment(in AppointmentInput, namespaceGoing bool) AppointmentDeparture {
	status, account := &in.Appointment.Status, in.Account.Object
	going := func(why string) AppointmentDeparture {
		return AppointmentDeparture{Go: true, Warning: fmt.Sprintf(
			"appointment-request %s is not known to be cancelled at the carrier: %s; have it cancelled there if it matters",
			status.AppointmentRequestID, why)}
	}
	switch {
	case status.AppointmentRequestID == "" || !CancelsOnDelete(in.Appointment):
		return AppointmentDeparture{Go: true}
	case namespaceGoing:
		return going("its namespace is being deleted")
	case account == nil || !account.DeletionTimestamp.IsZero():
		return going(fmt.Sprintf("CarrierAccount %s is gone", in.Subject.AccountName()))
	case !in.Now.Before(cancelDeadline(&in)):
		return going(fmt.Sprintf("it could not be cancelled within %s (%s)", cancelGrace, whyNotCancelled(status)))
	}
	return AppointmentDeparture{}
}

func cancelDeadline(in *AppointmentInput) time.Time {
	if deleted := in.Subject.GetDeletionTimestamp(); deleted != nil {
		return deleted.Add(cancelGrace)
	}
	return time.Time{}
}

func whyNotCancelled(status *v1alpha1.AppointmentRequestStatus) string {
	request := status.Request
	if request == nil || request.Operation != v1alpha1.OperationAppointmentCancel {
		return "it was never sent"
	}
	return fmt.Sprintf("%s: %s", request.Phase, errorMessage(request.Error))
}

// CancelAppointment judges a deleted object that is to be cancelled first. A question for
// slots that is still under way is cancelled like an answered one: what it made has the id
// of its Location.
func CancelAppointment(in AppointmentInput) Decision {
	decision := firstStep([]func() *Decision{
		func() *Decision { return answeredRequest(&in.Input) },
		func() *Decision { return resolvedByPerson(&in.Input) },
		func() *Decision { return accountReady(&in.Input) },
		func() *Decision { return madeElsewhere(&in) },
		func() *Decision {
			open := in.Subject.RequestOf(v1alpha1.OperationAppointmentCancel)
			if open == nil || open.Phase.Ended() {
				return nil
			}
			return untilEnded(&in.Input, open, appointmentEvidence{&in.Input})
		},
		func() *Decision { return cancelFirst(&in) },
	})
	decision.withControls(&in.Input)
	decision.LookAt = earlier(decision.LookAt, cancelDeadline(&in))
	return decision
}
