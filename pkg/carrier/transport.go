package carrier

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"syscall"
	"time"
)

// LongestCall is the maximum total duration of one call.
const LongestCall = callTimeout

// Bounds of one call.
const (
	connectTimeout   = 5 * time.Second
	handshakeTimeout = 5 * time.Second
	headersTimeout   = 30 * time.Second
	callTimeout      = 45 * time.Second
	idleTimeout      = 60 * time.Second
	maxHeaderBytes   = 64 << 10
	maxBodyBytes     = 1 << 20
	maxIdleConns     = 32
)

// network states how this package may connect.
type network struct {
	roots         *x509.CertPool // nil: the system's roots
	allowInsecure bool           // also allow loopback addresses
}

// keepAlive returns a transport that reuses connections and uses HTTP/2 if the server supports it.
func (n network) keepAlive() *http.Transport {
	transport := n.transport()
	transport.Protocols.SetHTTP2(true)
	transport.ForceAttemptHTTP2 = true
	return transport
}

// fresh returns an HTTP/1.1 transport that opens a new connection for every request. Go's transport
// resends a POST by itself if a reused connection turns out to be closed or an HTTP/2 stream is
// reset. Neither can happen here.
func (n network) fresh() *http.Transport {
	transport := n.transport()
	transport.DisableKeepAlives = true
	return transport
}

func (n network) transport() *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	dialer := &net.Dialer{Timeout: connectTimeout, Control: n.checkDialed}
	return &http.Transport{
		Proxy:                  nil, // a proxy from the environment would see our calls and could decide where they go
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: n.roots},
		TLSHandshakeTimeout:    handshakeTimeout,
		ResponseHeaderTimeout:  headersTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConnsPerHost:    maxIdleConns,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableCompression:     true, // prevents decompression bombs
		Protocols:              protocols,
	}
}

const forbiddenAddress = "the host's address is loopback, link-local, of a metadata service or no host's"

// checkDialed checks the address that is dialed, after name resolution: a public name that resolves
// to this machine or to a metadata service is not a carrier.
func (n network) checkDialed(_, address string, _ syscall.RawConn) error {
	if n.allowInsecure {
		return nil
	}
	dialed, err := netip.ParseAddrPort(address)
	if err != nil || isForbidden(dialed.Addr()) {
		return &AddressError{Address: excerpt(address), Defect: forbiddenAddress, Insecure: true}
	}
	return nil
}

// isForbidden returns true for addresses of this machine, of its local link, and of cloud metadata
// services, most of which are link-local. Private addresses are allowed: a carrier may be reached
// over a private line.
func isForbidden(addr netip.Addr) bool {
	ip := addr.Unmap().WithZone("")
	if ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast() {
		return true
	}
	switch ip.String() {
	case "fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16", "255.255.255.255":
		return true
	}
	if ip.Is4() {
		return ip.As4()[0] == 0 // "this network"
	}
	return embedsForbidden(ip)
}

// embedsForbidden returns true for IPv6 addresses that lead to a forbidden IPv4 address through a
// translating gateway or a tunnel.
func embedsForbidden(ip netip.Addr) bool {
	bytes := ip.As16()
	return slices.ContainsFunc(embeddings(), func(e embedding) bool {
		return e.in.Contains(ip) && isForbidden(netip.AddrFrom4(e.ipv4(bytes)))
	})
}

// embedding states where the IPv6 addresses of a network contain an IPv4 address.
type embedding struct {
	in     netip.Prefix
	at     int  // offset of its first byte
	hidden byte // each of its bytes is XORed with this
}

func (e embedding) ipv4(bytes [16]byte) (address [4]byte) {
	for i := range address {
		address[i] = bytes[e.at+i] ^ e.hidden
	}
	return address
}

func embeddings() []embedding {
	const atEnd = 12
	return []embedding{
		{in: netip.MustParsePrefix("::/96"), at: atEnd},                   // IPv4-compatible (RFC 4291)
		{in: netip.MustParsePrefix("64:ff9b::/96"), at: atEnd},            // NAT64 (RFC 6052)
		{in: netip.MustParsePrefix("64:ff9b:1::/48"), at: atEnd},          // site-local NAT64 (RFC 8215)
		{in: netip.MustParsePrefix("2002::/16"), at: 2},                   // 6to4 (RFC 3056)
		{in: netip.MustParsePrefix("2001::/32"), at: 4},                   // Teredo (RFC 4380): the server
		{in: netip.MustParsePrefix("2001::/32"), at: atEnd, hidden: 0xff}, // Teredo: the client
	}
}

// noRedirects makes an [http.Client] return a redirect instead of following it. A 307 or 308 would
// send the POST again, and every redirect would carry the token along.
func noRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// httpClient applies the caller's wrapper to a transport.
func httpClient(transport http.RoundTripper, wrap func(http.RoundTripper) http.RoundTripper) *http.Client {
	if wrap != nil {
		transport = wrap(transport)
	}
	return &http.Client{Transport: transport, CheckRedirect: noRedirects}
}

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
