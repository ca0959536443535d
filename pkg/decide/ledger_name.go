// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// LedgerName returns the name of the ledger for the login and the subject of a spec: a hash of the
// JSON array [kind, baseURL, clientName, id]. It is "" if the spec has no subject.
func LedgerName(spec *v1alpha1.RequestLedgerSpec) string {
	switch {
	case spec.Order != nil:
		return ledgerName("order", spec.Login, spec.Order.CustomerReference)
	case spec.Service != nil && spec.Service.ID != "":
		return ledgerName("service", spec.Login, string(spec.Service.ID))
	case spec.Diagnostics != nil && spec.Diagnostics.ID != "":
		return ledgerName("diagnostics", spec.Login, string(spec.Diagnostics.ID))
	case spec.Account != nil:
		return LoginLedgerName(spec.Login)
	}
	return ""
}

// LoginLedgerName returns the name of the ledger of what the accounts of a login share.
func LoginLedgerName(login v1alpha1.CarrierLogin) string { return ledgerName("login", login, "") }

func ledgerName(kind string, login v1alpha1.CarrierLogin, id string) string {
	return kind + "-" + hashOf([]string{kind, login.BaseURL, login.ClientName, id})
}
