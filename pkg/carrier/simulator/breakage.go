package simulator

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strconv"
)

// send writes the answer, or breaks it as the fault says.
func (f Fault) send(w http.ResponseWriter, answer reply, how manner) {
	switch f.Kind {
	case FaultReset:
		reset(w)
	case FaultHang:
		how.wait()
		reset(w)
	case FaultCutBody:
		answer.cut(w, how)
	case FaultTrickle:
		answer.trickle(w, how)
	case FaultBomb:
		answer.bomb(w, how)
	case FaultNone, FaultStatus, FaultPage, FaultBody, FaultRedirect, FaultNoLocation, FaultLocation,
		FaultEndInError, FaultStall:
		answer.write(w, how)
	}
}

// patience returns a function that waits until nobody waits for an answer any more: the client
// has left or the simulator is closed.
func (s *Simulator) patience(caller context.Context) func() {
	return func() {
		select {
		case <-caller.Done():
		case <-s.released:
		}
	}
}

// reset ends the connection without an answer: with an RST where there is TCP to do it with.
func reset(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2: the server resets the stream
	}
	if secured, isTLS := connection.(*tls.Conn); isTLS {
		connection = secured.NetConn()
	}
	if tcp, isTCP := connection.(*net.TCPConn); isTCP {
		_ = tcp.SetLinger(0) //nolint:errcheck // without it the peer sees an EOF, which is as cut as a reset
	}
	_ = connection.Close() //nolint:errcheck // nothing can be done about a connection that is to be broken
}

// cut sends the head and half of the answer.
func (a reply) cut(w http.ResponseWriter, how manner) {
	const missing = 512
	content := a.encode(how)
	a.writeHead(w, how)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)+missing))
	w.WriteHeader(a.status)
	_, _ = w.Write(content[:len(content)/2])  //nolint:errcheck // the answer is to be broken
	_ = http.NewResponseController(w).Flush() //nolint:errcheck // as above
	panic(http.ErrAbortHandler)
}
