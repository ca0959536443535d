package carrier

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"sync"
	"time"
)

// TokenConfig says who the client is and where its tokens come from (spec §5).
type TokenConfig struct {
	TokenURL   string // the token endpoint; its path without the protocol part is the JWT's audience
	ClientName string // client_id, iss and sub

	// Keys returns the client's private keys: one, or two while they are being rotated; the first that the identity
	// provider takes is used. It is called at every exchange, so a replaced key needs no restart. Its own error is
	// returned by Token as it is.
	Keys func(ctx context.Context) ([]Key, error)

	RootCAs       *x509.CertPool                            // nil: those of the system
	AllowInsecure bool                                      // plain http and loopback addresses
	Now           func() time.Time                          // the clock; required
	NewID         func() string                             // the jti of each assertion; nil: a random GUID
	Sign          Signer                                    // signs each assertion; nil: [Sign]
	Patience      time.Duration                             // how long callers wait for an exchange; 0: 2 seconds
	Wrap          func(http.RoundTripper) http.RoundTripper // stands around the transport; nil: nothing does
	UserAgent     string                                    // the header of that name
}

// The pauses of a source that gets no token.
const (
	firstPause   = 5 * time.Second
	keyLook      = time.Second // between two looks at the keys in a pause: others end it
	longestPause = 5 * time.Minute
	skewNoticed  = 2 * time.Second // below it a Date header says nothing: it has whole seconds
	skewRefused  = 5 * time.Minute // above it a clock is wrong, not just a little off
)

const (
	usualPatience = 2 * time.Second // longer than a sound identity provider takes
	pendingPause  = 3 * time.Second // shorter than any pause: whoever comes back meets how the exchange ended
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
// There is at most one exchange at a time, each with an assertion of its own. Whoever needs it waits
// until Patience is over, counted from its start: an identity provider that hangs keeps the exchange
// and, but for that moment, no caller. A token is handed out
// until 80 % of its life are over. After a failure, or when the carrier refuses tokens as fast as
// they are granted, the source pauses, 5 seconds first and 5 minutes at most, and Token returns the
// last error at once; other keys end the pause.
type ClientCredentials struct {
	config   TokenConfig
	audience string
	granter  *granter

	mu      sync.Mutex
	current grant
	flight  *flight
	pause   pause
	keys    keyring
	strikes int // tokens refused by the carrier since one last lived out its time
}

// flight is one exchange, and everyone who waits for it.
type flight struct {
	done  chan struct{}
	slow  <-chan struct{} // closed when nobody waits any longer
	token Token
	err   error
}

// landed is how the exchange ended, or that it has not.
func (f *flight) landed() (Token, error) {
	select {
	case <-f.done:
		return f.token, f.err
	default:
		return Token{}, errPending
	}
}

// pause is the time in which no exchange is tried.
type pause struct {
	err    error
	length time.Duration
	until  time.Time
	look   time.Time // when the keys are looked at again
}

// NewTokenSource returns a source that has not called anyone yet. It fails with an [AddressError]
// when no token can be had from TokenURL, and with another error when there is no clock, or no Keys.
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

// join returns what is known already, or the exchange to wait for, which it starts when there is
// none.
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
		s.takeOff(context.WithoutCancel(ctx)) // others wait for it too: it outlives who started it
	}
	return Token{}, s.flight, nil
}

// takeOff begins an exchange.
func (s *ClientCredentials) takeOff(ctx context.Context) {
	patience, end := context.WithTimeout(ctx, s.config.Patience)
	f := &flight{done: make(chan struct{}), slow: patience.Done()}
	s.flight = f
	go func() {
		defer end()
		s.fly(ctx, f)
	}()
}

// fly makes one exchange and tells everyone.
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
	if !s.current.fresh.IsZero() { // the last token lived out its time: nobody invalidated it
		s.strikes = 0
	}
	s.current, s.pause = granted, pause{}
}

// failed pauses twice as long as the last time. During a pause it was only a look at the keys that
// failed.
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

// Invalidate implements [TokenSource]. The first refused token is replaced at once. When its
// replacement is refused too, the fault is not the token's, and every further exchange waits
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
