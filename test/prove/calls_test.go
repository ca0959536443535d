// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing/iotest"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// RoundTrip sends a call to the in-process carrier or identity provider.
func (p *port) RoundTrip(request *http.Request) (response *http.Response, err error) {
	op := opOf(request)
	if op == Token {
		defer func() { // the callers do not recover the panic that ends a process
			if recover() != nil {
				response, err = nil, errProcessEnded
			}
		}()
	}
	body, err := bodyOf(request)
	if err != nil {
		return nil, err
	}
	var connected connection
	err = p.effect(op, request.Method+" "+request.URL.Path, func() error {
		if failure := connected.connect(request); failure != nil {
			return failure
		}
		p.noteCall(op, request.URL.Path, body)
		response, err = p.call(request, op, body) //nolint:bodyclose // the caller closes it: this is a transport
		if p.doubles {
			response, err = p.call(request, op, body) //nolint:bodyclose // as above
		}
		return err
	})
	if !errors.Is(err, errConnectionRefused) {
		err = errors.Join(connected.connect(request), err)
	}
	return deliver(request, response, err)
}

// opOf returns what a call is.
func opOf(request *http.Request) Op {
	switch {
	case strings.HasSuffix(request.URL.Path, "/token"):
		return Token
	case request.Method == http.MethodPost:
		return Post
	}
	return Poll
}

// noteCall notes a call that is about to be made.
func (p *port) noteCall(op Op, path string, body []byte) {
	switch op {
	case Post:
		p.env.posting(p, path, body)
	case Poll:
		p.pollPath(path)
	case Write, Read, Key, Token, CacheRead:
	}
}

// connection is the connection of one call. A client that closes it before anything is written to it
// sends nothing.
type connection struct {
	net.Conn

	made, closed bool
}

// Close notes that the client has closed the connection.
func (c *connection) Close() error {
	c.closed = true
	return nil
}

// connect reports to the client that a connection was made. From then on bytes may have been sent.
// It returns an error if the client has closed the connection by then.
func (c *connection) connect(request *http.Request) error {
	if trace := httptrace.ContextClientTrace(request.Context()); !c.made && trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{Conn: c})
	}
	c.made = true
	if c.closed {
		return net.ErrClosed
	}
	return nil
}

// pollPath notes a poll of a request, and reports polls that are too soon.
func (p *port) pollPath(path string) {
	least := pollPause(path)
	if last, before := p.lastPoll[path]; before && now().Sub(last) < least {
		p.env.reportEarlyPoll(fmt.Sprintf("GET %s follows itself after %s", path, now().Sub(last)))
	}
	if p.lastPoll == nil {
		p.lastPoll = map[string]time.Time{}
	}
	p.lastPoll[path] = now()
}

// pollPause returns the shortest time between two polls of a request: 5 s for the quote of a fibre
// build (spec §8), and the account's setting for all others. Calls that poll no request have no
// limit.
func pollPause(path string) time.Duration {
	const fibre, others = 5 * time.Second, 2 * time.Second
	for contract := range carrier.Contracts() {
		switch {
		case !contract.Polled, !strings.HasPrefix(path, contract.SubmitPath+"/"):
		case contract.Operation == carrier.FibreBuildCharge:
			return fibre
		default:
			return others
		}
	}
	return 0
}

// deliver returns a response as the process receives it.
func deliver(request *http.Request, response *http.Response, err error) (*http.Response, error) {
	if instead, is := errors.AsType[statusError](err); is && !errors.Is(err, net.ErrClosed) {
		return &http.Response{
			StatusCode: instead.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(instead.body)),
			Request: request, ProtoMajor: 1, ProtoMinor: 1,
		}, nil
	}
	if err != nil {
		return nil, err
	}
	return response, nil
}

// maxBody is larger, in bytes, than any body that either side of a call sends.
const maxBody = 1 << 20

func bodyOf(request *http.Request) ([]byte, error) {
	if request.Body == nil {
		return nil, nil
	}
	var body bytes.Buffer
	if _, err := body.ReadFrom(io.LimitReader(request.Body, maxBody)); err != nil {
		return nil, fmt.Errorf("read what is sent: %w", err)
	}
	return body.Bytes(), nil
}

// call makes the carrier respond. The production transport that authorizes a call is behind
// the seam, so the newest token granted to the process is added here.
func (p *port) call(request *http.Request, op Op, body []byte) (*http.Response, error) {
	received := request.Clone(request.Context())
	received.Body = io.NopCloser(bytes.NewReader(body))
	received.RequestURI = request.URL.RequestURI()
	received.Host = request.URL.Host
	if op != Token {
		received.Header.Set("Authorization", "Bearer "+p.token)
	}
	recorder := httptest.NewRecorder()
	whole := serve(p.carrier, recorder, received)
	if !whole && !recorder.Flushed {
		return nil, errResponseLost
	}
	if op == Token {
		p.granted(recorder.Body.Bytes())
	}
	response := recorder.Result()
	response.Request = request
	if !whole {
		response.Body = io.NopCloser(io.MultiReader(response.Body, iotest.ErrReader(io.ErrUnexpectedEOF)))
	}
	return response, nil
}

// serve handles a call, and reports whether the connection survived to the end of the response.
func serve(by http.Handler, recorder http.ResponseWriter, received *http.Request) (whole bool) {
	defer func() {
		if cause := recover(); cause != nil && cause != http.ErrAbortHandler { //nolint:errorlint // it is thrown, not wrapped
			panic(cause)
		}
	}()
	by.ServeHTTP(recorder, received)
	return true
}

// granted remembers the token of an exchange.
func (p *port) granted(response []byte) {
	var grant struct {
		AccessToken string `json:"access_token"`
	}
	if json.Unmarshal(response, &grant) == nil {
		p.token = grant.AccessToken
	}
}
