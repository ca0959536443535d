// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"errors"
	"fmt"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

func TestAFailedLoginHasAReason(t *testing.T) {
	t.Parallel()
	token := func(reason carrier.TokenReason) error { return &carrier.TokenError{Reason: reason} }
	for _, row := range []struct {
		err    error
		reason string
	}{
		{&SecretError{Secret: "login"}, v1alpha1.ReasonSecretNotFound},
		{&carrier.KeyError{Defect: "it is no RSA key"}, v1alpha1.ReasonKeyInvalid},
		{&carrier.AddressError{Defect: "it is http", Insecure: true}, v1alpha1.ReasonInsecureCarrier},
		{&carrier.AddressError{Defect: "it has no host"}, v1alpha1.ReasonInvalid},
		{token(carrier.TokenTooShort), v1alpha1.ReasonTokenTooShort},
		{token(carrier.TokenUnreachable), v1alpha1.ReasonUnreachable},
		{token(carrier.TokenPending), v1alpha1.ReasonUnreachable},
		{token(carrier.TokenClockSkew), v1alpha1.ReasonClockSkew},
		{token(carrier.TokenKeyInvalid), v1alpha1.ReasonKeyInvalid},
		{token(carrier.TokenRejected), v1alpha1.ReasonTokenRejected},
		{errors.New("something else"), v1alpha1.ReasonInvalid},
	} {
		if got := loginReason(fmt.Errorf("log in: %w", row.err)); got != row.reason {
			t.Errorf("%v: %s, want %s", row.err, got, row.reason)
		}
	}
}

func TestARejectedRequestHasAReason(t *testing.T) {
	t.Parallel()
	const invalid, other = v1alpha1.ReasonRequestInvalid, v1alpha1.ReasonCarrierRejected
	for _, row := range []struct {
		status int32
		code   string
		reason string
	}{
		{400, "", invalid},
		{403, "", v1alpha1.ReasonNotFoundOrForbidden},
		{404, "", v1alpha1.ReasonNotFoundOrForbidden},
		{405, "", invalid},
		{406, "", invalid},
		{409, "", other},
		{413, "", invalid},
		{414, "", invalid},
		{415, "", invalid},
		{416, "", other},
		{422, "", other},
		{422, string(carrier.SubPlanNameInvalid), v1alpha1.ReasonPlanNameInvalid},
		{422, "constraints.other.request.in.progress", v1alpha1.ReasonChangeInProgress},
	} {
		if got := reasonOf(&v1alpha1.RequestError{HTTPStatus: row.status, Code: row.code}); got != row.reason {
			t.Errorf("%d %s: %s, want %s", row.status, row.code, got, row.reason)
		}
	}
	if got := reasonOf(nil); got != other {
		t.Errorf("without an error: %s", got)
	}
}

// An object without a name at the carrier is named by its service, or by its own name.
func TestAMessageNamesTheSubjectInTheCarriersTerms(t *testing.T) {
	t.Parallel()
	test := &v1alpha1.DiagnosticTest{}
	test.Name = "once"
	order := &v1alpha1.ServiceOrder{Spec: v1alpha1.ServiceOrderSpec{CustomerReference: "A-1"}}
	ofService := &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{
		Diagnostics: &v1alpha1.LedgerService{ID: "7"},
	}}
	for want, in := range map[string]*Input{
		"the order with reference A-1": {Subject: order, Ledger: &v1alpha1.RequestLedger{}},
		"service 7":                    {Subject: test, Ledger: ofService},
		"dtest/once":                   {Subject: test, Ledger: &v1alpha1.RequestLedger{}},
	} {
		if got := atCarrier(in); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := atCarrier(&Input{Subject: test}); got != "dtest/once" {
		t.Errorf("without a ledger: %q", got)
	}
}
