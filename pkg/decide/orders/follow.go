// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"cmp"
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// These constants define when an accepted order is read, if the carrier has the extension
// OrderRead. An order takes hours to weeks, so the pauses grow from a minute to hours, and the
// reading ends after three months.
const (
	firstLook    = time.Minute
	longestPause = 6 * time.Hour
	followedDays = 90
	followedFor  = followedDays * 24 * time.Hour

	failedPause = 15 * time.Minute // the shortest pause after an unanswered read, unless the curve has an earlier point
)

// follows reports whether an order is read at the carrier: it was accepted there, and is neither a
// service yet nor rejected. An unsigned notification of a rejection may be false, so it is verified.
func follows(in *Input) bool {
	request, account, status := requestOf(in), in.Account.Object, &in.Order.Status
	switch {
	case account == nil || !account.Extends(v1alpha1.ExtensionOrderRead) || decide.AccountIsNotReady(&in.Input) != nil:
		return false
	case request == nil || request.Phase != v1alpha1.PhaseSucceeded || status.OrderID == "":
		return false
	case status.Rejection != nil && !status.Rejection.Unverified:
		return false
	}
	return serviceOf(in) == "" && in.Ledger != nil
}

// serviceOf returns the service that resulted from the order, according to the carrier or a
// person; "" if it is not known.
func serviceOf(in *Input) v1alpha1.CarrierID {
	if in.Order.Spec.ServiceID != "" || in.Ledger == nil || in.Ledger.Spec.Known.Order == nil {
		return in.Order.Spec.ServiceID
	}
	return in.Ledger.Spec.Known.Order.ServiceID
}

// followed adds the next read of an accepted order to a decision.
func followed(in *Input, decision *decide.Decision) *decide.Decision {
	if !follows(in) {
		return decision
	}
	at := nextLook(in)
	switch {
	case at.IsZero():
		decision.Verdict.Message = decide.JoinTexts(decision.Verdict.Message, noLonger(in))
	case in.Now.Before(at):
		decision.RequeueAt = at
	default:
		decision.Step = decide.StartReading{Topic: decide.TopicOrder, Token: reconcileToken(in)}
	}
	return decision
}

func reconcileToken(in *Input) string {
	return decide.Control(in.Subject, v1alpha1.AnnotationReconcile)
}

// nextLook returns when the order is read next; zero if it is not.
func nextLook(in *Input) time.Time {
	reading := &in.Memory.Readings.Order
	if decide.ReconcileRequested(&in.Input, reading) {
		return decide.Later(in.Now, in.Memory.NotBefore)
	}
	if reading.Refused() && in.Account.Extensions[v1alpha1.ExtensionOrderRead] != nil {
		return time.Time{} // the carrier has never shown an order to this process: it does not have the call
	}
	look := decide.Earlier(dueLook(in, reading), decide.NotifiedReadAt(&in.Input, decide.TopicOrder))
	if look.IsZero() {
		return look
	}
	return decide.Later(look, in.Memory.NotBefore)
}

// dueLook returns the next point of the order's curve. The curve is a pure function of the object
// and of when the order was accepted, so a restart adds no read. The end of the curve counts as
// its last point, so that the status reports it then. After it, dueLook returns zero.
func dueLook(in *Input, reading *decide.Reading) time.Time {
	accepted := acceptedAt(in)
	end := accepted.Add(followedFor)
	if !in.Now.Before(end) {
		return time.Time{}
	}
	last := decide.Later(reading.RequestedAt, in.Memory.FirstSeen)
	look := decide.NextLook(firstLook, longestPause, accepted, string(in.Subject.GetUID()), last)
	if reading.State == decide.ReadingFailed {
		if !reading.Refused() {
			again := decide.AgainAt(&in.Input, decide.TopicOrder, reconcileToken(in))
			look = decide.Earlier(look, decide.Later(again, reading.RequestedAt.Add(failedPause)))
		}
		look = decide.Later(look, reading.RetryAt)
	}
	return decide.Earlier(look, end)
}

func acceptedAt(in *Input) time.Time {
	request := requestOf(in)
	if request.FinishedAt.IsZero() {
		return in.Past(request.SubmittedAt)
	}
	return in.Past(request.FinishedAt)
}

// noLonger says that an order is no longer read because it takes too long; "" in any other case.
func noLonger(in *Input) string {
	if in.Now.Before(acceptedAt(in).Add(followedFor)) {
		return ""
	}
	return fmt.Sprintf("it has not become a service within %d days, and is no longer read: to read it once more, "+
		"run: kubectl -n %s annotate --overwrite %s %s %s=$(date +%%s)", followedDays,
		in.Order.Namespace, v1alpha1.ShortName(in.Subject), in.Order.Name, v1alpha1.AnnotationReconcile)
}

// Learn updates the status of an accepted order from a reading that is not recorded yet, and
// reports whether there is one. What the carrier leaves out stays known.
func Learn(in *Input) bool {
	reading := &in.Memory.Readings.Order
	found, status := &reading.Order, &in.Order.Status
	isThis := v1alpha1.CarrierIDOf(found.ID) == status.OrderID
	if reading.State != decide.ReadingAnswered || !isThis || !follows(in) {
		return false
	}
	learnFacts(&status.OrderFacts, found)
	status.Address = cmp.Or(status.Address, decide.Bounded(found.Address.FormattedAddress, maxAddress))
	if appointments, truncated := appointmentsOf(found.Appointments); len(appointments) > 0 {
		status.Appointments, status.Truncated = appointments, truncated
	}
	switch {
	case found.Rejected():
		at, known := found.RejectedOn.Time()
		if !known {
			at = reading.RequestedAt
		}
		rejection := decide.Notification{Event: carrier.EventOrderRejected, Reason: found.RejectedReason}
		status.Rejection = decide.NoticeOf(rejection, at)
	case found.ServiceID > 0:
		status.Rejection = nil // an unsigned notification was false
	}
	return true
}
