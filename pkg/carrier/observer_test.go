package carrier

import (
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"
)

// Every call is observed once, with the name of its operation or read, its status and its duration
// by the client's clock.
func TestEveryCallIsObserved(t *testing.T) {
	clock := newClock()
	status := http.StatusInternalServerError
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		clock.advance(3 * time.Second)
		w.WriteHeader(status)
	})
	var calls []ObservedCall
	client := testClient(t, server.URL, func(config *Config) {
		config.Now = clock.Now
		config.Observe.Call = func(call ObservedCall) { calls = append(calls, call) }
	})
	client.Submit(t.Context(), Health, 8, HealthRequest{ServiceID: 1}.Body())
	either(client.Poll(t.Context(), handle))
	either(client.Cancellation(t.Context(), 1))
	either(client.DisruptionPage(t.Context(), DisruptionQuery{ServiceID: 1}, 0))
	server.Close()
	either(client.Poll(t.Context(), handle))
	either(client.Cancellation(t.Context(), 0)) // an impossible id: no call is made
	const took = 3 * time.Second
	want := []ObservedCall{
		{string(Health), http.MethodPost, status, took},
		{string(PlanChange), http.MethodGet, status, took},
		{CancellationRead, http.MethodGet, status, took},
		{DisruptionsRead, http.MethodGet, status, took},
		{string(PlanChange), http.MethodGet, 0, 0},
	}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// A client works without an observer, too.
func TestAnObserverIsOptional(t *testing.T) {
	server := serve(t, respond(http.StatusAccepted, ""))
	client := testClient(t, server.URL)
	if wait := client.Take(CallPoll, "a"); wait != 0 {
		t.Errorf("Take = %v", wait)
	}
	if outcome, err := client.Poll(t.Context(), handle); outcome.State != Pending || err != nil {
		t.Errorf("Poll = %v, %v", outcome, err)
	}
}

func TestWaitsForTheRateLimitAreObserved(t *testing.T) {
	var waits []time.Duration
	client := testClient(t, "http://127.0.0.1:1", func(config *Config) {
		config.Rate = NewRate(1, 1)
		config.Observe.Wait = func(_ CallKind, wait time.Duration) { waits = append(waits, wait) }
	})
	for range 2 {
		client.Take(CallSubmit, "a")
	}
	if diff := cmp.Diff([]time.Duration{0, time.Second}, waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

// An exchange is observed with its outcome, and the token in use has the time of its request.
func TestEveryTokenExchangeIsObserved(t *testing.T) {
	var seen []ObservedExchange
	a := newTokenSetup(t, func(config *TokenConfig) {
		config.Observe.Exchange = func(exchange ObservedExchange) { seen = append(seen, exchange) }
	})
	if at := a.source.GrantedAt(); !at.IsZero() {
		t.Errorf("without a token, it was granted at %v", at)
	}
	a.respond = func(*jwt.Token) (int, string) { return http.StatusServiceUnavailable, "" }
	a.mustFail(t, TokenUnreachable)
	a.clock.advance(firstPause)
	a.respondWith(http.StatusOK, tokenResponse("at-1", 300))
	token := a.mustToken(t)
	if at := a.source.GrantedAt(); !at.Equal(a.clock.Now()) {
		t.Errorf("the token was granted at %v, and it is %v", at, a.clock.Now())
	}
	a.clock.advance(4 * time.Minute) // 80 % of its lifetime
	if at := a.source.GrantedAt(); !at.IsZero() {
		t.Errorf("a token that is no longer handed out was granted at %v", at)
	}
	a.clock.advance(-time.Minute)
	a.source.Invalidate(token)
	if at := a.source.GrantedAt(); !at.IsZero() {
		t.Errorf("a token that the carrier refused was granted at %v", at)
	}
	if diff := cmp.Diff([]ObservedExchange{{TokenUnreachable}, {""}}, seen); diff != "" {
		t.Errorf("exchanges (-want +got):\n%s", diff)
	}
}
