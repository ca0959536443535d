// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Finish handles the carrier's result of a request. The request counts as succeeded unless Finish
// changes its phase.
type Finish func(request *v1alpha1.Request, body []byte)

// Follow is step 8: it polls the Location once. It writes nothing unless the carrier's answer
// changed. A wait above zero means that the poll has to wait for its turn.
func (p *Protocol) Follow(ctx context.Context, scope Scope, attemptID string, finish Finish) (time.Duration, error) {
	request := attempt(scope.Subject, attemptID)
	if request == nil {
		return 0, nil // another attempt is recorded: there is nothing to poll for this one
	}
	if wait, err := scope.Carrier.Prepare(ctx, carrier.CallPoll); wait > 0 || err != nil {
		return wait, err // a login error belongs to the account: the caller tells it apart
	}
	handle, err := carrier.ParseLocation(carrier.Operation(request.Operation), int(request.APIVersion), request.Location)
	if err != nil {
		why := &v1alpha1.RequestError{HTTPStatus: 400, Message: err.Error()}
		return 0, p.Record(ctx, scope, attemptID, p.handleFault(why))
	}
	outcome, err := scope.Carrier.Poll(ctx, handle)
	p.looked(scope.Subject, attemptID, outcome.RetryAfter, err)
	if err != nil && !isHandleLost(err) {
		return 0, nil // remembered by looked: the next poll is made when it is due, and reports failing polls
	}
	return 0, p.Record(ctx, scope, attemptID, p.seen(request, outcome, err, finish))
}

// seen returns the fact that results from one poll of the Location.
func (p *Protocol) seen(request *v1alpha1.Request, outcome carrier.Outcome, err error, finish Finish) Fact {
	switch again := decide.IsReadAgain(request); {
	case again && err != nil:
		return unreadable(err)
	case again && outcome.State == carrier.Failed:
		return unreadable(outcome.Err)
	case err != nil:
		return p.handleFault(decide.RequestErrorOf(err))
	}
	return found(outcome, finish)
}

// unreadable is the fact that the result of a succeeded request could not be read again.
func unreadable(why error) Fact {
	return Fact{By: decide.WriterPoll, To: v1alpha1.PhaseSucceeded, Apply: func(_ Subject, request *v1alpha1.Request) {
		request.Phase, request.Error = v1alpha1.PhaseSucceeded, decide.RequestErrorOf(why)
	}}
}

// looked remembers that the request was polled, and the result.
func (p *Protocol) looked(subject Subject, attemptID string, retryAfter time.Duration, err error) {
	now := p.Now()
	p.Memory.Note(subject.GetUID(), now, restUntil(now.Add(retryAfter)))
	p.Memory.NoteAttempt(subject.GetUID(), now, attemptID, func(attempt *decide.Attempt) {
		attempt.LastLook = now
		if err == nil {
			attempt.Failures, attempt.PollError = 0, nil
			return
		}
		attempt.Failures++
		attempt.PollError = err
	})
}

// isHandleLost reports whether a poll failed with 404 or 400 on the handle. "A 404 never means gone":
// the time of the first one is recorded, and after a day of them the handle counts as lost.
func isHandleLost(err error) bool {
	class := carrier.ClassOf(err)
	return class == carrier.NotFoundOrForbidden || class == carrier.Invalid
}

func (p *Protocol) handleFault(why *v1alpha1.RequestError) Fact {
	return Fact{By: decide.WriterPoll, To: v1alpha1.PhaseInProgress, Apply: func(_ Subject, request *v1alpha1.Request) {
		if request.LostSince.IsZero() { // only the first one is recorded: its time is what counts
			request.Error, request.LostSince = why, v1alpha1.WholeSeconds(p.Now())
		}
	}}
}

// found returns the fact that results from an answer at the Location.
func found(outcome carrier.Outcome, finish Finish) Fact {
	switch outcome.State {
	case carrier.Done:
		return Fact{By: decide.WriterPoll, To: v1alpha1.PhaseSucceeded, Apply: func(_ Subject, request *v1alpha1.Request) {
			request.Phase, request.Error = v1alpha1.PhaseSucceeded, nil
			finish(request, outcome.Body)
		}}
	case carrier.Failed:
		return Fact{By: decide.WriterPoll, To: v1alpha1.PhaseFailed, Apply: func(_ Subject, request *v1alpha1.Request) {
			request.Phase, request.Error = v1alpha1.PhaseFailed, decide.RequestErrorOf(outcome.Err)
		}}
	case carrier.Pending:
	}
	return stillPending(outcome)
}

// stillPending is the fact that a request is still in progress. The carrier's status is recorded
// only when it reports a problem, and cleared when the problem is gone; other progress is not
// recorded.
func stillPending(outcome carrier.Outcome) Fact {
	return Fact{By: decide.WriterPoll, To: v1alpha1.PhaseInProgress, Apply: func(_ Subject, request *v1alpha1.Request) {
		request.Error, request.LostSince = nil, metav1.Time{}
		summary, err := carrier.DecodeSummary(carrier.Operation(request.Operation), outcome.Body)
		request.CarrierStatus, request.ErrorDetail = "", ""
		if err == nil && decide.IsHeld(summary.Status, summary.ErrorDetail) {
			request.CarrierStatus, request.ErrorDetail = summary.Status, summary.ErrorDetail
		}
	}}
}

// Decided returns the fact that results from a decision made without calling the carrier.
func Decided(resolve decide.Resolve, settled func(*v1alpha1.Request)) Fact {
	apply := func(_ Subject, request *v1alpha1.Request) {
		if request.Phase != resolve.From {
			return // the phase has changed since the decision
		}
		if resolve.From == v1alpha1.PhaseLateAcceptance || decide.EndedByPerson(request) {
			request.FinishedAt = metav1.Time{} // it held the time of the late acceptance, or of the previous resolution
		}
		if resolve.Phase == v1alpha1.PhaseNotSent {
			decide.TurnedAway(request, resolve.Phase, resolve.Error)
		} else {
			request.Phase, request.Error = resolve.Phase, resolve.Error
		}
		if resolve.Location != "" {
			request.Location, request.FinishedAt = resolve.Location, metav1.Time{}
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
