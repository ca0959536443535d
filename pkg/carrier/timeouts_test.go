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
)

// The tests of this file run in bubbles, in which time passes at once when everything waits. A
// server that takes a year therefore takes no real time, and the bounds are those of production.

// slowServer is a server that answers slowly, after it has read the request.
type slowServer func(context.Context, net.Conn)

// drip writes one byte a second until the peer is gone.
func drip(ctx context.Context, conn net.Conn, reply string) {
	for _, c := range []byte(reply) {
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

// slowServers are those of security case 32.
func slowServers() map[string]slowCase {
	const accepted = "HTTP/1.1 201 Created\r\nLocation: " + requests + "5\r\n"
	flood := strings.Repeat("X-Pad: "+strings.Repeat("x", 100)+"\r\n", 1000)
	body := strings.Repeat("x", 10_000)
	return map[string]slowCase{
		"no answer": {func(_ context.Context, conn net.Conn) {
			either(conn.Read(make([]byte, 1)))
		}, headersTimeout, Ambiguous},
		"headers byte by byte": {func(ctx context.Context, conn net.Conn) {
			drip(ctx, conn, "HTTP/1.1 201 Created\r\n"+flood)
		}, headersTimeout, Ambiguous},
		"endless early hints": {func(ctx context.Context, conn net.Conn) {
			drip(ctx, conn, strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 1000))
		}, wholeTimeout, Ambiguous},
		"a body byte by byte": {func(ctx context.Context, conn net.Conn) {
			printTo(conn, "HTTP/1.1 500 Oops\r\nContent-Length: 10000\r\n\r\n")
			drip(ctx, conn, body)
		}, wholeTimeout, Ambiguous},
		"a handle, and then a body byte by byte": {func(ctx context.Context, conn net.Conn) {
			printTo(conn, accepted+"Content-Length: 10000\r\n\r\n")
			drip(ctx, conn, body)
		}, wholeTimeout, Accepted},
	}
}

// TestSlowAnswersEnd (32): the deadline is the client's, whatever the server does, and what was
// known by then is kept.
func TestSlowAnswersEnd(t *testing.T) {
	for name, test := range slowServers() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := inBubble(t, test.server)
				watch, cancel := context.WithTimeout(t.Context(), test.bound+time.Second)
				defer cancel()
				receipt := client.Submit(t.Context(), PlanChange, 8, planChange.Body(), true)
				if receipt.Delivery != test.want || watch.Err() != nil {
					t.Errorf("%s (%v), %v; want %s within %s", receipt.Delivery, receipt.Err, watch.Err(), test.want, test.bound)
				}
			})
		})
	}
}

// TestPollOfASlowBodyEnds: half a resource is not a success.
func TestPollOfASlowBodyEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := inBubble(t, func(ctx context.Context, conn net.Conn) {
			printTo(conn, "HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n")
			drip(ctx, conn, `{"id":77}`+strings.Repeat(" ", 10_000))
		})
		outcome, err := client.Poll(t.Context(), handle)
		if outcome.State != "" || ClassOf(err) != Unreadable {
			t.Errorf("%+v, %v; want Unreadable", outcome, err)
		}
	})
}

// TestSlowTokenAnswersEnd: an identity provider has less time than a carrier, and as few ways to
// exceed it.
func TestSlowTokenAnswersEnd(t *testing.T) {
	for name, test := range slowServers() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := network{allowInsecure: true}.keptAlive()
				transport.DialContext = pipes(t, test.server)
				g := newGranter(TokenConfig{TokenURL: "http://id.example/realms/r" + protocolPart, Now: newClock().Now})
				g.dates.next = transport
				t.Cleanup(transport.CloseIdleConnections)
				watch, cancel := context.WithTimeout(t.Context(), grantTimeout+time.Second)
				defer cancel()
				_, err := g.exchange(t.Context(), "assertion", newClock().Now())
				if failure, ok := errors.AsType[*TokenError](err); !ok || failure.Reason != TokenUnreachable {
					t.Errorf("%v, want Unreachable", err)
				}
				if watch.Err() != nil {
					t.Errorf("it took longer than %s", grantTimeout)
				}
			})
		})
	}
}

// inBubble returns a client whose connections are pipes to a server: real connections would stop
// the time of the bubble. All its bounds are those of production.
func inBubble(t *testing.T, server slowServer) *Client {
	t.Helper()
	client := testClient(t, "http://carrier.example")
	dial := pipes(t, server)
	way := network{allowInsecure: true}
	ways := map[**http.Client]*http.Transport{&client.kept: way.keptAlive(), &client.fresh: way.fresh()}
	for into, transport := range ways {
		transport.DialContext = dial
		*into = httpClient(authorizer{origin: client.origin, next: transport}, nil)
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
