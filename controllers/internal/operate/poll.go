// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/metrics"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Poll is step 8: it polls the Location once. It writes nothing unless the carrier's response
// changed. A wait above zero means that the poll has to wait for its turn.
func (p *Protocol) Poll(ctx context.Context, scope Scope, attemptID string, finish Finish) (time.Duration, error) {
	request := attempt(scope.Subject, attemptID)
	if request == nil {
		return 0, nil // another attempt is recorded: there is nothing to poll for this one
	}
	if wait, err := scope.Carrier.Prepare(ctx, carrier.ClassQuery); wait > 0 || err != nil {
		return wait, err // a login error belongs to the account: the caller distinguishes it
	}
	if decide.HasCandidate(request) {
		return 0, p.pollCandidate(ctx, scope, request, finish)
	}
	handle, err := decide.HandleOf(request)
	if err != nil {
		why := &v1alpha1.RequestError{HTTPStatus: 400, Message: err.Error()}
		return 0, p.Record(ctx, scope, attemptID, p.lostHandle(why, time.Time{}))
	}
	outcome, err := scope.Carrier.Poll(ctx, handle)
	seen := p.notePoll(scope.Subject, attemptID, outcome.RetryAfter, err)
	if p.isRetried(scope.Subject, request, err) {
		return 0, nil // remembered by notePoll: the next poll is made when it is due, and reports failing polls
	}
	if ends := err == nil && outcome.State != carrier.Pending && !request.Phase.Ended(); ends {
		return 0, p.recordEnd(ctx, scope, request, p.pollFact(scope.Subject, request, outcome, nil, finish), seen)
	}
	return 0, p.Record(ctx, scope, attemptID, p.pollFact(scope.Subject, request, outcome, err, finish))
}

// noteDuration notes how long a request took: it ended between the previous poll or notification
// and now. If another process sent the request, the first poll of this one may be late and shows
// nothing.
func (p *Protocol) noteDuration(scope Scope, request *v1alpha1.Request, seen metrics.Seen) {
	since := request.SubmittedAt.Time
	before, after := seen.Before.Sub(since), p.Now().Sub(since)
	switch {
	case seen.Polls == 1 && request.Sender != p.Memory.Sender():
		return
	case seen.Polls == 1:
		before = 0
	}
	if seen.Notified.After(seen.Before) {
		before = seen.Notified.Sub(since)
	}
	scope.Carrier.Took(carrier.Operation(request.Operation), before, after)
}

// isRetried reports whether a poll failed in a way that says nothing about the request.
func (p *Protocol) isRetried(subject Subject, request *v1alpha1.Request, err error) bool {
	lost := isUnrecognized(err) || !p.unreadableSince(subject, request).IsZero() && !decide.IsReadAgain(request)
	return err != nil && !lost && !p.givesUpReading(subject, request)
}

// recordEnd records that the carrier has ended a request, and counts how that was seen. The request
// can still be in progress, although the carrier has answered 200.
func (p *Protocol) recordEnd(
	ctx context.Context, scope Scope, request *v1alpha1.Request, end Fact, seen metrics.Seen,
) error {
	sent := *request
	if err := p.Record(ctx, scope, sent.AttemptID, end); err != nil {
		return err
	}
	if recorded := attempt(scope.Subject, sent.AttemptID); recorded == nil || recorded.Phase.Ended() {
		p.Metrics.Noticed(sent.Operation, seen, p.Now())
		p.noteDuration(scope, &sent, seen)
	}
	return nil
}

// pollFact returns the fact that results from one poll of the Location.
func (p *Protocol) pollFact(
	subject Subject, request *v1alpha1.Request, outcome carrier.Outcome, err error, finish Finish,
) Fact {
	switch again := decide.IsReadAgain(request); {
	case again && err != nil:
		return unreadable(err)
	case again && outcome.State == carrier.Failed:
		return unreadable(outcome.Err)
	case again && outcome.State == carrier.Done:
		return readAgain(outcome, finish)
	case p.givesUpReading(subject, request):
		return unreadable(errStillInProgress)
	case err != nil:
		return p.lostHandle(decide.RequestErrorOf(err), p.unreadableSince(subject, request))
	}
	return outcomeFact(outcome, finish)
}

