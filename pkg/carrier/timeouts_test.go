package carrier

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/transport"
)

// The tests of this file run in synctest bubbles, in which time advances as soon as everything
// waits. A slow server therefore takes no real time, and the bounds are those of production.

// slowServer handles a connection slowly, after its request was read.
type slowServer func(context.Context, net.Conn)

// writeSlowly writes one byte a second until the peer is gone.
func writeSlowly(ctx context.Context, conn net.Conn, response string) {
	for _, c := range []byte(response) {
		second, cancel := context.WithTimeout(ctx, time.Second)
		<-second.Done()
		cancel()
		if _, err := conn.Write([]byte{c}); err != nil {
			return
		}
	}
}

// slowCase is a server, how long it may delay a call, and the expected delivery of a POST.
type slowCase struct {
	server slowServer
	bound  time.Duration
	want   Delivery
}

// slowServers are the servers of security case 32.
func slowServers() map[string]slowCase {
	const accepted = "HTTP/1.1 201 Created\r\nLocation: " + requests + "5\r\n"
	flood := strings.Repeat("X-Pad: "+strings.Repeat("x", 100)+"\r\n", 1000)
	body := strings.Repeat("x", 10_000)
	return map[string]slowCase{
		"no response": {func(_ context.Context, conn net.Conn) {
			either(conn.Read(make([]byte, 1)))
		}, transport.HeadersTimeout, Ambiguous},
		"headers byte by byte": {func(ctx context.Context, conn net.Conn) {
			writeSlowly(ctx, conn, "HTTP/1.1 201 Created\r\n"+flood)
		}, transport.HeadersTimeout, Ambiguous},
		"endless early hints": {func(ctx context.Context, conn net.Conn) {
			writeSlowly(ctx, conn, strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 1000))
		}, LongestCall, Ambiguous},
		"a body byte by byte": {func(ctx context.Context, conn net.Conn) {
			printTo(conn, "HTTP/1.1 500 Oops\r\nContent-Length: 10000\r\n\r\n")
			writeSlowly(ctx, conn, body)
		}, LongestCall, Ambiguous},
		"a handle, and then a body byte by byte": {func(ctx context.Context, conn net.Conn) {
			printTo(conn, accepted+"Content-Length: 10000\r\n\r\n")
			writeSlowly(ctx, conn, body)
		}, LongestCall, Accepted},
	}
}

// TestSlowResponsesTimeOut (32): the deadline is the client's, whatever the server does, and what
// was known by then is kept.
func TestSlowResponsesTimeOut(t *testing.T) {
	for name, test := range slowServers() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := clientOverPipes(t, test.server)
				deadline, cancel := context.WithTimeout(t.Context(), test.bound+time.Second)
				defer cancel()
				receipt := client.Submit(t.Context(), PlanChange, 8, planChange.Body())
				if receipt.Delivery != test.want || deadline.Err() != nil {
					t.Errorf("%s (%v), %v; want %s within %s", receipt.Delivery, receipt.Err, deadline.Err(), test.want, test.bound)
				}
			})
		})
	}
}

// TestMinTimeoutReplacesShorterTimeLimits: the response comes after all time limits of production.
func TestMinTimeoutReplacesShorterTimeLimits(t *testing.T) {
	const late = 2 * (transport.HeadersTimeout + LongestCall)
	for name, test := range map[string]struct {
		minTimeout time.Duration
		want       Delivery
	}{
		"none":      {0, Ambiguous},
		"too short": {late - time.Second, Ambiguous},
		"longer":    {late + time.Second, Accepted},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := clientWithMinTimeout(t, test.minTimeout, func(ctx context.Context, conn net.Conn) {
					passed, cancel := context.WithTimeout(ctx, late)
					defer cancel()
					<-passed.Done()
					printTo(conn, "HTTP/1.1 201 Created\r\nLocation: "+requests+"5\r\nContent-Length: 0\r\n\r\n")
				})
				if receipt := client.Submit(t.Context(), PlanChange, 8, planChange.Body()); receipt.Delivery != test.want {
					t.Errorf("%s (%v), want %s", receipt.Delivery, receipt.Err, test.want)
				}
			})
		})
	}
}

