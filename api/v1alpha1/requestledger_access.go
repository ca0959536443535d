// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "slices"

// endedLimit is how many ended attempts a ledger remembers.
const endedLimit = 10

// RequestOf is the newest attempt at an operation, or nil: one that is under way before one that was
// accepted late. The pointer leads into the ledger.
func (l *RequestLedger) RequestOf(operation Operation) *Request {
	of := func(request Request) bool { return request.Operation == operation }
	underWay := func(request Request) bool { return of(request) && request.Phase != PhaseLateAcceptance }
	if at := slices.IndexFunc(l.Spec.Open, underWay); at >= 0 {
		return &l.Spec.Open[at]
	}
	if at := slices.IndexFunc(l.Spec.Open, of); at >= 0 {
		return &l.Spec.Open[at]
	}
	if at := slices.IndexFunc(l.Spec.Last, of); at >= 0 {
		return &l.Spec.Last[at]
	}
	return nil
}

// Open records an attempt that begins. "A repeat ... ends the one before it as Repeated in the same
// write" (R3).
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

// Put records an attempt as it is now, in the place of what was known of it.
func (l *RequestLedger) Put(attempt Request) {
	late := slices.ContainsFunc(l.Spec.Open, func(open Request) bool {
		return open.AttemptID == attempt.AttemptID && open.Phase == PhaseLateAcceptance
	})
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

// isOutdone says whether a late acceptance takes no success back: one that was given up, or of a test
// that has been run since.
func (l *RequestLedger) isOutdone(late *Request) bool {
	if l.Spec.Diagnostics == nil {
		last := l.ReachedLast(late.Operation)
		return late.Phase == PhaseAbandoned && last != nil && last.Phase == PhaseSucceeded
	}
	return slices.ContainsFunc(l.Spec.Ended, func(ended EndedAttempt) bool {
		return ended.UID == late.UID && ended.AttemptID != late.AttemptID && ended.Outcome == PhaseSucceeded
	})
}

// placeOf is where an attempt is among those that have ended; behind them where it is not.
func (l *RequestLedger) placeOf(attemptID string) int {
	at := slices.IndexFunc(l.Spec.Ended, func(ended EndedAttempt) bool { return ended.AttemptID == attemptID })
	if at < 0 {
		return len(l.Spec.Ended)
	}
	return at
}

// ReachedLast is the newest attempt at an operation that has ended and reached the carrier, or may
// have; nil for none. One that was begun since and did not get there takes nothing of it back. The
// pointer leads into the ledger, which may be nil.
func (l *RequestLedger) ReachedLast(operation Operation) *Request {
	if l == nil {
		return nil
	}
	at := slices.IndexFunc(l.Spec.Last, func(last Request) bool {
		return last.Operation == operation && last.Phase.Reached()
	})
	if at < 0 {
		return nil
	}
	return &l.Spec.Last[at]
}

// LastReachedFor is the id of the newest attempt for an object that has ended and reached the
// carrier, or may have; "" for none. A ledger may be nil.
func (l *RequestLedger) LastReachedFor(uid string) string {
	if l == nil {
		return ""
	}
	at := slices.IndexFunc(l.Spec.Ended, func(ended EndedAttempt) bool {
		return ended.UID == uid && ended.Outcome.Reached()
	})
	if at < 0 {
		return ""
	}
	return l.Spec.Ended[at].AttemptID
}

// AcceptLate records that the carrier has taken an attempt that has ended in another way before that
// was known: "An Accepted receipt is never dropped" (R15). It says whether that is news.
func (l *RequestLedger) AcceptLate(late Request) bool {
	is := func(attempt Request) bool { return attempt.AttemptID == late.AttemptID }
	if slices.ContainsFunc(l.Spec.Open, is) {
		return false
	}
	ended := func(attempt EndedAttempt) bool { return attempt.AttemptID == late.AttemptID }
	if at := slices.IndexFunc(l.Spec.Ended, ended); at >= 0 {
		if l.Spec.Ended[at].Location == late.Location {
			return false
		}
		late.Target, late.SubmittedAt = l.Spec.Ended[at].Target, l.Spec.Ended[at].SubmittedAt
	}
	if at := slices.IndexFunc(l.Spec.Last, is); at >= 0 {
		late.Generation = l.Spec.Last[at].Generation // what was given up for it is not sent again
	}
	late.Phase = PhaseLateAcceptance
	l.Spec.Open = append(l.Spec.Open, late)
	return true
}

// Move has the ledger, and what is open in it, speak of the same carrier at another address.
func (l *RequestLedger) Move(baseURL string, by Resolution) {
	l.Spec.BaseURL, l.Spec.Moved = baseURL, &by
	for i := range l.Spec.Open {
		l.Spec.Open[i].BaseURL = baseURL
	}
}

// remember puts an attempt among those that have ended, newest first.
func (l *RequestLedger) remember(attempt Request, at int) {
	ended := slices.DeleteFunc(l.Spec.Ended, func(held EndedAttempt) bool { return held.AttemptID == attempt.AttemptID })
	if !attempt.Phase.Reached() {
		ended = fewerUnsent(ended, attempt)
	}
	ended = slices.Insert(ended, min(at, len(ended)), EndedAttempt{
		AttemptID: attempt.AttemptID, Operation: attempt.Operation, UID: attempt.UID, Target: attempt.Target,
		Outcome: attempt.Phase, EndedBy: attempt.EndedBy, Location: attempt.Location,
		Code: attempt.code(), Changes: attempt.Changes(), ApprovedHash: attempt.ApprovedHash, ApprovedBy: attempt.ApprovedBy,
		RetriedBy: attempt.RetriedBy, ResolvedBy: attempt.ResolvedBy.DeepCopy(),
		SubmittedAt: attempt.SubmittedAt, FinishedAt: attempt.FinishedAt,
	})
	l.Spec.Ended = ended[:min(len(ended), endedLimit)]
}

// keptUnsent is how many attempts in a row that did not reach the carrier are kept. "Consecutive
// NotSent/NotProcessed of one operation count as one", but the status of a manager that comes late may
// still show those before the newest, as unknown.
const keptUnsent = 3

// fewerUnsent makes room for one more attempt that did not reach the carrier: of those of its object
// since one did, the oldest goes.
func fewerUnsent(ended []EndedAttempt, attempt Request) []EndedAttempt {
	kept := 1
	for i, held := range ended {
		if held.Operation != attempt.Operation || held.UID != attempt.UID {
			continue
		}
		if held.Outcome.Reached() {
			break
		}
		kept++
		if kept > keptUnsent {
			return slices.Delete(ended, i, i+1)
		}
	}
	return ended
}

// IsOpen says whether an attempt is on record and has not ended. A ledger may be nil.
func (l *RequestLedger) IsOpen(attemptID string) bool {
	return l != nil && slices.ContainsFunc(l.Spec.Open, func(open Request) bool { return open.AttemptID == attemptID })
}

// IsFinal says whether the carrier has ended an attempt: "an attempt id that has ended never opens
// again" (R3), and no later word of the carrier changes it. A ledger may be nil.
func (l *RequestLedger) IsFinal(attemptID string) bool {
	return l != nil && !l.IsOpen(attemptID) && slices.ContainsFunc(l.Spec.Ended, func(ended EndedAttempt) bool {
		return ended.AttemptID == attemptID && ended.EndedBy == EndedByCarrier
	})
}

// AttemptOf is the newest attempt that serves an object, one that is under way before one that was
// accepted late; nil for none. One that ended long ago is known in short. A ledger may be nil.
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
	ended := l.Spec.Ended[at]
	return &Request{
		Operation: ended.Operation, AttemptID: ended.AttemptID, UID: ended.UID, Target: ended.Target, Attempt: 1,
		Phase: ended.Outcome, EndedBy: ended.EndedBy, Location: ended.Location, ApprovedHash: ended.ApprovedHash,
		SubmittedAt: ended.SubmittedAt, FinishedAt: ended.FinishedAt,
	}
}

