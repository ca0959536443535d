// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"errors"
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// SecretError says that a Secret, or one key of it, does not exist, or what is wrong with
// what it holds.
type SecretError struct{ Secret, Key, Flaw string }

// Error says what is missing and what to do.
func (e *SecretError) Error() string {
	if e.Flaw != "" {
		return fmt.Sprintf(
			"Secret %s holds no usable contact: %s; correct it, it is read again in a minute", e.Secret, e.Flaw)
	}
	if e.Key == "" {
		return fmt.Sprintf("Secret %s does not exist in this namespace: create it, it is read again in a minute", e.Secret)
	}
	return fmt.Sprintf("Secret %s has no key %s, or it is empty: add it, it is read again in a minute", e.Secret, e.Key)
}

// CarrierAccount judges an account by how its login went; nil is a token. Why its
// notifications are not taken, if it asks for them, is no reason not to be ready: requests
// are polled anyhow.
func CarrierAccount(account *v1alpha1.CarrierAccount, login, deaf error) Verdict {
	if login == nil {
		message := "the identity provider issued a token" + listening(account, deaf)
		return Verdict{Settled, v1alpha1.ReasonTokenIssued, bounded(message, maxMessage)}
	}
	reason := loginReason(login)
	verdict := Verdict{Stuck, reason, bounded(login.Error(), maxMessage)}
	if reason == v1alpha1.ReasonUnreachable {
		verdict.Standing = Working
	}
	return verdict
}

// listening says how the carrier's notifications are taken.
func listening(account *v1alpha1.CarrierAccount, deaf error) string {
	switch events := account.Spec.Events; {
	case events == nil:
		return ""
	case deaf != nil:
		return "; notifications are not taken and requests are polled: " + deaf.Error()
	case events.Signature == v1alpha1.SignatureNone:
		return "; notifications are taken without a signature, at a path that only its Secret tells"
	}
	return "; notifications are taken at status.eventsPath"
}

// loginReason is the type of a failed login.
func loginReason(login error) string {
	if _, missing := errors.AsType[*SecretError](login); missing {
		return v1alpha1.ReasonSecretNotFound
	}
	if _, invalid := errors.AsType[*carrier.KeyError](login); invalid {
		return v1alpha1.ReasonKeyInvalid
	}
	if address, refused := errors.AsType[*carrier.AddressError](login); refused && address.Insecure {
		return v1alpha1.ReasonInsecureCarrier
	}
	if token, failed := errors.AsType[*carrier.TokenError](login); failed {
		return tokenReason(token.Reason)
	}
	return v1alpha1.ReasonInvalid
}

func tokenReason(reason carrier.TokenReason) string {
	switch reason {
	case carrier.TokenTooShort:
		return v1alpha1.ReasonTokenTooShort
	case carrier.TokenUnreachable:
		return v1alpha1.ReasonUnreachable
	case carrier.TokenClockSkew:
		return v1alpha1.ReasonClockSkew
	case carrier.TokenKeyInvalid:
		return v1alpha1.ReasonKeyInvalid
	case carrier.TokenRejected:
	}
	return v1alpha1.ReasonTokenRejected
}
