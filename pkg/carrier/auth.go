package carrier

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"sync"
	"time"
)

// TokenConfig configures the client's identity and where its tokens come from (spec §5).
type TokenConfig struct {
	TokenURL   string // the token endpoint; its URL without protocolPart is the JWT's audience
	ClientName string // client_id, iss and sub

	// Keys returns the client's private keys: one, or two during a rotation. The first key that the
	// identity provider accepts is used. Keys is called for every exchange, so a replaced key needs no
	// restart. Token returns its error unchanged.
	Keys func(ctx context.Context) ([]Key, error)

	RootCAs       *x509.CertPool                            // nil: the system's roots
	AllowInsecure bool                                      // allow plain http and loopback addresses
	Now           func() time.Time                          // the clock; required
	NewID         func() string                             // returns the jti of an assertion; nil: a random GUID
	Sign          Signer                                    // signs each assertion; nil: [Sign]
	Patience      time.Duration                             // how long callers wait for an exchange; 0: 2 seconds
	Wrap          func(http.RoundTripper) http.RoundTripper // wraps the transport; nil: no wrapper
	UserAgent     string                                    // User-Agent header
}

// Pauses of a source that cannot get a token, and bounds of the clock skew.
const (
	firstPause   = 5 * time.Second
	keyLook      = time.Second // interval of re-reading the keys during a pause: different keys end it
	longestPause = 5 * time.Minute
	skewNoticed  = 2 * time.Second // below it a Date header shows no skew: it has whole seconds
	skewRefused  = 5 * time.Minute // above it a clock is wrong, not just slightly off
)

const (
	usualPatience = 2 * time.Second // longer than a healthy identity provider takes
	pendingPause  = 3 * time.Second // shorter than any other pause, so that a returning caller finds the result
)

var (
	errNoClock = errors.New("the token source needs a clock and keys")

	errTokensRefused = &TokenError{
		Reason: TokenRejected, HTTPStatus: http.StatusUnauthorized,
		Message: "the carrier refuses tokens that the identity provider has just granted",
	}
	errPending = &TokenError{Reason: TokenPending, Message: "the identity provider has not answered yet"}
)

// ClientCredentials is a [TokenSource] for the client credentials grant with a private-key JWT
// (spec §5).
//
// At most one exchange runs at a time, each with a new assertion. Callers wait for it until
// Patience has passed since its start, so an identity provider that hangs blocks the exchange but
// blocks callers only for that long. A token is handed out until 80 % of its lifetime has passed.
// After a failure, or if the carrier refuses tokens as fast as they are granted, the source pauses
// for 5 seconds to 5 minutes, and Token returns the last error at once. A change of keys ends the
// pause.
type ClientCredentials struct {
	config   TokenConfig
	audience string
	granter  *granter

	mu      sync.Mutex
	current grant
	flight  *flight
	pause   pause
	keys    keyring
	strikes int // consecutive tokens refused by the carrier; a token that expires unrefused resets it
}

// flight is one exchange, shared by all callers that wait for it.
type flight struct {
	done  chan struct{}
	slow  <-chan struct{} // closed when callers stop waiting
	token Token
	err   error
}

// landed returns the result of the exchange, or errPending if it is still in progress.
func (f *flight) landed() (Token, error) {
	select {
	case <-f.done:
		return f.token, f.err
	default:
		return Token{}, errPending
	}
}

// pause is a period without exchanges.
type pause struct {
	err    error
	length time.Duration
	until  time.Time
	look   time.Time // when the keys are read again
}

// NewTokenSource returns a source without making any call. It fails with an [AddressError] if
// TokenURL is not usable, and with another error if Now or Keys is missing.
func NewTokenSource(config TokenConfig) (*ClientCredentials, error) {
	audience, err := audienceOf(config.TokenURL, config.AllowInsecure)
	if err != nil {
		return nil, err
	}
	if config.Now == nil || config.Keys == nil {
		return nil, errNoClock
	}
	if config.NewID == nil {
		config.NewID = newGUID
	}
	if config.Sign == nil {
		config.Sign = Sign
	}
	if config.Patience == 0 {
		config.Patience = usualPatience
	}
	return &ClientCredentials{config: config, audience: audience, granter: newGranter(config)}, nil
}

// Token implements [TokenSource]. Its error is a [TokenError], or the error of Keys.
func (s *ClientCredentials) Token(ctx context.Context) (Token, error) {
	token, waiting, err := s.join(ctx)
	if waiting == nil {
		return token, err
	}
	select {
	case <-waiting.done:
		return waiting.landed()
	case <-waiting.slow:
		return waiting.landed()
	case <-ctx.Done():
		return Token{}, &TokenError{Reason: TokenUnreachable, Message: "gave up waiting", cause: ctx.Err()}
	}
}

// join returns the known result, or the exchange to wait for, which it starts if necessary.
func (s *ClientCredentials) join(ctx context.Context) (Token, *flight, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.config.Now()
	switch {
	case now.Before(s.current.fresh):
		return s.current.token, nil, nil
	case now.Before(s.pause.until) && now.Before(s.pause.look):
		return Token{}, nil, s.pause.err
	case s.flight == nil:
		s.takeOff(context.WithoutCancel(ctx)) // other callers wait for it too, so it outlives the caller that started it
	}
	return Token{}, s.flight, nil
}

// takeOff starts an exchange.
func (s *ClientCredentials) takeOff(ctx context.Context) {
	patience, end := context.WithTimeout(ctx, s.config.Patience)
	f := &flight{done: make(chan struct{}), slow: patience.Done()}
	s.flight = f
	go func() {
		defer end()
		s.fly(ctx, f)
	}()
}

// fly runs one exchange and publishes its result to all waiting callers.
func (s *ClientCredentials) fly(ctx context.Context, f *flight) {
	granted, err := s.renew(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.succeeded(granted)
	} else {
		s.failed(err)
	}
	f.token, f.err = granted.token, err
	s.flight = nil
	close(f.done)
}

func (s *ClientCredentials) succeeded(granted grant) {
	if !s.current.fresh.IsZero() { // the last token expired without being invalidated
		s.strikes = 0
	}
	s.current, s.pause = granted, pause{}
}

// failed doubles the pause. During a pause only a re-read of the keys can have failed, so the pause
// keeps its length.
func (s *ClientCredentials) failed(err error) {
	now := s.config.Now()
	if now.Before(s.pause.until) {
		s.pause.err, s.pause.look = err, now.Add(keyLook)
		return
	}
	s.pauseFor(err, min(max(2*s.pause.length, firstPause), longestPause))
}

func (s *ClientCredentials) pauseFor(err error, length time.Duration) {
	now := s.config.Now()
	s.pause = pause{err: err, length: length, until: now.Add(length), look: now.Add(keyLook)}
}

// Invalidate implements [TokenSource]. The first refused token is replaced at once. If its
// replacement is refused too, the fault is not in the token, and every further exchange is delayed
// longer.
func (s *ClientCredentials) Invalidate(token Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if token.AccessToken.IsZero() || token.AccessToken != s.current.token.AccessToken {
		return
	}
	s.current = grant{}
	s.strikes++
	if s.strikes > 1 {
		doublings := min(s.strikes-2, 6)
		s.pauseFor(errTokensRefused, min(firstPause<<doublings, longestPause))
	}
}
