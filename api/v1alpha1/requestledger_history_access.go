// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "slices"

// endedLimit is the maximum number of ended attempts that a ledger keeps.
const endedLimit = 10

// keptUnsent is how many consecutive attempts that did not reach the carrier are kept, for the
// status of a manager that is behind: it may still show an earlier one with an unknown outcome.
const keptUnsent = 3

// OtherAttemptAt returns the id of another attempt at the operation of this one that has a path as its
// Location; "" if there is none, as far as the ledger contains them. The ledger may be nil.
func (l *RequestLedger) OtherAttemptAt(attempt *Request, location string) string {
	if l == nil {
		return ""
	}
	for _, other := range slices.Concat(l.Spec.Open, l.Spec.Last) {
		named := other.Location == location || other.Candidate == location
		if named && attempt.isOther(other.Operation, other.AttemptID) {
			return other.AttemptID
		}
	}
	for _, ended := range l.Spec.Ended {
		if ended.Location == location && attempt.isOther(ended.Operation, ended.AttemptID) {
			return ended.AttemptID
		}
	}
	return ""
}

// isOther reports whether an operation and an id are those of another attempt at the same operation.
func (r *Request) isOther(operation Operation, attemptID string) bool {
	return operation == r.Operation && attemptID != r.AttemptID
}

// History returns the attempts that have ended, as far as the ledger contains them, newest first. Of
// an attempt that a later one has replaced, only a summary is known. The ledger may be nil.
func (l *RequestLedger) History() (all []*Request) {
	if l == nil {
		return nil
	}
	for i := range l.Spec.Ended {
		all = append(all, l.endedAttempt(l.Spec.Ended[i].AttemptID))
	}
	for i := range l.Spec.Last {
		if l.placeOf(l.Spec.Last[i].AttemptID) == len(l.Spec.Ended) {
			all = append(all, &l.Spec.Last[i])
		}
	}
	return all
}

// Summaries returns every attempt in the ledger once. The outcome of an open one is its phase.
func (l *RequestLedger) Summaries() []EndedAttempt {
	all := make([]EndedAttempt, 0, len(l.Spec.Open)+len(l.Spec.Ended)+len(l.Spec.Last))
	for i := range l.Spec.Open {
		all = append(all, l.Spec.Open[i].summary())
	}
	all = append(all, l.Spec.Ended...)
	for i := range l.Spec.Last {
		if l.placeOf(l.Spec.Last[i].AttemptID) == len(l.Spec.Ended) {
			all = append(all, l.Spec.Last[i].summary())
		}
	}
	return all
}

// AttemptIDs returns the IDs of the attempts in the ledger, some of them more than once.
func (l *RequestLedger) AttemptIDs() []string {
	ids := make([]string, 0, len(l.Spec.Open)+len(l.Spec.Last)+len(l.Spec.Ended))
	l.eachAttempt(func(id, _ string) { ids = append(ids, id) })
	return ids
}

// locations returns the Locations of an attempt, one per entry; "" for an entry without one.
func (l *RequestLedger) locations(attemptID string) (found []string) {
	l.eachAttempt(func(id, location string) {
		if id == attemptID {
			found = append(found, location)
		}
	})
	return found
}

// eachAttempt calls show for each entry of an attempt, with its ID and its Location.
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

// remember inserts an attempt among those that have ended, newest first.
func (l *RequestLedger) remember(attempt Request, at int) {
	ended := slices.DeleteFunc(l.Spec.Ended, func(held EndedAttempt) bool { return held.AttemptID == attempt.AttemptID })
	if !attempt.Phase.Reached() {
		ended = fewerUnsent(ended, attempt)
	}
	ended = slices.Insert(ended, min(at, len(ended)), attempt.summary())
	l.Spec.Ended = ended[:min(len(ended), endedLimit)]
}

// fewerUnsent makes room for one more attempt that did not reach the carrier: of the object's
// attempts since the last one that did, only keptUnsent are kept.
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

// MayHaveDropped reports whether the ledger may have contained an attempt that has ended, and has
// dropped it for newer ones. The ledger may be nil.
func (l *RequestLedger) MayHaveDropped(shown *Request) bool {
	return l != nil && shown.Phase.Ended() && len(l.Spec.Ended) == endedLimit && !l.Knows(shown)
}

// HasDropped reports whether the ledger may have dropped attempts that have ended.
func (l *RequestLedger) HasDropped() bool { return len(l.Spec.Ended) == endedLimit }
