// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Registry keeps the sessions: one per CarrierAccount, for its current spec.
type Registry struct {
	Secrets       client.Reader // reads Secrets by name, bypassing any cache: they are never listed or watched
	AllowInsecure bool          // allows http and loopback carriers
	UserAgent     string
	Workers       int // concurrent passes per kind; 0: unknown, and accounts are not limited
	Now           func() time.Time
	NewID         func() string
	Sign          carrier.Signer                            // signs each assertion; nil: [carrier.Sign]
	Wrap          func(http.RoundTripper) http.RoundTripper // wraps every transport; nil: not wrapped
	MinTimeout    time.Duration                             // as in [carrier.Config]
	Changed       func(types.NamespacedName)                // called with an account to reconcile again; nil: not called
	Observe       carrier.Observer                          // is called after every call

	mu       sync.Mutex
	sessions map[types.NamespacedName]*openSession
	rates    map[rateOwner]*carrier.Rate
	slots    map[string]*slots // by kind
}

// openSession is a session, with the object and the spec that it was opened for.
type openSession struct {
	session *Session
	uid     types.UID
	spec    [sha256.Size]byte
	owner   rateOwner
	rate    v1alpha1.RateLimit
}

// Session returns the account's session, and opens one if there is none for the current spec. The
// error names the field of the spec that cannot be used.
func (r *Registry) Session(account *v1alpha1.CarrierAccount) (*Session, error) {
	spec, err := digest(account) // without the lock: a spec may have 10,000 service numbers
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	name := client.ObjectKeyFromObject(account)
	kept := r.sessions[name]
	if kept != nil && kept.uid == account.UID && kept.spec == spec {
		return kept.session, nil
	}
	session, err := r.open(account)
	if err != nil {
		return nil, err
	}
	if r.sessions == nil {
		r.sessions = map[types.NamespacedName]*openSession{}
	}
	if kept != nil && kept.uid == account.UID {
		session.breaker = kept.session.breaker // a response stays lost when the spec changes
	}
	r.close(name)
	r.sessions[name] = &openSession{
		session: session, uid: account.UID, spec: spec, owner: rateOwnerOf(account), rate: account.Spec.RateLimit,
	}
	r.setRate(rateOwnerOf(account))
	return session, nil
}

// Close drops the session of a deleted account.
func (r *Registry) Close(account types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.close(account)
}

// close is Close for callers that hold the lock.
func (r *Registry) close(account types.NamespacedName) {
	if kept := r.sessions[account]; kept != nil {
		kept.session.client.CloseIdleConnections()
		delete(r.sessions, account)
		r.setRate(kept.owner)
	}
}

func digest(account *v1alpha1.CarrierAccount) ([sha256.Size]byte, error) {
	spec, err := json.Marshal(account.Spec)
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("encode the spec of CarrierAccount %s: %w", account.Name, err)
	}
	return sha256.Sum256(spec), nil
}

func (r *Registry) open(account *v1alpha1.CarrierAccount) (*Session, error) {
	spec := account.Spec
	if canonical := carrier.CanonicalOrigin(spec.BaseURL); canonical != "" && canonical != spec.BaseURL {
		return nil, &FieldError{Field: "baseURL", Message: fmt.Sprintf(
			"%q must be written as %q, because one login has one spelling: create the CarrierAccount again",
			spec.BaseURL, canonical)}
	}
	if flaw := zoneFlaw(spec.TimeZone); flaw != "" {
		return nil, &FieldError{Field: "timeZone", Message: flaw}
	}
	roots, err := trusted(spec.CABundle)
	if err != nil {
		return nil, err
	}
	changed := r.notifier(client.ObjectKeyFromObject(account))
	tokens, err := carrier.NewTokenSource(carrier.TokenConfig{
		TokenURL: spec.Auth.TokenURL, Audience: spec.Auth.Audience, ClientName: spec.Auth.ClientName,
		Keys:    keysOf(r.Secrets, account),
		RootCAs: roots, AllowInsecure: r.AllowInsecure, Now: r.Now, NewID: r.NewID, Sign: r.Sign,
		Wrap: r.Wrap, UserAgent: r.UserAgent, Observe: r.Observe, Paused: changed,
		MinTimeout: r.MinTimeout,
	})
	if err != nil {
		return nil, fmt.Errorf("spec.auth.tokenURL: %w", err)
	}
	carrierClient, err := carrier.NewClient(carrier.Config{
		BaseURL: spec.BaseURL, Version: int(spec.APIVersion), Word: spec.IdentifierWord, Tokens: tokens,
		RootCAs: roots, AllowInsecure: r.AllowInsecure, Now: r.Now, Wrap: r.Wrap, UserAgent: r.UserAgent,
		Rate: r.rateOf(account), Observe: r.Observe, MinTimeout: r.MinTimeout,
	})
	if err != nil {
		return nil, fmt.Errorf("spec.baseURL: %w", err)
	}
	return &Session{
		client: carrierClient, tokens: tokens, breaker: &breaker{now: r.Now}, changed: changed,
	}, nil
}

func (r *Registry) notifier(account types.NamespacedName) func() {
	return func() {
		if r.Changed != nil {
			r.Changed(account)
		}
	}
}

// trusted adds the account's certificates to those of the system.
func trusted(bundle string) (*x509.CertPool, error) {
	if bundle == "" {
		return nil, nil //nolint:nilnil // nil is the system's pool, as in crypto/tls
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM([]byte(bundle)) {
		return nil, &FieldError{Field: "caBundle", Message: "it contains no readable certificate"}
	}
	return pool, nil
}

// zoneFlaw returns why a name is not a usable time zone; "" if it is. Go accepts "Local" as the
// time zone of the machine, which is not the carrier's.
func zoneFlaw(name string) string {
	if name == time.Local.String() {
		return fmt.Sprintf("%q depends on the machine that the operator runs on: "+
			"set the time zone in which the carrier reads dates, for example Australia/Sydney", name)
	}
	if _, err := time.LoadLocation(name); err != nil {
		return err.Error()
	}
	return ""
}

// FieldError reports that a field of an account's spec cannot be used.
type FieldError struct{ Field, Message string }

// Error names the field and its fault.
func (e *FieldError) Error() string { return fmt.Sprintf("spec.%s: %s", e.Field, e.Message) }
