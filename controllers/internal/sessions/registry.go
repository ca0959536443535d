// SPDX-License-Identifier: Apache-2.0

package sessions

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
	"github.com/broadband-operator/broadband-operator/controllers/internal/fairqueue"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Registry keeps the sessions: one per CarrierAccount, for its current spec.
type Registry struct {
	Secrets       client.Reader // reads Secrets by name, bypassing any cache: they are never listed or watched
	AllowInsecure bool          // allows http and loopback carriers
	Hosts         carrier.Hosts // the hosts that an account may name
	UserAgent     string
	Now           func() time.Time
	NewID         func() string
	Sign          carrier.Signer                            // signs each assertion; nil: [carrier.Sign]
	Wrap          func(http.RoundTripper) http.RoundTripper // wraps every transport; nil: not wrapped
	MinTimeout    time.Duration                             // as in [carrier.Config]
	Changed       func(types.NamespacedName)                // called with an account to reconcile again; nil: not called
	Observe       carrier.Observer                          // is called after every call

	mu       sync.Mutex
	sessions map[types.NamespacedName]*openSession
	logins   map[v1alpha1.CarrierLogin]*login // those of proven accounts
}

// openSession is a session, with the object and the spec that it was opened for.
type openSession struct {
	session *Session
	uid     types.UID
	spec    [sha256.Size]byte
	proves  [sha256.Size]byte // hash of what decides whether the carrier accepts the tokens
	login   v1alpha1.CarrierLogin
	rate    v1alpha1.RateLimit
	proven  bool // whether the carrier has accepted a token
}

// Session returns the account's session, and opens one if there is none for the current spec. The
// error names the field of the spec that cannot be used.
func (r *Registry) Session(account *v1alpha1.CarrierAccount) (*Session, error) {
	opened := &openSession{uid: account.UID, login: account.Login(), rate: account.Spec.RateLimit}
	if err := opened.digest(account); err != nil { // without the lock: a spec may have 10,000 service numbers
		return nil, err
	}
	session, changed, err := r.session(account, opened)
	r.notify(changed)
	return session, err
}

// session is Session for an account that was prepared. It also returns the accounts whose rate has
// changed.
func (r *Registry) session(
	account *v1alpha1.CarrierAccount, opened *openSession,
) (session *Session, changed []types.NamespacedName, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := client.ObjectKeyFromObject(account)
	kept := r.sessions[name]
	if kept != nil && kept.uid == account.UID && kept.spec == opened.spec {
		return kept.session, nil, nil
	}
	if opened.session, err = r.open(account); err != nil {
		return nil, nil, err
	}
	if r.sessions == nil {
		r.sessions = map[types.NamespacedName]*openSession{}
	}
	r.sessions[name] = opened
	if kept == nil {
		return opened.session, nil, nil
	}
	return opened.session, r.replace(kept, opened), nil
}

// replace closes the former session of an edited account, and lets the new one keep the proof if the
// edit does not concern the login. It returns the accounts whose rate has changed.
func (r *Registry) replace(kept, opened *openSession) []types.NamespacedName {
	kept.session.client.CloseIdleConnections()
	if kept.proven && kept.uid == opened.uid && kept.proves == opened.proves {
		opened.session.proof.takeOver(&kept.session.proof)
		opened.session.share(r.loginOf(opened))
		opened.proven = true
	}
	changed := r.setRate(opened.login)
	if kept.login != opened.login {
		changed = append(changed, r.setRate(kept.login)...)
	}
	return changed
}

// Close drops the session of a deleted account.
func (r *Registry) Close(account types.NamespacedName) {
	var changed []types.NamespacedName
	r.mu.Lock()
	if kept := r.sessions[account]; kept != nil {
		kept.session.client.CloseIdleConnections()
		delete(r.sessions, account)
		changed = r.setRate(kept.login)
	}
	r.mu.Unlock()
	r.notify(changed)
}

// digest computes what distinguishes one spec from another.
func (s *openSession) digest(account *v1alpha1.CarrierAccount) error {
	whole, err := json.Marshal(account.Spec)
	if err != nil {
		return fmt.Errorf("encode the spec of CarrierAccount %s: %w", account.Name, err)
	}
	proves, err := json.Marshal([]any{account.Spec.BaseURL, account.Spec.CABundle, account.Spec.Auth})
	if err != nil {
		return fmt.Errorf("encode the login of CarrierAccount %s: %w", account.Name, err)
	}
	s.spec, s.proves = sha256.Sum256(whole), sha256.Sum256(proves)
	return nil
}

