package carrier

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"
)

func TestTokenExchangeFollowsTheSpecification(t *testing.T) {
	a := newTokenSetup(t)
	a.respond = func(token *jwt.Token) (int, string) {
		if _, err := jwt.Parse(token.Raw, func(*jwt.Token) (any, error) { return &testRSA().PublicKey, nil },
			jwt.WithValidMethods([]string{"RS256"}), jwt.WithTimeFunc(a.clock.Now)); err != nil {
			t.Errorf("the assertion is not valid: %v", err)
		}
		now := a.clock.Now().Unix()
		want := jwt.MapClaims{
			"iss": "reseller", "sub": "reseller", "aud": a.url, "jti": claimsOf(token)["jti"],
			"iat": float64(now - 5), "nbf": float64(now - 5), "exp": float64(now + 55),
		}
		if diff := cmp.Diff(want, token.Claims); diff != "" {
			t.Errorf("claims (-want +got):\n%s", diff)
		}
		return http.StatusOK, tokenResponse("at-1", 300)
	}
	got := a.mustToken(t)
	if want := (Token{NewSecret("at-1"), a.clock.Now().Add(300 * time.Second)}); got != want {
		t.Errorf("token %v expires %s, want %s", got, got.Expires, want.Expires)
	}
	form := a.forms[0]
	delete(form, "client_assertion")
	want := map[string][]string{
		"grant_type": {"client_credentials"}, "client_id": {"reseller"}, "client_assertion_type": {assertionType},
	}
	if diff := cmp.Diff(want, form); diff != "" {
		t.Errorf("form (-want +got):\n%s", diff)
	}
}

func TestTokenCallersShareOneExchange(t *testing.T) {
	a := newTokenSetup(t)
	arrived, release := make(chan struct{}, 1), make(chan struct{})
	a.respond = func(*jwt.Token) (int, string) {
		arrived <- struct{}{}
		<-release
		return http.StatusOK, tokenResponse("at-1", 300)
	}
	const callers = 500
	var started, done sync.WaitGroup
	for range callers {
		started.Add(1)
		done.Go(func() {
			started.Done()
			if token, err := a.source.Token(t.Context()); err != nil || token.AccessToken.Reveal() != "at-1" {
				t.Errorf("Token = %v, %v", token, err)
			}
		})
	}
	started.Wait()
	<-arrived
	close(release)
	done.Wait()
	if got := a.exchanges(); got != 1 {
		t.Errorf("%d callers made %d exchanges, want 1", callers, got)
	}
}

func TestTokenExchangeOutlivesACancelledCaller(t *testing.T) {
	a := newTokenSetup(t)
	arrived, release := make(chan struct{}), make(chan struct{})
	a.respond = func(*jwt.Token) (int, string) {
		close(arrived)
		<-release
		return http.StatusOK, tokenResponse("at-1", 300)
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := a.source.Token(ctx)
		left <- err
	}()
	<-arrived
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller returned %v", err)
	}
	close(release)
	if got := a.mustToken(t); got.AccessToken.Reveal() != "at-1" || a.exchanges() != 1 {
		t.Errorf("the exchange ended with its caller: %d exchanges", a.exchanges())
	}
}

func TestTokenIsCachedUntilEightyPercent(t *testing.T) {
	for life, fresh := range map[int]time.Duration{
		300: 240 * time.Second, // 80 %
		60:  45 * time.Second,  // 15 s left
		20:  10 * time.Second,  // half of it left
		5:   2500 * time.Millisecond,
	} {
		t.Run(fmt.Sprint(life), func(t *testing.T) {
			a := newTokenSetup(t)
			a.respondWith(http.StatusOK, tokenResponse("at", life))
			a.mustToken(t)
			a.clock.advance(fresh - time.Millisecond)
			a.mustToken(t)
			if got := a.exchanges(); got != 1 {
				t.Fatalf("%d exchanges just before %s, want 1", got, fresh)
			}
			a.clock.advance(time.Millisecond)
			a.mustToken(t)
			if got := a.exchanges(); got != 2 {
				t.Errorf("%d exchanges at %s, want 2", got, fresh)
			}
		})
	}
}

