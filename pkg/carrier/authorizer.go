package carrier

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// httpClient applies the caller's wrapper to a transport.
func httpClient(transport http.RoundTripper, wrap func(http.RoundTripper) http.RoundTripper) *http.Client {
	if wrap != nil {
		transport = wrap(transport)
	}
	return &http.Client{Transport: transport, CheckRedirect: noRedirects}
}

// noRedirects makes an [http.Client] return a redirect instead of following it. A 307 or 308 would
// send the POST again, and every redirect would carry the token along.
func noRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// tokenKey is the context key of the token that the authorizer sets on a call.
type tokenKey struct{}

func withToken(ctx context.Context, token Token) context.Context {
	return context.WithValue(ctx, tokenKey{}, token)
}

// authorizer is the innermost transport. It sets the token on requests to the carrier's origin and
// refuses all others. The transports that wrap it never see the Authorization header.
type authorizer struct {
	origin *url.URL
	next   http.RoundTripper
}

var errForeignOrigin = errors.New("the request is not for the carrier's origin")

// RoundTrip implements [http.RoundTripper].
func (a authorizer) RoundTrip(req *http.Request) (*http.Response, error) {
	token, ok := req.Context().Value(tokenKey{}).(Token)
	if !ok || !sameOrigin(a.origin, req.URL) {
		return nil, errors.Join(errForeignOrigin, closeBody(req))
	}
	authorized := req.Clone(req.Context())
	authorized.GetBody = nil // Clone keeps it; without it the transport cannot send the body again
	authorized.Header.Set("Authorization", "Bearer "+token.AccessToken.Reveal())
	resp, err := a.next.RoundTrip(authorized)
	if err != nil {
		return nil, fmt.Errorf("send: %w", err)
	}
	return resp, nil
}

// CloseIdleConnections lets [http.Client] close the idle connections of the wrapped transport.
func (a authorizer) CloseIdleConnections() {
	if closer, can := a.next.(interface{ CloseIdleConnections() }); can {
		closer.CloseIdleConnections()
	}
}

// closeBody closes the body of a request that is not sent, as the RoundTripper contract requires.
func closeBody(req *http.Request) error {
	if req.Body == nil {
		return nil
	}
	if err := req.Body.Close(); err != nil {
		return fmt.Errorf("close body: %w", err)
	}
	return nil
}
