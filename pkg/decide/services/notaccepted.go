// SPDX-License-Identifier: Apache-2.0

package services

import (
	"fmt"
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The reasons for these rules are in docs/design/0030-a-carrier-may-confirm-its-list.md.

const (
	// acceptedWithin is the additional time that network and carrier are given, after the earliest time
	// at which a description counts for a proof. A token is valid for five minutes, so a request that
	// arrives later is refused.
	acceptedWithin = 5 * time.Minute

	// unchangedFor is how long after its intent an attempt can be shown not to have been accepted.
	// Later, somebody may have changed the service back.
	unchangedFor = time.Hour

	// maxNotAccepted is how many attempts at the same change may be shown in succession not to have
	// been accepted. Otherwise a carrier whose confirmation is wrong would be sent requests for
	// ever.
	maxNotAccepted = 2
)

// notAcceptedByDescription ends an attempt that the description of the service shows not to have
// been accepted; nil if it does not show that.
func notAcceptedByDescription(in *Input, open *v1alpha1.Request) *decide.Decision {
	if !decide.ListsFromAcceptance(&in.Account) || !mayBeUnaccepted(in, open) || !showsUnchanged(in, open) {
		return nil
	}
	at := decide.FormatTime(&in.Input, in.Memory.Readings.Service.RequestedAt)
	return decide.ResolveTo(open, v1alpha1.PhaseNotAccepted, decide.Because(fmt.Sprintf(
		"the carrier's description of the service showed, at %s, that it had not accepted the change", at)))
}

// mayBeUnaccepted reports whether nothing is known of an attempt but its intent: the carrier has given
// no Location for it, not even a candidate, and has not reported success, health has not shown what
// the attempt requests, and it does not repeat another attempt, which may have been accepted. At most
// two attempts in succession end in this way, and none while the carrier is known to have accepted one
// after all.
func mayBeUnaccepted(in *Input, open *v1alpha1.Request) bool {
	unanswered := open.Location == "" && open.Candidate == "" && !answeredSuccess(open)
	intentOnly := open.Phase == v1alpha1.PhaseSubmitting && unanswered && open.Repeats == 0 && !proven(in, open)
	reliable := in.Ledger == nil || in.Ledger.LateAcceptance() == nil
	return intentOnly && reliable && describable(in, open) && notAcceptedBefore(in, open) < maxNotAccepted
}

// answeredSuccess reports whether the carrier has answered the request with a status of success, but
// without a usable Location.
func answeredSuccess(open *v1alpha1.Request) bool {
	const first, next = 200, 300
	return open.Error != nil && open.Error.HTTPStatus >= first && open.Error.HTTPStatus < next
}

// showsUnchanged reports whether the description shows every requested value exactly as before the
// attempt, and lists no modification, nor has listed one since the attempt was first seen.
func showsUnchanged(in *Input, open *v1alpha1.Request) bool {
	reading := &in.Memory.Readings.Service
	firstSeen := in.Memory.Attempts[open.AttemptID].FirstSeen
	listed := reading.Service.Modified || reading.ModifiedAt.After(firstSeen)
	if !isDescribed(in) || !reading.Service.Listed || listed || !countsForNotAccepted(in, open, reading.RequestedAt) {
		return false
	}
	return !slices.ContainsFunc(requestedValues(in, open), func(value requestedValue) bool {
		return value.shown != value.before
	})
}

// countsForNotAccepted reports whether a description was asked for late enough, by the recorded time
// of the intent and by the local clock, and not too late.
func countsForNotAccepted(in *Input, open *v1alpha1.Request, at time.Time) bool {
	recorded, seen := provesFrom(in, open)
	late := !at.Before(recorded.Add(acceptedWithin)) && !at.Before(seen.Add(acceptedWithin))
	return late && at.Before(in.Past(open.SubmittedAt).Add(unchangedFor))
}

// notAcceptedBefore counts the attempts at the same change that were shown in succession not to
// have been accepted, up to the newest. Those in between that did not reach the carrier, were
// repeated, or were refused because another request was in progress, do not count.
func notAcceptedBefore(in *Input, open *v1alpha1.Request) (count int) {
	if in.Ledger == nil {
		return 0
	}
	for i := range in.Ledger.Spec.Ended {
		ended := &in.Ledger.Spec.Ended[i]
		switch {
		case ended.Operation != open.Operation, !ended.Outcome.Reached(), ended.Outcome == v1alpha1.PhaseRepeated,
			decide.EndedForAnother(ended):
		case !ended.IsProvenNotAccepted() || ended.Target != open.Target:
			return count
		default:
			count++
		}
	}
	return count
}
