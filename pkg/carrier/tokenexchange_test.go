package carrier

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"
)

func TestTokenReturnsTheErrorOfKeys(t *testing.T) {
	a := newTokenSetup(t)
	missing := errors.New("secret not found")
	a.keyErr.Store(&missing)
	if _, err := a.source.Token(t.Context()); !errors.Is(err, missing) {
		t.Fatalf("Token = %v, want the error of Keys", err)
	}
	a.keyErr.Store(nil)
	a.clock.advance(firstPause)
	a.mustToken(t)
}

func TestTokenUsesTheFirstAcceptedKey(t *testing.T) {
	first, second := Key{ID: "old", PEM: pkcs1(testRSA())}, Key{ID: "new", PEM: pkcs1(otherRSA())}
	accepts := func(kid string) func(*jwt.Token) (int, string) {
		return func(token *jwt.Token) (int, string) {
			if token.Header["kid"] == kid {
				return http.StatusOK, tokenResponse("at", 300)
			}
			return http.StatusBadRequest, `{"error":"invalid_client"}`
		}
	}
	for name, test := range map[string]struct {
		keys  []Key
		taken string
		want  []string
	}{
		"the first key is accepted":       {[]Key{first, second}, "old", []string{"old", "old"}},
		"only the second key is accepted": {[]Key{first, second}, "new", []string{"old", "new", "new"}},
		"the first key cannot be used":    {[]Key{{ID: "bad", PEM: []byte("x")}, second}, "new", []string{"new", "new"}},
		"the accepted key is tried first": {[]Key{second, first}, "old", []string{"new", "old", "old"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newTokenSetup(t)
			a.respond = accepts(test.taken)
			a.keys.Store(&test.keys)
			a.mustToken(t)
			a.clock.advance(250 * time.Second)
			a.mustToken(t)
			if diff := cmp.Diff(test.want, a.kids); diff != "" {
				t.Errorf("keys used (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTokenRejectsBadKeys(t *testing.T) {
	for name, keys := range map[string][]Key{
		"none":           {},
		"a broken one":   {{ID: "kid", PEM: []byte("canary")}},
		"an invalid kid": {{ID: "kid\n\"x\"", PEM: pkcs1(testRSA())}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newTokenSetup(t)
			a.keys.Store(&keys)
			err := a.failure(t, TokenKeyInvalid)
			if strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error shows the key: %s", err)
			}
			if a.exchanges() != 0 {
				t.Error("an exchange was made")
			}
		})
	}
}

// requireCurrentIAT accepts an assertion only if its iat is in the last 10 seconds, and not in the
// future, by the provider's own clock.
func (a *tokenSetup) requireCurrentIAT(token *jwt.Token) (int, string) {
	issued, err := token.Claims.GetIssuedAt()
	now := a.clock.Now().Add(a.skew).Truncate(time.Second)
	if err != nil || issued.After(now) || now.Sub(issued.Time) > 10*time.Second {
		return http.StatusBadRequest, `{"error":"invalid_client"}`
	}
	return http.StatusOK, tokenResponse("at", 300)
}

func TestTokenClockSkew(t *testing.T) {
	for _, test := range []struct {
		skew      time.Duration
		exchanges int
	}{
		{0, 1},
		{2 * time.Second, 1},
		{-time.Second, 1},
		{-2 * time.Second, 1},
		{30 * time.Second, 2},
		{-30 * time.Second, 2},
		{5 * time.Minute, 2},
	} {
		skew, exchanges := test.skew, test.exchanges
		t.Run(skew.String(), func(t *testing.T) {
			a := newTokenSetup(t)
			a.respond, a.skew = a.requireCurrentIAT, skew
			a.mustToken(t)
			if got := a.exchanges(); got != exchanges {
				t.Errorf("%d exchanges, want %d", got, exchanges)
			}
			a.clock.advance(250 * time.Second)
			a.mustToken(t)
			if got := a.exchanges(); got != exchanges+1 {
				t.Errorf("the skew was not kept: %d exchanges, want %d", got, exchanges+1)
			}
		})
	}
	for _, skew := range []time.Duration{301 * time.Second, -2 * time.Hour} {
		t.Run(skew.String(), func(t *testing.T) {
			a := newTokenSetup(t)
			a.respond, a.skew = a.requireCurrentIAT, skew
			text := a.failure(t, TokenClockSkew).Error()
			if strings.Count(text, "no access token") != 1 || !strings.Contains(text, "invalid_client") {
				t.Error(text)
			}
		})
	}
}

// TestTokenRecoversFromAClockStep (42): two clocks that agreed are suddenly two hours apart.
// Nothing is granted until they agree again, the reason shows the skew, and then tokens are granted
// again. It makes no difference which of the two clocks has jumped, because pauses use the
// monotonic clock.
func TestTokenRecoversFromAClockStep(t *testing.T) {
	a := newTokenSetup(t)
	a.respond = a.requireCurrentIAT
	for _, step := range []time.Duration{30 * time.Second, 2 * time.Hour, -2 * time.Hour} {
		a.mustToken(t)
		a.skew = step
		a.clock.advance(maxPause) // the token expires
		if step.Abs() < maxSkew {
			a.mustToken(t)
			a.clock.advance(maxPause)
			continue
		}
		a.mustFail(t, TokenClockSkew)
		a.skew = 0
		a.clock.advance(maxPause)
	}
	a.mustToken(t)
}
