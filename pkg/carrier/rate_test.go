package carrier

import (
	"fmt"
	"maps"
	"slices"
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
		if wait := rate.Take(CallSubmit, "a", clock.Now()); wait != 0 {
			t.Fatalf("wait %s, want a call", wait)
		}
	}
	rate.Set(clock.Now(), 10, 20)
	if wait := rate.Take(CallSubmit, "a", clock.Now()); wait != 100*time.Millisecond {
		t.Errorf("wait %s, want the time of one token at the new rate", wait)
	}
	clock.advance(2 * time.Second)
	if !rate.IsFresh(clock.Now()) {
		t.Error("the bucket is not full after two seconds at 10 tokens a second")
	}
}

// crowd is many callers that wait for tokens. Each tries again after its wait.
type crowd struct {
	rate   *Rate
	now    time.Time
	due    map[string]time.Time
	tries  int
	served []string
}

func newCrowd(rate *Rate, callers int) *crowd {
	c := &crowd{rate: rate, now: newClock().Now(), due: map[string]time.Time{}}
	for range callers {
		c.try(fmt.Sprintf("%04d", c.tries))
	}
	return c
}

func (c *crowd) try(caller string) {
	c.tries++
	if wait := c.rate.Take(CallPoll, caller, c.now); wait > 0 {
		c.due[caller] = c.now.Add(wait)
		return
	}
	delete(c.due, caller)
	c.served = append(c.served, caller)
}

// wait lets time pass until all have their token, while somebody without a turn tries all the time.
func (c *crowd) wait() {
	for ; len(c.due) > 0; c.now = c.now.Add(10 * time.Millisecond) {
		c.rate.Take(CallPoll, "greedy", c.now)
		for _, caller := range slices.Sorted(maps.Keys(c.due)) {
			if !c.now.Before(c.due[caller]) {
				c.try(caller)
			}
		}
	}
}

func TestR10CallersGetTokensInTheOrderInWhichTheyCame(t *testing.T) {
	const callers = 500 // for whom there are tokens in 100 s
	crowd := newCrowd(NewRate(5, 10), callers)
	began := crowd.now
	crowd.wait()
	if !slices.IsSorted(crowd.served) || len(crowd.served) != callers {
		t.Errorf("they were served in the order %v", crowd.served)
	}
	if took := crowd.now.Sub(began); took > 102*time.Second {
		t.Errorf("it took %s, so somebody without a turn was served between them", took)
	}
	if each := float64(crowd.tries) / callers; each > 4 {
		t.Errorf("each tried %.1f times, want no more than every %s", each, longestTurn)
	}
}

func TestR10CallersThatHaveGoneHoldNobodyUp(t *testing.T) {
	crowd := newCrowd(NewRate(5, 10), 500)
	for range 2 {
		crowd.now = crowd.now.Add(keepTurn)
		crowd.try("newcomer")
	}
	if n := len(crowd.served); n < 2 || crowd.served[n-2] != "newcomer" || crowd.served[n-1] != "newcomer" {
		t.Errorf("served: %v, want the newcomer last, twice", crowd.served)
	}
	if kept := len(crowd.rate.turns[CallPoll].at); kept != 0 {
		t.Errorf("%d turns are kept", kept)
	}
}

func TestR10TurnsOfCallersThatDoNotComeAreDropped(t *testing.T) {
	crowd := newCrowd(NewRate(5, 10), 500)
	for range 300 { // a caller that comes every second keeps the line moving, and one second is a call too few
		crowd.now = crowd.now.Add(time.Second)
		crowd.try(fmt.Sprintf("steady %d", crowd.tries))
	}
	if kept := len(crowd.rate.turns[CallPoll].at); kept > 200 {
		t.Errorf("%d turns are kept", kept)
	}
}
