// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// AccountIsNotReady returns a decision while the account cannot be used. A request that waits for a
// person is still reported as waiting: resolving it needs no call, so it is possible meanwhile.
func AccountIsNotReady(in *Input) *Decision {
	why := whyNotReady(in)
	if why == "" {
		return nil
	}
	waits, open := waitsForPerson(in), in.Subject.Record().OpenRequests()
	switch {
	case waits != nil:
		return RestOn(Verdict{Stuck, waits.Reason, waits.Message + ". " + why})
	case len(open) > 0:
		why += "; " + onceReady(open[0])
	}
	decision := RestWorking(v1alpha1.ReasonAccountNotReady, why)
	if MayProve(&in.Account) {
		decision.RequeueAt, decision.Transient = in.Account.ProvenAt, true
	}
	return decision
}

// MayProve reports whether an object may make the free call that shows whether the carrier accepts
// the account's token. The account must be shown as Ready; otherwise its own pass makes the check.
func MayProve(account *Account) bool {
	return account.Object != nil && account.Unproven && account.Unusable == nil && IsShownReady(account.Object)
}

// whyNotReady says why the account cannot be used; "" if it can.
func whyNotReady(in *Input) string {
	name := in.Subject.AccountName()
	if in.Account.Object == nil {
		return fmt.Sprintf("CarrierAccount %s does not exist in this namespace: create it, and the operator continues "+
			"automatically; or create this object again with another accountRef", name)
	}
	if in.Account.Unusable != nil {
		return fmt.Sprintf("CarrierAccount %s cannot be used (%v)", name, in.Account.Unusable)
	}
	// An account that was ready stays usable after an edit that does not change its login, because
	// every key rotation is such an edit and must not make the services of the account wait.
	if !IsReady(in.Account.Object) {
		return fmt.Sprintf("CarrierAccount %s is not ready (%s)", name,
			cmp.Or(readyOf(in.Account.Object).Reason, "not checked yet"))
	}
	if login := in.Account.Object.Login(); !isLoggedIn(in.Account.Object, login) {
		return fmt.Sprintf("CarrierAccount %s was edited and has not been checked yet: nothing is sent as clientName %s "+
			"to %s until that login is known", name, login.ClientName, login.BaseURL)
	}
	if in.Account.Unproven {
		return fmt.Sprintf("the carrier is asked whether it accepts the token of CarrierAccount %s", name)
	}
	return ""
}

// waitsForPerson returns the verdict on the first open request that only a person can end; nil if
// there is none.
func waitsForPerson(in *Input) *Verdict {
	for _, open := range in.Subject.Record().OpenRequests() {
		if open.Phase == v1alpha1.PhaseOutcomeUnknown {
			return new(UnknownVerdict(in, open))
		}
		if open.Phase == v1alpha1.PhaseLateAcceptance {
			return &acceptedLate(in, open).Verdict
		}
	}
	return nil
}

func onceReady(open *v1alpha1.Request) string {
	if open.Phase == v1alpha1.PhaseInProgress {
		return fmt.Sprintf("the %s in progress is tracked once the account is ready", open.Operation)
	}
	return fmt.Sprintf("whether the carrier accepted the %s is determined once the account is ready", open.Operation)
}

// isLoggedIn reports whether the last check of the account succeeded with this login. In that
// case, the ledger of the login exists.
func isLoggedIn(account *v1alpha1.CarrierAccount, login v1alpha1.CarrierLogin) bool {
	return account.Status.Login != nil && *account.Status.Login == login
}

// IsShownReady reports whether an account is shown as Ready with the login that it has now.
func IsShownReady(account *v1alpha1.CarrierAccount) bool {
	return IsReady(account) && isLoggedIn(account, account.Login())
}

// IsReady reports whether an account is Ready.
func IsReady(account *v1alpha1.CarrierAccount) bool { return readyOf(account).Status == "True" }

// SentElsewhere enforces that a request stays with its login. It is not tracked, verified or
// repeated with another login, which may belong to another carrier.
func SentElsewhere(in *Input) *Decision {
	for _, open := range in.Subject.Record().OpenRequests() {
		if !isElsewhere(in, open) {
			continue
		}
		remedy := "create the CarrierAccount again with the former login"
		if !IsReadAgain(open) {
			remedy += ", or resolve the request by hand: " + ResolveHint(in, open)
		}
		conflict := RestStuck(v1alpha1.ReasonConflict, fmt.Sprintf(
			"%s attempt %s was sent with %s, but CarrierAccount %s now has %s: %s%s",
			open.Operation, open.AttemptID, open.Login, in.Subject.AccountName(), in.Account.Memory(), remedy,
			orContinue(in.Account, open.Login)))
		if open.Phase == v1alpha1.PhaseSubmitting && !resolvable(in, open) { // it becomes resolvable without an event
			conflict = RequeueAt(conflict, in.Memory.Attempts[open.AttemptID].FirstSeen.Add(senderGrace))
		}
		return conflict
	}
	return nil
}

func isElsewhere(in *Input, open *v1alpha1.Request) bool {
	return in.Account.Object != nil && open.Login != in.Account.Memory()
}

// Listed reports whether an account may access a service: serviceIDs, if set, limits it to those.
func Listed(account *v1alpha1.CarrierAccount, serviceID v1alpha1.CarrierID) bool {
	return account == nil || len(account.Spec.ServiceIDs) == 0 || slices.Contains(account.Spec.ServiceIDs, serviceID)
}

// NotFoundOrForbidden is the verdict on a service that the carrier does not show to the account, or
// that is not on the account's list. The wording does not reveal which of the two applies.
func NotFoundOrForbidden(serviceID v1alpha1.CarrierID) Verdict {
	return notFoundOrForbidden(serviceID, "the operator tries again automatically")
}

// RefusedAsNotFound is the verdict on an attempt that the carrier refused because it does not show
// the service. If the attempt must not be repeated, only a person can request another one.
func RefusedAsNotFound(in *Input, refused *v1alpha1.Request, serviceID v1alpha1.CarrierID) Verdict {
	if ClassOf(refused.Operation, refused.Target) != carrier.ClassNever {
		return NotFoundOrForbidden(serviceID)
	}
	return notFoundOrForbidden(serviceID, "to try again, run: "+RetryHint(in, refused))
}

func notFoundOrForbidden(serviceID v1alpha1.CarrierID, then string) Verdict {
	return Verdict{Stuck, v1alpha1.ReasonNotFoundOrForbidden, fmt.Sprintf(
		"the carrier does not let this account see service %s, or there is no such service: "+
			"check the service number and the account's permissions; %s", serviceID, then)}
}
