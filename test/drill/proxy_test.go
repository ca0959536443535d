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

// proxyTransport is the transport on one connection.
type proxyTransport struct {
	proxy *proxy
	by    *manager
	next  http.RoundTripper
}

// RoundTrip forwards a call, with the matching failpoint.
func (t *proxyTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	call, err := t.callOf(request)
	if err != nil {
		return nil, err
	}
	point := t.proxy.takeFailpoint(call)
	if point == nil {
		return t.forward(call, request)
	}
	if point.side == before {
		return t.injectThenForward(point, call, request)
	}
	return t.forwardThenInject(point, call, request)
}

func (t *proxyTransport) injectThenForward(
	point *failpoint, call apiCall, request *http.Request,
) (*http.Response, error) {
	defer close(point.done)
	if err := point.inject(call); err != nil {
		return nil, err
	}
	return t.forward(call, request)
}

// forwardThenInject forwards the call whatever happens to the caller, which may be gone by the time
// of the response. A write that gets a conflict has no effect, so a failpoint with retriesConflict
// waits for a write that has an effect.
func (t *proxyTransport) forwardThenInject(
	point *failpoint, call apiCall, request *http.Request,
) (*http.Response, error) {
	response, err := t.forward(call, request.WithContext(context.WithoutCancel(request.Context())))
	if err == nil && response.StatusCode == http.StatusConflict && point.retriesConflict {
		t.proxy.arm(point)
		return response, nil
	}
	defer close(point.done)
	if err != nil {
		return nil, err
	}
	if err := point.inject(call); err != nil {
		return nil, errors.Join(err, response.Body.Close())
	}
	return response, nil
}

func (t *proxyTransport) forward(call apiCall, request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	t.proxy.update(func(s *record) {
		s.notePost(call, response)
		if err != nil {
			s.unanswered++
			return
		}
		s.noteResponse(call, response)
	})
	return response, err
}

// callOf reads what a failpoint may need to know about a call.
func (t *proxyTransport) callOf(request *http.Request) (apiCall, error) {
	const longest = 4 << 20
	call := apiCall{
		by: t.by, method: request.Method, path: request.URL.Path, watches: request.URL.Query().Has("watch"),
	}
	if request.Method == http.MethodGet || request.Body == nil {
		return call, nil
	}
	body, err := io.ReadAll(io.LimitReader(request.Body, longest)) //nolint:forbidigo // it is bounded
	if err != nil {
		return call, err
	}
	request.Body, call.body = io.NopCloser(bytes.NewReader(body)), string(body)
	return call, nil
}

// serve opens a connection: an address from which calls are forwarded to a target.
func (g *proxy) serve(by *manager, target string, next http.RoundTripper) string {
	GinkgoHelper()
	origin, err := url.Parse(target)
	Expect(err).NotTo(HaveOccurred())
	proxy := &httputil.ReverseProxy{
		Rewrite: func(call *httputil.ProxyRequest) {
			call.SetURL(origin)
			call.Out.Host = call.In.Host // the carrier returns its own address as it was called
		},
		Transport:     &proxyTransport{proxy: g, by: by, next: next},
		FlushInterval: -1, // a watch is read as it is written
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:      log.New(io.Discard, "", 0),
	}
	server := httptest.NewServer(proxy)
	DeferCleanup(server.CloseClientConnections)
	return server.URL
}
