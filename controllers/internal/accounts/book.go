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

// Book keeps the sessions, one per CarrierAccount and spec.
type Book struct {
	Secrets       client.Reader // reads Secrets by name, past any cache: they are never listed or watched
	AllowInsecure bool          // http and loopback carriers
	UserAgent     string
	Workers       int // passes at a time, per kind; 0: it is not known, and no account is bounded
	Now           func() time.Time
	NewID         func() string
	Sign          carrier.Signer                            // signs each assertion; nil: [carrier.Sign]
	Wrap          func(http.RoundTripper) http.RoundTripper // stands around every transport; nil: nothing does
	Changed       func(types.NamespacedName)                // told what account is to be looked at again; nil: nobody is

	mu       sync.Mutex
	sessions map[types.NamespacedName]*held
	rates    map[payer]*carrier.Rate
	places   map[string]*places // by kind
}

// held is a session, and the object and the spec that it was opened for.
type held struct {
	session *Session
	uid     types.UID
	spec    [sha256.Size]byte
	payer   payer
	rate    v1alpha1.RateLimit
}

// Session is the account's session, opened when there is none for its present spec.
// The error says which field of the spec cannot be used.
func (b *Book) Session(account *v1alpha1.CarrierAccount) (*Session, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	spec, err := digest(account)
	if err != nil {
		return nil, err
	}
	name := client.ObjectKeyFromObject(account)
	kept := b.sessions[name]
	if kept != nil && kept.uid == account.UID && kept.spec == spec {
		return kept.session, nil
	}
	session, err := b.open(account)
	if err != nil {
		return nil, err
	}
	if b.sessions == nil {
		b.sessions = map[types.NamespacedName]*held{}
	}
	if kept != nil && kept.uid == account.UID {
		session.breaker = kept.session.breaker // what the carrier lost is lost under any spec
	}
	b.close(name)
	b.sessions[name] = &held{
		session: session, uid: account.UID, spec: spec, payer: payerOf(account), rate: account.Spec.RateLimit,
	}
	b.setRate(payerOf(account))
	return session, nil
}

// Close forgets the session of an account that is gone.
func (b *Book) Close(account types.NamespacedName) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.close(account)
}

// close is Close with the lock held.
func (b *Book) close(account types.NamespacedName) {
	if kept := b.sessions[account]; kept != nil {
		kept.session.client.CloseIdleConnections()
		delete(b.sessions, account)
		b.setRate(kept.payer)
	}
}

func digest(account *v1alpha1.CarrierAccount) ([sha256.Size]byte, error) {
	spec, err := json.Marshal(account.Spec)
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("encode the spec of CarrierAccount %s: %w", account.Name, err)
	}
	return sha256.Sum256(spec), nil
}

func (b *Book) open(account *v1alpha1.CarrierAccount) (*Session, error) {
	spec := account.Spec
	if flaw := zoneFlaw(spec.TimeZone); flaw != "" {
		return nil, &FieldError{Field: "timeZone", Message: flaw}
	}
	roots, err := trusted(spec.CABundle)
	if err != nil {
		return nil, err
	}
	tokens, err := carrier.NewTokenSource(carrier.TokenConfig{
		TokenURL: spec.Auth.TokenURL, ClientName: spec.Auth.ClientName, Keys: b.keysOf(account),
		RootCAs: roots, AllowInsecure: b.AllowInsecure, Now: b.Now, NewID: b.NewID, Sign: b.Sign,
		Wrap: b.Wrap, UserAgent: b.UserAgent,
	})
	if err != nil {
		return nil, fmt.Errorf("spec.auth.tokenURL: %w", err)
	}
	way, err := carrier.NewClient(carrier.Config{
		BaseURL: spec.BaseURL, Version: int(spec.APIVersion), Word: spec.IdentifierWord, Tokens: tokens,
		RootCAs: roots, AllowInsecure: b.AllowInsecure, Now: b.Now, Wrap: b.Wrap, UserAgent: b.UserAgent,
		Rate: b.rateOf(account),
	})
	if err != nil {
		return nil, fmt.Errorf("spec.baseURL: %w", err)
	}
	return &Session{
		client: way, tokens: tokens, breaker: &breaker{now: b.Now},
		tell: b.tell(client.ObjectKeyFromObject(account)),
	}, nil
}

func (b *Book) tell(account types.NamespacedName) func() {
	return func() {
		if b.Changed != nil {
			b.Changed(account)
		}
	}
}

// trusted adds the account's certificates to those of the system.
func trusted(bundle string) (*x509.CertPool, error) {
	if bundle == "" {
		return nil, nil //nolint:nilnil // nil is the pool of the system, as crypto/tls has it
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM([]byte(bundle)) {
		return nil, &FieldError{Field: "caBundle", Message: "it holds no certificate that can be read"}
	}
	return pool, nil
}

// zoneFlaw says why a name is not that of a time zone; "" for none. Go takes "Local" for that of the
// machine, which is not where the carrier is.
func zoneFlaw(name string) string {
	if name == time.Local.String() {
		return fmt.Sprintf("%q is the time zone of whatever machine the operator runs on: "+
			"name that in which the carrier reads dates, for example Australia/Sydney", name)
	}
	if _, err := time.LoadLocation(name); err != nil {
		return err.Error()
	}
	return ""
}

// FieldError says that a field of an account's spec cannot be used.
type FieldError struct{ Field, Message string }

// Error names the field and what is wrong with it.
func (e *FieldError) Error() string { return fmt.Sprintf("spec.%s: %s", e.Field, e.Message) }
