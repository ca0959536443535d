package carrier

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// Go's transport resends a POST by itself in three cases. The tests of this file cause each of
// them, and expect only one POST.

var healthBody = HealthRequest{ServiceID: 1234567}.Body()

// TestOnePOSTWhenAReusedConnectionIsClosed: the connection was used before. The server reads the
// whole POST and then closes the connection without a response.
func TestOnePOSTWhenAReusedConnectionIsClosed(t *testing.T) {
	var posts, connections atomic.Int64
	address := listen(t, func(conn net.Conn) {
		connections.Add(1)
		reader := bufio.NewReader(conn)
		for {
			req, err := http.ReadRequest(reader)
			if err != nil {
				return
			}
			either(io.Copy(io.Discard, req.Body))
			if req.Method == http.MethodPost {
				posts.Add(1)
				return // the deferred close of the connection is the only response
			}
			printTo(conn, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
		}
	})
	client := testClient(t, "http://"+address)
	if _, err := client.Poll(t.Context(), Handle{Health, 8, "1"}); err != nil {
		t.Fatal(err)
	}
	receipt := client.Submit(t.Context(), Health, 8, healthBody)
	if receipt.Delivery != Ambiguous || posts.Load() != 1 || connections.Load() != 1 {
		t.Errorf("%s after %d POSTs on %d connections, want Ambiguous after 1 on 1",
			receipt.Delivery, posts.Load(), connections.Load())
	}
}

// listen serves each connection with handle, and closes it when handle returns.
func listen(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	acceptAll(t, listener, handle)
	return listener.Addr().String()
}

func acceptAll(t *testing.T, listener net.Listener, handle func(net.Conn)) {
	t.Helper()
	t.Cleanup(func() { ignore(listener.Close()) })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { ignore(conn.Close()) }()
				handle(conn)
			}()
		}
	}()
}

// TestOnePOSTWhenAStreamIsReset: an HTTP/2 server reads the whole POST and resets the stream, once
// with each code.
func TestOnePOSTWhenAStreamIsReset(t *testing.T) {
	for code := range uint32(14) {
		var posts atomic.Int64
		address, roots := listenHTTP2(t, func(conn net.Conn) { resetEveryStream(conn, code, &posts) })
		client := testClient(t, "https://"+address, func(c *Config) { c.RootCAs = roots })
		receipt := client.Submit(t.Context(), Health, 8, healthBody)
		if receipt.Delivery != Ambiguous || posts.Load() != 1 {
			t.Errorf("reset with code %d: %s after %d POSTs, want Ambiguous after 1", code, receipt.Delivery, posts.Load())
		}
	}
}

// TestOnePOSTOfAnOrderWhenTheServerResets (34): a server that supports HTTP/2 and HTTP/1.1 reads
// the whole order and resets the stream or connection. Orders are sent over HTTP/1.1, where only
// their own connection can be reset.
func TestOnePOSTOfAnOrderWhenTheServerResets(t *testing.T) {
	var posts atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		readAll(t, r.Body)
		posts.Add(1)
		panic(http.ErrAbortHandler) // RST_STREAM over HTTP/2, and the end of the connection over HTTP/1.1
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	client := testClient(t, server.URL, func(c *Config) { c.RootCAs = roots })
	receipt := client.Submit(t.Context(), OrderCreate, 8, healthBody)
	if receipt.Delivery != Ambiguous || posts.Load() != 1 {
		t.Errorf("%s after %d POSTs, want Ambiguous after 1", receipt.Delivery, posts.Load())
	}
}

// listenHTTP2 serves TLS connections that negotiate HTTP/2 and nothing else.
func listenHTTP2(t *testing.T, handle func(net.Conn)) (string, *x509.CertPool) {
	t.Helper()
	certified := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(certified.Close)
	roots := x509.NewCertPool()
	roots.AddCert(certified.Certificate())
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: certified.TLS.Certificates, NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12,
	})
	if err != nil {
		t.Fatal(err)
	}
	acceptAll(t, listener, handle)
	return listener.Addr().String(), roots
}

