// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
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

// LoginConflict is the verdict on an object whose status names the ledger of another login, because
// its CarrierAccount was created again with a different login. The carrier may be a different one,
// so nothing is sent and the object's status does not change.
func LoginConflict(in *LedgerInput) *Verdict {
	former := in.Former.Spec.Login
	return &Verdict{Stuck, v1alpha1.ReasonConflict, fmt.Sprintf(
		"RequestLedger %s records what was sent for this object with %s, but CarrierAccount %s now has %s: nothing is "+
			"sent. Create the CarrierAccount again with the former login%s",
		in.Former.Name, former, in.Subject.AccountName(), in.Account.Memory(), orContinue(in.Account, former))}
}

// orContinue ends a message about an account whose login is not that of a recorded request. It
// explains what to do if the carrier has renamed the client or moved to another address.
func orContinue(account Account, former v1alpha1.CarrierLogin) string {
	if account.Continues != nil {
		return "" // it continues a third one
	}
	login := account.Object.Login()
	return "; or, if the carrier has only renamed the client or moved to another address, ask somebody with the " +
		"ClusterRole ledger-editor to run: " + fmt.Sprintf("kubectl annotate requestledger %s '%s=%s %s'",
		LoginLedgerName(former), v1alpha1.AnnotationContinuedBy, login.BaseURL, login.ClientName)
}

// WhyLoginUnusable returns why nothing may be sent with a login; nil if it may. Either a newer
// version has written its ledger, or the ledger belongs to a cluster that the marker does not list:
// it has reservations for requests sent elsewhere, and lacks the requests sent here.
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

// clientNameForm is the form of a client's name in the CustomResourceDefinition.
var clientNameForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$`)

// ParseContinuedBy parses "<baseURL> <clientName>", the value of the annotation continued-by, or
// returns why it names no login.
func ParseContinuedBy(value string) (login v1alpha1.CarrierLogin, why string) {
	baseURL, clientName, _ := strings.Cut(value, " ")
	canonical := carrier.CanonicalOrigin(baseURL)
	switch {
	case canonical == "" || !clientNameForm.MatchString(clientName):
		return login, "the form is <baseURL> <clientName>, such as 'https://api.carrier.example reseller-42'"
	case canonical != baseURL:
		return login, fmt.Sprintf("the baseURL must be written as %s", canonical)
	}
	return v1alpha1.CarrierLogin{BaseURL: baseURL, ClientName: clientName}, ""
}

// WhyNotContinued returns why a login may not continue the records of a former one; "" if it may,
// or does already. The ledgers are those of the former login and of the login itself, which may
// be nil. The name is that of another ledger of the login, "" for none.
func WhyNotContinued(
	former, next *v1alpha1.RequestLedger, login v1alpha1.CarrierLogin, records string, here Installation,
) string {
	root := *cmp.Or(former.Continued(), &former.Spec.Login)
	switch continued := next.Continued(); {
	case login == former.Spec.Login || login == root:
		return fmt.Sprintf("the requests of %s are recorded here already", login)
	case here.IsLost(former) || here.IsLost(next):
		return "a RequestLedger of one of the two logins belongs to another cluster: " + here.command()
	case continued != nil && *continued == root:
		return ""
	case continued != nil:
		return fmt.Sprintf("%s continues %s already", login, *continued)
	case records != "":
		return fmt.Sprintf("%s has records of its own, such as RequestLedger %s", login, records)
	case hasRecords(next):
		return fmt.Sprintf("%s has records of its own: see RequestLedger %s", login, next.Name)
	}
	return ""
}

// ForgetUnlessFrom drops the readings for an object if they were made with another login. For
// another login, the same number identifies another service, or none.
func (m *Memory) ForgetUnlessFrom(here v1alpha1.CarrierLogin) {
	if m.Login != here {
		m.Readings, m.Login = Readings{}, here
	}
}

// ForgetStateUnlessFrom drops the state of a service if it was read with another login, and reports
// whether it did. The ledger is not affected.
func ForgetStateUnlessFrom(status *v1alpha1.BroadbandServiceStatus, here v1alpha1.CarrierLogin) bool {
	state := status.Carrier
	if state == nil || state.Login == here {
		return false
	}
	status.Carrier, status.Health, status.Disruptions = nil, nil, nil
	return true
}

// RecordOrigin records the login with which a service's state was read.
func RecordOrigin(status *v1alpha1.BroadbandServiceStatus, here v1alpha1.CarrierLogin) {
	if state := status.Carrier; state != nil {
		state.Login = here
	}
}

// hasRecords reports whether requests are recorded under the login of a ledger, which may be nil.
func hasRecords(ledger *v1alpha1.RequestLedger) bool {
	return ledger != nil && (ledger.Spec.Account.OwnRecords || len(ledger.Spec.Account.Reservations) > 0)
}