// TestPollOfASlowBodyTimesOut: half a resource is not a success.
func TestPollOfASlowBodyTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := clientOverPipes(t, func(ctx context.Context, conn net.Conn) {
			printTo(conn, "HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n")
			writeSlowly(ctx, conn, `{"id":77}`+strings.Repeat(" ", 10_000))
		})
		outcome, err := client.Poll(t.Context(), handle)
		if outcome.State != "" || ClassOf(err) != Unreachable {
			t.Errorf("%+v, %v; want Unreachable", outcome, err)
		}
	})
}

// TestDeadHTTP2ConnectionIsReplaced: the second call is not made on the connection on which the first
// received nothing. A server whose packets are lost looks like one that says nothing after its
// settings.
func TestDeadHTTP2ConnectionIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := transport.Config{AllowInsecure: true}.KeepAlive()
		network.Protocols.SetHTTP1(false)
		network.Protocols.SetUnencryptedHTTP2(true)
		t.Cleanup(network.CloseIdleConnections)
		var connections int
		dial := pipes(t, func(ctx context.Context, conn net.Conn) {
			either(conn.Write(h2Frame(h2Settings, 0, nil)))
			<-ctx.Done()
		})
		network.DialContext = func(ctx context.Context, kind, address string) (net.Conn, error) {
			connections++
			return dial(ctx, kind, address)
		}
		client := testClient(t, "http://carrier.example")
		client.keepAlive = httpClient(authorizer{origin: client.origin, next: network}, nil)
		for range 2 {
			if _, err := client.Poll(t.Context(), handle); ClassOf(err) != Unreachable {
				t.Errorf("Poll: %v, want Unreachable", err)
			}
		}
		if connections != 2 {
			t.Errorf("%d connections, want 2", connections)
		}
	})
}

// TestSlowTokenResponsesTimeOut: the time limit of an identity provider is shorter than that of a
// carrier, and as strict.
func TestSlowTokenResponsesTimeOut(t *testing.T) {
	for name, test := range slowServers() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := transport.Config{AllowInsecure: true}.KeepAlive()
				network.DialContext = pipes(t, test.server)
				e := newExchanger(TokenConfig{TokenURL: "http://id.example/realms/r" + protocolPart, Now: newClock().Now}, "")
				e.transport.next = network
				t.Cleanup(network.CloseIdleConnections)
				deadline, cancel := context.WithTimeout(t.Context(), exchangeTimeout+time.Second)
				defer cancel()
				_, err := e.post(t.Context(), "assertion", newClock().Now())
				if failure, ok := errors.AsType[*TokenError](err); !ok || failure.Reason != TokenUnreachable {
					t.Errorf("%v, want Unreachable", err)
				}
				if deadline.Err() != nil {
					t.Errorf("it took longer than %s", exchangeTimeout)
				}
			})
		})
	}
}

// clientOverPipes returns a client whose connections are pipes to a server, because real
// connections would stop the time of the bubble. All its bounds are those of production.
func clientOverPipes(t *testing.T, server slowServer) *Client {
	t.Helper()
	return clientWithMinTimeout(t, 0, server)
}

func clientWithMinTimeout(t *testing.T, minTimeout time.Duration, server slowServer) *Client {
	t.Helper()
	client := testClient(t, "http://carrier.example", func(c *Config) { c.MinTimeout = minTimeout })
	dial := pipes(t, server)
	transports := transport.Config{AllowInsecure: true, MinTimeout: minTimeout}
	clients := map[**http.Client]*http.Transport{
		&client.keepAlive: transports.KeepAlive(), &client.fresh: transports.Fresh(),
	}
	for into, network := range clients {
		network.DialContext = dial
		*into = httpClient(authorizer{origin: client.origin, next: network}, nil)
	}
	return client
}

// pipes connects to a server that serves each connection separately.
func pipes(t *testing.T, server slowServer) func(context.Context, string, string) (net.Conn, error) {
	t.Helper()
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait)
	serveOne := func(conn net.Conn) {
		defer func() { ignore(conn.Close()) }()
		readRequest(conn)
		serving.Go(func() { readUntilGone(conn) })
		server(t.Context(), conn)
	}
	return func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		serving.Go(func() { serveOne(theirs) })
		return ours, nil
	}
}

func readUntilGone(conn net.Conn) {
	for {
		if _, err := conn.Read(make([]byte, 4096)); err != nil {
			return
		}
	}
}
