package simulator_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// world is a simulator behind HTTP with a clock that only the test moves.
type world struct {
	t      testing.TB
	sim    *simulator.Simulator
	server *httptest.Server
	token  string
	// seen is called for every answer; nil for none.
	seen func(method, path string, got answer)

	mu  sync.Mutex
	now time.Time
}

// start serves the simulator of a seed; edits change the seed first.
func start(tb testing.TB, edits ...func(*simulator.Seed)) *world {
	tb.Helper()
	w := &world{t: tb, now: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)}
	planted := seed()
	for _, edit := range edits {
		edit(&planted)
	}
	w.sim = simulator.New(simulator.Options{Seed: planted, Now: w.clock})
	w.server = httptest.NewServer(w.sim.Handler())
	tb.Cleanup(w.server.Close)
	tb.Cleanup(w.sim.Close)
	w.token = w.login("reseller")
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// wait lets time pass.
func (w *world) wait(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// claims are those of spec §5 for a client.
func (w *world) claims(client string) jwt.MapClaims {
	now := w.clock()
	return jwt.MapClaims{
		"jti": rand.Text(), "iss": client, "sub": client, "aud": w.server.URL + "/auth/realms/" + realm,
		"iat": now.Unix(), "nbf": now.Unix(), "exp": now.Add(time.Minute).Unix(),
	}
}

func (w *world) sign(claims jwt.MapClaims) string {
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, claims)
	token.Header["kid"] = keyID
	signed, err := token.SignedString(key())
	if err != nil {
		w.t.Fatal(err)
	}
	return signed
}

func grant(client, assertion string) url.Values {
	return url.Values{
		"grant_type": {"client_credentials"}, "client_id": {client}, "client_assertion": {assertion},
		"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
	}
}

const tokenPath = "/auth/realms/" + realm + "/protocol/openid-connect/token"

// exchange sends a form to the token endpoint.
func (w *world) exchange(form url.Values) answer {
	w.t.Helper()
	return w.send(http.MethodPost, tokenPath, form.Encode(), map[string]string{
		"Content-Type": "application/x-www-form-urlencoded", "Authorization": "",
	})
}

func (w *world) login(client string) string {
	w.t.Helper()
	got := w.exchange(grant(client, w.sign(w.claims(client))))
	if got.status != http.StatusOK {
		w.t.Fatalf("login: %d %s", got.status, got.body)
	}
	return got.text("access_token")
}

// send makes one call with the headers of the common rules at version 8; headers replaces some, an
// empty one is omitted.
func (w *world) send(method, path, body string, headers map[string]string) answer {
	w.t.Helper()
	got, err := w.try(method, path, body, headers)
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

func (w *world) try(method, path, body string, headers map[string]string) (answer, error) {
	w.t.Helper()
	all := map[string]string{"Authorization": "Bearer " + w.token, "X-API-VERSION": "8"}
	if method == http.MethodPost {
		all["Content-Type"] = "application/json"
	}
	maps.Copy(all, headers)
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.server.URL+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for name, value := range all {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	response, err := (&http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}).Do(request)
	if err != nil {
		return answer{}, err
	}
	var content bytes.Buffer
	_, err = io.Copy(&content, response.Body)
	err = errors.Join(err, response.Body.Close())
	got := answer{
		t: w.t, status: response.StatusCode, header: response.Header, body: content.String(), host: request.Host,
	}
	if w.seen != nil && err == nil {
		w.seen(method, path, got)
	}
	return got, err
}

func (w *world) post(path, body string) answer {
	w.t.Helper()
	return w.send(http.MethodPost, path, body, nil)
}

func (w *world) get(path string) answer {
	w.t.Helper()
	return w.send(http.MethodGet, path, "", nil)
}

// at makes a call at another version.
func (w *world) at(version, method, path, body string) answer {
	w.t.Helper()
	return w.send(method, path, body, map[string]string{"X-API-VERSION": version})
}

// broke checks that the simulator noted exactly these broken rules.
func (w *world) broke(rules ...simulator.Rule) {
	w.t.Helper()
	violations := w.sim.Violations()
	got := make([]simulator.Rule, 0, len(violations))
	for _, violation := range violations {
		got = append(got, violation.Rule)
	}
	if !slices.Equal(got, rules) {
		w.t.Errorf("violations %v, want %v", violations, rules)
	}
}
