// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// cancelGrace is how long a deleted AppointmentRequest is kept while it is being cancelled: "given
// up with a Warning event after 10 minutes".
const cancelGrace = 10 * time.Minute

// AppointmentDeparture is the decision whether a deleted appointment-request may be removed.
type AppointmentDeparture struct {
	Go      bool
	Warning string // what is left behind at the carrier; "" if nothing
}

// CancelsOnDelete applies the default of the schema to an object that was not defaulted.
func CancelsOnDelete(a *v1alpha1.AppointmentRequest) bool {
	return a.Spec.DeletionPolicy != v1alpha1.DeletionKeep
}

// LeaveAppointment decides whether a deleted object may be removed: if there is nothing to cancel,
// if nobody can cancel it, or if the time for it is over.
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

// CancelAppointment decides about a deleted object that must be cancelled first. A query for slots
// that is still in progress is cancelled like an answered one: the id of what it created is in its
// Location.
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
