package simulator_test

import (
	"crypto/rand"
	"crypto/rsa"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// TestTokenReplyHasTheShapeOfSection5 compares the reply with spec §5, field by field.
func TestTokenReplyHasTheShapeOfSection5(t *testing.T) {
	w := start(t)
	got := w.exchange(grant("reseller", w.sign(w.claims("reseller")))).is(http.StatusOK)
	document := got.json()
	if got.text("access_token") == "" {
		t.Errorf("no access_token in %s", got.body)
	}
	delete(document, "access_token")
	for name, want := range map[string]string{"expires_in": "300", "refresh_expires_in": "0", "not-before-policy": "0"} {
		if number, ok := document[name].(interface{ String() string }); !ok || number.String() != want {
			t.Errorf("%s is %v, want the number %s", name, document[name], want)
		}
		delete(document, name)
	}
	if diff := cmp.Diff(map[string]any{"token_type": "Bearer", "scope": ""}, document); diff != "" {
		t.Error(diff)
	}
	if got.header.Get("Cache-Control") != "no-store" || got.header.Get("Date") == "" {
		t.Errorf("headers %v", got.header)
	}
	w.broke()
}

// TestAssertionsThatBreakSection5AreRefused breaks each claim in turn.
func TestAssertionsThatBreakSection5AreRefused(t *testing.T) {
	cases := map[string]struct {
		edit func(jwt.MapClaims, time.Time)
		want string
	}{
		"expired":            {set("exp", -1), "Token is not active"},
		"not yet valid":      {set("nbf", 30), "Token is not active"},
		"issued later":       {set("iat", 30), "issued in the future"},
		"without exp":        {drop("exp"), "required claim"},
		"without nbf":        {drop("nbf"), "required claim"},
		"without iat":        {drop("iat"), "no jti or no iat"},
		"without jti":        {drop("jti"), "no jti or no iat"},
		"without aud":        {drop("aud"), "required claim"},
		"another audience":   {put("aud", "https://elsewhere"), "Invalid token audience"},
		"the token endpoint": {put("aud", "https://elsewhere"+tokenPath), "Invalid token audience"},
		"another subject":    {put("sub", "other"), "Invalid client or Invalid client credentials"},
		"an unknown issuer":  {put("iss", "nobody"), "Invalid client or Invalid client credentials"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := start(t)
			claims := w.claims("reseller")
			c.edit(claims, w.clock())
			got := w.exchange(grant("reseller", w.sign(claims))).is(http.StatusBadRequest)
			if got.text("error") != "invalid_client" || !strings.Contains(got.text("error_description"), c.want) {
				t.Errorf("%s, want invalid_client with %q", got.body, c.want)
			}
			w.broke(simulator.RuleAssertion)
		})
	}
}

func set(claim string, seconds int64) func(jwt.MapClaims, time.Time) {
	return func(c jwt.MapClaims, now time.Time) { c[claim] = now.Unix() + seconds }
}

func drop(claim string) func(jwt.MapClaims, time.Time) {
	return func(c jwt.MapClaims, _ time.Time) { delete(c, claim) }
}

func put(claim, value string) func(jwt.MapClaims, time.Time) {
	return func(c jwt.MapClaims, _ time.Time) { c[claim] = value }
}

// TestClockToleranceForgivesASmallSkew accepts an assertion whose time is slightly in the future.
func TestClockToleranceForgivesASmallSkew(t *testing.T) {
	w := start(t, func(s *simulator.Seed) { s.Token.ClockTolerance = simulator.Duration(40 * time.Second) })
	claims := w.claims("reseller")
	claims["nbf"], claims["iat"] = w.clock().Unix()+30, w.clock().Unix()+30
	w.exchange(grant("reseller", w.sign(claims))).is(http.StatusOK)
}

// TestAnAssertionIsGoodForOneExchange sends the same assertion twice (spec §8).
func TestAnAssertionIsGoodForOneExchange(t *testing.T) {
	w := start(t)
	form := grant("reseller", w.sign(w.claims("reseller")))
	w.exchange(form).is(http.StatusOK)
	got := w.exchange(form).is(http.StatusBadRequest)
	if !strings.Contains(got.text("error_description"), "Token reuse detected") {
		t.Error(got.body)
	}
	w.broke(simulator.RuleTokenReuse)
}

