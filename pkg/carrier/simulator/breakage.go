package simulator

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strconv"
)

// send writes the response, or breaks it as the fault requires.
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

// patience returns a function that waits until nobody is waiting for a response: the client has
// disconnected or the simulator is closed.
func (s *Simulator) patience(caller context.Context) func() {
	return func() {
		select {
		case <-caller.Done():
		case <-s.released:
		}
	}
}

// reset closes the connection without a response, with an RST if it is a TCP connection.
func reset(w http.ResponseWriter) {
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

// cut sends the headers and half of the body.
func (a reply) cut(w http.ResponseWriter, how manner) {
	const missing = 512
	content := a.encode(how)
	a.writeHead(w, how)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)+missing))
	w.WriteHeader(a.status)
	_, _ = w.Write(content[:len(content)/2])  //nolint:errcheck // the response is broken on purpose
	_ = http.NewResponseController(w).Flush() //nolint:errcheck // as above
	panic(http.ErrAbortHandler)
}
