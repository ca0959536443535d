// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// maySend holds a request back for the reasons of every kind.
func maySend(in *Input, want desiredChange) *Decision {
	for _, guard := range []func(*Input, desiredChange) *Decision{
		markerStands,     // no ledger can be created for it
		ledgerStays,      // its ledger is being deleted
		cacheBehind,      // the cache shows an account or an object that has changed
		backedOff,        // the last attempt did not reach the carrier
		breakerClosed,    // answers were lost lately
		underChargeLimit, // enough has been spent for now
	} {
		if decision := guard(in, want); decision != nil {
			return decision
		}
	}
	return nil
}

// goesAgain says whether an attempt in this phase did not reach the carrier, and is tried again by
// itself.
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

// backedOff: NotSent, NotProcessed and NotAccepted are tried again by themselves, after back-off.
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

// weightier keeps the decision that says more about the object, and the earlier look:
// what goes on, before what only a person can mend, before what waits for one.
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
