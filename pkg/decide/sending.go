// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// maySend holds back a request for the reasons that apply to every kind.
func maySend(in *Input, want desiredChange) *Decision {
	for _, guard := range []func(*Input, desiredChange) *Decision{
		markerStands,     // no ledger can be created for it
		ledgerStays,      // its ledger is being deleted
		cacheBehind,      // the cache does not show the latest account or object yet
		backedOff,        // the last attempt did not reach the carrier
		breakerClosed,    // responses were lost recently
		underChargeLimit, // the charge limit is reached
	} {
		if decision := guard(in, want); decision != nil {
			return decision
		}
	}
	return nil
}

// goesAgain reports whether an attempt in this phase did not reach the carrier and is retried
// automatically.
func goesAgain(phase v1alpha1.RequestPhase) bool {
	switch phase {
	case v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed, v1alpha1.PhaseNotAccepted:
		return true
	case v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseFailed,
		v1alpha1.PhaseRejected, v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseAbandoned, v1alpha1.PhaseRepeated,
		v1alpha1.PhaseLateAcceptance:
	}
	return false
}

// backedOff: NotSent, NotProcessed and NotAccepted are retried automatically, after a back-off.
func backedOff(in *Input, want desiredChange) *Decision {
	last := in.Subject.RequestOf(want.operation)
	if last == nil || !goesAgain(last.Phase) {
		return nil
	}
	again := sentAgainAt(in, last)
	if !in.Now.Before(again) {
		return nil
	}
	became := "has not reached the carrier"
	if cameToNothing(last) {
		became = "has not been answered"
	}
	decision := working(v1alpha1.ReasonCarrierUnavailable, fmt.Sprintf(
		"%s %s (%s): it is sent again by itself", last.Operation, became, errorMessage(last.Error)))
	decision.LookAt = again
	return decision
}

func supported(in *Input, operation carrier.Operation) error {
	contract, _ := carrier.ContractOf(operation)
	if in.Account.Object == nil {
		return nil
	}
	return contract.SupportedAt(int(in.Account.Object.Spec.APIVersion))
}

// weightier returns the more important decision, with the earlier time of the two: work in progress
// comes first, then what only a person can fix, then what waits for a person.
func weightier(held, next *Decision) *Decision {
	if held == nil {
		return next
	}
	at := earlier(held.LookAt, next.LookAt)
	if next.Verdict.State.weight() > held.Verdict.State.weight() {
		held = next
	}
	held.LookAt = at
	return held
}
