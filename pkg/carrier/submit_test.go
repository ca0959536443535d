package carrier

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var planChange = PlanChangeRequest{ServiceID: 1234567, PlanName: "Fast", Term: 12}

func TestSubmitRequestFollowsTheSpecification(t *testing.T) {
	var got *http.Request
	var body []byte
	carrier := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body = readAll(t, r.Body)
		w.Header().Set("Location", requests+"77")
		w.WriteHeader(http.StatusCreated)
	})
	receipt := testClient(t, carrier.URL).Submit(t.Context(), PlanChange, 7, planChange.Body())
	want := Receipt{Delivery: Accepted, Handle: Handle{PlanChange, 7, "77"}}
	if diff := cmp.Diff(want, receipt, cmp.Comparer(sameBytes)); diff != "" {
		t.Errorf("receipt (-want +got):\n%s", diff)
	}
	header := map[string]string{
		"Authorization": "Bearer " + canaryToken, "X-Api-Version": "7", "Content-Type": "application/json",
		"Accept": "application/json", "User-Agent": defaultUserAgent, "Connection": "close",
		"Content-Length": fmt.Sprint(len(body)),
	}
	for name := range got.Header {
		if diff := cmp.Diff(header[name], got.Header.Get(name)); diff != "" {
			t.Errorf("header %s (-want +got):\n%s", name, diff)
		}
	}
	if target := got.Method + " " + got.URL.String(); target != "POST /api/connect/services/plan-changes/request" {
		t.Errorf("sent to %s", target)
	}
	if want := `{"serviceId":1234567,"planName":"Fast","term":12}`; string(body) != want {
		t.Errorf("body %s, want %s", body, want)
	}
}

func sameBytes(a, b []byte) bool { return bytes.Equal(a, b) }

func TestSubmitNotesAnotherHost(t *testing.T) {
	carrier := serve(t, respond(201, "", "Location", "https://evil.example"+requests+"5"))
	receipt := testClient(t, carrier.URL).Submit(t.Context(), PlanChange, 8, planChange.Body())
	if !strings.Contains(receipt.Note, "evil.example") {
		t.Errorf("note %q does not name the other host", receipt.Note)
	}
}

func TestSubmitNotSent(t *testing.T) {
	closed := listen(t, func(net.Conn) {})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	config := func(change func(*Config)) *Client { return testClient(t, "http://"+closed, change) }
	usual := config(func(*Config) {})
	wrapped := func(wrap func(http.RoundTripper) http.RoundTripper) *Client {
		return config(func(c *Config) { c.Wrap = wrap })
	}
	for name, test := range map[string]struct {
		client  *Client
		op      Operation
		version int
		class   Class
	}{
		"nobody listens":                {testClient(t, "http://127.0.0.1:1"), PlanChange, 8, Unreachable},
		"the server has no TLS":         {testClient(t, "https://"+closed), PlanChange, 8, Unreachable},
		"loopback is not allowed":       {testClient(t, "https://"+closed, secure), PlanChange, 8, Unreachable},
		"there is no token":             {config(withoutToken), PlanChange, 8, Unauthorized},
		"the wrapper fails":             {wrapped(failing), PlanChange, 8, Unreachable},
		"the wrapper changes the host":  {wrapped(toAnotherHost), PlanChange, 8, Unreachable},
		"the wrapper drops the context": {wrapped(withoutContext), PlanChange, 8, Unreachable},
		"no such operation":             {usual, "Banana", 8, Invalid},
		"not at this version":           {usual, AggregationConversion, 3, Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			receipt := test.client.Submit(t.Context(), test.op, test.version, planChange.Body())
			if receipt.Delivery != NotSent || receipt.Err == nil || receipt.Err.Class != test.class {
				t.Errorf("%s with %v, want NotSent with class %s", receipt.Delivery, receipt.Err, test.class)
			}
		})
	}
	if receipt := usual.Submit(cancelled, PlanChange, 8, planChange.Body()); receipt.Delivery != NotSent {
		t.Errorf("after the context has ended: %s, %v", receipt.Delivery, receipt.Err)
	}
}

func secure(c *Config) { c.AllowInsecure = false }

func withoutToken(c *Config) {
	c.Tokens = &staticTokens{err: &TokenError{Reason: TokenRejected, Message: "refused"}}
}

func failing(http.RoundTripper) http.RoundTripper {
	return roundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New("injected") })
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func toAnotherHost(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		moved := r.Clone(r.Context())
		moved.URL.Host = "localhost.example:1"
		return next.RoundTrip(moved)
	})
}

func withoutContext(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		return next.RoundTrip(r.WithContext(context.WithValue(r.Context(), tokenKey{}, nil)))
	})
}

