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

// RoundTrip makes a call of the carrier, or of the identity provider, in this process.
func (p *port) RoundTrip(request *http.Request) (answer *http.Response, err error) {
	sort := Poll
	switch {
	case strings.HasSuffix(request.URL.Path, "/token"):
		sort = Token
		defer func() { // nothing above it catches the end of a process
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
		answer, err = p.call(request, sort, body) //nolint:bodyclose // whoever called closes it: this is a transport
		return err
	})
	return told(request, answer, err)
}

// asks notes that the process asks after a request, and says so if that is too soon.
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

// leastPause is the shortest time between two looks at a request: 5 s for the quote of a fibre build
// (spec §8), and what the account says for all others. What is no request of ours has none.
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

// told is an answer as the process hears it. Once it is connected, bytes may have left it.
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

// mostBody is more than either side of a conversation has to say.
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

// call has the carrier answer. The production transport, which authorizes a call at the last
// moment, stands behind the seam: so the token that the process was granted last is added here.
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

// serve has a call answered, and says whether the connection has lived to see the end of it.
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
