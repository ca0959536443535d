// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// endsInProgress reports whether a sub-error means that somebody else's request is in progress. The
// specification names one such code; a carrier may have others of that form (spec §7). The codes
// of diagnostic tests and cancellations are spelled with hyphens.
func endsInProgress(code string) bool {
	return strings.HasSuffix(strings.ReplaceAll(code, "-", "."), ".in.progress")
}

// AnotherInProgress reports whether the carrier refused a request because somebody else's is in
// progress. The request was rejected, so the next attempt is not a repeat. A refusal that may be about
// the request itself is not Rejected: see [PhaseOfRefusal].
func AnotherInProgress(request *v1alpha1.Request) bool {
	return request.Phase == v1alpha1.PhaseRejected && IsBusy(request.Error)
}

// isInProgressError reports whether the carrier refused a reading because a request is in progress.
func isInProgressError(err error) bool {
	return carrier.ClassOf(err) == carrier.Refused && endsInProgress(RequestErrorOf(err).Code)
}

// CoveredAttempt returns the id of the operation's newest attempt that an approval's hash covers;
// "" if there is none.
func CoveredAttempt(in *Input, operation v1alpha1.Operation) string {
	return NewestCovered(ReachedOf(in, operation), in.Ledger, func(ended v1alpha1.EndedAttempt) bool {
		return ended.Operation == operation
	})
}

// NewestCovered returns the id of the newest attempt that an approval's hash covers: the given
// newest attempt, or otherwise the newest ended attempt that isOneOf selects; "" if there is none.
// An attempt that was refused because another request is in progress is not covered: nothing
// happened and nobody ended it, so it changes neither a hash nor an approval, like one that has not
// reached the carrier (R11). The newest attempt and the ledger may be nil.
func NewestCovered(
	newest *v1alpha1.Request, ledger *v1alpha1.RequestLedger, isOneOf func(v1alpha1.EndedAttempt) bool,
) string {
	if newest != nil && newest.Phase.Reached() && !AnotherInProgress(newest) {
		return newest.AttemptID
	}
	if ledger == nil {
		return ""
	}
	at := slices.IndexFunc(ledger.Spec.Ended, func(ended v1alpha1.EndedAttempt) bool {
		return isOneOf(ended) && MayHaveHadEffect(&ended)
	})
	switch {
	case at >= 0:
		return ledger.Spec.Ended[at].AttemptID
	case newest != nil && ledger.HasDropped(): // perhaps the covered one: no earlier hash may fit again
		return newest.AttemptID
	}
	return ""
}

// MayHaveHadEffect reports whether an ended attempt had an effect, or may have had one. One that was
// refused because another request was in progress had none.
func MayHaveHadEffect(ended *v1alpha1.EndedAttempt) bool {
	forAnother := ended.Outcome == v1alpha1.PhaseRejected && endsInProgress(ended.Code)
	return ended.Outcome.Reached() && !forAnother
}

// NewestWithEffect returns the operation's newest attempt that had an effect, or may have had one; nil
// if there is none. It reports false if the ledger has dropped it.
func NewestWithEffect(in *Input, operation v1alpha1.Operation) (newest *v1alpha1.Request, known bool) {
	id, newest := CoveredAttempt(in, operation), ReachedOf(in, operation)
	switch {
	case id == "":
		return nil, true
	case newest.AttemptID != id:
		history := in.Ledger.History()
		return history[slices.IndexFunc(history, func(one *v1alpha1.Request) bool { return one.AttemptID == id })], true
	case AnotherInProgress(newest):
		return nil, false
	}
	return newest, true
}

// InProgressPause is the wait after the n-th response that shows somebody else's request in progress,
// with n starting at 1.
func InProgressPause(n int) time.Duration {
	return doubling(n, shortestInProgressPause, 30*time.Minute)
}

const shortestInProgressPause = 5 * time.Minute

// lasting returns the sub-errors that do not resolve by themselves, or all if there are none.
func lasting(all []carrier.SubError) []carrier.SubError {
	var left []carrier.SubError
	for _, sub := range all {
		if !endsInProgress(string(sub.Code)) {
			left = append(left, sub)
		}
	}
	if len(left) == 0 {
		return all
	}
	return left
}
