package carrier

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/transport"
)

// TestNamesThatResolveToThisMachine (16): the check is made after the name was resolved, for the
// carrier and the identity provider alike, and no connection is made.
func TestNamesThatResolveToThisMachine(t *testing.T) {
	var connections atomic.Int64
	address := listen(t, func(net.Conn) { connections.Add(1) })
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	base := "https://localhost:" + port
	client := testClient(t, base, secure)
	receipt := client.Submit(t.Context(), Health, 8, healthBody)
	if refused, ok := errors.AsType[*AddressError](receipt.Err); receipt.Delivery != NotSent || !ok || !refused.Insecure {
		t.Errorf("%s, %v; want NotSent because of the address", receipt.Delivery, receipt.Err)
	}
	a := newTokenSetup(t, func(c *TokenConfig) { c.TokenURL, c.AllowInsecure = base+"/realms/r"+protocolPart, false })
	a.mustFail(t, TokenUnreachable)
	if got := connections.Load(); got != 0 {
		t.Errorf("%d connections were made", got)
	}
}

// TestProxiesOfTheEnvironmentAreIgnored (20): neither the client's transports nor that of the token
// source have a proxy; calls reach their real destination.
func TestProxiesOfTheEnvironmentAreIgnored(t *testing.T) {
	var proxied atomic.Int64
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { proxied.Add(1) })
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	t.Setenv("NO_PROXY", "")
	transports := transport.Config{}
	if transports.KeepAlive().Proxy != nil || transports.Fresh().Proxy != nil {
		t.Error("a transport has a proxy")
	}
	// Proxy detection does not treat this address as loopback, but it leads to this machine.
	carrier := serve(t, respond(http.StatusAccepted, ""))
	address := strings.Replace(carrier.URL, "127.0.0.1", "0.0.0.0", 1)
	outcome, err := testClient(t, address).Poll(t.Context(), handle)
	if err != nil || outcome.State != Pending || proxied.Load() != 0 {
		t.Errorf("%s, %v; %d calls were sent to the proxy", outcome.State, err, proxied.Load())
	}
}
