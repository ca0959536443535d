// SPDX-License-Identifier: Apache-2.0

package receiver_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// endless is a body that counts the bytes read from it.
type endless struct{ read int }

func (e *endless) Read(into []byte) (int, error) {
	e.read += len(into)
	return len(into), nil
}

// Case 82: a large body without a valid signature is not read.
func TestLargeBodyIsNotRead(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	body := &endless{}
	request := call(t, http.MethodPost, path(secret), io.LimitReader(body, 5<<20))
	request.ContentLength = 5 << 20
	answer := d.answer(request)
	connection := answer.Header().Get("Connection")
	if answer.Code != http.StatusRequestEntityTooLarge || body.read > 64<<10 || connection != "close" {
		t.Errorf("answered %d after %d bytes, Connection %q", answer.Code, body.read, connection)
	}
	inChunks := &endless{}
	chunked := chunked(call(t, http.MethodPost, path(secret), io.LimitReader(inChunks, 5<<20)))
	answer = d.answer(chunked)
	connection = answer.Header().Get("Connection")
	if answer.Code != http.StatusRequestEntityTooLarge || inChunks.read > 64<<10+1 || connection != "close" {
		t.Errorf("answered %d after %d bytes in chunks, Connection %q", answer.Code, inChunks.read, connection)
	}
	short := post(t, path(secret), planned)
	short.ContentLength++
	d.expect(t, short, http.StatusBadRequest, 0)
}

// chunked makes a request one in chunked transfer coding, which has no Content-Length.
func chunked(request *http.Request) *http.Request {
	request.ContentLength, request.TransferEncoding = -1, []string{"chunked"}
	return request
}

func TestNotificationInChunksIsRead(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	d.expect(t, chunked(d.signed(t, secret, "evt_1", planned)), http.StatusAccepted, 1)
	largest := planned + strings.Repeat(" ", 64<<10-len(planned))
	d.expect(t, chunked(d.signed(t, secret, "evt_2", largest)), http.StatusAccepted, 2)
	d.expect(t, chunked(d.signed(t, secret, "evt_3", largest+" ")), http.StatusRequestEntityTooLarge, 2)
}

// Case 86: the rate is limited.
func TestFloodIsLimited(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	counts := map[int]int{}
	for i := range 1000 {
		counts[d.answer(d.signed(t, secret, fmt.Sprintf("evt_%d", i), planned)).Code]++
		d.now = d.now.Add(time.Millisecond)
	}
	if counts[http.StatusAccepted] > 260 || counts[http.StatusAccepted]+counts[http.StatusTooManyRequests] != 1000 {
		t.Errorf("of 1000 notifications in a second: %v", counts)
	}
	t.Logf("of 1000 notifications in a second: %v", counts)
}

// A sender that knows the path but cannot sign does not use up the rate of one that can.
func TestUnauthenticatedSendersDoNotBlockTheCarrier(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	for range 800 {
		d.answer(post(t, path(secret), planned))
	}
	d.expect(t, d.signed(t, secret, "evt_1", planned), http.StatusAccepted, 1)
}

// Case 87: old protocols, and requests that two servers could read differently, are refused.
func TestOldHTTPIsRefused(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	request := d.signed(t, secret, "evt_1", planned)
	request.ProtoMajor, request.ProtoMinor, request.Proto = 1, 0, "HTTP/1.0"
	d.expect(t, request, http.StatusHTTPVersionNotSupported, 0)
}

// A load balancer that checks the port drops it, and with it all notifications, unless one fixed path
// answers.
func TestALoadBalancerCanCheckThePort(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	for method, status := range map[string]int{
		http.MethodGet: http.StatusOK, http.MethodHead: http.StatusOK,
		http.MethodPost: http.StatusNotFound, http.MethodPut: http.StatusMethodNotAllowed,
	} {
		d.expect(t, call(t, method, "/healthz", http.NoBody), status, 0)
	}
	if d.reads != 1 { // by the fixture
		t.Errorf("the check had the Secrets read %d times", d.reads)
	}
}

// Case 88: other methods and paths disclose nothing.
func TestProbingRevealsNothing(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete, http.MethodOptions, "TRACE"} {
		for _, at := range []string{path(secret), path(another), "/", "/healthz/", "/metrics"} {
			d.expect(t, call(t, method, at, http.NoBody), http.StatusMethodNotAllowed, 0)
		}
	}
	for _, at := range []string{
		path(another), "/", "/events/", "/events", path(secret) + "/", path(secret)[:20], "/EVENTS/" + path(secret)[8:],
		strings.ToUpper(path(secret)), "/events/../events/" + path(secret)[8:],
	} {
		d.expect(t, post(t, at, planned), http.StatusNotFound, 0)
	}
	if d.reads != 1 {
		t.Errorf("probing had the Secrets read %d times", d.reads)
	}
}
