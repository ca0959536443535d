package carrier

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"embed"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// testClock stands still until the test moves it.
type testClock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *testClock {
	return &testClock{now: time.Date(2026, time.March, 14, 9, 26, 53, 0, time.UTC)}
}

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// canaryToken must never appear in anything that is printed.
const canaryToken = "canary-access-token-4711"

// staticTokens hands out one token, or one error, and remembers what was invalidated.
type staticTokens struct {
	mu          sync.Mutex
	err         error
	invalidated []Token
	suspected   []Token
}

func (s *staticTokens) Token(context.Context) (Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Token{AccessToken: NewSecret(canaryToken)}, s.err
}

func (s *staticTokens) Invalidate(token Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if token.AccessToken.Reveal() == canaryToken { // any other token is foreign
		s.invalidated = append(s.invalidated, token)
	}
}

func (s *staticTokens) Suspect(token Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.suspected = append(s.suspected, token)
}

func (s *staticTokens) suspicions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.suspected)
}

func (s *staticTokens) invalidations() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.invalidated)
}

// testClient returns a client of the server at address, with its configuration edited by change.
func testClient(tb testing.TB, address string, change ...func(*Config)) *Client {
	tb.Helper()
	config := Config{
		BaseURL: address, Version: 8, Tokens: &staticTokens{}, AllowInsecure: true,
		Rate: NewRate(1000, 1000), Now: newClock().Now,
	}
	for _, f := range change {
		f(&config)
	}
	client, err := NewClient(config)
	if err != nil {
		tb.Fatalf("NewClient: %v", err)
	}
	tb.Cleanup(client.CloseIdleConnections)
	return client
}

// serve starts a carrier that handles every request with handler.
func serve(tb testing.TB, handler http.HandlerFunc) *httptest.Server {
	tb.Helper()
	server := httptest.NewServer(handler)
	tb.Cleanup(server.Close)
	return server
}

// respond returns a handler that gives every request the same response.
func respond(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Add(header[i], header[i+1])
		}
		w.WriteHeader(status)
		printTo(w, body)
	}
}

// ignore drops the error of a peer that may be gone.
func ignore(error) {}

// either is ignore for calls that also return a count.
func either(_ any, err error) { ignore(err) }

func readAll(tb testing.TB, r io.Reader) []byte {
	tb.Helper()
	var body bytes.Buffer
	if _, err := io.Copy(&body, io.LimitReader(r, maxBodyBytes)); err != nil {
		tb.Error(err)
	}
	return body.Bytes()
}

// documents are transcribed from the specification's field tables.
//
//go:embed testdata/*.json
var documents embed.FS

// golden returns a document transcribed from the specification's field tables.
func golden(tb testing.TB, name string) []byte {
	tb.Helper()
	body, err := documents.ReadFile("testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	return body
}

// testRSA is one key for all tests; generating one is slow.
var testRSA = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// otherRSA is a second key, for rotations.
var otherRSA = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func pkcs1(key *rsa.PrivateKey) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
}
