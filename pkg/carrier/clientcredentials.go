package carrier

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"sync"
	"time"
)

// TokenConfig configures the client's identity and where its tokens come from (spec §5).
type TokenConfig struct {
	TokenURL   string // the token endpoint; its URL without protocolPart is the JWT's default audience
	Audience   string // the JWT's audience; empty: derived from TokenURL. See the warning at [audienceOf]
	ClientName string // client_id, iss and sub

	// Keys returns the client's private keys: one, or two during a rotation. The first key that the
	// identity provider accepts is used. Keys is called for every exchange, so a replaced key needs no
	// restart. Token returns its error unchanged.
	Keys func(ctx context.Context) ([]Key, error)

	RootCAs       *x509.CertPool                            // nil: the system's roots
	AllowInsecure bool                                      // allow plain http and loopback addresses
	Now           func() time.Time                          // the clock; required
	NewID         func() string                             // returns the jti of an assertion, a new GUID; required
	Sign          Signer                                    // signs each assertion; nil: [Sign]
	MaxWait       time.Duration                             // how long callers wait for an exchange; 0: 2 seconds
	MinTimeout    time.Duration                             // as in [Config]
	Wrap          func(http.RoundTripper) http.RoundTripper // wraps the transport; nil: no wrapper
	UserAgent     string                                    // User-Agent header
	Observe       Observer                                  // is called after exchanges

	// Paused is called when a pause begins. It must return at once, and must not call the source. If it
	// is nil, nothing is called.
	Paused func()
}

const (
	defaultMaxWait    = 2 * time.Second // longer than a healthy identity provider takes
	firstPause        = 5 * time.Second
	maxPause          = 5 * time.Minute
	keyRereadInterval = time.Second // during a pause, because changed keys end it
)

var (
	errTokenConfig = errors.New("the token source needs a clock, ids and keys")
	errPending     = &TokenError{Reason: TokenPending, Message: "the identity provider has not responded yet"}
)

// ClientCredentials is a [TokenSource] for the client credentials grant with a private-key JWT
// (spec §5).
//
// At most one exchange runs at a time, each with a new assertion. Callers wait for it until MaxWait
// has passed since its start, so an identity provider that hangs delays each caller only for that
// long. A token is handed out until 80 % of its lifetime has passed. After a failure, or if the
// carrier refuses tokens as fast as they are granted, the source pauses for 5 seconds to 5 minutes,
// and Token returns the last error immediately. A change of keys ends the pause.
type ClientCredentials struct {
	config    TokenConfig
	exchanger *exchanger

	mu       sync.Mutex
	current  grantedToken
	exchange *sharedExchange // the one in progress; nil: none
	pause    pause
	keys     keyState
	refusals int // consecutive tokens refused by the carrier; a token that expires unrefused resets it
}

// sharedExchange is one exchange and the callers that wait for it.
type sharedExchange struct {
	done    chan struct{}
	overdue <-chan struct{} // closed when callers stop waiting
	token   Token
	err     error
}

// result returns the result of the exchange, or errPending if it is still in progress.
func (e *sharedExchange) result() (Token, error) {
	select {
	case <-e.done:
		return e.token, e.err
	default:
		return Token{}, errPending
	}
}

// pause is a period without exchanges.
type pause struct {
	since      time.Time // the first failure since the last token was granted
	err        error
	length     time.Duration
	until      time.Time
	rereadKeys time.Time
}

// Outage describes a source that has no token to hand out.
type Outage struct {
	Since   time.Time // the first failure since the last token was granted; zero: none
	RetryAt time.Time // when the pause ends; zero: there is none
}

// NewTokenSource returns a source without making any call. It fails with an [AddressError] if
// TokenURL is not usable, and with another error if Now, NewID or Keys is missing.
func NewTokenSource(config TokenConfig) (*ClientCredentials, error) {
	audience, err := audienceOf(config.TokenURL, config.AllowInsecure)
	if err != nil {
		return nil, err
	}
	if config.Now == nil || config.NewID == nil || config.Keys == nil {
		return nil, errTokenConfig
	}
	if config.Sign == nil {
		config.Sign = Sign
	}
	if config.MaxWait == 0 {
		config.MaxWait = max(defaultMaxWait, config.MinTimeout)
	}
	audience = cmp.Or(config.Audience, audience)
	return &ClientCredentials{config: config, exchanger: newExchanger(config, audience)}, nil
}

// Token implements [TokenSource]. Its error is a [TokenError], or the error of Keys.
func (s *ClientCredentials) Token(ctx context.Context) (Token, error) {
	token, exchange, err := s.currentOrExchange(ctx)
	if exchange == nil {
		return token, err
	}
	select {
	case <-exchange.done:
		return exchange.result()
	case <-exchange.overdue:
		return exchange.result()
	case <-ctx.Done():
		return Token{}, &TokenError{Reason: TokenUnreachable, Message: "no token within the time limit", cause: ctx.Err()}
	}
}

