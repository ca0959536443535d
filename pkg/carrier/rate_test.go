package carrier

import (
	"testing"
	"time"
)

// An account has a new client after an edit, and every other account of the same identity has its
// own client. For the carrier, all of them are one identity.
func TestR10ClientsOfOneRateShareThePauseAfterA429(t *testing.T) {
	clock, rate := newClock(), NewRate(5, 10)
	shared := func(c *Config) { c.Now, c.Rate = clock.Now, rate }
	first := testClient(t, serve(t, respond(429, "", "Retry-After", "20")).URL, shared)
	first.Submit(t.Context(), PlanChange, 8, planChange.Body())
	second := testClient(t, "https://c.example", shared)
	for _, client := range []*Client{first, second} {
		if wait := prepare(t, client, CallSubmit); wait != 20*time.Second {
			t.Errorf("wait %s, want the 20 s that the carrier requested", wait)
		}
	}
	rate.Set(clock.Now(), 1000, 1000)
	if wait := prepare(t, second, CallSubmit); wait != 20*time.Second || rate.IsFresh(clock.Now()) {
		t.Errorf("wait %s at a higher rate, want the pause to remain", wait)
	}
	clock.advance(20 * time.Second)
	if wait := prepare(t, second, CallSubmit); wait != 0 {
		t.Errorf("wait %s after the pause", wait)
	}
}

func TestR10SettingARateKeepsTheTokensTaken(t *testing.T) {
	clock, rate := newClock(), NewRate(1, 2)
	for range 2 {
		if wait := rate.Take(CallSubmit, clock.Now()); wait != 0 {
			t.Fatalf("wait %s, want a call", wait)
		}
	}
	rate.Set(clock.Now(), 10, 20)
	if wait := rate.Take(CallSubmit, clock.Now()); wait != 100*time.Millisecond {
		t.Errorf("wait %s, want the time of one token at the new rate", wait)
	}
	clock.advance(2 * time.Second)
	if !rate.IsFresh(clock.Now()) {
		t.Error("the bucket is not full after two seconds at 10 tokens a second")
	}
}