// LateAcceptance is an attempt that was accepted late, and that nobody has settled; nil for none. The
// pointer leads into the ledger.
func (l *RequestLedger) LateAcceptance() *Request {
	at := slices.IndexFunc(l.Spec.Open, func(open Request) bool { return open.Phase == PhaseLateAcceptance })
	if at < 0 {
		return nil
	}
	return &l.Spec.Open[at]
}

// Reached says whether an attempt in this phase has reached the carrier, or may have.
func (p RequestPhase) Reached() bool { return p != PhaseNotSent && p != PhaseNotProcessed }

// Knows says whether a ledger has an attempt on record that a status shows. One that did not reach
// the carrier may have been followed by another of its sort, which is kept in its place.
func (l *RequestLedger) Knows(shown *Request) bool {
	if shown == nil || !shown.Phase.Reached() {
		return true
	}
	if l == nil {
		return false
	}
	return len(l.locations(shown.AttemptID)) > 0
}

// LacksReceipt says whether a status shows where the carrier follows an attempt, and the ledger, which
// has the attempt, does not. A ledger may be nil.
func (l *RequestLedger) LacksReceipt(shown *Request) bool {
	if l == nil || shown == nil || shown.Location == "" || !l.Knows(shown) {
		return false
	}
	located := func(location string) bool { return location != "" }
	return !slices.ContainsFunc(l.locations(shown.AttemptID), located)
}

// AttemptIDs are the ids of the attempts that it has, some of them more than once.
func (l *RequestLedger) AttemptIDs() []string {
	ids := make([]string, 0, len(l.Spec.Open)+len(l.Spec.Last)+len(l.Spec.Ended))
	l.eachAttempt(func(id, _ string) { ids = append(ids, id) })
	return ids
}

// locations are where the carrier follows an attempt, by each entry of it; "" where one does not say.
func (l *RequestLedger) locations(attemptID string) (found []string) {
	l.eachAttempt(func(id, location string) {
		if id == attemptID {
			found = append(found, location)
		}
	})
	return found
}

// eachAttempt shows each entry of an attempt: its id, and where the carrier follows it.
func (l *RequestLedger) eachAttempt(show func(id, location string)) {
	for _, attempts := range [][]Request{l.Spec.Open, l.Spec.Last} {
		for i := range attempts {
			show(attempts[i].AttemptID, attempts[i].Location)
		}
	}
	for i := range l.Spec.Ended {
		show(l.Spec.Ended[i].AttemptID, l.Spec.Ended[i].Location)
	}
}
