package carrier

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"
)

// LongestCall is the maximum total duration of one call.
const LongestCall = 45 * time.Second

// call is one HTTP request to the carrier.
type call struct {
	operation Operation
	reads     string // the name of a plain read, which has no operation
	method    string
	path      string // relative to the origin, with the escapes that the carrier wrote in an id
	query     url.Values
	version   int
	body      []byte
	fresh     bool // on a connection of its own

	check     func() error // is called before the first byte is written; an error prevents that; nil: no check
	asWritten bool         // the body of a 200 keeps the carrier's own word
}

// target describes the call in errors.
func (k call) target() string { return k.method + " " + k.path }

// response is the result of a call. Status zero means that no response came; err has the reason.
type response struct {
	token   Token // the token it was sent with
	written bool  // a connection was given to the request, so bytes may have been sent
	refused error // the error of the call's last check; nil: the check did not fail
	status  int
	header  http.Header
	body    []byte // with the specification's word instead of the carrier's, unless asWritten; nil if bodyErr is set
	bodyErr error
	err     error
}

var errNoStatus = errors.New("the response's status is 000")

// do makes one call, and reports it to the observer.
func (c *Client) do(ctx context.Context, k call, token Token) response {
	began := c.now()
	received := c.doOnce(ctx, k, token)
	c.observe.called(k, received.status, c.now().Sub(began))
	return received
}

// doOnce makes one call and reads the response, within limits of time and size. It never makes a
// second attempt.
func (c *Client) doOnce(ctx context.Context, k call, token Token) response {
	ctx, cancel := context.WithTimeout(withToken(ctx, token), c.longest)
	defer cancel()
	var got connection
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: got.hook(k.check)})
	req, err := c.newRequest(ctx, k)
	if err != nil {
		return response{token: token, err: err}
	}
	resp, err := c.httpClientFor(k).Do(req)
	if err != nil {
		return response{token: token, err: withoutURL(err), written: got.written.Load(), refused: got.refused()}
	}
	defer closeQuietly(resp.Body)
	if resp.StatusCode == 0 { // net/http accepts "000" as a status; here it means that there is no response
		return response{token: token, err: errNoStatus, written: true}
	}
	received := response{token: token, written: true, status: resp.StatusCode, header: resp.Header}
	received.body, received.bodyErr = readBody(resp, maxBodyBytes)
	if resp.StatusCode != http.StatusOK || !k.asWritten {
		received.body = c.word.FromWire(received.body)
	}
	return received
}

// connection has what is known about the connection of a call.
type connection struct {
	written atomic.Bool
	stopped atomic.Pointer[error]
}

// hook returns the function that is called once the call has its connection, before the first
// byte of the request is written. If the check fails, the function closes the connection,
// which no other call uses.
func (c *connection) hook(check func() error) func(httptrace.GotConnInfo) {
	return func(got httptrace.GotConnInfo) {
		if check != nil {
			if err := check(); err != nil {
				c.stopped.Store(&err)
				closeQuietly(got.Conn)
				return
			}
		}
		c.written.Store(true)
	}
}

// refused returns the error of the check; nil if the check did not fail.
func (c *connection) refused() error {
	if err := c.stopped.Load(); err != nil {
		return *err
	}
	return nil
}

// newRequest builds the request of spec §1 rules 1 and 2. The transport resends a POST only if
// its body can be read again, or if it has an idempotency key. This request has neither.
func (c *Client) newRequest(ctx context.Context, k call) (*http.Request, error) {
	address := *c.origin
	decoded, err := url.PathUnescape(k.path)
	if err != nil {
		return nil, fmt.Errorf("build request: %w", err)
	}
	address.Path, address.RawPath = decoded, k.path
	address.RawQuery = k.query.Encode()
	req, err := http.NewRequestWithContext(ctx, k.method, address.String(), http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("build request: %w", err)
	}
	if k.body != nil {
		body := c.word.ToWire(k.body)
		req.Body = io.NopCloser(bytes.NewReader(body))
		req.ContentLength = int64(len(body))
	}
	req.Header.Set("Content-Type", "application/json") // spec §1 rule 1; even without a body
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.userAgent)
	req.Header.Set("X-API-VERSION", strconv.Itoa(k.version))
	return req, nil
}

func (c *Client) httpClientFor(k call) *http.Client {
	if k.fresh {
		return c.fresh
	}
	return c.keepAlive
}

// withoutURL unwraps a [url.Error], because the target in our error already names the call.
func withoutURL(err error) error {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		return outer.Err
	}
	return err
}

// closeQuietly closes a body or a connection that is no longer needed, so its error does not matter.
func closeQuietly(unneeded io.Closer) {
	if err := unneeded.Close(); err != nil {
		return
	}
}
