// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// MustWait holds back a request for the reasons that apply to every kind.
func MustWait(in *Input, want DesiredChange) *Decision {
	for _, guard := range []func(*Input, DesiredChange) *Decision{
		markerIsMissing,      // no ledger can be created for it
		ledgerIsBeingDeleted, // its ledger is being deleted
		cacheIsBehind,        // the cache does not show the latest account or object yet
		backoffIsRunning,     // the last attempt ended without effect a short while ago
		breakerIsOpen,        // responses were lost recently
		chargeLimitIsReached, // the charge limit is reached
	} {
		if decision := guard(in, want); decision != nil {
			return decision
		}
	}
	return nil
}

// backoffIsRunning holds back a retry until the back-off is over: NotSent, NotProcessed and
// NotAccepted are retried automatically.
func backoffIsRunning(in *Input, want DesiredChange) *Decision {
	last := in.Subject.Record().RequestOf(want.Operation)
	if last == nil || !IsAutoRetried(last.Phase) {
		return nil
	}
	again := sentAgainAt(in, last)
	if !in.Now.Before(again) {
		return nil
	}
	what, reason := phaseText(last.Phase), v1alpha1.ReasonProgressing
	if isUnansweredQuery(last) {
		what = "did not succeed" // the carrier may have processed it, and lost the result
	}
	// Any other code of an unsent attempt comes from its connection.
	noConnection := last.Error != nil && last.Error.Code != codeGateClosed && last.Error.Code != codeNotPosted
	if last.Phase == v1alpha1.PhaseNotProcessed || last.Phase == v1alpha1.PhaseNotSent && noConnection {
		reason = v1alpha1.ReasonCarrierUnavailable
	}
	return RequeueAt(RestWorking(reason, fmt.Sprintf(
		"%s %s (%s): it is sent again automatically", last.Operation, what, ErrorMessage(last.Error))), again)
}

// Intent returns the request as it is recorded before it is sent.
func (want DesiredChange) Intent(in *Input) v1alpha1.Request {
	return v1alpha1.Request{
		Operation: want.Operation, Attempt: attemptNumber(in, want), Repeats: queriesBefore(in, want),
		Target: want.Target, Before: want.Before,
		Login:      in.Account.Memory(),
		Generation: in.Subject.GetGeneration(), BodyHash: BodyHash(want.Body),
		Phase: v1alpha1.PhaseSubmitting, APIVersion: apiVersionOf(in.Account.Object, want.Operation),
	}
}

// queriesBefore counts the unanswered queries for the same change. A rejection is a response and
// does not change the count.
func queriesBefore(in *Input, want DesiredChange) int32 {
	last := in.Subject.Record().RequestOf(want.Operation)
	switch {
	case !isQuery(last) || attemptNumber(in, want) == 1 || exhausted(last) || RetryRequested(in, last):
		return 0
	case isUnansweredQuery(last):
		return last.Repeats + 1
	case last.Phase == v1alpha1.PhaseRejected:
		return last.Repeats
	}
	return 0
}

// PlanInHealth returns the plan that a health response names, limited to what a status can hold.
func PlanInHealth(health carrier.HealthResult) string { return Bounded(health.Plan, 200) }

// attemptNumber returns the number of the next attempt at the same change of the same generation,
// starting at 1.
func attemptNumber(in *Input, want DesiredChange) int32 {
	last := in.Subject.Record().RequestOf(want.Operation)
	if last == nil || last.Generation != in.Subject.GetGeneration() || last.BodyHash != BodyHash(want.Body) {
		return 1
	}
	if last.Phase == v1alpha1.PhaseSucceeded {
		return 1
	}
	return last.Attempt + 1
}

// VersionOf returns the version of a live object, with the UID of the cached copy that was judged.
func VersionOf(live, judged metav1.Object) Version {
	return Version{UID: string(live.GetUID()), Generation: live.GetGeneration(), Judged: string(judged.GetUID())}
}

// isAheadOf reports whether the version seen is newer than the cached one. If the UIDs differ, the
// version seen is newer only than the cached copy that was judged: an object with a third UID is
// newer than both.
func (v Version) isAheadOf(shown metav1.Object) bool {
	if uid := string(shown.GetUID()); uid != v.UID {
		return v.UID != "" && uid == v.Judged
	}
	return shown.GetGeneration() < v.Generation
}

// cacheIsBehind holds back the attempt after a closed gate until the cache shows the versions that
// the gate saw. Until then, the gate would stop each attempt again (R12).
func cacheIsBehind(in *Input, _ DesiredChange) *Decision {
	var behind string
	switch {
	case in.Memory.Gate.Account.isAheadOf(in.Account.Object):
		behind = "CarrierAccount " + in.Account.Object.Name
	case in.Memory.Gate.Object.isAheadOf(in.Subject):
		behind = "this object"
	default:
		return nil
	}
	return RequeueAt(RestWorking(v1alpha1.ReasonProgressing, fmt.Sprintf(
		"%s has changed, but the cache does not show the change yet: nothing is sent until it does", behind)),
		in.Now.Add(time.Minute))
}
