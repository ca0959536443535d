// SPDX-License-Identifier: Apache-2.0

package receiver

import (
	"net"
	"sync"
)

// The most connections that are open at a time. A sender needs one, for less than a second; behind a
// load balancer all of them may have one address. A connection that has not sent its header holds
// about 40 kB.
const (
	mostOpen     = 512
	mostOfSource = 128
)

// limitedListener closes the connections that exceed the limits as soon as it has accepted them, so
// that those who only connect can neither fill the memory of the process nor keep others waiting.
type limitedListener struct {
	net.Listener

	mu   sync.Mutex
	open map[string]int // by the address of the source, without port
	all  int
}

func limited(listener net.Listener) *limitedListener {
	return &limitedListener{Listener: listener, open: map[string]int{}}
}

// Accept returns the next connection within the limits.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err //nolint:wrapcheck // http.Server compares it
		}
		source := sourceOf(conn)
		if l.admit(source) {
			return &limitedConn{Conn: conn, release: sync.OnceFunc(func() { l.release(source) })}, nil
		}
		_ = conn.Close() //nolint:errcheck // nothing was sent
	}
}

func (l *limitedListener) admit(source string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= mostOpen || l.open[source] >= mostOfSource {
		return false
	}
	l.all++
	l.open[source]++
	return true
}

func (l *limitedListener) release(source string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	l.open[source]--
	if l.open[source] == 0 {
		delete(l.open, source)
	}
}

// sourceOf returns the address of a connection's source, without port.
func sourceOf(conn net.Conn) string {
	host, _, err := net.SplitHostPort(conn.RemoteAddr().String())
	if err != nil {
		return conn.RemoteAddr().String()
	}
	return host
}

// limitedConn is counted until it is closed.
type limitedConn struct {
	net.Conn

	release func()
}

// Close closes the connection.
func (c *limitedConn) Close() error {
	c.release()
	return c.Conn.Close() //nolint:wrapcheck // this type only counts
}
