// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"cmp"
	"slices"
)

// RequestOf returns the newest attempt at an operation, or nil. One in progress precedes one that
// was accepted late. The pointer points into the ledger.
func (l *RequestLedger) RequestOf(operation Operation) *Request {
	of := func(request *Request) bool { return request.Operation == operation }
	underWay := func(request *Request) bool { return of(request) && request.Phase != PhaseLateAcceptance }
	return cmp.Or(first(l.Spec.Open, underWay), first(l.Spec.Open, of), first(l.Spec.Last, of))
}

// first returns the first of the requests that is wanted, where it is; nil if none is.
func first(requests []Request, wanted func(*Request) bool) *Request {
	for i := range requests {
		if wanted(&requests[i]) {
			return &requests[i]
		}
	}
	return nil
}

// Open records a new attempt. A repeat ends the attempt that it repeats as Repeated, in the same
// write, so that its lane never has two (R3).
func (l *RequestLedger) Open(attempt Request) {
	l.Spec.Sequence++
	for _, open := range slices.Clone(l.Spec.Open) {
		repeated := attempt.Repeats > 0 && open.Operation == attempt.Operation && open.AttemptID != attempt.AttemptID
		if repeated && open.Phase != PhaseLateAcceptance {
			open.Phase, open.FinishedAt = PhaseRepeated, attempt.SubmittedAt
			l.Put(open)
		}
	}
	l.Put(attempt)
}

// TakeOver makes an object, in its present generation, the holder of the ledger and of its open
// attempts. What a person has abandoned becomes the object's, too, so that it is not sent again only
// because the object was deleted and created again.
func (l *RequestLedger) TakeOver(holder LedgerHolder, generation int64) {
	l.Spec.Holder = holder
	take := func(attempt *Request) {
		attempt.UID, attempt.Generation, attempt.TakenOver = holder.UID, generation, true
	}
	for i := range l.Spec.Open {
		take(&l.Spec.Open[i])
	}
	for i := range l.Spec.Last {
		if last := &l.Spec.Last[i]; last.Phase == PhaseAbandoned && last.EndedBy == EndedByPerson {
			take(last)
		}
	}
}

// Put records the present state of an attempt, in place of the earlier one.
func (l *RequestLedger) Put(attempt Request) {
	open := first(l.Spec.Open, attempt.isSame)
	late := open != nil && open.Phase == PhaseLateAcceptance
	l.Spec.Open = slices.DeleteFunc(l.Spec.Open, func(open Request) bool { return open.AttemptID == attempt.AttemptID })
	if !attempt.Phase.Ended() {
		l.Spec.Open = append(l.Spec.Open, attempt)
		return
	}
	if late && l.isOutdone(&attempt) {
		l.remember(attempt, l.placeOf(attempt.AttemptID))
		return
	}
	l.remember(attempt, 0)
	l.Spec.Last = slices.DeleteFunc(l.Spec.Last, func(last Request) bool {
		replaced := attempt.Phase.Reached() || !last.Phase.Reached()
		return last.AttemptID == attempt.AttemptID || last.Operation == attempt.Operation && replaced
	})
	l.Spec.Last = slices.Insert(l.Spec.Last, 0, attempt)
}

func (r *Request) isSame(other *Request) bool { return r.AttemptID == other.AttemptID }

// isOutdone reports whether a later success stays the newest known result when a person resolves a
// late acceptance: an attempt that was sent after the abandoned one has succeeded or, for a
// diagnostic test, any other attempt at it.
func (l *RequestLedger) isOutdone(late *Request) bool {
	if l.Spec.Diagnostics == nil {
		last := l.ReachedLast(late.Operation)
		return late.Phase == PhaseAbandoned && last != nil && last.Phase == PhaseSucceeded &&
			late.SubmittedAt.Before(&last.SubmittedAt)
	}
	return slices.ContainsFunc(l.Spec.Ended, func(ended EndedAttempt) bool {
		return ended.UID == late.UID && ended.AttemptID != late.AttemptID && ended.Outcome == PhaseSucceeded
	})
}

