// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Fact is something learned about an attempt. It is applied to the object that is recorded at that
// moment, which may be newer than the one the decision was based on.
type Fact struct {
	By     decide.Writer         // who reports it
	To     v1alpha1.RequestPhase // the new phase of the attempt, unless more than that is known already
	Apply  func(Subject, *v1alpha1.Request)
	Event  string // reason of the Kubernetes Event; "" for none
	Normal bool   // whether the Event is of type Normal

	Enter func(Subject) // records an attempt that has no intent; nil: the attempt has one
}

// notSent is the fact that the gate was closed: no byte of the attempt has left the process.
func notSent(why error) Fact {
	apply := func(_ Subject, request *v1alpha1.Request) {
		decide.EndUnreached(request, v1alpha1.PhaseNotSent, decide.GateClosed(why))
	}
	return Fact{By: decide.WriterSender, To: v1alpha1.PhaseNotSent, Event: eventNotSent, Apply: apply}
}

// receiptFact returns the fact, with its phase, for the response to a POST with an account (step 6).
func receiptFact(receipt carrier.Receipt, account *v1alpha1.CarrierAccount) Fact {
	switch receipt.Delivery {
	case carrier.Accepted:
		return acceptedAs(receipt.Handle)
	case carrier.NotSent:
		return refusal(eventNotSent, v1alpha1.PhaseNotSent, receipt)
	case carrier.NotProcessed:
		return refusal(eventNotProcessed, v1alpha1.PhaseNotProcessed, receipt)
	case carrier.Rejected:
		return rejection(receipt, account)
	case carrier.Ambiguous:
	}
	// In every other case the request may have been accepted: the phase stays Submitting, and the
	// error states that the response, not the request, is missing.
	return refusal(eventResponseLost, v1alpha1.PhaseSubmitting, receipt)
}

// acceptedAs is the fact that the carrier has accepted an attempt, with the handle to poll.
func acceptedAs(handle carrier.Handle) Fact {
	phase := v1alpha1.PhaseInProgress
	if contract, _ := carrier.ContractOf(handle.Operation); !contract.Polled {
		phase = v1alpha1.PhaseSucceeded // an order, an AppointmentCancel: neither has anything to poll
	}
	return Fact{
		By: decide.WriterSender, To: phase, Event: eventAccepted, Normal: true,
		Apply: func(_ Subject, request *v1alpha1.Request) {
			request.Location, request.Candidate = handle.Path(), ""
			if request.Phase == v1alpha1.PhaseSucceeded {
				return // it has succeeded: only the handle is new (R15)
			}
			request.Phase, request.Error = phase, nil
			request.FinishedAt = metav1.Time{} // the outcome is no longer unknown
		},
	}
}

// finished is like receiptFact, and calls Finish of the scope with the body if the request is not
// polled.
func finished(receipt carrier.Receipt, scope Scope) Fact {
	fact := receiptFact(receipt, scope.Account)
	apply := fact.Apply
	if scope.Finish == nil {
		return fact
	}
	fact.Apply = func(subject Subject, request *v1alpha1.Request) {
		apply(subject, request)
		if request.Phase == v1alpha1.PhaseSucceeded {
			scope.Finish(request, receipt.Body)
		}
	}
	return fact
}

// refusal is the fact that a POST brought no acceptance.
func refusal(event string, phase v1alpha1.RequestPhase, receipt carrier.Receipt) Fact {
	return Fact{By: decide.WriterSender, To: phase, Event: event, Apply: func(_ Subject, request *v1alpha1.Request) {
		refusal := decide.RequestErrorOf(receipt.Err)
		if phase == v1alpha1.PhaseNotSent || phase == v1alpha1.PhaseNotProcessed {
			decide.EndUnreached(request, phase, refusal)
			return
		}
		request.Phase, request.Error, request.Candidate = phase, refusal, receipt.Candidate.Path()
	}}
}

