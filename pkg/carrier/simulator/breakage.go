package simulator

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strconv"
)

// send writes the response, or breaks it as the fault requires.
func (f Fault) send(w http.ResponseWriter, resp response, opts writeOptions) {
	switch f.Kind {
	case FaultReset:
		resetConnection(w)
	case FaultHang:
		opts.wait()
		resetConnection(w)
	case FaultCutBody:
		resp.writeCut(w, opts)
	case FaultTrickle:
		resp.writeTrickle(w, opts)
	case FaultBomb:
		resp.writeBomb(w, opts)
	case FaultNone, FaultStatus, FaultPage, FaultBody, FaultRedirect, FaultNoLocation, FaultLocation,
		FaultEndInError, FaultStall:
		resp.write(w, opts)
	}
}

// waiter returns a function that waits until nobody is waiting for a response: the client has
// disconnected or the simulator is closed.
func (s *Simulator) waiter(caller context.Context) func() {
	return func() {
		select {
		case <-caller.Done():
		case <-s.released:
		}
	}
}

// resetConnection closes the connection without a response, with an RST if it is a TCP connection.
func resetConnection(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2: the server resets the stream
	}
	if secured, isTLS := connection.(*tls.Conn); isTLS {
		connection = secured.NetConn()
	}
	if tcp, isTCP := connection.(*net.TCPConn); isTCP {
		_ = tcp.SetLinger(0) //nolint:errcheck // without it the peer sees an EOF, which also breaks the response
	}
	_ = connection.Close() //nolint:errcheck // the connection is broken on purpose
}

// writeCut sends the headers and half of the body.
func (resp response) writeCut(w http.ResponseWriter, opts writeOptions) {
	const missing = 512
	content := resp.encode(opts)
	resp.writeHead(w, opts)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)+missing))
	w.WriteHeader(resp.status)
	_, _ = w.Write(content[:len(content)/2])  //nolint:errcheck // the response is broken on purpose
	_ = http.NewResponseController(w).Flush() //nolint:errcheck // as above
	panic(http.ErrAbortHandler)
}