// TestSignaturesOfOtherKeysAreRefused signs with an unknown key, kid and algorithm.
func TestSignaturesOfOtherKeysAreRefused(t *testing.T) {
	w := start(t)
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(method jwt.SigningMethod, kid string, with any) string {
		token := jwt.NewWithClaims(method, w.claims("reseller"))
		token.Header["kid"] = kid
		signed, err := token.SignedString(with)
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	cases := map[string]string{
		"failed validation":         sign(jwt.SigningMethodRS256, keyID, stranger),
		"Unable to load public key": sign(jwt.SigningMethodRS256, "key-2", key()),
		"Signature on JWT":          sign(jwt.SigningMethodRS512, keyID, key()),
		"Invalid token":             "not.a.token",
	}
	for want, assertion := range cases {
		got := w.exchange(grant("reseller", assertion)).is(http.StatusBadRequest)
		if !strings.Contains(got.text("error_description"), want) {
			t.Errorf("%s, want %q", got.body, want)
		}
	}
}

// TestKeysCanBeRotated replaces a client's keys while a token is in use.
func TestKeysCanBeRotated(t *testing.T) {
	w := start(t)
	if err := w.sim.SetKeys("reseller", map[string]string{"key-2": publicPEM(key())}); err != nil {
		t.Fatal(err)
	}
	w.exchange(grant("reseller", w.sign(w.claims("reseller")))).is(http.StatusBadRequest)
	w.get("/api/connect/services/service-cancellations/requests/1000001").is(http.StatusOK) // the token stays valid
}

// TestTokenRequestsThatAreNotOfSection5 breaks the form and the HTTP around it.
func TestTokenRequestsThatAreNotOfSection5(t *testing.T) {
	w := start(t)
	without := func(name string) url.Values {
		form := grant("reseller", w.sign(w.claims("reseller")))
		form.Del(name)
		return form
	}
	with := func(name string, values ...string) url.Values {
		form := grant("reseller", w.sign(w.claims("reseller")))
		form[name] = values
		return form
	}
	cases := map[string]struct {
		form url.Values
		want string
	}{
		"no grant":          {without("grant_type"), "invalid_request"},
		"another grant":     {with("grant_type", "password"), "unsupported_grant_type"},
		"no type":           {without("client_assertion_type"), "invalid_request"},
		"no assertion":      {without("client_assertion"), "invalid_request"},
		"no client_id":      {without("client_id"), "invalid_client"},
		"another client_id": {with("client_id", "other"), "invalid_client"},
		"a field twice":     {with("client_id", "reseller", "reseller"), "invalid_request"},
	}
	for name, c := range cases {
		if got := w.exchange(c.form).is(http.StatusBadRequest); got.text("error") != c.want {
			t.Errorf("%s: %s, want %s", name, got.body, c.want)
		}
	}
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	w.send(http.MethodPost, "/auth/realms/nowhere/protocol/openid-connect/token", "", form).is(http.StatusNotFound)
	w.send(http.MethodPost, tokenPath, "{}", nil).is(http.StatusUnsupportedMediaType)
	w.send(http.MethodPost, tokenPath, strings.Repeat("a", 1<<17), form).is(http.StatusRequestEntityTooLarge)
	w.get(tokenPath).is(http.StatusMethodNotAllowed)
}

// TestAccessTokensExpire uses a token until expires_in is over, and a revoked one.
func TestAccessTokensExpire(t *testing.T) {
	w := start(t, func(s *simulator.Seed) { s.Token.ExpiresIn = simulator.Duration(20 * time.Second) })
	read := "/api/connect/services/service-cancellations/requests/1000001"
	w.wait(19 * time.Second)
	w.get(read).is(http.StatusOK)
	w.wait(time.Second)
	w.get(read).refusedWith(http.StatusUnauthorized, "unauthorized")
	w.token = w.login("reseller")
	w.get(read).is(http.StatusOK)
	w.sim.RevokeTokens()
	w.get(read).is(http.StatusUnauthorized)
}
