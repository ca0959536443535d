package carrier

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/transport"
)

const (
	exchangeTimeout  = 30 * time.Second
	maxTokenResponse = 64 << 10

	minSkew = 2 * time.Second // a Date header has whole seconds, so it does not show less
	maxSkew = 5 * time.Minute // with more skew a clock is wrong, not just slightly off

	assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" // spec §5
)

// exchanger exchanges signed assertions for access tokens.
type exchanger struct {
	config    TokenConfig
	audience  string
	http      *http.Client
	transport *tokenTransport // the innermost transport of http
}

func newExchanger(config TokenConfig, audience string) *exchanger {
	network := transport.Config{
		RootCAs: config.RootCAs, AllowInsecure: config.AllowInsecure, Forbidden: forbiddenAddress,
		MinTimeout: config.MinTimeout,
	}
	innermost := &tokenTransport{next: network.KeepAlive(), userAgent: config.UserAgent, now: config.Now}
	return &exchanger{
		config: config, audience: audience, transport: innermost, http: httpClient(innermost, config.Wrap),
	}
}

// timeout returns the time limit of one exchange.
func (e *exchanger) timeout() time.Duration { return max(exchangeTimeout, e.config.MinTimeout) }

// tryKeys returns the token for the first key that the identity provider accepts, or the error of
// the first key.
func (e *exchanger) tryKeys(ctx context.Context, keys []Key) (grantedToken, error) {
	var first error = &TokenError{Reason: TokenKeyInvalid, Message: "there is no private key"}
	for i, key := range keys {
		granted, err := e.tryKey(ctx, key)
		if err == nil {
			granted.keyID = key.ID
			return granted, nil
		}
		if i == 0 {
			first = err
		}
		if !isFaultOfKey(err) {
			break
		}
	}
	return grantedToken{}, first
}

// isFaultOfKey reports whether the fault may be in this key, so that another key may work.
func isFaultOfKey(err error) bool {
	failure, ok := errors.AsType[*TokenError](err)
	return ok && (failure.Reason == TokenRejected || failure.Reason == TokenKeyInvalid)
}

// tryKey makes one exchange with a key. If the key is refused and the response shows a different
// clock skew, it makes one more exchange with that skew, and with a new assertion: the old one is
// never sent again.
func (e *exchanger) tryKey(ctx context.Context, key Key) (grantedToken, error) {
	skew := e.clockSkew()
	granted, err := e.exchange(ctx, key, skew)
	if !isRejected(err) {
		return granted, err
	}
	measured := e.transport.skew()
	switch {
	case measured.Abs() > maxSkew:
		return grantedToken{}, clockSkewError(err, measured)
	case (measured - skew).Abs() > minSkew:
		return e.exchange(ctx, key, measured)
	}
	return grantedToken{}, err
}

func isRejected(err error) bool {
	failure, ok := errors.AsType[*TokenError](err)
	return ok && failure.Reason == TokenRejected
}

func clockSkewError(err error, skew time.Duration) error {
	direction := " ahead of ours"
	if skew < 0 {
		direction = " behind ours"
	}
	return &TokenError{
		Reason: TokenClockSkew, cause: err,
		Message: "the identity provider's clock is " + skew.Abs().Round(time.Second).String() + direction,
	}
}

// clockSkew returns the skew that is added to an assertion's times. It is zero for a skew below 2
// seconds, which whole seconds and network latency can explain. It is also zero for a skew above 5
// minutes, which means that one of the clocks is wrong.
func (e *exchanger) clockSkew() time.Duration {
	if skew := e.transport.skew(); skew.Abs() > minSkew && skew.Abs() <= maxSkew {
		return skew
	}
	return 0
}

// exchange signs an assertion, posts it and reports the result to the observer.
func (e *exchanger) exchange(ctx context.Context, key Key, skew time.Duration) (grantedToken, error) {
	granted, err := e.exchangeOnce(ctx, key, skew)
	e.config.Observe.exchanged(err)
	return granted, err
}

func (e *exchanger) exchangeOnce(ctx context.Context, key Key, skew time.Duration) (grantedToken, error) {
	start := e.config.Now()
	signed, err := assertion{
		id: e.config.NewID(), client: e.config.ClientName, audience: e.audience, now: start.Add(skew),
	}.sign(e.config.Sign, key)
	if err != nil {
		return grantedToken{}, &TokenError{Reason: TokenKeyInvalid, KeyID: excerpt(key.ID), Message: "key", cause: err}
	}
	granted, err := e.post(ctx, signed, start)
	if failure, ok := errors.AsType[*TokenError](err); ok {
		failure.KeyID = key.ID
	}
	return granted, err
}

// post sends one assertion. The token's lifetime counts from start, which is before the request.
func (e *exchanger) post(ctx context.Context, signed string, start time.Time) (grantedToken, error) {
	config := clientcredentials.Config{
		ClientID:  e.config.ClientName,
		TokenURL:  e.config.TokenURL,
		AuthStyle: oauth2.AuthStyleInParams, // the default tries two styles, which would send a single-use JWT twice
		EndpointParams: url.Values{
			"client_assertion_type": {assertionType},
			"client_assertion":      {signed},
		},
	}
	ctx, cancel := context.WithTimeout(ctx, e.timeout())
	defer cancel()
	response, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, e.http))
	if err != nil {
		return grantedToken{}, exchangeError(err, secretsIn(signed))
	}
	if isForAnother(response.AccessToken, e.config.ClientName) {
		return grantedToken{}, rejectedToken("the identity provider granted a token that names another client")
	}
	return readToken(response, start)
}

// tokenTransport is the innermost transport of the token exchange. It measures the skew of the
// identity provider's clock, limits the size of the response, and prevents the transport from
// sending a single-use assertion twice.
type tokenTransport struct {
	next      http.RoundTripper
	userAgent string
	now       func() time.Time
	offset    atomic.Int64 // nanoseconds by which the identity provider's clock is ahead of ours
}

// RoundTrip implements [http.RoundTripper].
func (t *tokenTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	cloned := req.Clone(req.Context())
	cloned.GetBody = nil // without it the transport cannot send the body again
	cloned.Header.Set("Accept", "application/json")
	cloned.Header.Set("User-Agent", t.userAgent)
	resp, err := t.next.RoundTrip(cloned)
	if err != nil {
		return nil, fmt.Errorf("token exchange: %w", err)
	}
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		t.offset.Store(int64(date.Sub(t.now())))
	}
	body, bodyErr := readBody(resp, maxTokenResponse)
	closeQuietly(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if bodyErr != nil {
		return nil, fmt.Errorf("token exchange: %w", bodyErr)
	}
	return resp, nil
}

// skew returns how far the identity provider's clock was ahead of ours at its last response.
func (t *tokenTransport) skew() time.Duration { return time.Duration(t.offset.Load()) }
