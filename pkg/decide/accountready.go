// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// accountReady answers while the account cannot be used.
func accountReady(in *Input) *Decision {
	name := in.Subject.AccountName()
	if in.Account.Object == nil {
		return working(v1alpha1.ReasonAccountNotReady, fmt.Sprintf(
			"CarrierAccount %s does not exist in this namespace: create it, and this goes on by itself", name))
	}
	if in.Account.Unusable != nil {
		return working(v1alpha1.ReasonAccountNotReady, fmt.Sprintf(
			"CarrierAccount %s cannot be used (%v)%s", name, in.Account.Unusable, alsoInFlight(in)))
	}
	// One that was ready and has been edited since is tried as it is now: each key of a
	// rotation is an edit, and no reason for its services to say that they wait.
	ready := readyOf(in.Account.Object)
	if ready.Status != "True" {
		return working(v1alpha1.ReasonAccountNotReady, fmt.Sprintf(
			"CarrierAccount %s is not ready (%s)%s", name, orElse(ready.Reason, "not looked at yet"), alsoInFlight(in)))
	}
	if login := in.Account.Object.Login(); !isLoggedIn(in.Account.Object, login) {
		return working(v1alpha1.ReasonAccountNotReady, fmt.Sprintf(
			"CarrierAccount %s was edited and is not checked yet: nothing is sent as clientName %s to %s before it is known "+
				"whose services those are%s", name, login.ClientName, login.BaseURL, alsoInFlight(in)))
	}
	return nil
}

// isLoggedIn says whether an account is Ready with a login. Which identity that has sent under is
// known by then: "(baseURL, clientName) -> identity is on record ... when the account first sends"
// (R31).
func isLoggedIn(account *v1alpha1.CarrierAccount, login v1alpha1.CarrierLogin) bool {
	return account.Status.Login != nil && *account.Status.Login == login
}

// IsReady says whether an account is Ready: with an identity that nobody has acknowledged it is not.
func IsReady(account *v1alpha1.CarrierAccount) bool { return readyOf(account).Status == "True" }

func alsoInFlight(in *Input) string {
	for _, open := range in.Subject.OpenRequests() {
		return fmt.Sprintf("; the %s under way is followed once it is", open.Operation)
	}
	return ""
}

// sentElsewhere: identity and baseURL are "pinned". What was sent to one carrier is
// neither followed at another, nor proven or repeated there.
func sentElsewhere(in *Input) *Decision {
	account := in.Account.Object
	for _, open := range in.Subject.OpenRequests() {
		if open.BaseURL == account.Spec.BaseURL && open.Identity == account.IdentityName() {
			continue
		}
		held := stuck(v1alpha1.ReasonConflict, fmt.Sprintf(
			"%s attempt %s was sent to %s as %s, and the account is now %s as %s: "+
				"restore it, or resolve the request by hand: %s",
			open.Operation, open.AttemptID, open.BaseURL, open.Identity,
			account.Spec.BaseURL, account.IdentityName(), resolveHint(in, open)))
		if in.Ledger != nil {
			held.Verdict.Message += ". " + sameCarrierHint(in)
		}
		return held
	}
	return nil
}