// unreadable is the fact that the result of a succeeded request could not be read again.
func unreadable(why error) Fact {
	return Fact{By: decide.WriterPoll, To: v1alpha1.PhaseSucceeded, Apply: func(_ Subject, request *v1alpha1.Request) {
		request.Phase, request.Error = v1alpha1.PhaseSucceeded, decide.RequestErrorOf(why)
	}}
}

// givesUpReading reports whether the result of a succeeded request has been polled for so long that
// it is not expected any more. No person could end the polling, because the request has ended.
func (p *Protocol) givesUpReading(subject Subject, request *v1alpha1.Request) bool {
	return decide.IsReadAgain(request) &&
		p.Memory.SeenFor(subject.GetUID(), request.AttemptID, p.Now()) >= decide.HandleGrace
}

// errStillInProgress is why the result of a succeeded request is given up.
var errStillInProgress = errors.New("the carrier has answered for a day that the request is in progress")

// readAgain is the fact that the result of a succeeded request was returned again. A result that
// finish does not accept changes nothing else, because the request has succeeded.
func readAgain(outcome carrier.Outcome, finish Finish) Fact {
	fact := outcomeFact(outcome, finish)
	apply := fact.Apply
	fact.Apply = func(subject Subject, request *v1alpha1.Request) {
		apply(subject, request)
		request.Phase = v1alpha1.PhaseSucceeded
	}
	return fact
}

// notePoll remembers that the request was polled, and the result. If the request has ended, it
// returns how the end was seen.
func (p *Protocol) notePoll(
	subject Subject, attemptID string, retryAfter time.Duration, err error,
) (seen metrics.Seen) {
	now := p.Now()
	p.Memory.Change(subject.GetUID(), now, restUntil(now.Add(retryAfter)))
	p.Memory.Change(subject.GetUID(), now, func(memory *decide.Memory) { seen.Notified = memory.NotifiedAt })
	p.Memory.NoteAttempt(subject.GetUID(), now, attemptID, func(attempt *decide.Attempt) {
		seen.Before = attempt.LastPoll
		attempt.LastPoll = now
		attempt.Polls++
		seen.Polls = attempt.Polls
		if !isUnreadable(err) {
			attempt.UnreadableSince = time.Time{}
		} else if attempt.UnreadableSince.IsZero() {
			attempt.UnreadableSince = now
		}
		if err == nil {
			attempt.Failures, attempt.PollError = 0, nil
			return
		}
		attempt.Failures++
		attempt.PollError = err
	})
	return seen
}

// isUnrecognized reports whether a poll failed with a 400, 403 or 404, which is about the handle. A
// 404 does not prove that there is no such request: the time of the first one is recorded, and
// after a day of them the handle counts as lost.
func isUnrecognized(err error) bool {
	class := carrier.ClassOf(err)
	return class == carrier.NotFoundOrForbidden || class == carrier.Invalid
}

// isUnreadable reports whether a poll got a response that nobody can read.
func isUnreadable(err error) bool { return carrier.ClassOf(err) == carrier.Unreadable }

// unreadableSince returns the time since which every poll of a request has got an unreadable
// response, if that was at least a day ago; otherwise zero. The handle then counts as lost as well,
// because only a person can find out what the response means.
func (p *Protocol) unreadableSince(subject Subject, request *v1alpha1.Request) (since time.Time) {
	p.Memory.NoteAttempt(subject.GetUID(), p.Now(), request.AttemptID, func(attempt *decide.Attempt) {
		if p.Now().Sub(attempt.UnreadableSince) >= decide.HandleGrace {
			since = attempt.UnreadableSince
		}
	})
	return since
}

