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

// LongestCall is how long one call may take in all.
const LongestCall = wholeTimeout

// Bounds of one call.
const (
	connectTimeout   = 5 * time.Second
	handshakeTimeout = 5 * time.Second
	headersTimeout   = 30 * time.Second
	wholeTimeout     = 45 * time.Second
	idleTimeout      = 60 * time.Second
	maxHeaderBytes   = 64 << 10
	maxBodyBytes     = 1 << 20
	maxIdleConns     = 32
)

// network is where and how this package may connect.
type network struct {
	roots         *x509.CertPool // nil: those of the system
	allowInsecure bool           // loopback addresses too
}

// keptAlive returns a transport that uses connections again, and HTTP/2 where the server speaks it.
func (n network) keptAlive() *http.Transport {
	transport := n.transport()
	transport.Protocols.SetHTTP2(true)
	transport.ForceAttemptHTTP2 = true
	return transport
}

// fresh returns a transport that speaks HTTP/1.1 and gives every request a connection of its own.
// Go's transport sends a POST a second time by itself when a used connection turns out to be
// closed, and when an HTTP/2 stream is reset; here neither can happen.
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
		Proxy:                  nil, // a proxy in the environment would see where we call, and could decide it
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: n.roots},
		TLSHandshakeTimeout:    handshakeTimeout,
		ResponseHeaderTimeout:  headersTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConnsPerHost:    maxIdleConns,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableCompression:     true, // what is not unpacked cannot be a bomb
		Protocols:              protocols,
	}
}

const forbiddenAddress = "the host's address is loopback, link-local, of a metadata service or no host's"

// checkDialed looks at the address that is really dialed, after the name was resolved: a public
// name that resolves to this machine or to a metadata service is not a carrier.
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

// isForbidden holds for addresses of this machine, of its own link, and of the metadata services of
// clouds, most of which are link-local. Private addresses are allowed: a carrier may well be reached
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
	return translated(ip)
}

// translated holds for IPv6 addresses that lead to a forbidden IPv4 address: those that a gateway
// translates, and those of tunnels.
func translated(ip netip.Addr) bool {
	bytes := ip.As16()
	return slices.ContainsFunc(embeddings(), func(e embedding) bool {
		return e.in.Contains(ip) && isForbidden(netip.AddrFrom4(e.ipv4(bytes)))
	})
}

// embedding is where the IPv6 addresses of a network have an IPv4 address.
type embedding struct {
	in     netip.Prefix
	at     int  // the byte at which it begins
	hidden byte // that each of its bytes was combined with
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
		{in: netip.MustParsePrefix("64:ff9b:1::/48"), at: atEnd},          // NAT64 of a site (RFC 8215)
		{in: netip.MustParsePrefix("2002::/16"), at: 2},                   // 6to4 (RFC 3056)
		{in: netip.MustParsePrefix("2001::/32"), at: 4},                   // Teredo (RFC 4380): its server
		{in: netip.MustParsePrefix("2001::/32"), at: atEnd, hidden: 0xff}, // and its client
	}
}

// stayHere makes an [http.Client] return a redirect instead of following it: 307 and 308 would send
// the POST again, and each of them would take the token along.
func stayHere(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// httpClient puts the caller's seam around a transport.
func httpClient(transport http.RoundTripper, wrap func(http.RoundTripper) http.RoundTripper) *http.Client {
	if wrap != nil {
		transport = wrap(transport)
	}
	return &http.Client{Transport: transport, CheckRedirect: stayHere}
}

// tokenKey is where the context of a call carries its token to the authorizer.
type tokenKey struct{}

func withToken(ctx context.Context, token Token) context.Context {
	return context.WithValue(ctx, tokenKey{}, token)
}

// authorizer is the innermost link: it puts the token on a request whose URL is at the carrier's
// origin, and stops every other. Whatever stands around it never sees the Authorization header.
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
	authorized.GetBody = nil // Clone keeps it; without it the transport cannot send the body a second time
	authorized.Header.Set("Authorization", "Bearer "+token.AccessToken.Reveal())
	resp, err := a.next.RoundTrip(authorized)
	if err != nil {
		return nil, fmt.Errorf("send: %w", err)
	}
	return resp, nil
}

// CloseIdleConnections is what [http.Client] asks its transport for.
func (a authorizer) CloseIdleConnections() {
	if closer, can := a.next.(interface{ CloseIdleConnections() }); can {
		closer.CloseIdleConnections()
	}
}

// closeBody does what a RoundTripper owes a request that it does not send.
func closeBody(req *http.Request) error {
	if req.Body == nil {
		return nil
	}
	if err := req.Body.Close(); err != nil {
		return fmt.Errorf("close body: %w", err)
	}
	return nil
}
