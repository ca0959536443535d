// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// toll is the transport on one connection.
type toll struct {
	gate *gate
	by   *manager
	next http.RoundTripper
}

// RoundTrip forwards a call, with the matching failpoint.
func (t *toll) RoundTrip(request *http.Request) (*http.Response, error) {
	passing, err := t.look(request)
	if err != nil {
		return nil, err
	}
	point := t.gate.take(passing)
	if point == nil {
		return t.pass(passing, request)
	}
	if point.side == before {
		return t.strikeAndPass(point, passing, request)
	}
	return t.passAndStrike(point, passing, request)
}

func (t *toll) strikeAndPass(point *failpoint, passing call, request *http.Request) (*http.Response, error) {
	defer close(point.struck)
	if err := point.strike(passing); err != nil {
		return nil, err
	}
	return t.pass(passing, request)
}

// passAndStrike forwards the call whatever happens to the caller, which may be gone by the time of
// the response. A write that meets a conflict has no effect: a patient failpoint waits for one that
// has.
func (t *toll) passAndStrike(point *failpoint, passing call, request *http.Request) (*http.Response, error) {
	answer, err := t.pass(passing, request.WithContext(context.WithoutCancel(request.Context())))
	if err == nil && answer.StatusCode == http.StatusConflict && point.patient {
		t.gate.arm(point)
		return answer, nil
	}
	defer close(point.struck)
	if err != nil {
		return nil, err
	}
	if struck := point.strike(passing); struck != nil {
		return nil, errors.Join(struck, answer.Body.Close())
	}
	return answer, nil
}

func (t *toll) pass(passing call, request *http.Request) (*http.Response, error) {
	answer, err := t.next.RoundTrip(request)
	t.gate.note(func(s *seen) {
		s.send(passing, answer)
		if err != nil {
			s.unanswered++
			return
		}
		s.comes(passing, answer)
	})
	return answer, err
}

// look reads what a failpoint may need to know about a call.
func (t *toll) look(request *http.Request) (call, error) {
	const longest = 4 << 20
	passing := call{
		by: t.by, method: request.Method, path: request.URL.Path, watches: request.URL.Query().Has("watch"),
	}
	if request.Method == http.MethodGet || request.Body == nil {
		return passing, nil
	}
	body, err := io.ReadAll(io.LimitReader(request.Body, longest)) //nolint:forbidigo // it is bounded
	if err != nil {
		return passing, err
	}
	request.Body, passing.body = io.NopCloser(bytes.NewReader(body)), string(body)
	return passing, nil
}

// serve opens a connection: an address from which calls are forwarded to a target.
func (g *gate) serve(by *manager, target string, next http.RoundTripper) string {
	GinkgoHelper()
	origin, err := url.Parse(target)
	Expect(err).NotTo(HaveOccurred())
	proxy := &httputil.ReverseProxy{
		Rewrite: func(passing *httputil.ProxyRequest) {
			passing.SetURL(origin)
			passing.Out.Host = passing.In.Host // the carrier returns its own address as it was called
		},
		Transport:     &toll{gate: g, by: by, next: next},
		FlushInterval: -1, // a watch is read as it is written
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:      log.New(io.Discard, "", 0),
	}
	server := httptest.NewServer(proxy)
	DeferCleanup(server.CloseClientConnections)
	return server.URL
}
