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
func LeaveAppointment(v AppointmentView, namespaceGoing bool) AppointmentDeparture {
	status, account := &v.Appointment.Status, v.Account.Object
	going := func(why string) AppointmentDeparture {
		return AppointmentDeparture{Go: true, Warning: fmt.Sprintf(
			"appointment-request %s is not known to be cancelled at the carrier: %s; have it cancelled there if it matters",
			status.AppointmentRequestID, why)}
	}
	switch {
	case status.AppointmentRequestID == "" || !CancelsOnDelete(v.Appointment):
		return AppointmentDeparture{Go: true}
	case namespaceGoing:
		return going("its namespace is being deleted")
	case account == nil || !account.DeletionTimestamp.IsZero():
		return going(fmt.Sprintf("CarrierAccount %s is gone", v.Subject.AccountName()))
	case !v.Now.Before(cancelDeadline(&v)):
		return going(fmt.Sprintf("it could not be cancelled within %s (%s)", cancelGrace, whyNotCancelled(status)))
	}
	return AppointmentDeparture{}
}

func cancelDeadline(v *AppointmentView) time.Time {
	if deleted := v.Subject.GetDeletionTimestamp(); deleted != nil {
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
func CancelAppointment(v AppointmentView) Decision {
	decision := firstStep([]func() *Decision{
		func() *Decision { return answeredRequest(&v.View) },
		func() *Decision { return resolvedByPerson(&v.View) },
		func() *Decision { return accountReady(&v.View) },
		func() *Decision { return madeElsewhere(&v) },
		func() *Decision {
			open := v.Subject.RequestOf(v1alpha1.OperationAppointmentCancel)
			if open == nil || open.Phase.Ended() {
				return nil
			}
			return untilEnded(&v.View, open, appointmentWitness{&v.View})
		},
		func() *Decision { return cancelFirst(&v) },
	})
	decision.withControls(&v.View)
	decision.LookAt = earlier(decision.LookAt, cancelDeadline(&v))
	return decision
}
