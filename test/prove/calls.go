// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing/iotest"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// RoundTrip sends a call to the in-process carrier or identity provider.
func (p *port) RoundTrip(request *http.Request) (answer *http.Response, err error) {
	sort := Poll
	switch {
	case strings.HasSuffix(request.URL.Path, "/token"):
		sort = Token
		defer func() { // the callers do not recover the panic that ends a process
			if recover() != nil {
				answer, err = nil, errKilled
			}
		}()
	case request.Method == http.MethodPost:
		sort = Post
	}
	body, err := bodyOf(request)
	if err != nil {
		return nil, err
	}
	err = p.effect(sort, request.Method+" "+request.URL.Path, func() error {
		switch sort {
		case Post:
			p.scene.sends(p, request.URL.Path, body)
		case Poll:
			p.asks(request.URL.Path)
		case Write, Read, Key, Token, Look:
		}
		answer, err = p.call(request, sort, body) //nolint:bodyclose // the caller closes it: this is a transport
		return err
	})
	return told(request, answer, err)
}

// asks notes a poll of a request, and reports polls that are too soon.
func (p *port) asks(path string) {
	least := leastPause(path)
	if last, before := p.asked[path]; before && now().Sub(last) < least {
		p.scene.hurries(fmt.Sprintf("GET %s follows itself after %s", path, now().Sub(last)))
	}
	if p.asked == nil {
		p.asked = map[string]time.Time{}
	}
	p.asked[path] = now()
}

// leastPause returns the shortest time between two polls of a request: 5 s for the quote of a fibre
// build (spec §8), and the account's setting for all others. Calls that poll no request have no
// limit.
func leastPause(path string) time.Duration {
	const fibre, others = 5 * time.Second, 2 * time.Second
	for _, contract := range carrier.Contracts() {
		switch {
		case !contract.Followed, !strings.HasPrefix(path, contract.SubmitPath+"/"):
		case contract.Operation == carrier.FibreBuildCharge:
			return fibre
		default:
			return others
		}
	}
	return 0
}

// told returns a response as the process receives it. Once it is connected, bytes may have been
// sent.
func told(request *http.Request, answer *http.Response, err error) (*http.Response, error) {
	trace := httptrace.ContextClientTrace(request.Context())
	if !errors.Is(err, errDialed) && trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	if instead, is := errors.AsType[refused](err); is {
		return &http.Response{
			StatusCode: instead.status, Header: http.Header{}, Body: http.NoBody, Request: request, ProtoMajor: 1, ProtoMinor: 1,
		}, nil
	}
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// mostBody is more than either side of a call has to send.
const mostBody = 1 << 20

func bodyOf(request *http.Request) ([]byte, error) {
	if request.Body == nil {
		return nil, nil
	}
	var body bytes.Buffer
	if _, err := body.ReadFrom(io.LimitReader(request.Body, mostBody)); err != nil {
		return nil, fmt.Errorf("read what is sent: %w", err)
	}
	return body.Bytes(), nil
}

// call makes the carrier respond. The production transport that authorizes a call at the last
// moment lies behind the seam, so the newest token granted to the process is added here.
func (p *port) call(request *http.Request, sort Sort, body []byte) (*http.Response, error) {
	heard := request.Clone(request.Context())
	heard.Body = io.NopCloser(bytes.NewReader(body))
	heard.RequestURI = request.URL.RequestURI()
	heard.Host = request.URL.Host
	if sort != Token {
		heard.Header.Set("Authorization", "Bearer "+p.token)
	}
	says := httptest.NewRecorder()
	whole := serve(p.carrier, says, heard)
	if !whole && !says.Flushed {
		return nil, errLost
	}
	if sort == Token {
		p.granted(says.Body.Bytes())
	}
	answer := says.Result()
	answer.Request = request
	if !whole {
		answer.Body = io.NopCloser(io.MultiReader(answer.Body, iotest.ErrReader(io.ErrUnexpectedEOF)))
	}
	return answer, nil
}

// serve handles a call, and reports whether the connection survived to the end of the response.
func serve(by http.Handler, says http.ResponseWriter, heard *http.Request) (whole bool) {
	defer func() {
		if cause := recover(); cause != nil && cause != http.ErrAbortHandler { //nolint:errorlint // it is thrown, not wrapped
			panic(cause)
		}
	}()
	by.ServeHTTP(says, heard)
	return true
}

// granted remembers the token of an exchange.
func (p *port) granted(answer []byte) {
	var grant struct {
		AccessToken string `json:"access_token"`
	}
	if json.Unmarshal(answer, &grant) == nil {
		p.token = grant.AccessToken
	}
}
