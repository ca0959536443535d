package carrier

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// identityProvider is a test server with configurable responses, which records the requests.
type identityProvider struct {
	clock *testClock

	mu      sync.Mutex
	respond func(assertion *jwt.Token) (status int, body string)
	skew    time.Duration
	jtis    []string
	kids    []string
	forms   []map[string][]string
}

func (p *identityProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ignore(r.ParseForm())
	p.forms = append(p.forms, r.PostForm)
	token, _, err := jwt.NewParser().ParseUnverified(r.PostForm.Get("client_assertion"), jwt.MapClaims{})
	if err != nil {
		http.Error(w, err.Error(), http.StatusTeapot)
		return
	}
	p.jtis = append(p.jtis, fmt.Sprint(claimsOf(token)["jti"]))
	p.kids = append(p.kids, fmt.Sprint(token.Header["kid"]))
	status, body := p.respond(token)
	w.Header().Set("Date", p.clock.Now().Add(p.skew).Format(http.TimeFormat))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	printTo(w, body)
}

func claimsOf(token *jwt.Token) jwt.MapClaims {
	if claims, ok := token.Claims.(jwt.MapClaims); ok {
		return claims
	}
	return nil
}

func (p *identityProvider) exchanges() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.jtis)
}

func (p *identityProvider) respondWith(status int, body string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.respond = func(*jwt.Token) (int, string) { return status, body }
}

// tokenResponse is a response in the format of spec §5.
func tokenResponse(token string, seconds int) string {
	return fmt.Sprintf(`{"access_token":%q,"expires_in":%d,"refresh_expires_in":0,"token_type":"Bearer",`+
		`"not-before-policy":0,"scope":""}`, token, seconds)
}

// tokenSetup is a token source and its identity provider.
type tokenSetup struct {
	*identityProvider

	source *ClientCredentials
	url    string
	keys   atomic.Pointer[[]Key]
	keyErr atomic.Pointer[error]
	reads  atomic.Int64
}

func newTokenSetup(t *testing.T, change ...func(*TokenConfig)) *tokenSetup {
	t.Helper()
	a := &tokenSetup{identityProvider: &identityProvider{clock: newClock()}}
	a.respondWith(http.StatusOK, tokenResponse("at-1", 300))
	a.keys.Store(&[]Key{{ID: "kid-1", PEM: pkcs1(testRSA())}})
	server := httptest.NewServer(a.identityProvider)
	t.Cleanup(server.Close)
	a.url = server.URL + "/auth/realms/reseller"
	config := TokenConfig{
		TokenURL: a.url + protocolPart, ClientName: "reseller", Keys: a.readKeys,
		AllowInsecure: true, Now: a.clock.Now, NewID: rand.Text, UserAgent: "test",
		MinTimeout: time.Minute,
	}
	for _, f := range change {
		f(&config)
	}
	source, err := NewTokenSource(config)
	if err != nil {
		t.Fatal(err)
	}
	a.source = source
	return a
}

// exchangeDone returns a channel that is closed when the exchange in progress has ended.
func (a *tokenSetup) exchangeDone() <-chan struct{} {
	a.source.mu.Lock()
	defer a.source.mu.Unlock()
	if a.source.exchange == nil {
		ended := make(chan struct{})
		close(ended)
		return ended
	}
	return a.source.exchange.done
}

func (a *tokenSetup) readKeys(context.Context) ([]Key, error) {
	a.reads.Add(1)
	if err := a.keyErr.Load(); err != nil {
		return nil, *err
	}
	return *a.keys.Load(), nil
}

func (a *tokenSetup) mustToken(t *testing.T) Token {
	t.Helper()
	token, err := a.source.Token(t.Context())
	if err != nil {
		t.Fatalf("Token: %v", err)
	}
	return token
}

// mustFail expects no token, for the given reason.
func (a *tokenSetup) mustFail(t *testing.T, want TokenReason) {
	t.Helper()
	if a.failure(t, want) == nil {
		t.Fatal("no failure")
	}
}

func (a *tokenSetup) failure(t *testing.T, want TokenReason) *TokenError {
	t.Helper()
	token, err := a.source.Token(t.Context())
	failure, ok := errors.AsType[*TokenError](err)
	if !ok || failure.Reason != want {
		t.Fatalf("Token = %v, %v; want reason %s", token, err, want)
	}
	return failure
}