// placeOf returns the index of an attempt among those that have ended, or the number of those
// attempts if it is not among them.
func (l *RequestLedger) placeOf(attemptID string) int {
	at := slices.IndexFunc(l.Spec.Ended, func(ended EndedAttempt) bool { return ended.AttemptID == attemptID })
	if at < 0 {
		return len(l.Spec.Ended)
	}
	return at
}

// Baseline returns the plan that a request last set or that is trusted; nil if none is recorded, or
// if there is no ledger.
func (l *RequestLedger) Baseline() *KnownValue {
	if l == nil {
		return nil
	}
	return l.Spec.Baseline
}

// AgreedCancellation returns the declared cancellation that the carrier's state last matched; "" if
// none is recorded, or if there is no ledger.
func (l *RequestLedger) AgreedCancellation() string {
	if l == nil {
		return ""
	}
	return l.Spec.Known.AgreedCancellation
}

// ReachedLast returns the newest ended attempt at an operation that reached the carrier or may
// have; nil for none. A later attempt that did not reach the carrier does not change this. The
// pointer points into the ledger, which may be nil.
func (l *RequestLedger) ReachedLast(operation Operation) *Request {
	if l == nil {
		return nil
	}
	return first(l.Spec.Last, func(last *Request) bool { return last.Operation == operation && last.Phase.Reached() })
}

// AcceptLate records that the carrier has accepted an attempt that had ended, or for which a person
// had named another request, as it does with every acceptance (R15). It reports whether that is
// new.
func (l *RequestLedger) AcceptLate(late Request) bool {
	if open := first(l.Spec.Open, late.isSame); open != nil {
		return open.acceptElsewhere(late)
	}
	if ended := l.endedAttempt(late.AttemptID); ended != nil {
		if ended.Location == late.Location {
			return false
		}
		late.Target, late.SubmittedAt = ended.Target, ended.SubmittedAt
		late.TakenOver = ended.TakenOver || ended.UID != late.UID
		if ended.UID == late.UID {
			late.Generation = ended.Generation // what was abandoned for this generation is not sent again
		}
	}
	late.Phase = PhaseLateAcceptance
	l.Spec.Open = append(l.Spec.Open, late)
	return true
}

// endedAttempt returns an attempt that has ended; nil if the ledger does not contain it.
func (l *RequestLedger) endedAttempt(attemptID string) *Request {
	if last := first(l.Spec.Last, func(last *Request) bool { return last.AttemptID == attemptID }); last != nil {
		return last
	}
	at := l.placeOf(attemptID)
	if at == len(l.Spec.Ended) {
		return nil
	}
	return l.Spec.Ended[at].request()
}

// acceptElsewhere makes an attempt a late acceptance if it is polled at a Location that a person
// has named, and the carrier has given another one. A person then decides which is right.
func (r *Request) acceptElsewhere(late Request) bool {
	if r.Phase != PhaseInProgress || r.Location == late.Location {
		return false
	}
	r.Phase, r.Location, r.APIVersion, r.FinishedAt = PhaseLateAcceptance, late.Location, late.APIVersion, late.FinishedAt
	return true
}

// summary returns what is kept of an attempt. The outcome of an open one is its phase.
func (r *Request) summary() EndedAttempt {
	return EndedAttempt{
		AttemptID: r.AttemptID, Operation: r.Operation, UID: r.UID, TakenOver: r.TakenOver,
		Generation: r.Generation, Target: r.Target, Outcome: r.Phase, EndedBy: r.EndedBy,
		Location: r.Location, APIVersion: r.APIVersion, Code: r.code(), Changes: r.Changes(),
		ApprovedHash: r.ApprovedHash, ApprovedBy: r.ApprovedBy, Retry: r.Retry,
		RetriedBy: r.RetriedBy, ResolvedBy: r.ResolvedBy.DeepCopy(),
		SubmittedAt: r.SubmittedAt, FinishedAt: r.FinishedAt,
	}
}

