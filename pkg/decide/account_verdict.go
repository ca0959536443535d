// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// SecretError reports that a Secret, or a key in it, does not exist or has invalid content. A
// Secret that may not be used with the account's hosts gets the same message as a missing Secret,
// so that nobody learns which Secrets exist.
type SecretError struct {
	Secret, Key string
	Hosts       []string // the hosts that the Secret would have to allow; empty if it is used with no host
	Listed      bool     // the Secret has to allow them expressly, because the account has an audience of its own
	Flaw        string   // what is wrong with the contact in it
}

// Error describes what is missing and how to fix it.
func (e *SecretError) Error() string {
	const again = "it is read again every few seconds"
	switch {
	case e.Flaw != "":
		return fmt.Sprintf("Secret %s contains no usable contact: %s; correct it; %s", e.Secret, e.Flaw, again)
	case e.Key != "":
		return fmt.Sprintf("Secret %s has no key %s, or the key is empty: add it; %s", e.Secret, e.Key, again)
	case e.Listed:
		return fmt.Sprintf("Secret %s does not exist in this namespace, or its annotation %s does not list %s, "+
			"which spec.auth.audience needs: create it, or ask its owner to add what is missing; %s",
			e.Secret, v1alpha1.AnnotationAllowedHosts, strings.Join(e.Hosts, " and "), again)
	case len(e.Hosts) > 0:
		return fmt.Sprintf("Secret %s does not exist in this namespace, or its annotation %s does not list %s: "+
			"create it, or ask its owner to add what is missing; %s",
			e.Secret, v1alpha1.AnnotationAllowedHosts, strings.Join(e.Hosts, " or "), again)
	}
	return fmt.Sprintf("Secret %s does not exist in this namespace: create it; %s", e.Secret, again)
}

// UnprovenError reports that it is not known whether the carrier accepts the token of an account.
type UnprovenError struct {
	Cause error // the error of the free call that should have shown it
}

// Error says what is missing.
func (e *UnprovenError) Error() string {
	return "the identity provider issued a token, but it is not known whether the carrier accepts it: " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *UnprovenError) Unwrap() error { return e.Cause }

// Login is the result of a login: a token that the carrier accepts.
type Login struct {
	Err    error          // why there is no such token; nil: there is one
	Outage carrier.Outage // since when there is no token, and when the login is tried again

	Sharing []*v1alpha1.CarrierAccount // the other accounts whose rates count for the login
}

// shortestOutage is how long an identity provider or a carrier must have failed before a ready
// account becomes not ready. The calls of all its objects then stop, so a single failed exchange
// must not have this effect.
const shortestOutage = time.Minute

// CarrierAccount decides about an account from the result of its login. An account that cannot
// receive the notifications that it asks for is still ready, because its requests are polled in any
// case.
func CarrierAccount(account *v1alpha1.CarrierAccount, login Login, listenErr error, now time.Time) Verdict {
	if login.Err == nil || mayPass(account, login, now) {
		message := "the identity provider issued a token, and the carrier accepted it" +
			listening(account, listenErr) + sharedRate(account, login.Sharing)
		return Verdict{Settled, v1alpha1.ReasonTokenIssued, Bounded(message, MaxMessage)}
	}
	reason := loginReason(login.Err)
	shown := readyOf(account)
	if reason == v1alpha1.ReasonUnreachable && shown.Reason == v1alpha1.ReasonTokenNotAccepted &&
		shown.ObservedGeneration == account.Generation {
		return Verdict{Stuck, shown.Reason, shown.Message} // the carrier's refusal still counts during an outage
	}
	verdict := Verdict{Stuck, reason, Bounded(loginMessage(account, login.Err), MaxMessage)}
	if reason == v1alpha1.ReasonUnreachable {
		verdict.State = Working
	}
	return verdict
}

// mayPass reports whether an outage of the identity provider or of the carrier may soon be over: it
// is short so far, and the account is shown as ready with this login.
func mayPass(account *v1alpha1.CarrierAccount, login Login, now time.Time) bool {
	isShown := IsShownReady(account) && readyOf(account).ObservedGeneration == account.Generation
	return isShown && loginReason(login.Err) == v1alpha1.ReasonUnreachable &&
		now.Sub(login.Outage.Since) < shortestOutage
}

