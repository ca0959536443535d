package carrier

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestNewClientChecksItsAddress(t *testing.T) {
	for address, want := range map[string]struct{ secure, insecure bool }{
		"https://api.carrier.example":         {true, true},
		"https://api.carrier.example/":        {true, true},
		"https://api.carrier.example:8443":    {true, true},
		"https://[2001:db8::1]":               {true, true},
		"http://api.carrier.example":          {false, true},
		"http://127.0.0.1:8080":               {false, true},
		"https://api.carrier.example/v1":      {false, false},
		"https://api.carrier.example?x=y":     {false, false},
		"https://api.carrier.example?":        {false, false},
		"https://api.carrier.example#x":       {false, false},
		"https://user:hush@api.carrier.test":  {false, false},
		"https://api.carrier.example.":        {false, false},
		"https://api.carrier.example:0":       {false, false},
		"https://аpi.carrier.example":         {false, false},
		"file:///etc/passwd":                  {false, false},
		"unix:///var/run/x":                   {false, false},
		"api.carrier.example":                 {false, false},
		"https://":                            {false, false},
		"https://user:hush@bad host":          {false, false},
		"":                                    {false, false},
		"https://api.carrier.example:notport": {false, false},
	} {
		for allow, expected := range map[bool]bool{false: want.secure, true: want.insecure} {
			err := newClientOf(address, allow)
			if (err == nil) != expected {
				t.Errorf("NewClient(%q), insecure %t: %v, want success %t", address, allow, err, expected)
			}
			if insecureOnly := !allow && !want.secure && want.insecure; err != nil && !isSafeAddressError(err, insecureOnly) {
				t.Errorf("%v is no AddressError, shows the password, or has the wrong Insecure", err)
			}
		}
	}
}

func newClientOf(address string, allow bool) error {
	_, err := NewClient(Config{
		BaseURL: address, Version: 8, Tokens: &staticTokens{}, AllowInsecure: allow,
		Rate: NewRate(5, 10), Now: newClock().Now,
	})
	return err
}

func isSafeAddressError(err error, insecureOnly bool) bool {
	refused, ok := errors.AsType[*AddressError](err)
	return ok && refused.Insecure == insecureOnly && !strings.Contains(err.Error(), "hush")
}

func TestNewClientChecksItsConfiguration(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"no tokens":  func(c *Config) { c.Tokens = nil },
		"no rate":    func(c *Config) { c.Rate = nil },
		"no clock":   func(c *Config) { c.Now = nil },
		"no version": func(c *Config) { c.Version = 0 },
		"version 9":  func(c *Config) { c.Version = 9 },
	} {
		config := Config{
			BaseURL: "https://c.example", Version: 8, Tokens: &staticTokens{}, Rate: NewRate(5, 10), Now: newClock().Now,
		}
		if _, err := NewClient(config); err != nil {
			t.Fatal(err)
		}
		change(&config)
		if _, err := NewClient(config); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestPollsLeaveTokensForPOSTs(t *testing.T) {
	clock := newClock()
	client := testClient(t, "https://c.example", func(c *Config) {
		c.Now, c.Rate = clock.Now, NewRate(5, 10)
	})
	take := func(kind CallKind) (taken int) {
		for {
			if client.Take(kind, "a") > 0 {
				return taken
			}
			taken++
		}
	}
	if got := take(CallPoll); got != 7 {
		t.Errorf("%d polls of a bucket of 10, want 7", got)
	}
	if got := take(CallSubmit); got != 3 {
		t.Errorf("%d POSTs after them, want 3", got)
	}
	clock.advance(200 * time.Millisecond)
	if polls, posts := take(CallPoll), take(CallSubmit); polls != 0 || posts != 1 {
		t.Errorf("after one more token: %d polls and %d POSTs, want 0 and 1", polls, posts)
	}
}

func TestTakeReturnsTheWait(t *testing.T) {
	clock := newClock()
	client := testClient(t, "https://c.example", func(c *Config) {
		c.Now, c.Rate = clock.Now, NewRate(2, 1)
	})
	for range 20 {
		if wait := client.Take(CallPoll, "a"); wait != 0 {
			t.Fatalf("wait %s, want a call", wait)
		}
		wait, again := client.Take(CallPoll, "a"), client.Take(CallSubmit, "a")
		if wait != 500*time.Millisecond || again != wait {
			t.Fatalf("waits %s and %s, want 500ms twice: a refused call takes no token", wait, again)
		}
		clock.advance(wait)
	}
}

func TestWrapNeverSeesTheToken(t *testing.T) {
	var headers []string
	carrier := serve(t, respond(202, ""))
	client := testClient(t, carrier.URL, func(c *Config) {
		c.Wrap = func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				headers = append(headers, r.Header.Get("Authorization"))
				return next.RoundTrip(r)
			})
		}
	})
	if _, err := client.Poll(t.Context(), handle); err != nil {
		t.Fatal(err)
	}
	client.Submit(t.Context(), PlanChange, 8, planChange.Body())
	if strings.Join(headers, "") != "" || len(headers) != 2 {
		t.Errorf("the wrapped transport saw %q, want two calls without the header", headers)
	}
}

// A deleted account leaves no connection open.
func TestCloseIdleConnections(t *testing.T) {
	ended := make(chan struct{})
	address := listen(t, func(conn net.Conn) {
		defer close(ended)
		reader := bufio.NewReader(conn)
		for {
			req, err := http.ReadRequest(reader)
			if err != nil {
				return
			}
			either(io.Copy(io.Discard, req.Body))
			printTo(conn, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
		}
	})
	client := testClient(t, "http://"+address)
	if _, err := client.Poll(t.Context(), Handle{Health, 8, "1"}); err != nil {
		t.Fatal(err)
	}
	client.CloseIdleConnections()
	select {
	case <-ended:
	case <-t.Context().Done():
		t.Error("the connection stays open")
	}
}
