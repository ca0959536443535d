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

// harness is a simulator behind HTTP with a clock that only the test moves.
type harness struct {
	t      testing.TB
	sim    *simulator.Simulator
	server *httptest.Server
	token  string
	// observe is called for every response; nil for none.
	observe func(method, path string, got response)

	mu  sync.Mutex
	now time.Time
}

// start serves the simulator of a seed; edits change the seed first.
func start(tb testing.TB, edits ...func(*simulator.Seed)) *harness {
	tb.Helper()
	return startWith(tb, func(options *simulator.Options) {
		for _, edit := range edits {
			edit(&options.Seed)
		}
	})
}

// startWith is start with an edit of all options.
func startWith(tb testing.TB, edit func(*simulator.Options)) *harness {
	tb.Helper()
	h := &harness{t: tb, now: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)}
	options := simulator.Options{Seed: seed(), Now: h.clock}
	edit(&options)
	h.sim = simulator.New(options)
	h.server = httptest.NewServer(h.sim.Handler())
	tb.Cleanup(h.server.Close)
	tb.Cleanup(h.sim.Close)
	h.token = h.login("reseller")
	return h
}

func (h *harness) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// wait lets time pass.
func (h *harness) wait(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

// claims are the claims of spec §5 for a client.
func (h *harness) claims(client string) jwt.MapClaims {
	now := h.clock()
	return jwt.MapClaims{
		"jti": rand.Text(), "iss": client, "sub": client, "aud": h.server.URL + "/auth/realms/" + realm,
		"iat": now.Unix(), "nbf": now.Unix(), "exp": now.Add(time.Minute).Unix(),
	}
}

func (h *harness) sign(claims jwt.MapClaims) string {
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, claims)
	token.Header["kid"] = keyID
	signed, err := token.SignedString(key())
	if err != nil {
		h.t.Fatal(err)
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
func (h *harness) exchange(form url.Values) response {
	h.t.Helper()
	return h.send(http.MethodPost, tokenPath, form.Encode(), map[string]string{
		"Content-Type": "application/x-www-form-urlencoded", "Authorization": "",
	})
}

func (h *harness) login(client string) string {
	h.t.Helper()
	got := h.exchange(grant(client, h.sign(h.claims(client))))
	if got.status != http.StatusOK {
		h.t.Fatalf("login: %d %s", got.status, got.body)
	}
	return got.text("access_token")
}

// send makes one call with the headers of the common rules at version 8. The given headers replace
// some of them, and an empty header is omitted.
func (h *harness) send(method, path, body string, headers map[string]string) response {
	h.t.Helper()
	got, err := h.trySend(method, path, body, headers)
	if err != nil {
		h.t.Fatal(err)
	}
	return got
}

func (h *harness) trySend(method, path, body string, headers map[string]string) (response, error) {
	h.t.Helper()
	all := map[string]string{
		"Authorization": "Bearer " + h.token, "X-API-VERSION": "8", "Content-Type": "application/json",
	}
	maps.Copy(all, headers)
	request, err := http.NewRequestWithContext(h.t.Context(), method, h.server.URL+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	for name, value := range all {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	resp, err := (&http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}).Do(request)
	if err != nil {
		return response{}, err
	}
	var content bytes.Buffer
	_, err = io.Copy(&content, resp.Body)
	err = errors.Join(err, resp.Body.Close())
	got := response{
		t: h.t, status: resp.StatusCode, header: resp.Header, body: content.String(), host: request.Host,
	}
	if h.observe != nil && err == nil {
		h.observe(method, path, got)
	}
	return got, err
}

func (h *harness) post(path, body string) response {
	h.t.Helper()
	return h.send(http.MethodPost, path, body, nil)
}

func (h *harness) get(path string) response {
	h.t.Helper()
	return h.send(http.MethodGet, path, "", nil)
}

// atVersion makes a call at another version.
func (h *harness) atVersion(version, method, path, body string) response {
	h.t.Helper()
	return h.send(method, path, body, map[string]string{"X-API-VERSION": version})
}

// expectViolations checks that the simulator recorded exactly these broken rules.
func (h *harness) expectViolations(rules ...simulator.Rule) {
	h.t.Helper()
	violations := h.sim.Violations()
	got := make([]simulator.Rule, 0, len(violations))
	for _, violation := range violations {
		got = append(got, violation.Rule)
	}
	if !slices.Equal(got, rules) {
		h.t.Errorf("violations %v, want %v", violations, rules)
	}
}