func (r *Registry) open(account *v1alpha1.CarrierAccount) (*Session, error) {
	spec := account.Spec
	if err := checkSpec(r.Hosts, &spec); err != nil {
		return nil, err
	}
	roots, err := trusted(spec.CABundle)
	if err != nil {
		return nil, err
	}
	name := client.ObjectKeyFromObject(account)
	changed, own := func() { r.notify([]types.NamespacedName{name}) }, newLogin(r.Now, spec.RateLimit)
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
		Rate: own.rate, Observe: r.Observe, MinTimeout: r.MinTimeout,
	})
	if err != nil {
		return nil, fmt.Errorf("spec.baseURL: %w", err)
	}
	session := &Session{
		client: carrierClient, tokens: tokens, changed: changed, proof: proof{now: r.Now},
		carrierChanged: func(of *Session) { r.notifyLogin(name, of) },
		join:           func(of *Session) bool { return r.join(name, of) },
	}
	session.share(own)
	return session, nil
}

// checkSpec returns an error if an account cannot be used with its present spec.
func checkSpec(allowed carrier.Hosts, spec *v1alpha1.CarrierAccountSpec) error {
	if canonical := carrier.CanonicalOrigin(spec.BaseURL); canonical != "" && canonical != spec.BaseURL {
		return &FieldError{Field: "baseURL", Message: fmt.Sprintf(
			"%q must be written as %q, because one login has one spelling: create the CarrierAccount again",
			spec.BaseURL, canonical)}
	}
	if flaw := zoneFlaw(spec.TimeZone); flaw != "" {
		return &FieldError{Field: "timeZone", Message: flaw}
	}
	return checkHosts(allowed, spec)
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

// checkHosts returns an error if an account names a host that the manager does not allow. It checks
// every address that is called for an account: a redirect is never followed, and only the id is
// taken from a Location. The audience of an assertion is not called.
func checkHosts(allowed carrier.Hosts, spec *v1alpha1.CarrierAccountSpec) error {
	for _, called := range []struct{ field, address string }{
		{"baseURL", spec.BaseURL}, {"auth.tokenURL", spec.Auth.TokenURL},
	} {
		if !allowed.Allow(called.address) {
			return &FieldError{Field: called.field, Message: fmt.Sprintf(
				"the host %q is not among those that the manager allows: use an allowed host, or ask the administrator "+
					"of the operator to add it to the manager's flag --carrier-hosts", carrier.HostOf(called.address))}
		}
	}
	return nil
}

// Usage is what the sessions of all accounts show at a moment.
type Usage struct {
	Sessions     int
	OpenBreakers int       // logins whose chargeable requests are held back
	OldestToken  time.Time // when the oldest token in use was granted; zero: none is in use
}

// Usage returns what the sessions show now.
func (r *Registry) Usage() Usage {
	r.mu.Lock()
	defer r.mu.Unlock()
	usage := Usage{Sessions: len(r.sessions)}
	for _, state := range r.logins {
		if state.breaker.isOpen() {
			usage.OpenBreakers++
		}
	}
	for _, kept := range r.sessions {
		at := kept.session.tokens.GrantedAt()
		if !at.IsZero() && (usage.OldestToken.IsZero() || at.Before(usage.OldestToken)) {
			usage.OldestToken = at
		}
	}
	return usage
}

// isOpen reports whether chargeable requests are held back.
func (b *breaker) isOpen() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.holds(b.now())
}

// StandingOf says whether the carrier of an account answers, for the work queues.
func (r *Registry) StandingOf(account fairqueue.Group) fairqueue.Standing {
	r.mu.Lock()
	opened := r.sessions[types.NamespacedName{Namespace: account.Namespace, Name: account.Account}]
	r.mu.Unlock()
	if opened == nil {
		return fairqueue.Unheard
	}
	return opened.session.breaker().standing()
}

// serve notes that the carrier has answered a call for an object.
func (b *breaker) serve() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.serves = true
}

// standing says whether the carrier answers the calls for objects. An accepted token proves
// nothing: the carrier may answer only that call.
func (b *breaker) standing() fairqueue.Standing {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.silence.calls > 0:
		return fairqueue.Silent
	case !b.serves:
		return fairqueue.Unheard
	}
	return fairqueue.Answering
}