// rejection is the fact that the carrier has refused a POST.
func rejection(receipt carrier.Receipt, account *v1alpha1.CarrierAccount) Fact {
	apply := func(_ Subject, request *v1alpha1.Request) {
		request.Error = decide.RequestErrorOf(receipt.Err)
		request.Phase = decide.PhaseOfRefusal(request, account)
	}
	return Fact{By: decide.WriterSender, To: v1alpha1.PhaseRejected, Apply: apply}
}

func lateAttempt(attemptID string, handle carrier.Handle) v1alpha1.Request {
	return v1alpha1.Request{
		Operation: v1alpha1.Operation(handle.Operation), AttemptID: attemptID, Location: handle.Path(),
		APIVersion: int32(handle.Version), //nolint:gosec // it is between 1 and 8
	}
}

// Decided returns the fact that results from a decision made without calling the carrier.
func Decided(resolve decide.Resolve, settled func(*v1alpha1.Request)) Fact {
	apply := func(subject Subject, request *v1alpha1.Request) {
		if request.Phase != resolve.From {
			return // the phase has changed since the decision
		}
		if request.Generation == 0 { // it was accepted late for another object, which the subject has replaced
			request.Generation = subject.GetGeneration()
		}
		if resolve.Phase == v1alpha1.PhaseNotSent {
			decide.EndUnreached(request, resolve.Phase, resolve.Error)
		} else {
			request.Phase, request.Error = resolve.Phase, resolve.Error
		}
		if resolve.Location != "" {
			request.Location, request.Candidate, request.FinishedAt = resolve.Location, "", metav1.Time{}
		}
		settled(request)
	}
	return Fact{
		By: resolve.By, To: resolve.Phase, Apply: apply, Event: decidedEvent(resolve), Normal: resolve.Error == nil,
	}
}

func decidedEvent(resolve decide.Resolve) string {
	switch resolve.Phase {
	case v1alpha1.PhaseOutcomeUnknown:
		return eventUnknown
	case v1alpha1.PhaseNotSent:
		return eventNotSent
	case v1alpha1.PhaseAbandoned:
		return eventAbandoned
	case v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseFailed,
		v1alpha1.PhaseNotProcessed, v1alpha1.PhaseRejected, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseLateAcceptance,
		v1alpha1.PhaseRepeated:
	}
	return eventResolved
}

// apply applies a fact to a request, and updates the status if the request changed. A fact whose
// phase the writer may not set is refused here: see [decide.MayBecome].
func (p *Protocol) apply(scope Scope, request *v1alpha1.Request, fact Fact) v1alpha1.Request {
	was, now := *request.DeepCopy(), v1alpha1.WholeSeconds(p.Now())
	if decide.MayBecome(request, fact.By, fact.To) {
		fact.Apply(scope.Subject, request)
	} else {
		p.warnOfContradiction(scope.Subject, request, fact)
	}
	if request.Phase != was.Phase {
		setFinished(request, was.Phase, fact.By, now)
		decide.UseUpEarlyRetry(scope.Subject, request)
	}
	failed := request.Phase == v1alpha1.PhaseRejected || request.Phase == v1alpha1.PhaseFailed
	if scope.Refused != nil && failed {
		scope.Refused(request)
	}
	changed := *request.DeepCopy()
	if !equality.Semantic.DeepEqual(was, changed) {
		scope.Subject.Record().RequestChanged(changed, now)
	}
	return changed
}

// setFinished records who ended an attempt, and when it ended or its outcome became unknown. The
// end of the attempt replaces the time at which its outcome became unknown. If a person then ends
// it in another way, the new end replaces the earlier one: a retry is only for a failure that
// ended before the retry was requested (R21).
func setFinished(request *v1alpha1.Request, was v1alpha1.RequestPhase, by decide.Writer, now metav1.Time) {
	unknown, ended := v1alpha1.PhaseOutcomeUnknown, request.Phase.Ended()
	if ended {
		request.EndedBy = by.EndedBy(request.Phase)
	}
	again := ended && (was == unknown || by == decide.WriterPerson)
	if again || request.FinishedAt.IsZero() && (ended || request.Phase == unknown) {
		request.FinishedAt = now
	}
}
