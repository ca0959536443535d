package carrier

import (
	"bytes"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

var errTooOld = errors.New("the decision is too old")

// A POST whose last check fails is given up with its connection in hand, and not a byte of it is
// written.
func TestALastCheckThatFailsWritesNothing(t *testing.T) {
	for _, op := range []Operation{OrderCreate, PlanChange, Reclaim, CancellationAbort, AppointmentCancel} {
		connected, received := make(chan struct{}), make(chan []byte, 1)
		address := listen(t, func(conn net.Conn) {
			close(connected)
			var sent bytes.Buffer
			either(io.Copy(&sent, io.LimitReader(conn, maxBodyBytes))) // a reset connection has brought nothing either
			received <- sent.Bytes()
		})
		ctx := WithLastCheck(t.Context(), func() error { <-connected; return errTooOld })
		receipt := testClient(t, "http://"+address).Submit(ctx, op, 8, planChange.Body())
		shown := receipt.Err != nil && strings.Contains(receipt.Err.Error(), errTooOld.Error())
		if receipt.Delivery != NotSent || !errors.Is(receipt.Err, errTooOld) || !shown {
			t.Errorf("%s: %s, %v; want NotSent because of the check", op, receipt.Delivery, receipt.Err)
		}
		if sent := <-received; len(sent) > 0 {
			t.Errorf("%s: the carrier received %q", op, sent)
		}
	}
}

// The same for a connection with TLS, on which the handshake has been written by then.
func TestALastCheckThatFailsSendsNothingOverTLS(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	client := testClient(t, server.URL, func(c *Config) { c.RootCAs = roots })
	receipt := client.Submit(WithLastCheck(t.Context(), func() error { return errTooOld }), Reclaim, 8, planChange.Body())
	if receipt.Delivery != NotSent || requests.Load() != 0 {
		t.Errorf("%s (%v) after %d requests; want NotSent after none", receipt.Delivery, receipt.Err, requests.Load())
	}
}

// A check that passes changes nothing, and is made once.
func TestALastCheckThatPasses(t *testing.T) {
	checks := 0
	carrier := serve(t, respond(201, "", "Location", requests+"5"))
	ctx := WithLastCheck(t.Context(), func() error { checks++; return nil })
	receipt := testClient(t, carrier.URL).Submit(ctx, PlanChange, 8, planChange.Body())
	if receipt.Delivery != Accepted || checks != 1 {
		t.Errorf("%s (%v) after %d checks; want Accepted after one", receipt.Delivery, receipt.Err, checks)
	}
}
