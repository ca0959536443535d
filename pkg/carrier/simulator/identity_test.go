package simulator_test

import (
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// TestTheTokenResponseHasTheFieldsOfSection5 compares the response with spec §5, field by field.
func TestTheTokenResponseHasTheFieldsOfSection5(t *testing.T) {
	h := start(t)
	got := h.exchange(grant("reseller", h.sign(h.claims("reseller")))).is(http.StatusOK)
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
	h.expectViolations()
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
		"two audiences": {func(c jwt.MapClaims, _ time.Time) {
			c["aud"] = []any{c["aud"], "https://elsewhere"}
		}, "Invalid token audience"},
		"valid for too long":    {set("exp", 61), "too far in the future"},
		"an exp that is a text": {quote("exp"), "Invalid token"},
		"an nbf that is a text": {quote("nbf"), "Invalid token"},
		"an iat that is a text": {quote("iat"), "Invalid token"},
		"another subject":       {put("sub", "other"), "Invalid client or Invalid client credentials"},
		"an unknown issuer":     {put("iss", "nobody"), "Invalid client or Invalid client credentials"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := start(t)
			claims := h.claims("reseller")
			c.edit(claims, h.clock())
			got := h.exchange(grant("reseller", h.sign(claims))).is(http.StatusBadRequest)
			if got.text("error") != "invalid_client" || !strings.Contains(got.text("error_description"), c.want) {
				t.Errorf("%s, want invalid_client with %q", got.body, c.want)
			}
			h.expectViolations(simulator.RuleAssertion)
		})
	}
}

func set(claim string, seconds int64) func(jwt.MapClaims, time.Time) {
	return func(c jwt.MapClaims, now time.Time) { c[claim] = now.Unix() + seconds }
}

// quote makes a time a JSON string with the same digits.
func quote(claim string) func(jwt.MapClaims, time.Time) {
	return func(c jwt.MapClaims, _ time.Time) { c[claim] = fmt.Sprint(c[claim]) }
}

func drop(claim string) func(jwt.MapClaims, time.Time) {
	return func(c jwt.MapClaims, _ time.Time) { delete(c, claim) }
}

func put(claim, value string) func(jwt.MapClaims, time.Time) {
	return func(c jwt.MapClaims, _ time.Time) { c[claim] = value }
}

// TestClockToleranceForgivesASmallSkew accepts an assertion whose time is slightly in the future.
func TestClockToleranceForgivesASmallSkew(t *testing.T) {
	h := start(t, func(s *simulator.Seed) { s.Token.ClockTolerance = simulator.Duration(40 * time.Second) })
	claims := h.claims("reseller")
	claims["nbf"], claims["iat"] = h.clock().Unix()+30, h.clock().Unix()+30
	h.exchange(grant("reseller", h.sign(claims))).is(http.StatusOK)
}

// TestAnAssertionIsAcceptedOnce sends the same assertion twice (spec §8).
func TestAnAssertionIsAcceptedOnce(t *testing.T) {
	h := start(t)
	form := grant("reseller", h.sign(h.claims("reseller")))
	h.exchange(form).is(http.StatusOK)
	got := h.exchange(form).is(http.StatusBadRequest)
	if !strings.Contains(got.text("error_description"), "Token reuse detected") {
		t.Error(got.body)
	}
	h.expectViolations(simulator.RuleTokenReuse)
}

// TestSignaturesOfOtherKeysAreRefused signs with an unknown key, kid and algorithm.
func TestSignaturesOfOtherKeysAreRefused(t *testing.T) {
	h := start(t)
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(method jwt.SigningMethod, kid string, with any) string {
		token := jwt.NewWithClaims(method, h.claims("reseller"))
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
		got := h.exchange(grant("reseller", assertion)).is(http.StatusBadRequest)
		if !strings.Contains(got.text("error_description"), want) {
			t.Errorf("%s, want %q", got.body, want)
		}
	}
}

// TestKeysCanBeRotated replaces a client's keys while a token is in use.
func TestKeysCanBeRotated(t *testing.T) {
	h := start(t)
	if err := h.sim.SetKeys("reseller", map[string]string{"key-2": publicPEM(key())}); err != nil {
		t.Fatal(err)
	}
	h.exchange(grant("reseller", h.sign(h.claims("reseller")))).is(http.StatusBadRequest)
	h.get("/api/connect/services/service-cancellations/requests/1000001").is(http.StatusOK) // the token stays valid
}

// TestTokenRequestsThatBreakSection5AreRefused breaks the form and the HTTP around it.
func TestTokenRequestsThatBreakSection5AreRefused(t *testing.T) {
	h := start(t)
	without := func(name string) url.Values {
		form := grant("reseller", h.sign(h.claims("reseller")))
		form.Del(name)
		return form
	}
	with := func(name string, values ...string) url.Values {
		form := grant("reseller", h.sign(h.claims("reseller")))
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
		if got := h.exchange(c.form).is(http.StatusBadRequest); got.text("error") != c.want {
			t.Errorf("%s: %s, want %s", name, got.body, c.want)
		}
	}
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	h.send(http.MethodPost, "/auth/realms/nowhere/protocol/openid-connect/token", "", form).is(http.StatusNotFound)
	h.send(http.MethodPost, tokenPath, "{}", nil).is(http.StatusUnsupportedMediaType)
	h.send(http.MethodPost, tokenPath, strings.Repeat("a", 1<<17), form).is(http.StatusRequestEntityTooLarge)
	h.get(tokenPath).is(http.StatusMethodNotAllowed)
}

// TestAccessTokensExpire uses an expired token and a revoked one.
func TestAccessTokensExpire(t *testing.T) {
	h := start(t, func(s *simulator.Seed) { s.Token.ExpiresIn = simulator.Duration(20 * time.Second) })
	read := "/api/connect/services/service-cancellations/requests/1000001"
	h.wait(19 * time.Second)
	h.get(read).is(http.StatusOK)
	h.wait(time.Second)
	h.get(read).refusedWith(http.StatusUnauthorized, "unauthorized")
	h.token = h.login("reseller")
	h.get(read).is(http.StatusOK)
	h.sim.RevokeTokens()
	h.get(read).is(http.StatusUnauthorized)
}
