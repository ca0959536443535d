// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Memory returns the login under which the requests of an account are recorded: its own, or the one
// that it continues. Everything that belongs to a login is keyed by it. It is empty without an
// account.
func (a *Account) Memory() v1alpha1.CarrierLogin {
	switch {
	case a.Continues != nil:
		return *a.Continues
	case a.Object != nil:
		return a.Object.Login()
	}
	return v1alpha1.CarrierLogin{}
}

// LoginConflict is the verdict on an object whose status names the ledger of another login: its
// CarrierAccount has been created again with another one. Nobody knows whether it is the same
// carrier, so nothing is sent, and nothing of the object's status changes.
func LoginConflict(in *LedgerInput) *Verdict {
	former := in.Former.Spec.Login
	return &Verdict{Stuck, v1alpha1.ReasonConflict, fmt.Sprintf(
		"RequestLedger %s records what was sent for this object with %s, but CarrierAccount %s now has %s: nothing is "+
			"sent. Create the CarrierAccount again with the former login%s",
		in.Former.Name, former, in.Subject.AccountName(), in.Account.Memory(), orContinue(in.Account, former))}
}

// orContinue ends a message about an account that has another login than a recorded request. It says
// how a carrier is served that has renamed the client or moved to another address.
func orContinue(account Account, former v1alpha1.CarrierLogin) string {
	if account.Continues != nil {
		return "" // it continues a third one
	}
	return "; or, if the carrier has only renamed the client or moved to another address, ask somebody with the " +
		"ClusterRole ledger-editor to run: " + ContinueCommand(former, account.Object.Login())
}

// ContinueCommand returns the command that lets a login continue another one.
func ContinueCommand(former, login v1alpha1.CarrierLogin) string {
	return fmt.Sprintf("kubectl annotate requestledger %s '%s=%s %s'",
		LoginLedgerName(former), v1alpha1.AnnotationContinuedBy, login.BaseURL, login.ClientName)
}

// WhyLoginUnusable returns why nothing may be sent with a login whose ledger a newer version has
// written, or belongs to a cluster that does not count: its reservations were for requests sent
// elsewhere, and it lacks what was sent here. Nil if neither applies.
func WhyLoginUnusable(ledger *v1alpha1.RequestLedger, here Installation) *Verdict {
	switch {
	case ledger != nil && ledger.Spec.Schema > v1alpha1.LedgerSchema:
		return NewerLedger(ledger)
	case !here.IsLost(ledger):
		return nil
	}
	return &Verdict{Stuck, v1alpha1.ReasonLedgerLost, fmt.Sprintf(
		"RequestLedger %s, which counts what is sent with %s, belongs to another cluster (%q): nothing is sent. "+
			"Find out who put it here, and check with the carrier what has been sent; then run: %s",
		ledger.Name, ledger.Spec.Login, ledger.Spec.Cluster, here.command())}
}
