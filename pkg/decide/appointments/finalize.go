// SPDX-License-Identifier: Apache-2.0

package appointments

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// cancelGrace is the maximum time for which a deleted AppointmentRequest is kept while it is
// being cancelled. Then the cancellation is given up, with an Event, so that an outage of the
// carrier does not block the deletion of a namespace.
const cancelGrace = 10 * time.Minute

// Finalization is the decision whether a deleted appointment-request may be removed.
type Finalization struct {
	Remove  bool
	Warning string // what is left behind at the carrier; "" if nothing
}

// Finalize decides whether a deleted object may be removed: nothing has to be cancelled, the
// cancellation is not possible, or its time is over.
func Finalize(in Input, namespaceGoing bool) Finalization {
	status, account := &in.Appointment.Status, in.Account.Object
	removeWith := func(why string) Finalization {
		return Finalization{Remove: true, Warning: fmt.Sprintf(
			"appointment-request %s may still exist at the carrier: %s; if necessary, ask the carrier to cancel it",
			status.AppointmentRequestID, why)}
	}
	switch {
	case status.AppointmentRequestID == "" || !CancelsOnDelete(in.Appointment):
		return Finalization{Remove: true}
	case namespaceGoing:
		return removeWith("its namespace is being deleted")
	case account == nil || !account.DeletionTimestamp.IsZero():
		return removeWith(fmt.Sprintf("CarrierAccount %s no longer exists or is being deleted", in.Subject.AccountName()))
	case !in.Now.Before(cancelDeadline(&in)):
		return removeWith(fmt.Sprintf("it could not be cancelled within %s (%s)", cancelGrace, whyNotCancelled(status)))
	}
	return Finalization{}
}

func cancelDeadline(in *Input) time.Time {
	if deleted := in.Subject.GetDeletionTimestamp(); deleted != nil {
		return deleted.Add(cancelGrace)
	}
	return time.Time{}
}

func whyNotCancelled(status *v1alpha1.AppointmentRequestStatus) string {
	request := status.Request
	if request == nil || request.Operation != v1alpha1.OperationAppointmentCancel {
		return "the cancel request was never sent"
	}
	return fmt.Sprintf("%s: %s", request.Phase, decide.ErrorMessage(request.Error))
}

// Cancel decides about a deleted object whose appointment-request must be cancelled first. It is
// cancelled even if its query for slots is still in progress, because the Location of the query
// already contains the id of the appointment-request.
func Cancel(in Input) decide.Decision {
	decision := *decide.First(&in, cancelRules())
	decision.WithControls(&in.Input)
	decision.RequeueAt = decide.Earlier(decision.RequeueAt, cancelDeadline(&in))
	return decision
}

// cancelRules lists the rules for a deleted object, in their order. The last one always decides.
func cancelRules() []decide.Rule[*Input] {
	common := decide.Common[*Input]
	return []decide.Rule[*Input]{
		common(decide.ResponseIsUnrecorded), // a response held in memory is recorded before anything else
		common(decide.ResolvedByPerson),     // a person's resolution ends an unknown outcome
		common(decide.AccountIsNotReady),    // no call is possible without a login
		madeElsewhere,                       // the appointment-request belongs to the login that created it
		openCancel,                          // a cancel at the carrier is tracked until it ends
		cancelFirst,                         // the appointment-request is cancelled
		nothingLeft,
	}
}

func openCancel(in *Input) *decide.Decision {
	open := in.Subject.Record().RequestOf(v1alpha1.OperationAppointmentCancel)
	if open == nil || open.Phase.Ended() {
		return nil
	}
	return decide.UntilEnded(&in.Input, open, evidenceOf(in))
}

func nothingLeft(*Input) *decide.Decision {
	return decide.RestSettled(v1alpha1.ReasonCompleted, "there is nothing to do")
}