func TestSubmitIsAmbiguousWithoutAResponse(t *testing.T) {
	for name, response := range map[string]string{
		"no byte":              "",
		"half a status line":   "HTTP/1.1 2",
		"half the headers":     "HTTP/1.1 201 Created\r\nLocation: /api",
		"no HTTP":              "hello\r\n\r\n",
		"a header flood (31)":  "HTTP/1.1 201 Created\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n",
		"an unknown status":    "HTTP/1.1 600 What\r\nContent-Length: 0\r\n\r\n",
		"an unreadable status": "HTTP/1.1 abc What\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			address := listen(t, func(conn net.Conn) {
				readRequest(conn)
				printTo(conn, response)
			})
			receipt := testClient(t, "http://"+address).Submit(t.Context(), PlanChange, 8, planChange.Body())
			if receipt.Delivery != Ambiguous || receipt.Err == nil {
				t.Errorf("%s, %v; want Ambiguous", receipt.Delivery, receipt.Err)
			}
		})
	}
}

// TestSubmitKeepsTheHandleIfTheBodyBreaks: the headers were complete, so the request is accepted
// whatever follows them.
func TestSubmitKeepsTheHandleIfTheBodyBreaks(t *testing.T) {
	address := listen(t, func(conn net.Conn) {
		readRequest(conn)
		printTo(conn, "HTTP/1.1 201 Created\r\nLocation: "+requests+"5\r\nContent-Length: 100\r\n\r\ncut")
	})
	receipt := testClient(t, "http://"+address).Submit(t.Context(), PlanChange, 8, planChange.Body())
	if receipt.Delivery != Accepted || receipt.Handle.ID != "5" {
		t.Errorf("%s %q (%v), want Accepted", receipt.Delivery, receipt.Handle.ID, receipt.Err)
	}
}

// readRequest reads as much of a request as the tests send in one segment.
func readRequest(conn net.Conn) { either(conn.Read(make([]byte, 64<<10))) }

func TestSubmitIsAmbiguousWhenCancelled(t *testing.T) {
	arrived := make(chan struct{})
	carrier := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		either(io.Copy(io.Discard, r.Body))
		close(arrived)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	receipt := testClient(t, carrier.URL).Submit(ctx, PlanChange, 8, planChange.Body())
	if receipt.Delivery != Ambiguous || receipt.Err.Class != Unreachable {
		t.Errorf("%s, %v; want Ambiguous", receipt.Delivery, receipt.Err)
	}
}

func TestSubmitShowsNoSecret(t *testing.T) {
	request := planChange
	request.NTDOption, request.ContactName = "1_PORT", "Canary Person"
	request.ContactPhone, request.ContactEmail = "+61 400 000 000", "canary@mail.example"
	for _, status := range []int{400, 401, 404, 422, 500, 502} {
		carrier := serve(t, func(w http.ResponseWriter, r *http.Request) {
			body := readAll(t, r.Body)
			w.WriteHeader(status)
			printTo(w, `{"type":"t","code":"c","message":"Canary Person and `+r.Header.Get("Authorization")+`",`+
				`"apiSubErrors":[{"code":"constraints.pattern","message":"bad canary@mail.example",`+
				`"field":"contactEmail","rejectedValue":"canary@mail.example"},`+
				`{"code":"x","message":"+61 400 000 000","object":"Canary Person","field":"f",`+
				`"rejectedValue":"other@mail.example"},{"code":"y","rejectedValue":`+string(body)+`}]}`)
		})
		receipt := testClient(t, carrier.URL).Submit(t.Context(), PlanChange, 8, request.Body())
		shown := fmt.Sprintf("%v %+v %#v %v", receipt.Err, *receipt.Err, receipt.Err.SubErrors, receipt.Err.LogValue())
		for _, canary := range []string{canaryToken, "Canary", "canary@", "400 000", "other@"} {
			if strings.Contains(shown, canary) {
				t.Errorf("status %d: %q is shown in %s", status, canary, shown)
			}
		}
	}
	shown := fmt.Sprintf("%v %+v %#v %v", request, request, request, request.LogValue())
	if strings.Contains(shown, "anary") {
		t.Errorf("the request shows a contact: %s", shown)
	}
}

func TestSubmitRetryAfterPausesTheClient(t *testing.T) {
	clock := newClock()
	carrier := serve(t, respond(429, "", "Retry-After", "20"))
	client := testClient(t, carrier.URL, func(c *Config) { c.Now = clock.Now })
	receipt := client.Submit(t.Context(), PlanChange, 8, planChange.Body())
	if receipt.RetryAfter != 20*time.Second {
		t.Errorf("Retry-After %s, want 20s", receipt.RetryAfter)
	}
	if wait := client.Take(CallPoll, "a"); wait != 20*time.Second {
		t.Errorf("Take = %s, want to wait 20s", wait)
	}
	clock.advance(20 * time.Second)
	if wait := client.Take(CallPoll, "a"); wait != 0 {
		t.Errorf("Take = %s, want no wait", wait)
	}
}