// currentOrExchange returns the known result, or the exchange to wait for, which it starts if
// necessary.
func (s *ClientCredentials) currentOrExchange(ctx context.Context) (Token, *sharedExchange, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.config.Now()
	switch {
	case now.Before(s.current.usableUntil):
		return s.current.token, nil, nil
	case now.Before(s.pause.until) && now.Before(s.pause.rereadKeys):
		return Token{}, nil, s.pause.err
	case s.exchange == nil:
		s.startExchange(context.WithoutCancel(ctx)) // it outlives this caller, because others wait for it too
	}
	return Token{}, s.exchange, nil
}

func (s *ClientCredentials) startExchange(ctx context.Context) {
	waiting, cancel := context.WithTimeout(ctx, s.config.MaxWait)
	exchange := &sharedExchange{done: make(chan struct{}), overdue: waiting.Done()}
	s.exchange = exchange
	go func() {
		defer cancel()
		s.runExchange(ctx, exchange)
	}()
}

// runExchange runs one exchange and publishes its result to all waiting callers.
func (s *ClientCredentials) runExchange(ctx context.Context, exchange *sharedExchange) {
	granted, err := s.obtainToken(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.succeeded(granted)
	} else {
		s.failed(err)
	}
	exchange.token, exchange.err = granted.token, err
	s.exchange = nil
	close(exchange.done)
}

// obtainToken reads the keys and tries them in turn.
func (s *ClientCredentials) obtainToken(ctx context.Context) (grantedToken, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*s.exchanger.timeout())
	defer cancel()
	keys, err := s.config.Keys(ctx)
	if err != nil {
		s.forgetKeys()
		return grantedToken{}, err
	}
	ordered, err := s.updateKeys(keys)
	if err != nil {
		return grantedToken{}, err
	}
	return s.exchanger.tryKeys(ctx, ordered)
}

// GrantedAt returns when the token that is handed out now was requested; zero if there is none.
func (s *ClientCredentials) GrantedAt() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.config.Now().Before(s.current.usableUntil) {
		return time.Time{}
	}
	return s.current.grantedAt
}

// Outage returns since when there is no token, and when one is requested again.
func (s *ClientCredentials) Outage() Outage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Outage{Since: s.pause.since, RetryAt: s.pause.until}
}

func (s *ClientCredentials) succeeded(granted grantedToken) {
	if !s.current.usableUntil.IsZero() { // the last token expired without being invalidated
		s.refusals = 0
	}
	s.current, s.pause, s.keys.accepted = granted, pause{}, granted.keyID
}

// failed starts a pause that is twice as long as the previous one, within limits. If a pause is
// already in effect, only a re-read of the keys can have failed, and the pause keeps its length.
func (s *ClientCredentials) failed(err error) {
	now := s.config.Now()
	if now.Before(s.pause.until) {
		s.pause.err, s.pause.rereadKeys = err, now.Add(keyRereadInterval)
		return
	}
	s.pauseFor(err, min(max(2*s.pause.length, firstPause), maxPause))
}

func (s *ClientCredentials) pauseFor(err error, length time.Duration) {
	now, since := s.config.Now(), s.pause.since
	if since.IsZero() {
		since = now
	}
	s.pause = pause{
		since: since, err: err, length: length, until: now.Add(length), rereadKeys: now.Add(keyRereadInterval),
	}
	if s.config.Paused != nil {
		s.config.Paused()
	}
}

// suspectAge is the minimum age of a token that is replaced because a response may mean that it is
// invalid.
const suspectAge = time.Minute

// Suspect implements [TokenSource]. A suspicion does not count as a refusal: most responses
// that cause a suspicion are about a single service, and must not delay the next exchange for
// all others.
func (s *ClientCredentials) Suspect(token Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if token.AccessToken.IsZero() || token.AccessToken != s.current.token.AccessToken ||
		s.config.Now().Sub(s.current.grantedAt) < suspectAge {
		return
	}
	s.current = grantedToken{usableUntil: s.config.Now()} // like an expired token, because nobody has refused it
}

// Invalidate implements [TokenSource]. The first refused token is replaced immediately. If its
// replacement is refused too, the fault is not in the token, and every further exchange is delayed
// longer.
func (s *ClientCredentials) Invalidate(token Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if token.AccessToken.IsZero() || token.AccessToken != s.current.token.AccessToken {
		return
	}
	s.current = grantedToken{}
	s.refusals++
	if s.refusals > 1 {
		doublings := min(s.refusals-2, 6)
		s.pauseFor(ErrTokenNotAccepted, min(firstPause<<doublings, maxPause))
	}
}