// lostHandle is the fact that a handle has not been recognized, or has returned nothing readable,
// since the given time; zero means now.
func (p *Protocol) lostHandle(why *v1alpha1.RequestError, since time.Time) Fact {
	if since.IsZero() {
		since = p.Now()
	}
	return Fact{By: decide.WriterPoll, To: v1alpha1.PhaseInProgress, Apply: func(_ Subject, request *v1alpha1.Request) {
		if request.LostSince.IsZero() { // only the first one is recorded: its time is what counts
			request.Error, request.LostSince = why, v1alpha1.WholeSeconds(since)
		}
	}}
}

// outcomeFact returns the fact that results from a response at the Location.
func outcomeFact(outcome carrier.Outcome, finish Finish) Fact {
	switch outcome.State {
	case carrier.Done:
		return Fact{By: decide.WriterPoll, To: v1alpha1.PhaseSucceeded, Apply: func(_ Subject, request *v1alpha1.Request) {
			request.Phase, request.Error, request.LostSince = v1alpha1.PhaseSucceeded, nil, metav1.Time{}
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

// stillPending is the fact that a request is still in progress.
func stillPending(outcome carrier.Outcome) Fact {
	return Fact{By: decide.WriterPoll, To: v1alpha1.PhaseInProgress, Apply: func(_ Subject, request *v1alpha1.Request) {
		request.Error, request.LostSince = nil, metav1.Time{}
		summary, err := carrier.DecodeSummary(carrier.Operation(request.Operation), outcome.Body)
		if err != nil {
			summary = carrier.RequestSummary{} // a 202 may have any body
		}
		decide.NoteInProgress(request, summary)
	}}
}

// pollCandidate polls the Location of a response that did not show that the carrier had accepted
// the request. A request shown there in any state was accepted, and may have ended. Any other
// response proves nothing: the carrier may not know the request yet.
func (p *Protocol) pollCandidate(ctx context.Context, scope Scope, request *v1alpha1.Request, finish Finish) error {
	attemptID := request.AttemptID
	handle, err := decide.CandidateOf(request)
	if err != nil {
		return fmt.Errorf("poll the Location of attempt %s: %w", attemptID, err)
	}
	outcome, err := scope.Carrier.Poll(ctx, handle)
	seen := p.notePoll(scope.Subject, attemptID, outcome.RetryAfter, err)
	if err != nil {
		return nil //nolint:nilerr // remembered by notePoll, which counts the polls
	}
	accepted := acceptedAs(handle)
	accepted.By = decide.WriterPoll
	if err := p.Record(ctx, scope, attemptID, accepted); err != nil || outcome.State == carrier.Pending {
		return err
	}
	request = attempt(scope.Subject, attemptID)
	if request == nil || request.Phase != v1alpha1.PhaseInProgress {
		return nil // a person has resolved it meanwhile
	}
	return p.recordEnd(ctx, scope, request, p.pollFact(scope.Subject, request, outcome, nil, finish), seen)
}

// ofItsOwn makes a receipt inconclusive if its Location belongs to another attempt, as it may if
// the carrier recognizes duplicates. Such a response does not show what became of this attempt.
func ofItsOwn(ledger *requestledger.Ledger, request *v1alpha1.Request, receipt carrier.Receipt) carrier.Receipt {
	path := cmp.Or(receipt.Handle.Path(), receipt.Candidate.Path())
	if ledger == nil || path == "" || !decide.TakesRequestID(request.Operation) {
		return receipt
	}
	other := ledger.Current().OtherAttemptAt(request, path)
	if other == "" {
		return receipt
	}
	contract, _ := carrier.ContractOf(carrier.Operation(request.Operation))
	failure := &carrier.Error{
		Operation: contract.Operation, Target: "POST " + contract.SubmitPath, Class: carrier.Unreadable,
		HTTPStatus: contract.Success,
		Message: fmt.Sprintf("the response names %s, which is the Location of attempt %s, so it does not show whether the "+
			"carrier has accepted this one", path, other),
	}
	if receipt.Err != nil {
		failure.HTTPStatus = receipt.Err.HTTPStatus
	}
	return carrier.Receipt{Delivery: carrier.Ambiguous, Err: failure, RetryAfter: receipt.RetryAfter}
}
