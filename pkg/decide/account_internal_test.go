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