func TestTokenRedirectIsNotFollowed(t *testing.T) {
	var elsewhere atomic.Int64
	other := serve(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := serve(t, respond(status, "", "Location", other.URL))
		a := newTokenSetup(t, func(c *TokenConfig) { c.TokenURL = server.URL + "/realms/r" + protocolPart })
		a.mustFail(t, TokenUnreachable)
	}
	if got := elsewhere.Load(); got != 0 {
		t.Errorf("%d assertions were sent to another host", got)
	}
}

func TestTokenFailuresNeverUseAnAssertionTwice(t *testing.T) {
	a := newTokenSetup(t)
	a.respondWith(http.StatusBadRequest, `{"error":"invalid_client"}`)
	const failures = 1000
	for range failures {
		a.mustFail(t, TokenRejected)
		a.clock.advance(maxPause)
	}
	seen := make(map[string]bool)
	for _, jti := range a.jtis {
		seen[jti] = true
	}
	if len(a.jtis) != failures || len(seen) != failures {
		t.Errorf("%d exchanges with %d ids, want %d of both", len(a.jtis), len(seen), failures)
	}
}

// pauses returns the lengths of the successive pauses of a source that is granted no token.
func pauses() []time.Duration {
	const s = time.Second
	return []time.Duration{5 * s, 10 * s, 20 * s, 40 * s, 80 * s, 160 * s, 300 * s, 300 * s}
}

func TestTokenBackOff(t *testing.T) {
	a := newTokenSetup(t)
	a.respondWith(http.StatusInternalServerError, "")
	for i, pause := range pauses() {
		a.mustFail(t, TokenUnreachable)
		if got := a.exchanges(); got != i+1 {
			t.Fatalf("%d exchanges, want %d", got, i+1)
		}
		a.clock.advance(pause - time.Millisecond)
		a.mustFail(t, TokenUnreachable)
		if got := a.exchanges(); got != i+1 {
			t.Fatalf("an exchange before the pause of %s was over", pause)
		}
		a.clock.advance(time.Millisecond)
	}
	a.respondWith(http.StatusOK, tokenResponse("at", 300))
	a.mustToken(t)
	a.respondWith(http.StatusInternalServerError, "")
	a.clock.advance(time.Hour)
	a.mustFail(t, TokenUnreachable)
	a.clock.advance(firstPause)
	before := a.exchanges()
	a.mustFail(t, TokenUnreachable)
	if a.exchanges() != before+1 {
		t.Error("a success did not reset the pauses")
	}
}

func TestTokenFailureIsNotRetriedByEveryCaller(t *testing.T) {
	a := newTokenSetup(t)
	a.respondWith(http.StatusBadRequest, `{"error":"invalid_client"}`)
	for range 1000 {
		a.mustFail(t, TokenRejected)
	}
	if exchanges, reads := a.exchanges(), a.reads.Load(); exchanges != 1 || reads != 1 {
		t.Errorf("1000 calls made %d exchanges and read the keys %d times, want 1 and 1", exchanges, reads)
	}
}

func TestTokenChangedKeysEndThePause(t *testing.T) {
	a := newTokenSetup(t)
	a.respondWith(http.StatusBadRequest, `{"error":"invalid_client"}`)
	for range 8 { // until the pause is 5 minutes
		a.mustFail(t, TokenRejected)
		a.clock.advance(maxPause)
	}
	a.mustFail(t, TokenRejected)
	a.respondWith(http.StatusOK, tokenResponse("at", 300))
	a.clock.advance(firstPause)
	a.mustFail(t, TokenRejected)
	a.keys.Store(&[]Key{{ID: "kid-2", PEM: pkcs1(otherRSA())}})
	a.clock.advance(firstPause)
	a.mustToken(t)
	if got := a.kids[len(a.kids)-1]; got != "kid-2" {
		t.Errorf("signed with %s, want the new key", got)
	}
}

