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

func TestTokenReplies(t *testing.T) {
	reply := func(fields string) string { return `{"access_token":"at","token_type":"Bearer"` + fields + `}` }
	for name, test := range map[string]struct {
		status int
		body   string
		want   TokenReason // "" means granted
		life   time.Duration
	}{
		"lives 300 s":              {200, reply(`,"expires_in":300`), "", 300 * time.Second},
		"lives 299 s in a string":  {200, reply(`,"expires_in":"299"`), "", 299 * time.Second},
		"lives too long to be so":  {200, reply(`,"expires_in":1000000000`), "", longestLife},
		"does not say how long":    {200, reply(``), "", assumedLife},
		"says null":                {200, reply(`,"expires_in":null`), "", assumedLife},
		"type in another case":     {200, `{"access_token":"at","token_type":"bearer"}`, "", assumedLife},
		"lives 4 s":                {200, reply(`,"expires_in":4`), TokenTooShort, 0},
		"lives 0 s":                {200, reply(`,"expires_in":0`), TokenTooShort, 0},
		"lives -1 s":               {200, reply(`,"expires_in":-1`), TokenTooShort, 0},
		"another type (39)":        {200, `{"access_token":"at","token_type":"mac","expires_in":300}`, TokenRejected, 0},
		"no type":                  {200, `{"access_token":"at","expires_in":300}`, TokenRejected, 0},
		"a line break (40)":        {200, `{"access_token":"a\r\nX: y","token_type":"Bearer"}`, TokenRejected, 0},
		"a huge token (40)":        {200, granted(strings.Repeat("a", 20<<10), 300), TokenRejected, 0},
		"an answer without end":    {200, `{"access_token":"` + strings.Repeat("a", 1<<20), TokenUnreachable, 0},
		"no token":                 {200, `{"token_type":"Bearer"}`, TokenUnreachable, 0},
		"a page (44)":              {200, `<html>please log in</html>`, TokenUnreachable, 0},
		"nothing":                  {200, ``, TokenUnreachable, 0},
		"an error with status 200": {200, `{"error":"invalid_client"}`, TokenRejected, 0},
		"invalid_client (43)":      {400, `{"error":"invalid_client"}`, TokenRejected, 0},
		"unauthorized (44)":        {401, `{"error":"unauthorized_client"}`, TokenRejected, 0},
		"forbidden (44)":           {403, `no`, TokenRejected, 0},
		"no such realm":            {404, `{"error":"Realm does not exist"}`, TokenRejected, 0},
		"too many":                 {429, ``, TokenUnreachable, 0},
		"a fault (44)":             {500, `canary`, TokenUnreachable, 0},
		"a gateway's page":         {502, `<html>canary</html>`, TokenUnreachable, 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuth(t)
			a.answers(test.status, test.body)
			if test.want == "" {
				if got := a.mustToken(t).Expires.Sub(a.clock.Now()); got != test.life {
					t.Errorf("the token lives %s, want %s", got, test.life)
				}
				return
			}
			if text := a.failure(t, test.want).Error(); strings.Contains(text, "canary") || strings.Contains(text, "aaaa") {
				t.Errorf("the error shows the body: %s", text)
			}
		})
	}
}

func TestARefusedClientIsToldWhatTheIdentityProviderSays(t *testing.T) {
	a := newAuth(t)
	a.answers(400, `{"error":"invalid_client","error_description":"No such client eyJhbGciOi.x.y of ada@example.com"}`)
	const want = `(invalid_client: No such client REDACTED of REDACTED), key "`
	if text := a.failure(t, TokenRejected).Error(); !strings.Contains(text, want) {
		t.Errorf("it says: %s", text)
	}
}

func TestADescriptionShowsNothingOfTheAssertion(t *testing.T) {
	t.Parallel()
	const signed = "aGVhZGVy.cGF5bG9hZA.c2lnbmF0dXJl"
	for _, echoed := range append(strings.Split(signed, "."), signed) {
		refused := &oauth2.RetrieveError{
			Response: &http.Response{StatusCode: http.StatusBadRequest}, ErrorDescription: "what is " + echoed + "?",
		}
		if text := grantError(refused, secretsIn(signed)).Error(); strings.Contains(text, echoed) {
			t.Errorf("it shows the assertion: %s", text)
		}
	}
}

func FuzzTokenReply(f *testing.F) {
	for _, seed := range []string{
		granted("at", 300), `{"error":"invalid_client"}`, `{"access_token":"a b","token_type":"Bearer"}`, `<html>`, ``,
		`{"access_token":"at","token_type":"Bearer","expires_in":"1e309"}`,
	} {
		f.Add(200, seed)
	}
	f.Add(400, `{"error":"invalid_client","error_description":"x"}`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 || len(body) > maxGrantBytes {
			return
		}
		clock := newClock()
		source := newGranter(TokenConfig{
			TokenURL: "https://id.example/realms/r" + protocolPart, ClientName: "c", Now: clock.Now,
			Wrap: func(http.RoundTripper) http.RoundTripper { return cannedAnswer{status, body} },
		})
		got, err := source.exchange(t.Context(), "assertion", clock.Now())
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
func checkGrant(t *testing.T, got grant, start time.Time) {
	t.Helper()
	token, life := got.token.AccessToken.Reveal(), got.token.Expires.Sub(start)
	if token == "" || strings.ContainsAny(token, " \r\n\x00") || len(token) > maxTokenBytes {
		t.Fatalf("token %q was taken", token)
	}
	if life < shortestLife || life > longestLife {
		t.Fatalf("a token of life %s was taken", life)
	}
	if left := got.token.Expires.Sub(got.fresh); left < min(15*time.Second, life/2) {
		t.Fatalf("a token of life %s may be handed out with %s left", life, left)
	}
}

// cannedAnswer is a transport that gives one answer.
type cannedAnswer struct {
	status int
	body   string
}

func (c cannedAnswer) RoundTrip(req *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	recorder.Code = c.status
	either(recorder.WriteString(c.body))
	recorder.Header().Set("Content-Type", "application/json")
	resp := recorder.Result()
	resp.Request = req
	return resp, nil
}
