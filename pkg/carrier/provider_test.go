package carrier

import (
	"context"
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

// provider is an identity provider with configurable answers, which records the requests.
type provider struct {
	clock *testClock

	mu     sync.Mutex
	answer func(assertion *jwt.Token) (status int, body string)
	skew   time.Duration
	jtis   []string
	kids   []string
	forms  []map[string][]string
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
	status, body := p.answer(token)
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

func (p *provider) exchanges() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.jtis)
}

func (p *provider) answers(status int, body string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = func(*jwt.Token) (int, string) { return status, body }
}

// granted is a token reply in the format of spec §5.
func granted(token string, seconds int) string {
	return fmt.Sprintf(`{"access_token":%q,"expires_in":%d,"refresh_expires_in":0,"token_type":"Bearer",`+
		`"not-before-policy":0,"scope":""}`, token, seconds)
}

// authSetup is a source and its identity provider.
type authSetup struct {
	*provider

	source *ClientCredentials
	url    string
	keys   atomic.Pointer[[]Key]
	keyErr atomic.Pointer[error]
	reads  atomic.Int64
}

func newAuth(t *testing.T, change ...func(*TokenConfig)) *authSetup {
	t.Helper()
	a := &authSetup{provider: &provider{clock: newClock()}}
	a.answers(http.StatusOK, granted("at-1", 300))
	a.keys.Store(&[]Key{{ID: "kid-1", PEM: pkcs1(testRSA())}})
	server := httptest.NewServer(a.provider)
	t.Cleanup(server.Close)
	a.url = server.URL + "/auth/realms/reseller"
	config := TokenConfig{
		TokenURL: a.url + protocolPart, ClientName: "reseller", Keys: a.readKeys,
		AllowInsecure: true, Now: a.clock.Now, UserAgent: "test",
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

// landing is closed when the exchange in progress has ended.
func (a *authSetup) landing() <-chan struct{} {
	a.source.mu.Lock()
	defer a.source.mu.Unlock()
	if a.source.flight == nil {
		ended := make(chan struct{})
		close(ended)
		return ended
	}
	return a.source.flight.done
}

func (a *authSetup) readKeys(context.Context) ([]Key, error) {
	a.reads.Add(1)
	if err := a.keyErr.Load(); err != nil {
		return nil, *err
	}
	return *a.keys.Load(), nil
}

func (a *authSetup) mustToken(t *testing.T) Token {
	t.Helper()
	token, err := a.source.Token(t.Context())
	if err != nil {
		t.Fatalf("Token: %v", err)
	}
	return token
}

// mustFail expects no token, for this reason.
func (a *authSetup) mustFail(t *testing.T, want TokenReason) {
	t.Helper()
	if a.failure(t, want) == nil {
		t.Fatal("no failure")
	}
}

func (a *authSetup) failure(t *testing.T, want TokenReason) *TokenError {
	t.Helper()
	token, err := a.source.Token(t.Context())
	failure, ok := errors.AsType[*TokenError](err)
	if !ok || failure.Reason != want {
		t.Fatalf("Token = %v, %v; want reason %s", token, err, want)
	}
	return failure
}
