package carrier

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"
	"time"
)

// Config is one account at one carrier.
type Config struct {
	BaseURL       string         // https origin of the carrier; see ValidBaseURL
	Version       int            // X-API-VERSION of the reads that belong to no handle, 1 to 8
	Word          string         // the carrier's own word inside identifiers, [a-z][a-z0-9]*; empty: wholesale
	Tokens        TokenSource    // required
	RootCAs       *x509.CertPool // nil: those of the system
	AllowInsecure bool           // plain http and loopback addresses
	UserAgent     string         // the header of that name; empty: broadband-operator

	RequestsPerSecond float64 // of all calls together; 0: 5
	Burst             int     // of all calls together; 0: 10
	Rate              *Rate   // which others draw from, too, in place of those two; nil: one of its own

	Now  func() time.Time                          // the clock; required
	Wrap func(http.RoundTripper) http.RoundTripper // stands around both transports; nil: nothing does
}

// DefaultUserAgent is sent when nothing else is configured.
const DefaultUserAgent = "broadband-operator"

// Client speaks to one carrier for one account. It is safe for concurrent use, keeps nothing but
// connections and a token bucket, and never makes a call that it was not asked for.
type Client struct {
	origin    *url.URL
	version   int
	word      word
	userAgent string
	tokens    TokenSource
	limiter   *Rate
	now       func() time.Time
	kept      *http.Client // connections are used again
	fresh     *http.Client // HTTP/1.1, one connection for one request
}

var errConfig = errors.New("the client needs tokens, a clock, a version from 1 to 8 and rates that are not negative")

// NewClient returns a client that has not called anyone yet. It fails with an [AddressError] when
// the base address is not an https origin, and with an error fit to be shown when something required
// is missing, or the word is none that can stand inside identifiers.
func NewClient(config Config) (*Client, error) {
	origin, err := parseOrigin(config.BaseURL, config.AllowInsecure)
	if err != nil {
		return nil, err
	}
	config = config.withDefaults()
	if !config.sound() {
		return nil, errConfig
	}
	identifier, err := newWord(config.Word)
	if err != nil {
		return nil, err
	}
	if config.Rate == nil {
		config.Rate = NewRate(config.RequestsPerSecond, config.Burst)
	}
	way := network{roots: config.RootCAs, allowInsecure: config.AllowInsecure}
	return &Client{
		origin:    origin,
		version:   config.Version,
		word:      identifier,
		userAgent: config.UserAgent,
		tokens:    config.Tokens,
		limiter:   config.Rate,
		now:       config.Now,
		kept:      httpClient(authorizer{origin: origin, next: way.keptAlive()}, config.Wrap),
		fresh:     httpClient(authorizer{origin: origin, next: way.fresh()}, config.Wrap),
	}, nil
}

func (c Config) withDefaults() Config {
	if c.RequestsPerSecond == 0 {
		c.RequestsPerSecond = defaultRequestsPerSecond
	}
	if c.Burst == 0 {
		c.Burst = defaultBurst
	}
	if c.UserAgent == "" {
		c.UserAgent = DefaultUserAgent
	}
	return c
}

func (c Config) sound() bool {
	return c.Tokens != nil && c.Now != nil &&
		c.Version >= versionFirst && c.Version <= versionLast &&
		c.RequestsPerSecond > 0 && c.Burst > 0
}

// Version returns the API version of the reads that belong to no handle.
func (c *Client) Version() int { return c.version }

// BaseURL returns the carrier's origin.
func (c *Client) BaseURL() string { return c.origin.String() }

// CloseIdleConnections gives up the connections that nobody uses; the client stays usable.
func (c *Client) CloseIdleConnections() {
	c.kept.CloseIdleConnections()
	c.fresh.CloseIdleConnections()
}

// Prepare does everything that can wait before a call: it makes sure that there is a token that
// outlives the call, and takes one call out of the account's rate. When wait is above zero the rate
// does not allow the call now, or the token is not there yet, nothing was taken, and the caller comes
// back after it. The error is that of the token source.
func (c *Client) Prepare(ctx context.Context, kind CallKind) (wait time.Duration, err error) {
	if _, err := c.tokens.Token(ctx); err != nil {
		if wait := PendingWait(err); wait > 0 {
			return wait, nil
		}
		return 0, err
	}
	return c.limiter.Take(kind, c.now()), nil
}