// IsOpen reports whether an attempt is recorded and has not ended. The ledger may be nil.
func (l *RequestLedger) IsOpen(attemptID string) bool {
	return l != nil && slices.ContainsFunc(l.Spec.Open, func(open Request) bool { return open.AttemptID == attemptID })
}

// IsFinal reports whether the carrier has ended an attempt. Such an attempt is never opened again
// (R3), and no later response of the carrier changes it. The ledger may be nil.
func (l *RequestLedger) IsFinal(attemptID string) bool {
	return l != nil && !l.IsOpen(attemptID) && slices.ContainsFunc(l.Spec.Ended, func(ended EndedAttempt) bool {
		return ended.AttemptID == attemptID && ended.EndedBy == EndedByCarrier
	})
}

// AttemptOf returns the newest attempt for an object; nil for none. One in progress precedes one
// that was accepted late. Of an attempt that a later one has replaced, only a summary is known. The
// ledger may be nil.
func (l *RequestLedger) AttemptOf(uid string) *Request {
	if l == nil {
		return nil
	}
	var late *Request
	for _, attempt := range slices.Concat(l.Spec.Open, l.Spec.Last) {
		switch {
		case attempt.UID != uid:
		case attempt.Phase == PhaseLateAcceptance:
			late = &attempt
		case late == nil || !attempt.Phase.Ended():
			return &attempt
		}
	}
	if late != nil {
		return late
	}
	at := slices.IndexFunc(l.Spec.Ended, func(ended EndedAttempt) bool { return ended.UID == uid })
	if at < 0 {
		return nil
	}
	summary := l.Spec.Ended[at].request()
	summary.Login = l.Spec.Login
	return summary
}

// request returns what the summary of an attempt contains of it.
func (e *EndedAttempt) request() *Request {
	request := &Request{
		Operation: e.Operation, AttemptID: e.AttemptID, UID: e.UID, TakenOver: e.TakenOver, Generation: e.Generation,
		Target: e.Target, Attempt: 1,
		Phase: e.Outcome, EndedBy: e.EndedBy, Location: e.Location, APIVersion: e.APIVersion,
		ApprovedHash: e.ApprovedHash, Retry: e.Retry,
		SubmittedAt: e.SubmittedAt, FinishedAt: e.FinishedAt,
	}
	if e.Code != "" {
		request.Error = &RequestError{Code: e.Code}
	}
	return request
}

// LateAcceptance returns an attempt that was accepted late and has not been resolved; nil for none.
// The pointer points into the ledger.
func (l *RequestLedger) LateAcceptance() *Request {
	return first(l.Spec.Open, func(open *Request) bool { return open.Phase == PhaseLateAcceptance })
}

// Reached reports whether an attempt in this phase reached the carrier or may have.
func (p RequestPhase) Reached() bool { return p != PhaseNotSent && p != PhaseNotProcessed }

// Knows reports whether the ledger contains an attempt that a status shows. An attempt that did not
// reach the carrier counts as known, because a later one may have replaced it in the ledger.
func (l *RequestLedger) Knows(shown *Request) bool {
	return shown == nil || !shown.Phase.Reached() || l != nil && len(l.locations(shown.AttemptID)) > 0
}

// AwaitsRelease reports whether the ledger is being deleted, and is kept by its finalizer.
func (l *RequestLedger) AwaitsRelease() bool {
	return !l.DeletionTimestamp.IsZero() && slices.Contains(l.Finalizers, FinalizerMemory)
}

// LacksReceipt reports whether a status has the Location of an attempt and the ledger contains the
// attempt without one. The ledger may be nil.
func (l *RequestLedger) LacksReceipt(shown *Request) bool {
	if l == nil || shown == nil || shown.Location == "" || !l.Knows(shown) {
		return false
	}
	located := func(location string) bool { return location != "" }
	return !slices.ContainsFunc(l.locations(shown.AttemptID), located)
}
