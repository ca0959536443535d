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

// WhyNotContinued returns why a login may not continue the records of a former one; "" if it may, or
// does already. The former login's ledger is given, the login's own, which is nil if there is none,
// and the name of another ledger of the login, "" for none.
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

// hasRecords reports whether requests are recorded under the login of a ledger, which may be nil.
func hasRecords(ledger *v1alpha1.RequestLedger) bool {
	return ledger != nil && (ledger.Spec.Account.OwnRecords || len(ledger.Spec.Account.Reservations) > 0)
}
