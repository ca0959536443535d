// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
		{token(carrier.TokenNotAccepted), v1alpha1.ReasonTokenNotAccepted},
		{errors.New("something else"), v1alpha1.ReasonInvalid},
	} {
		if got := loginReason(fmt.Errorf("cannot log in: %w", row.err)); got != row.reason {
			t.Errorf("%v: %s, want %s", row.err, got, row.reason)
		}
	}
}

// One failed exchange would otherwise rewrite every object of the account twice.
func TestAnAccountStaysReadyWhileItsIdentityProviderFailsForLessThanAMinute(t *testing.T) {
	t.Parallel()
	const generation = 3
	now := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	failing := func(reason carrier.TokenReason, long time.Duration) Login {
		return Login{Err: &carrier.TokenError{Reason: reason}, Outage: carrier.Outage{Since: now.Add(-long)}}
	}
	short := failing(carrier.TokenUnreachable, 59*time.Second)
	refusedTokens := func(a *v1alpha1.CarrierAccount) {
		ready := &a.Status.Conditions[0]
		ready.Status, ready.Reason = metav1.ConditionFalse, v1alpha1.ReasonTokenNotAccepted
	}
	for name, row := range map[string]struct {
		login  Login
		edit   func(*v1alpha1.CarrierAccount)
		reason string
	}{
		"it has a token":             {Login{}, nil, v1alpha1.ReasonTokenIssued},
		"for 59 seconds":             {short, nil, v1alpha1.ReasonTokenIssued},
		"for a minute":               {failing(carrier.TokenUnreachable, time.Minute), nil, v1alpha1.ReasonUnreachable},
		"it refuses the client":      {failing(carrier.TokenRejected, 0), nil, v1alpha1.ReasonTokenRejected},
		"the carrier refuses tokens": {failing(carrier.TokenNotAccepted, 0), nil, v1alpha1.ReasonTokenNotAccepted},
		"the account was not ready": {short, func(a *v1alpha1.CarrierAccount) {
			a.Status.Conditions[0].Status = metav1.ConditionFalse
		}, v1alpha1.ReasonUnreachable},
		"the account was never reconciled": {short, func(a *v1alpha1.CarrierAccount) {
			a.Status = v1alpha1.CarrierAccountStatus{}
		}, v1alpha1.ReasonUnreachable},
		"the carrier has refused its tokens before": {
			failing(carrier.TokenUnreachable, time.Hour), refusedTokens, v1alpha1.ReasonTokenNotAccepted,
		},
		"the same, and it was edited since": {
			failing(carrier.TokenUnreachable, time.Hour), func(a *v1alpha1.CarrierAccount) {
				refusedTokens(a)
				a.Generation++
			}, v1alpha1.ReasonUnreachable,
		},
		"the account was edited": {short, func(a *v1alpha1.CarrierAccount) { a.Generation++ }, v1alpha1.ReasonUnreachable},
		"its login was never checked": {short, func(a *v1alpha1.CarrierAccount) {
			a.Status.Login = nil
		}, v1alpha1.ReasonUnreachable},
	} {
		account := &v1alpha1.CarrierAccount{}
		account.Generation = generation
		account.Status.Login = new(account.Login())
		account.Status.Conditions = []metav1.Condition{{
			Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, ObservedGeneration: generation,
		}}
		if row.edit != nil {
			row.edit(account)
		}
		verdict := CarrierAccount(account, row.login, nil, now)
		if verdict.Reason != row.reason || (verdict.State == Settled) != (row.reason == v1alpha1.ReasonTokenIssued) {
			t.Errorf("%s: %v, want %s", name, verdict, row.reason)
		}
	}
}

// Somebody who sees the message has no other page open.
func TestAFailedLoginSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		reason carrier.TokenReason
		says   string
	}{
		{carrier.TokenNotAccepted, "check that spec.baseURL and spec.auth.tokenURL belong to the same environment"},
		{carrier.TokenRejected, "check auth.clientName"},
		{carrier.TokenTooShort, "ask the carrier for tokens that are valid longer"},
		{carrier.TokenUnreachable, "the login is retried"},
		{carrier.TokenClockSkew, "correct the clock of the manager's node"},
		{carrier.TokenKeyInvalid, "put an RSA key of 2048 to 4096 bits into the Secret, as PEM"},
	} {
		login := Login{Err: &carrier.TokenError{Reason: row.reason, KeyID: "key-1"}}
		message := CarrierAccount(&v1alpha1.CarrierAccount{}, login, nil, time.Time{}).Message
		if !strings.Contains(message, row.says) {
			t.Errorf("%s: %s", row.reason, message)
		}
	}
}