func TestInvalidateAffectsOnlyThatToken(t *testing.T) {
	a := newTokenSetup(t)
	first := a.mustToken(t)
	a.respondWith(http.StatusOK, tokenResponse("at-2", 300))
	for range 100 { // a hundred calls were rejected with the same token
		a.source.Invalidate(first)
		if got := a.mustToken(t); got.AccessToken.Reveal() != "at-2" {
			t.Fatal("the token was not replaced")
		}
	}
	a.source.Invalidate(Token{})
	a.source.Invalidate(Token{AccessToken: NewSecret("another")})
	a.mustToken(t)
	if got := a.exchanges(); got != 2 {
		t.Errorf("%d exchanges, want 2", got)
	}
}

func TestInvalidateOfFreshTokensBacksOff(t *testing.T) {
	a := newTokenSetup(t)
	number := 0
	a.respond = func(*jwt.Token) (int, string) {
		number++
		return http.StatusOK, tokenResponse(fmt.Sprint("at-", number), 300)
	}
	a.source.Invalidate(a.mustToken(t))
	for i, pause := range pauses() {
		a.source.Invalidate(a.mustToken(t)) // every token is rejected immediately
		a.mustFail(t, TokenNotAccepted)
		if got := a.exchanges(); got != i+2 {
			t.Fatalf("%d exchanges, want %d", got, i+2)
		}
		a.clock.advance(pause)
	}
	a.mustToken(t)
	a.clock.advance(250 * time.Second) // this token is used for its full lifetime
	a.source.Invalidate(a.mustToken(t))
	a.mustToken(t)
}

func TestNewTokenSourceChecksItsAddress(t *testing.T) {
	good := "https://id.carrier.example/auth/realms/reseller/protocol/openid-connect/token"
	keys := func(context.Context) ([]Key, error) { return nil, nil }
	for address, want := range map[string]bool{
		good:              true,
		good + "/":        false,
		good + "?x=y":     false,
		good + "#x":       false,
		"http" + good[5:]: false,
		"https://user:pw@id.carrier.example/realms/r" + protocolPart: false,
		"https://id.carrier.example/auth/realms/reseller":            false,
		"https://id.carrier.example" + protocolPart:                  false,
		"https://id.carrier.example/a/../b" + protocolPart:           false,
		"https://id.carrier.example/a%2fb" + protocolPart:            false,
		"": false,
	} {
		_, err := NewTokenSource(TokenConfig{TokenURL: address, Keys: keys, Now: newClock().Now, NewID: rand.Text})
		if (err == nil) != want {
			t.Errorf("NewTokenSource(%q) = %v, want success %t", address, err, want)
		}
		if _, ok := errors.AsType[*AddressError](err); err != nil && !ok {
			t.Errorf("%q: %v is not an AddressError", address, err)
		}
		if err != nil && strings.Contains(err.Error(), "pw") {
			t.Errorf("%v shows the password", err)
		}
	}
}

func TestTokenHangingExchangeDoesNotBlockCallers(t *testing.T) {
	a := newTokenSetup(t, func(c *TokenConfig) { c.MaxWait = time.Millisecond })
	release := make(chan struct{})
	a.respond = func(*jwt.Token) (int, string) {
		<-release
		return http.StatusOK, tokenResponse("at-1", 300)
	}
	for range 1000 { // none of them waits longer than the first
		if wait := PendingWait(a.failure(t, TokenPending)); wait <= 0 || wait >= firstPause {
			t.Fatalf("the wait is %s, want less than the first pause of %s", wait, firstPause)
		}
	}
	close(release)
	<-a.exchangeDone()
	a.mustToken(t)
	if got := a.exchanges(); got != 1 {
		t.Errorf("%d exchanges, want 1", got)
	}
}
