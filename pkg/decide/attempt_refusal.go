// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// PhaseOfRefusal returns the phase of an attempt that the carrier has refused with the attempt's
// present error. It is Rejected if the error proves that the carrier does not have the request,
// otherwise the phase in which the outcome is verified. The request was sent with the given
// account.
func PhaseOfRefusal(attempt *v1alpha1.Request, account *v1alpha1.CarrierAccount) v1alpha1.RequestPhase {
	switch {
	case isQuery(attempt):
		return v1alpha1.PhaseRejected // a query changes nothing that could affect the next one
	case attempt.Repeats > 0:
		return phaseOfRejectedRepeat(attempt)
	case !IsBusy(attempt.Error) || showsOutcome(attempt, account):
		return v1alpha1.PhaseRejected
	case attempt.Phase == v1alpha1.PhaseOutcomeUnknown: // another process has verified it meanwhile
		return v1alpha1.PhaseOutcomeUnknown
	}
	return v1alpha1.PhaseSubmitting
}

// phaseOfRejectedRepeat returns the phase of a refused repeat. The earlier attempt may have caused
// the refusal. For a cancellation the next reading shows the outcome. For any other operation it is
// unknown, unless the carrier reports a request in progress, which is then probably ours.
func phaseOfRejectedRepeat(attempt *v1alpha1.Request) v1alpha1.RequestPhase {
	if IsBusy(attempt.Error) || attempt.Operation.AltersCancellation() {
		return v1alpha1.PhaseSubmitting
	}
	return v1alpha1.PhaseOutcomeUnknown
}

// IsBusy reports whether the carrier has refused a request because one is in progress.
func IsBusy(why *v1alpha1.RequestError) bool { return why != nil && endsInProgress(why.Code) }

// showsOutcome reports whether the outcome of a request is known before the next attempt is sent,
// if the carrier refused the request because one is in progress. That one may be this very request,
// if something between the operator and the carrier sent it twice and returned the second response.
// It may also be an earlier attempt that a person resolved too early. A request of a class that is
// not chargeable changes nothing more if it is sent again. A plan change is sent again only after a
// reading. The reading shows the outcome if the plan, or another value read, was different before.
// Nothing shows the outcome of a request of class Never.
func showsOutcome(attempt *v1alpha1.Request, account *v1alpha1.CarrierAccount) bool {
	switch class := ClassOf(attempt.Operation, attempt.Target); {
	case !class.Costly():
		return true
	case class == carrier.ClassNever:
		return false
	}
	before, target := attempt.Before, attempt.Target
	if described := before.Described; described != nil &&
		(differs(described.Plan, target.Plan) || differs(described.RestorationSLA, target.RestorationSLA)) {
		return true
	}
	health, _ := carrier.ContractOf(carrier.Health) // which shows the plan
	return differs(before.Plan, target.Plan) && account != nil &&
		health.SupportedAt(CallVersion(account, carrier.Health)) == nil
}

// differs reports whether a reading can show that a value was set: the value before is known, and
// is a different one.
func differs(before, target string) bool {
	return before != "" && target != "" && !SameName(before, target)
}

// busyText explains what it may mean that the carrier refused an attempt because a request is in
// progress, if this does not show the outcome, and which resolution is right in each case.
func busyText(in *Input, open *v1alpha1.Request, why *v1alpha1.RequestError) string {
	which := "that may be this very request, if it was sent twice on its way to the carrier"
	if earlier := unprovenBefore(in.Ledger, open); earlier != nil {
		how := fmt.Sprintf("ended as %s", earlier.Outcome)
		if by := earlier.ResolvedBy; by != nil {
			how = fmt.Sprintf("%s has resolved as %s", cmp.Or(by.By, "a person"), earlier.Outcome)
		}
		which = fmt.Sprintf("that may be %s attempt %s, which %s, or this very request, if it was sent twice on its way "+
			"to the carrier", earlier.Operation, earlier.AttemptID, how)
	}
	return fmt.Sprintf("the carrier refused it because a request is in progress there: %s: %s; %s. Ask the carrier which "+
		"request is in progress: NotAccepted is right only if it is none of those named", why.Code, ErrorMessage(why), which)
}

// unprovenBefore returns the newest ended attempt of a ledger, before the given one, that the
// carrier may have although no response is known: a person resolved it as not accepted or
// abandoned it, or a reading seemed to show that. It returns nil if there is no such attempt, or if
// the carrier has accepted a request since: it accepts one only while no other is in progress. The
// ledger may be nil.
func unprovenBefore(ledger *v1alpha1.RequestLedger, open *v1alpha1.Request) *v1alpha1.EndedAttempt {
	if ledger == nil {
		return nil
	}
	for i := range ledger.Spec.Ended {
		ended := &ledger.Spec.Ended[i]
		unproven := ended.Outcome == v1alpha1.PhaseNotAccepted || ended.Outcome == v1alpha1.PhaseAbandoned
		accepted := ended.Outcome == v1alpha1.PhaseSucceeded || ended.Outcome == v1alpha1.PhaseFailed
		switch {
		case ended.AttemptID == open.AttemptID, ended.Operation.AltersCancellation():
		case unproven && ended.EndedBy != v1alpha1.EndedByCarrier:
			return ended
		case ended.EndedBy == v1alpha1.EndedByCarrier && accepted:
			return nil
		}
	}
	return nil
}

// AnotherInProgress reports whether the carrier refused a request because somebody else's is in
// progress. The request was rejected, so the next attempt is not a repeat. A refusal that may be
// about the request itself is not Rejected: see [PhaseOfRefusal].
func AnotherInProgress(request *v1alpha1.Request) bool {
	return request.Phase == v1alpha1.PhaseRejected && IsBusy(request.Error)
}

// AttemptInHash returns the id of the operation's newest attempt that an approval's hash covers;
// "" if there is none.
func AttemptInHash(in *Input, operation v1alpha1.Operation) string {
	return NewestInHash(ReachedOf(in, operation), in.Ledger, func(ended v1alpha1.EndedAttempt) bool {
		return ended.Operation == operation
	})
}

// NewestInHash returns the id of the newest attempt that an approval's hash covers: the given
// newest attempt, or otherwise the newest ended attempt that isOneOf selects; "" if there is none.
// An attempt is not covered if it did not reach the carrier (R11), or changed nothing because it
// was refused while another request was in progress. The newest attempt and the ledger may be nil.
func NewestInHash(
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
	case newest != nil && ledger.HasDropped(): // the covered attempt may be dropped: no earlier hash may match
		return newest.AttemptID
	}
	return ""
}

// MayHaveHadEffect reports whether an ended attempt had an effect, or may have had one. An attempt
// that was refused because another request was in progress had none.
func MayHaveHadEffect(ended *v1alpha1.EndedAttempt) bool {
	forAnother := ended.Outcome == v1alpha1.PhaseRejected && endsInProgress(ended.Code)
	return ended.Outcome.Reached() && !forAnother
}

// NewestWithEffect returns the operation's newest attempt that had an effect, or may have had one;
// nil if there is none. It reports false if the ledger has dropped it.
func NewestWithEffect(in *Input, operation v1alpha1.Operation) (newest *v1alpha1.Request, known bool) {
	id, newest := AttemptInHash(in, operation), ReachedOf(in, operation)
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
