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
// may know, or what is wrong with what it holds. One that may not be used with the hosts of
// the account is spoken of in the same words as one that is not there, so that nobody finds
// out by an account of their own which Secrets there are.
type SecretError struct {
	Secret, Key string
	Hosts       []string // that the Secret would have to allow; none: it is used with no host
	Flaw        string   // of the contact that it holds
}

// Error says what is missing and what to do.
func (e *SecretError) Error() string {
	const again = "it is read again every few seconds"
	switch {
	case e.Flaw != "":
		return fmt.Sprintf("Secret %s holds no usable contact: %s; correct it, %s", e.Secret, e.Flaw, again)
	case e.Key != "":
		return fmt.Sprintf("Secret %s has no key %s, or it is empty: add it, %s", e.Secret, e.Key, again)
	case len(e.Hosts) > 0:
		return fmt.Sprintf("Secret %s does not exist in this namespace, or has the annotation %s without %s: "+
			"create it, or have who owns it add what is missing; %s",
			e.Secret, v1alpha1.AnnotationAllowedHosts, strings.Join(e.Hosts, " or "), again)
	}
	return fmt.Sprintf("Secret %s does not exist in this namespace: create it, %s", e.Secret, again)
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
	verdict := Verdict{Stuck, reason, bounded(login.Error()+checks(login), maxMessage)}
	if reason == v1alpha1.ReasonUnreachable {
		verdict.State = Working
	}
	return verdict
}

// checks say what to look at where the identity provider refuses the client; "" for any other reason.
func checks(login error) string {
	token, is := errors.AsType[*carrier.TokenError](login)
	if !is || token.Reason != carrier.TokenRejected || token.KeyID == "" {
		return ""
	}
	return ": check auth.clientName, the keyID, and that the identity provider has the public half of this key"
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
