// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"errors"
	"fmt"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// SecretError says that a Secret, or one key of it, does not exist, as far as whoever named it
// may know: one that may not be used with the hosts of the account is spoken of in the same
// words, so that nobody finds out by an account of their own which Secrets there are.
type SecretError struct {
	Secret, Key string
	Hosts       []string // that the Secret would have to allow
}

// Error says what is missing and what to do.
func (e *SecretError) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("Secret %s does not exist in this namespace, or has the annotation %s without %s: "+
			"create it, or have who owns it add what is missing; it is read again in a minute",
			e.Secret, v1alpha1.AnnotationAllowedHosts, strings.Join(e.Hosts, " or "))
	}
	return fmt.Sprintf("Secret %s has no key %s, or it is empty: add it, it is read again in a minute", e.Secret, e.Key)
}

// CarrierAccount judges an account by how its login went; nil is a token.
func CarrierAccount(account *v1alpha1.CarrierAccount, login error) Verdict {
	if login == nil {
		return Verdict{Settled, v1alpha1.ReasonTokenIssued, "the identity provider issued a token" + notYet(account)}
	}
	reason := loginReason(login)
	verdict := Verdict{Stuck, reason, bounded(login.Error(), maxMessage)}
	if reason == v1alpha1.ReasonUnreachable {
		verdict.Standing = Working
	}
	return verdict
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
	case carrier.TokenUnreachable, carrier.TokenPending:
		return v1alpha1.ReasonUnreachable
	case carrier.TokenClockSkew:
		return v1alpha1.ReasonClockSkew
	case carrier.TokenKeyInvalid:
		return v1alpha1.ReasonKeyInvalid
	case carrier.TokenRejected:
	}
	return v1alpha1.ReasonTokenRejected
}

// notYet names the declared fields that this version does not act on.
func notYet(account *v1alpha1.CarrierAccount) string {
	if account.Spec.Events == nil {
		return ""
	}
	return "; " + v1alpha1.ReasonUnsupported + " by this version: spec.events (requests are polled)"
}
