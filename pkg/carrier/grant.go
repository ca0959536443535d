package carrier

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

const (
	grantTimeout  = 30 * time.Second
	maxGrantBytes = 64 << 10
	maxTokenBytes = 16 << 10

	shortestLife = 5 * time.Second   // a token with a shorter lifetime is useless
	longestLife  = 300 * time.Second // spec §8: 300 seconds in the response shape; longer lifetimes are not trusted
	assumedLife  = 60 * time.Second  // if expires_in is missing or not a number

	assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" // spec §5
)

// grant is one access token as the identity provider granted it.
type grant struct {
	token Token
	fresh time.Time // it may be handed out until then
}

// granter exchanges signed assertions for access tokens: one call of exchange is one POST.
type granter struct {
	tokenURL string
	client   string
	http     *http.Client
	dates    *dateReader
}

func newGranter(config TokenConfig) *granter {
	transport := network{roots: config.RootCAs, allowInsecure: config.AllowInsecure}.keptAlive()
	dates := &dateReader{next: transport, userAgent: config.UserAgent, now: config.Now}
	return &granter{
		tokenURL: config.TokenURL,
		client:   config.ClientName,
		http:     httpClient(dates, config.Wrap),
		dates:    dates,
	}
}

// exchange posts one assertion. The token's lifetime counts from start, which is before the
// request.
func (g *granter) exchange(ctx context.Context, signed string, start time.Time) (grant, error) {
	config := clientcredentials.Config{
		ClientID:  g.client,
		TokenURL:  g.tokenURL,
		AuthStyle: oauth2.AuthStyleInParams, // the default tries two styles, which would send a single-use JWT twice
		EndpointParams: url.Values{
			"client_assertion_type": {assertionType},
			"client_assertion":      {signed},
		},
	}
	ctx, cancel := context.WithTimeout(ctx, grantTimeout)
	defer cancel()
	reply, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, g.http))
	if err != nil {
		return grant{}, grantError(err, secretsIn(signed))
	}
	return readGrant(reply, start)
}

// readGrant validates the token that the identity provider returned.
func readGrant(reply *oauth2.Token, start time.Time) (grant, error) {
	life := lifeOf(reply.Extra("expires_in"))
	switch {
	case !strings.EqualFold(reply.TokenType, "Bearer"):
		return grant{}, rejectedReply("the identity provider granted a token that is not of type Bearer")
	case len(reply.AccessToken) > maxTokenBytes || strings.IndexFunc(reply.AccessToken, notInToken) >= 0:
		return grant{}, rejectedReply("the identity provider granted a token that cannot stand in a header")
	case life < shortestLife:
		return grant{}, &TokenError{
			Reason: TokenTooShort, HTTPStatus: http.StatusOK,
			Message: "the identity provider grants tokens that live less than 5 seconds",
		}
	}
	return grant{
		token: Token{AccessToken: NewSecret(reply.AccessToken), Expires: start.Add(life)},
		fresh: start.Add(freshFor(life)),
	}, nil
}

func rejectedReply(message string) *TokenError {
	return &TokenError{Reason: TokenRejected, HTTPStatus: http.StatusOK, Message: message}
}

func notInToken(r rune) bool { return r <= ' ' || r >= 0x7f }

// freshFor returns how long a token with a given lifetime is handed out: for 80 % of it, and so
// that at least min(15 s, half of it) is left.
func freshFor(life time.Duration) time.Duration {
	left := min(15*time.Second, life/2)
	return min(life/5*4, life-left)
}

// lifeOf reads expires_in, in seconds: a number, or a number in a string. It has an upper bound:
// with a wrong large value, an expired token would be used until the carrier refused it.
func lifeOf(expiresIn any) time.Duration {
	var seconds float64
	switch value := expiresIn.(type) {
	case float64:
		seconds = value
	case int64:
		seconds = float64(value)
	case string:
		parsed, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return assumedLife
		}
		seconds = parsed
	default:
		return assumedLife
	}
	if math.IsNaN(seconds) {
		return assumedLife
	}
	return time.Duration(math.Min(math.Max(seconds, 0), longestLife.Seconds()) * float64(time.Second))
}

// secretsIn returns an assertion and its parts.
func secretsIn(signed string) scrubber {
	return append(scrubber{signed}, strings.Split(signed, ".")...)
}

// grantError classifies a failed exchange. Of the response body, the error has only the code and
// the description of RFC 6749.
func grantError(err error, hide scrubber) *TokenError {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return refusedGrant(refused, hide)
	}
	if broken, ok := errors.AsType[*url.Error](err); ok {
		return &TokenError{
			Reason: TokenUnreachable, Message: "the identity provider cannot be reached", cause: broken.Err,
		}
	}
	return &TokenError{
		Reason: TokenUnreachable, HTTPStatus: http.StatusOK, Message: "the identity provider's answer is not a token",
	}
}

// refusedGrant separates a response about the client, which a person must fix, from one about the
// server. Keycloak answers 400 invalid_client to a client that it does not know.
func refusedGrant(refused *oauth2.RetrieveError, hide scrubber) *TokenError {
	status := refused.Response.StatusCode
	failure := &TokenError{
		Reason: TokenUnreachable, HTTPStatus: status, Code: grantCode(refused.ErrorCode),
		Description: hide.message(refused.ErrorDescription, maxExcerpt),
		Message:     "the identity provider answered " + strconv.Itoa(status),
	}
	busy := status == http.StatusRequestTimeout || status == http.StatusTooManyRequests
	if status < 300 || status >= 400 && status < 500 && !busy {
		failure.Reason = TokenRejected
	}
	return failure
}

// grantCode returns a code of RFC 6749, or "" for text in another form.
func grantCode(code string) string {
	const longest = 64
	if len(code) > longest || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return ""
	}
	return code
}

// dateReader is the innermost transport of the token exchange. It measures the skew of the identity
// provider's clock, limits the size of the response, and prevents the transport from sending a
// single-use assertion twice.
type dateReader struct {
	next      http.RoundTripper
	userAgent string
	now       func() time.Time
	offset    atomic.Int64 // nanoseconds by which the identity provider's clock is ahead of ours
}

// RoundTrip implements [http.RoundTripper].
func (d *dateReader) RoundTrip(req *http.Request) (*http.Response, error) {
	once := req.Clone(req.Context())
	once.GetBody = nil
	once.Header.Set("Accept", "application/json")
	once.Header.Set("User-Agent", d.userAgent)
	resp, err := d.next.RoundTrip(once)
	if err != nil {
		return nil, fmt.Errorf("token exchange: %w", err)
	}
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		d.offset.Store(int64(date.Sub(d.now())))
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, maxGrantBytes)
	return resp, nil
}

// skew returns how far the identity provider's clock was ahead of ours at its last response.
func (d *dateReader) skew() time.Duration { return time.Duration(d.offset.Load()) }

// usableSkew returns the skew that is added to an assertion's times. It is zero below 2 seconds,
// which whole seconds and network latency can explain, and above 5 minutes, where one of the clocks
// must be wrong.
func (g *granter) usableSkew() time.Duration {
	if skew := g.dates.skew(); skew.Abs() > skewNoticed && skew.Abs() <= skewRefused {
		return skew
	}
	return 0
}
