// Package transport makes the HTTP transports of the client. They use no proxy, give up early, and
// refuse to connect to addresses that no carrier has.
package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// HeadersTimeout is the maximum time between a request and the headers of its response.
const HeadersTimeout = 30 * time.Second

const (
	connectTimeout   = 5 * time.Second
	handshakeTimeout = 5 * time.Second
	idleTimeout      = 60 * time.Second
	maxHeaderBytes   = 64 << 10
	maxIdleConns     = 32
)

// An HTTP/2 connection that received nothing for pingAfter is pinged, and closed if it receives
// nothing for pingTimeout more. All calls share it: if a network drops it silently, the operating
// system gives up only after about 15 minutes. Both limits together are less than HeadersTimeout,
// so at most the calls in progress fail, and later calls use a new connection.
const (
	pingAfter   = 15 * time.Second
	pingTimeout = 10 * time.Second
)

// Config states how transports may connect.
type Config struct {
	RootCAs       *x509.CertPool // nil: the system's roots
	AllowInsecure bool           // allow addresses of this machine, its local link and metadata services
	MinTimeout    time.Duration  // replaces shorter time limits of connecting and of waiting for headers

	Forbidden func(address string) error // returns the error for such an address; required unless AllowInsecure is set
}

// KeepAlive returns a transport that reuses connections and uses HTTP/2 if the server supports it.
func (c Config) KeepAlive() *http.Transport {
	transport := c.transport()
	transport.Protocols.SetHTTP2(true)
	transport.ForceAttemptHTTP2 = true
	transport.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout}
	return transport
}

// Fresh returns an HTTP/1.1 transport that opens a new connection for every request. Go's transport
// resends a POST by itself if a reused connection turns out to be closed or an HTTP/2 stream is
// reset. Neither can happen here.
func (c Config) Fresh() *http.Transport {
	transport := c.transport()
	transport.DisableKeepAlives = true
	return transport
}

func (c Config) transport() *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	dialer := &net.Dialer{Timeout: max(connectTimeout, c.MinTimeout), Control: c.checkDialed}
	return &http.Transport{
		Proxy: nil, // a proxy from the environment would see our calls and could decide where they go
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, absolute(address))
		},
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.RootCAs},
		TLSHandshakeTimeout:    max(handshakeTimeout, c.MinTimeout),
		ResponseHeaderTimeout:  max(HeadersTimeout, c.MinTimeout),
		IdleConnTimeout:        idleTimeout,
		MaxIdleConnsPerHost:    maxIdleConns,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableCompression:     true, // prevents decompression bombs
		Protocols:              protocols,
	}
}

// absolute returns an address whose host name is not completed from the search list of the machine.
// In a pod, api.carrier.dev would first be looked up as api.carrier.dev.svc.cluster.local, so that
// anyone who owns the namespace dev could answer for the carrier.
func absolute(address string) string {
	host, port, err := net.SplitHostPort(address)
	_, notIP := netip.ParseAddr(host)
	if err != nil || notIP == nil || !strings.Contains(host, ".") || strings.HasSuffix(host, ".") {
		return address
	}
	return net.JoinHostPort(host+".", port)
}

// checkDialed checks the address that is dialed, after name resolution, because a public name may
// resolve to this machine or to a metadata service, which are not carriers.
func (c Config) checkDialed(_, address string, _ syscall.RawConn) error {
	if c.AllowInsecure {
		return nil
	}
	dialed, err := netip.ParseAddrPort(address)
	if err != nil || isForbidden(dialed.Addr()) {
		return c.Forbidden(address)
	}
	return nil
}
