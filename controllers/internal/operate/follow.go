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

// Finish is what a kind does with the carrier's result of a request, which counts as
// succeeded unless the kind says otherwise.
type Finish func(request *v1alpha1.Request, body []byte)

// Follow is step 8: one look at the Location. Nothing is written unless the carrier's
// answer changed. A wait above zero says that the look has to wait for its turn.
func (p *Protocol) Follow(ctx context.Context, scope Scope, attemptID string, finish Finish) (time.Duration, error) {
	request := attempt(scope.Subject, attemptID)
	if request == nil {
		return 0, nil // another attempt is on record: there is nothing of this one to follow
	}
	if wait, err := scope.Carrier.Prepare(ctx, carrier.CallPoll); wait > 0 || err != nil {
		return wait, err // a login error is the account's: the caller tells it apart
	}
	handle, err := carrier.ParseLocation(carrier.Operation(request.Operation), int(request.APIVersion), request.Location)
	if err != nil {
		why := &v1alpha1.RequestError{HTTPStatus: 400, Message: err.Error()}
		return 0, p.Record(ctx, scope, attemptID, p.handleFault(why))
	}
	outcome, err := scope.Carrier.Poll(ctx, handle)
	p.looked(scope.Subject, attemptID, outcome.RetryAfter, err)
	if err != nil && !proofless(err) {
		return 0, nil // remembered by looked: the next look is at its time, and failing polls are told then
	}
	return 0, p.Record(ctx, scope, attemptID, p.seen(request, outcome, err, finish))
}

// seen is the fact that a look at the Location brought.
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

// unreadable is the fact that the result of a request, which has succeeded, cannot be read once more.
func unreadable(why error) Fact {
	return Fact{By: decide.WriterPoll, To: v1alpha1.PhaseSucceeded, Apply: func(_ Subject, request *v1alpha1.Request) {
		request.Phase, request.Error = v1alpha1.PhaseSucceeded, decide.RequestErrorOf(why)
	}}
}

// looked remembers that the request was asked after, and how that went.
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

// proofless: 404 and 400 on the handle. "A 404 never means gone": the time of the
// first is written down, and a day of them makes the handle lost.
func proofless(err error) bool {
	class := carrier.ClassOf(err)
	return class == carrier.NotFoundOrForbidden || class == carrier.Invalid
}

func (p *Protocol) handleFault(why *v1alpha1.RequestError) Fact {
	return Fact{By: decide.WriterPoll, To: v1alpha1.PhaseInProgress, Apply: func(_ Subject, request *v1alpha1.Request) {
		if request.LostSince.IsZero() { // the first of them is the news: its time is what counts
			request.Error, request.LostSince = why, v1alpha1.WholeSeconds(p.Now())
		}
	}}
}

// found is the fact that an answer brought.
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

// stillPending is the fact that a request goes on. Its status is taken over only where it
// says that something is wrong, or no longer is: the rest of the way is no news.
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

// Decided is the fact that a decision without a call brings.
func Decided(resolve decide.Resolve, settled func(*v1alpha1.Request)) Fact {
	apply := func(_ Subject, request *v1alpha1.Request) {
		if request.Phase != resolve.From {
			return // somebody has learned more meanwhile
		}
		if resolve.From == v1alpha1.PhaseLateAcceptance || decide.EndedByPerson(request) {
			request.FinishedAt = metav1.Time{} // until now that was when it came to light, or the word before
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
