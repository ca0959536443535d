package simulator

import (
	"context"
	"crypto/rand"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Identity returns the handler of the identity provider.
func (s *Simulator) Identity() http.Handler {
	return http.HandlerFunc(s.serveIdentity)
}

func (s *Simulator) serveIdentity(w http.ResponseWriter, r *http.Request) {
	x := &tokenExchange{sim: s, request: r, now: s.options.Now()}
	x.body, x.bodyErr = readBounded(w, r.Body, maxFormBytes)
	x.call = Call{Time: x.now, Method: r.Method, Path: r.URL.Path, Operation: OpToken}
	x.fault = s.takeTokenFault()
	var resp response
	if x.fault.processes() {
		resp = x.handle()
	}
	resp = x.applyFault(resp)
	x.call.Status, x.call.Fault = resp.status, x.fault.Kind
	s.record(x.call)
	x.send(r.Context(), w, resp)
}

// takeTokenFault removes and returns the first fault that is armed for the token endpoint. If there
// is none, a hostile carrier may return a random one.
func (s *Simulator) takeTokenFault() Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if armed := s.takeFault(&route{operation: OpToken}, 0); armed.Kind != FaultNone {
		return armed
	}
	return s.hostile.tokenFault()
}

// record records a call in the journal and calls the observer.
func (s *Simulator) record(call Call) {
	s.mu.Lock()
	s.changes++
	s.state.Journal.add(call)
	s.mu.Unlock()
	if s.options.Observe != nil {
		s.options.Observe(call)
	}
}

// maxFormBytes limits a token request. An assertion needs about a kilobyte.
const maxFormBytes = 64 << 10

// handle exchanges an assertion for a token.
func (x *tokenExchange) handle() response {
	steps := []func(*tokenExchange) error{
		(*tokenExchange).readRequest,
		(*tokenExchange).checkGrant,
		(*tokenExchange).authenticate,
	}
	for _, step := range steps {
		if err := step(x); err != nil {
			return x.refusal(err)
		}
	}
	return response{status: http.StatusOK, body: x.issue()}
}

func (x *tokenExchange) refusal(err error) response {
	refused, known := errors.AsType[*oauthError](err)
	if !known {
		refused = &oauthError{status: http.StatusInternalServerError, Code: "unknown_error"}
	}
	return response{status: refused.status, body: refused}
}

// readRequest reads the realm and the form.
func (x *tokenExchange) readRequest() error {
	realm, isToken := strings.CutSuffix(strings.TrimPrefix(x.request.URL.Path, identityPrefix), tokenSuffix)
	if !isToken || !x.sim.hasRealm(realm) {
		return &oauthError{status: http.StatusNotFound, Code: "Realm does not exist"}
	}
	x.realm = realm
	if x.request.Method != http.MethodPost {
		return &oauthError{status: http.StatusMethodNotAllowed, Code: "HTTP 405 Method Not Allowed"}
	}
	media, _, err := mime.ParseMediaType(x.request.Header.Get("Content-Type"))
	if err != nil || media != "application/x-www-form-urlencoded" {
		return &oauthError{status: http.StatusUnsupportedMediaType, Code: "HTTP 415 Unsupported Media Type"}
	}
	if x.bodyErr != nil {
		return &oauthError{status: http.StatusRequestEntityTooLarge, Code: "HTTP 413 Request Entity Too Large"}
	}
	x.form, err = url.ParseQuery(string(x.body))
	if err != nil {
		return invalidRequest("The form cannot be read")
	}
	return nil
}

func (s *Simulator) hasRealm(realm string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.clients {
		if c.Realm == realm {
			return true
		}
	}
	return false
}

// checkGrant checks the form of spec §5. No parameter may occur twice.
func (x *tokenExchange) checkGrant() error {
	for name, values := range x.form {
		if len(values) > 1 {
			return invalidRequest("duplicated parameter: " + name)
		}
	}
	if !x.form.Has("grant_type") {
		return invalidRequest("Missing form parameter: grant_type")
	}
	if x.form.Get("grant_type") != "client_credentials" {
		return &oauthError{
			status: http.StatusBadRequest, Code: "unsupported_grant_type", Description: "Unsupported grant_type",
		}
	}
	return nil
}

// tokenResponse is the successful response (spec §5).
type tokenResponse struct {
	AccessToken      string `json:"access_token"`
	ExpiresIn        any    `json:"expires_in,omitempty"` // a number, unless the carrier is hostile
	RefreshExpiresIn int64  `json:"refresh_expires_in"`
	TokenType        string `json:"token_type"`
	NotBeforePolicy  int64  `json:"not-before-policy"`
	Scope            string `json:"scope"`
}

// issue creates an access token. The token is random; its holder is in the store.
func (x *tokenExchange) issue() tokenResponse {
	lifetime := time.Duration(x.sim.options.Seed.Token.ExpiresIn)
	if lifetime == 0 {
		lifetime = defaultExpiresIn
	}
	token := "sat." + rand.Text()
	x.sim.mu.Lock()
	defer x.sim.mu.Unlock()
	x.sim.state.Tokens.put(token, x.call.Client, x.now, x.now.Add(lifetime))
	if x.sim.hostile.chance(50) { //nolint:mnd // thousandths
		x.sim.state.RefuseOnce[token] = true
	}
	x.call.Accepted = true
	return tokenResponse{
		AccessToken: token, ExpiresIn: x.sim.hostile.expiresIn(int64(lifetime / time.Second)), TokenType: "Bearer",
	}
}

// applyFault applies the fault to a response.
func (x *tokenExchange) applyFault(resp response) response {
	failure := &oauthError{Code: "unknown_error", Description: http.StatusText(x.fault.Status)}
	return x.fault.apply(resp, x.request.URL, failure)
}

// send writes the response with the headers that RFC 6749 requires. The Date header is the time of
// the provider's own clock, from which clients determine their clock skew.
func (x *tokenExchange) send(ctx context.Context, w http.ResponseWriter, resp response) {
	x.fault.send(w, resp, writeOptions{
		now: x.now, headers: map[string]string{"Cache-Control": "no-store", "Pragma": "no-cache"}, exact: true,
		wait: x.sim.waiter(ctx),
	})
}