// The part of RFC 9113 that the server below needs.
const (
	h2Preface       = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	h2Data          = 0
	h2Headers       = 1
	h2Reset         = 3
	h2Settings      = 4
	h2EndStream     = 1
	h2FrameOverhead = 9
)

// resetEveryStream reads requests to their end and resets the stream of each.
func resetEveryStream(conn net.Conn, code uint32, requests *atomic.Int64) {
	either(io.ReadFull(conn, make([]byte, len(h2Preface))))
	either(conn.Write(h2Frame(h2Settings, 0, nil)))
	header := make([]byte, h2FrameOverhead)
	for {
		if _, err := io.ReadFull(conn, header); err != nil {
			return
		}
		length := int64(header[0])<<16 | int64(header[1])<<8 | int64(header[2])
		either(io.CopyN(io.Discard, conn, length))
		kind, flags := header[3], header[4]
		if kind == h2Headers {
			requests.Add(1)
		}
		if (kind == h2Data || kind == h2Headers) && flags&h2EndStream != 0 {
			reset := h2Frame(h2Reset, binary.BigEndian.Uint32(header[5:]), binary.BigEndian.AppendUint32(nil, code))
			either(conn.Write(reset))
		}
	}
}

func h2Frame(kind byte, stream uint32, payload []byte) []byte {
	frame := []byte{0, 0, 0, kind, 0} // the payloads here are shorter than 256 bytes
	for range payload {
		frame[2]++
	}
	frame = binary.BigEndian.AppendUint32(frame, stream)
	return append(frame, payload...)
}

// TestOnePOSTWhenRedirected: each redirect, on both transports; neither the POST nor the token goes
// anywhere else.
func TestOnePOSTWhenRedirected(t *testing.T) {
	var elsewhere atomic.Int64
	other := serve(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
	for _, op := range []Operation{Health, OrderCreate} { // a kept-alive connection, and one of its own
		for _, status := range []int{300, 301, 302, 303, 304, 307, 308} {
			var posts atomic.Int64
			carrier := serve(t, func(w http.ResponseWriter, r *http.Request) {
				posts.Add(1)
				w.Header().Set("Location", other.URL+r.URL.Path)
				w.WriteHeader(status)
			})
			receipt := testClient(t, carrier.URL).Submit(t.Context(), op, 8, healthBody)
			if receipt.Delivery != Ambiguous || posts.Load() != 1 {
				t.Errorf("%s, %d: %s after %d requests, want Ambiguous after 1", op, status, receipt.Delivery, posts.Load())
			}
		}
	}
	if got := elsewhere.Load(); got != 0 {
		t.Errorf("%d requests were sent to another host", got)
	}
}

// TestCostlyPOSTsHaveTheirOwnConnection: HTTP/1.1, no keep-alive, even if the server supports more.
func TestCostlyPOSTsHaveTheirOwnConnection(t *testing.T) {
	for contract := range Contracts() {
		var proto, connection atomic.Value
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			proto.Store(r.Proto)
			connection.Store(r.Header.Get("Connection"))
			w.WriteHeader(http.StatusTeapot)
		}))
		server.EnableHTTP2 = true
		server.StartTLS()
		roots := x509.NewCertPool()
		roots.AddCert(server.Certificate())
		client := testClient(t, server.URL, func(c *Config) { c.RootCAs = roots })
		client.Submit(t.Context(), contract.Operation, 8, healthBody)
		own := proto.Load() == "HTTP/1.1" && connection.Load() == "close"
		if costly := contract.Repeat == ClassNever || contract.Repeat == ClassCharge; own != costly {
			t.Errorf("%s: own connection %t, want %t", contract.Operation, own, costly)
		}
		server.Close()
	}
}
