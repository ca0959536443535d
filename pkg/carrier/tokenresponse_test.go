package carrier

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
)

func TestTokenResponses(t *testing.T) {
	response := func(fields string) string { return `{"access_token":"at","token_type":"Bearer"` + fields + `}` }
	for name, test := range map[string]struct {
		status int
		body   string
		want   TokenReason // "" means granted
		life   time.Duration
	}{
		"300 s":                        {200, response(`,"expires_in":300`), "", 300 * time.Second},
		"299 s in a string":            {200, response(`,"expires_in":"299"`), "", 299 * time.Second},
		"a lifetime above the maximum": {200, response(`,"expires_in":1000000000`), "", maxLifetime},
		"no lifetime":                  {200, response(``), "", defaultLifetime},
		"a lifetime of null":           {200, response(`,"expires_in":null`), "", defaultLifetime},
		"type in another case":         {200, `{"access_token":"at","token_type":"bearer"}`, "", defaultLifetime},
		"4 s":                          {200, response(`,"expires_in":4`), TokenTooShort, 0},
		"0 s":                          {200, response(`,"expires_in":0`), TokenTooShort, 0},
		"-1 s":                         {200, response(`,"expires_in":-1`), TokenTooShort, 0},
		"another type (39)":            {200, `{"access_token":"at","token_type":"mac","expires_in":300}`, TokenRejected, 0},
		"no type":                      {200, `{"access_token":"at","expires_in":300}`, TokenRejected, 0},
		"a line break (40)":            {200, `{"access_token":"a\r\nX: y","token_type":"Bearer"}`, TokenRejected, 0},
		"a huge token (40)":            {200, tokenResponse(strings.Repeat("a", 20<<10), 300), TokenRejected, 0},
		"an endless response":          {200, `{"access_token":"` + strings.Repeat("a", 1<<20), TokenUnreachable, 0},
		"no token":                     {200, `{"token_type":"Bearer"}`, TokenUnreachable, 0},
		"another client's":             {200, tokenResponse("e30.eyJhenAiOiJ0aGVpcnMifQ.c2ln", 300), TokenRejected, 0},
		"a page (44)":                  {200, `<html>please log in</html>`, TokenUnreachable, 0},
		"nothing":                      {200, ``, TokenUnreachable, 0},
		"an error with status 200":     {200, `{"error":"invalid_client"}`, TokenRejected, 0},
		"invalid_client (43)":          {400, `{"error":"invalid_client"}`, TokenRejected, 0},
		"unauthorized (44)":            {401, `{"error":"unauthorized_client"}`, TokenRejected, 0},
		"unauthorized with a page":     {401, `<html>no</html>`, TokenRejected, 0},
		"refused with 403":             {403, `{"error":"access_denied"}`, TokenRejected, 0},
		"forbidden (44)":               {403, `no`, TokenUnreachable, 0},
		"a gateway's JSON":             {403, `{"error":"forbidden"}`, TokenUnreachable, 0},
		"a page of a gateway":          {404, `<html>canary</html>`, TokenUnreachable, 0},
		"no such realm":                {404, `{"error":"Realm does not exist"}`, TokenUnreachable, 0},
		"no such method":               {405, `<html>canary</html>`, TokenUnreachable, 0},
		"too many, with a code":        {429, `{"error":"invalid_request"}`, TokenUnreachable, 0},
		"a fault with a code":          {503, `{"error":"invalid_client"}`, TokenUnreachable, 0},
		"the server's own error":       {400, `{"error":"temporarily_unavailable"}`, TokenUnreachable, 0},
		"too many":                     {429, ``, TokenUnreachable, 0},
		"a fault (44)":                 {500, `canary`, TokenUnreachable, 0},
		"a gateway's page":             {502, `<html>canary</html>`, TokenUnreachable, 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := newTokenSetup(t)
			a.respondWith(test.status, test.body)
			if test.want == "" {
				if got := a.mustToken(t).Expires.Sub(a.clock.Now()); got != test.life {
					t.Errorf("the token has a lifetime of %s, want %s", got, test.life)
				}
				return
			}
			if text := a.failure(t, test.want).Error(); strings.Contains(text, "canary") || strings.Contains(text, "aaaa") {
				t.Errorf("the error shows the body: %s", text)
			}
		})
	}
}

func TestTokenErrorQuotesTheIdentityProvider(t *testing.T) {
	a := newTokenSetup(t)
	a.respondWith(400, `{"error":"invalid_client","error_description":"No such client eyJhbGciOi.x.y of ada@example.com"}`)
	const want = `(invalid_client: No such client REDACTED of REDACTED), key "`
	if text := a.failure(t, TokenRejected).Error(); !strings.Contains(text, want) {
		t.Errorf("error: %s", text)
	}
}

func TestTokenErrorNeverShowsTheAssertion(t *testing.T) {
	t.Parallel()
	const signed = "aGVhZGVy.cGF5bG9hZA.c2lnbmF0dXJl"
	for _, echoed := range append(strings.Split(signed, "."), signed) {
		refused := &oauth2.RetrieveError{
			Response: &http.Response{StatusCode: http.StatusBadRequest}, ErrorDescription: "what is " + echoed + "?",
		}
		if text := exchangeError(refused, secretsIn(signed)).Error(); strings.Contains(text, echoed) {
			t.Errorf("the error shows the assertion: %s", text)
		}
	}
}

func FuzzTokenResponse(f *testing.F) {
	for _, seed := range []string{
		tokenResponse("at", 300), `{"error":"invalid_client"}`, `{"access_token":"a b","token_type":"Bearer"}`, `<html>`, ``,
		`{"access_token":"at","token_type":"Bearer","expires_in":"1e309"}`,
	} {
		f.Add(200, seed)
	}
	f.Add(400, `{"error":"invalid_client","error_description":"x"}`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 || len(body) > maxTokenResponse {
			return
		}
		clock := newClock()
		source := newExchanger(TokenConfig{
			TokenURL: "https://id.example/realms/r" + protocolPart, ClientName: "c", Now: clock.Now,
			Wrap: func(http.RoundTripper) http.RoundTripper { return cannedResponse{status, body} },
		}, "")
		got, err := source.post(t.Context(), "assertion", clock.Now())
		if _, ok := errors.AsType[*TokenError](err); err != nil {
			if !ok {
				t.Fatalf("%v is no TokenError", err)
			}
			return
		}
		checkGrant(t, got, clock.Now())
	})
}

// checkGrant checks what must be true of every grant that is accepted.
func checkGrant(t *testing.T, got grantedToken, start time.Time) {
	t.Helper()
	token, life := got.token.AccessToken.Reveal(), got.token.Expires.Sub(start)
	if token == "" || strings.ContainsAny(token, " \r\n\x00") || len(token) > maxTokenBytes {
		t.Fatalf("token %q was accepted", token)
	}
	if life < minLifetime || life > maxLifetime {
		t.Fatalf("a token with a lifetime of %s was accepted", life)
	}
	if left := got.token.Expires.Sub(got.usableUntil); left < min(15*time.Second, life/2) {
		t.Fatalf("a token with a lifetime of %s may be handed out with %s left", life, left)
	}
}

// cannedResponse is a transport that returns the same response every time.
type cannedResponse struct {
	status int
	body   string
}

func (c cannedResponse) RoundTrip(req *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	recorder.Code = c.status
	either(recorder.WriteString(c.body))
	recorder.Header().Set("Content-Type", "application/json")
	resp := recorder.Result()
	resp.Request = req
	return resp, nil
}
