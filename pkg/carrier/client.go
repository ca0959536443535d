package carrier

import (
	"cmp"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/identifier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/transport"
)

// Config configures the client of one account at one carrier.
type Config struct {
	BaseURL       string         // https origin of the carrier: https://host or https://host:port
	Version       int            // X-API-VERSION of reads that have no handle, 1 to 8
	Word          string         // the carrier's own word in identifiers, [a-z][a-z0-9]*; empty: wholesale
	Tokens        TokenSource    // required
	RootCAs       *x509.CertPool // nil: the system's roots
	AllowInsecure bool           // allow plain http and loopback addresses
	UserAgent     string         // User-Agent header; empty: broadband-operator

	// MinTimeout replaces every shorter time limit of a call. Tests set it, so that their results
	// do not depend on the load of the machine.
	MinTimeout time.Duration

	Rate *Rate                                     // for all calls together, may be shared; required
	Now  func() time.Time                          // the clock; required
	Wrap func(http.RoundTripper) http.RoundTripper // wraps both transports; nil: no wrapper

	Observe Observer // is called after calls and waits
}

// defaultUserAgent is the User-Agent header when none is configured.
const defaultUserAgent = "broadband-operator"

// Client calls one carrier for one account. It is safe for concurrent use. It keeps only
// connections and a token bucket, and makes no calls unless it is asked to.
type Client struct {
	origin    *url.URL
	version   int
	word      identifier.Word
	userAgent string
	longest   time.Duration // of one call
	tokens    TokenSource
	limiter   atomic.Pointer[Rate]
	now       func() time.Time
	observe   Observer
	keepAlive *http.Client // reuses connections
	fresh     *http.Client // HTTP/1.1, a new connection for each request
}

var errConfig = errors.New("the client needs tokens, a rate, a clock and a version from 1 to 8")

// NewClient returns a client without making any call. It fails with an [AddressError] if the base
// address is not an allowed origin, and with a displayable error if a required field is missing, a
// number is out of range or the word cannot be used in identifiers.
func NewClient(config Config) (*Client, error) {
	origin, err := parseOrigin(config.BaseURL, config.AllowInsecure)
	if err != nil {
		return nil, err
	}
	if !config.isValid() {
		return nil, errConfig
	}
	word, err := identifier.NewWord(config.Word)
	if err != nil {
		return nil, err
	}
	transports := transport.Config{
		RootCAs: config.RootCAs, AllowInsecure: config.AllowInsecure, Forbidden: forbiddenAddress,
		MinTimeout: config.MinTimeout,
	}
	client := &Client{
		origin:    origin,
		version:   config.Version,
		word:      word,
		userAgent: cmp.Or(config.UserAgent, defaultUserAgent),
		longest:   max(LongestCall, config.MinTimeout),
		tokens:    config.Tokens,
		now:       config.Now,
		observe:   config.Observe,
		keepAlive: httpClient(authorizer{origin: origin, next: transports.KeepAlive()}, config.Wrap),
		fresh:     httpClient(authorizer{origin: origin, next: transports.Fresh()}, config.Wrap),
	}
	client.limiter.Store(config.Rate)
	return client, nil
}

// Share makes the client count all further calls towards a rate that others also use.
func (c *Client) Share(rate *Rate) { c.limiter.Store(rate) }

func (c Config) isValid() bool {
	return c.Tokens != nil && c.Rate != nil && c.Now != nil && c.Version >= versionFirst && c.Version <= versionLast
}

// CloseIdleConnections closes idle connections. The client remains usable.
func (c *Client) CloseIdleConnections() {
	c.keepAlive.CloseIdleConnections()
	c.fresh.CloseIdleConnections()
}

// Take takes one call from the account's rate limit and returns zero. If the rate limit does
// not allow the call now, Take takes nothing and returns a wait, after which the caller should
// try again. The name of the caller keeps its turn, and must be unique among those that wait
// for the rate limit.
func (c *Client) Take(kind CallKind, caller string) time.Duration {
	wait := c.limiter.Load().Take(kind, caller, c.now())
	c.observe.waits(kind, wait)
	return wait
}