// loginMessage says why there is no token, and what to check: an identity provider that rejects the
// client does not say whether the client's name, the key's ID or the key is wrong.
func loginMessage(account *v1alpha1.CarrierAccount, login error) string {
	token, ok := errors.AsType[*carrier.TokenError](login)
	unproven, isUnproven := errors.AsType[*UnprovenError](login)
	switch {
	case isUnproven:
		return unproven.Error() + "; it is asked again at least once a minute"
	case ok && token.Reason == carrier.TokenNotAccepted:
		return token.Message + ": check that spec.baseURL and spec.auth.tokenURL belong to the same environment, and " +
			"ask the carrier whether it has suspended the account; it is tried again at least every 5 minutes"
	case ok && token.Reason == carrier.TokenRejected && token.KeyID != "":
		return fmt.Sprintf("%s: check auth.clientName %q, keyID %q, and that the identity provider has the public half "+
			"of this key", token.Answer(), account.Spec.Auth.ClientName, token.KeyID)
	}
	return login.Error() + whatToDo(loginReason(login))
}

// whatToDo ends the message about a failed login, if it does not say yet what to do.
func whatToDo(reason string) string {
	switch reason {
	case v1alpha1.ReasonClockSkew:
		return "; correct the clock of the manager's node"
	case v1alpha1.ReasonTokenTooShort:
		return "; ask the carrier for tokens that are valid longer"
	case v1alpha1.ReasonUnreachable:
		return "; the login is retried: if it keeps failing, check auth.tokenURL"
	case v1alpha1.ReasonKeyInvalid:
		return "; put an RSA key of 2048 to 4096 bits into the Secret, as PEM"
	}
	return ""
}

// listening describes how the carrier's notifications are received.
func listening(account *v1alpha1.CarrierAccount, listenErr error) string {
	switch events := account.Spec.Events; {
	case events == nil:
		return ""
	case listenErr != nil:
		return "; notifications cannot be received, so requests are only polled: " + listenErr.Error()
	case events.Signature == v1alpha1.SignatureNone:
		return "; notifications are accepted without a signature, at a path derived from the shared secret"
	}
	return "; notifications are accepted at status.eventsPath"
}

// loginReason returns the condition reason for a failed login.
func loginReason(login error) string {
	if _, unproven := errors.AsType[*UnprovenError](login); unproven {
		return v1alpha1.ReasonUnreachable
	}
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
	case carrier.TokenNotAccepted:
		return v1alpha1.ReasonTokenNotAccepted
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

// The rate of an account that sets none, as in the CustomResourceDefinition.
const (
	defaultPerSecond = 5
	defaultBurst     = 10
)

// RateOf returns the rate limit of an account.
func RateOf(limit v1alpha1.RateLimit) v1alpha1.RateLimit {
	return v1alpha1.RateLimit{
		RequestsPerSecond: cmp.Or(limit.RequestsPerSecond, defaultPerSecond), Burst: cmp.Or(limit.Burst, defaultBurst),
	}
}

// Slower returns the lower of two rates, with each of the two values compared separately.
func Slower(one, other v1alpha1.RateLimit) v1alpha1.RateLimit {
	one, other = RateOf(one), RateOf(other)
	return v1alpha1.RateLimit{
		RequestsPerSecond: min(one.RequestsPerSecond, other.RequestsPerSecond), Burst: min(one.Burst, other.Burst),
	}
}

func sharedRate(account *v1alpha1.CarrierAccount, others []*v1alpha1.CarrierAccount) string {
	lowest := account.Spec.RateLimit
	for _, other := range others {
		lowest = Slower(lowest, other.Spec.RateLimit)
	}
	own := RateOf(account.Spec.RateLimit)
	var by []string
	for _, other := range others {
		limit := RateOf(other.Spec.RateLimit)
		if limit.RequestsPerSecond == lowest.RequestsPerSecond && limit.RequestsPerSecond < own.RequestsPerSecond ||
			limit.Burst == lowest.Burst && limit.Burst < own.Burst {
			by = append(by, other.Namespace+"/"+other.Name)
		}
	}
	if len(by) == 0 {
		return ""
	}
	slices.Sort(by)
	const most = 3
	if len(by) > most {
		by = append(by[:most], fmt.Sprintf("%d more", len(by)-most))
	}
	return fmt.Sprintf("; all accounts of this login together make at most %d calls a second, and %d at once: "+
		"the rateLimit of CarrierAccount %s", lowest.RequestsPerSecond, lowest.Burst, strings.Join(by, ", "))
}
