// SPDX-License-Identifier: Apache-2.0

package receiver

import (
	"errors"
	"fmt"
	"net"
	"testing"
)

// pretended is a connection from an address.
type pretended struct {
	net.Conn

	source string
	closed *int
}

func (c pretended) RemoteAddr() net.Addr { return address(c.source) }
func (c pretended) Close() error         { *c.closed++; return nil }

type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }

// arriving returns connections in turn, and then [net.ErrClosed].
type arriving struct {
	net.Listener

	conns []net.Conn
}

func (a *arriving) Accept() (net.Conn, error) {
	if len(a.conns) == 0 {
		return nil, net.ErrClosed
	}
	next := a.conns[0]
	a.conns = a.conns[1:]
	return next, nil
}

// accepted accepts all that arrive, and returns those within the limits.
func accepted(listener *limitedListener) (open []net.Conn) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return open
		}
		open = append(open, conn)
	}
}

// closeTwice closes connections as a server may do.
func closeTwice(t *testing.T, conns []net.Conn) {
	t.Helper()
	for _, conn := range conns {
		if err := errors.Join(conn.Close(), conn.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestConnectionsBeyondTheLimitsAreClosedAtOnce(t *testing.T) {
	t.Parallel()
	closed := 0
	from := func(source string, many int) (conns []net.Conn) {
		for port := range many {
			conns = append(conns, pretended{source: fmt.Sprintf("%s:%d", source, port+1024), closed: &closed})
		}
		return conns
	}
	sockets := &arriving{conns: from("10.0.0.1", mostOfSource+50)}
	listener := limited(sockets)
	one := accepted(listener)
	if len(one) != mostOfSource || closed != 50 {
		t.Fatalf("%d from one source are open, and %d were closed", len(one), closed)
	}
	for source := range 20_000 {
		sockets.conns = append(sockets.conns, from(fmt.Sprintf("10.%d.%d.1", 1+source/250, source%250), 1)...)
	}
	if others := accepted(listener); len(one)+len(others) != mostOpen {
		t.Errorf("%d are open", len(one)+len(others))
	}
	closeTwice(t, one)
	sockets.conns = from("10.0.0.1", mostOfSource+1)
	if again := accepted(listener); len(again) != mostOfSource {
		t.Errorf("%d are open after the first ones were closed", len(again))
	}
}
