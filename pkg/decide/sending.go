// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// maySend holds a request back for the reasons of every kind.
func maySend(v *View, w wish) *Decision {
	for _, guard := range []func(*View, wish) *Decision{
		backedOff,        // the last attempt did not reach the carrier
		breakerClosed,    // answers were lost lately
		underChargeLimit, // enough has been spent for now
	} {
		if decision := guard(v, w); decision != nil {
			return decision
		}
	}
	return nil
}

// backedOff: NotSent and NotProcessed are tried again by themselves, after back-off.
func backedOff(v *View, w wish) *Decision {
	last := v.Subject.RequestOf(w.operation)
	if last == nil || last.Phase != v1alpha1.PhaseNotSent && last.Phase != v1alpha1.PhaseNotProcessed {
		return nil
	}
	again := later(last.FinishedAt.Add(Backoff(int(last.Attempt))), v.Memory.NotBefore)
	if !v.Now.Before(again) {
		return nil
	}
	decision := working(v1alpha1.ReasonCarrierUnavailable, fmt.Sprintf(
		"%s has not reached the carrier (%s): it is sent again by itself", last.Operation, errorMessage(last.Error)))
	decision.LookAt = again
	return decision
}

func breakerClosed(v *View, w wish) *Decision {
	if !w.costs() || !v.Now.Before(v.Account.BreakerUntil) {
		return nil
	}
	decision := working(v1alpha1.ReasonBreakerOpen,
		"the answer to a request of this account was lost: until the carrier answers again, nothing that costs is sent")
	decision.LookAt = v.Account.BreakerUntil
	return decision
}

func underChargeLimit(v *View, w wish) *Decision {
	limit := v.Account.Object.Spec.ChargeLimit
	if !w.costs() || limit == nil || v.Account.ChargedLastHour < int(limit.PerHour) {
		return nil
	}
	decision := working(v1alpha1.ReasonChargeLimit, fmt.Sprintf(
		"chargeLimit.perHour of the CarrierAccount is %d, and that many requests were sent in the last hour: "+
			"the next goes when one of them is an hour old", limit.PerHour))
	decision.LookAt = v.Now.Add(time.Minute)
	return decision
}

func supported(v *View, operation carrier.Operation) error {
	contract, _ := carrier.ContractOf(operation)
	if v.Account.Object == nil {
		return nil
	}
	return contract.SupportedAt(int(v.Account.Object.Spec.APIVersion))
}

// weightier keeps the decision that says more about the object, and the earlier look:
// what goes on, before what only a person can mend, before what waits for one.
func weightier(held, next *Decision) *Decision {
	if held == nil {
		return next
	}
	at := earlier(held.LookAt, next.LookAt)
	if next.Verdict.Standing.weight() > held.Verdict.Standing.weight() {
		held = next
	}
	held.LookAt = at
	return held
}
