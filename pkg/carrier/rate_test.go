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
		if wait := client.Take(CallSubmit, "a"); wait != 20*time.Second {
			t.Errorf("wait %s, want the 20 s that the carrier requested", wait)
		}
	}
	rate.Set(clock.Now(), 1000, 1000)
	if wait := second.Take(CallSubmit, "a"); wait != 20*time.Second || rate.IsFresh(clock.Now()) {
		t.Errorf("wait %s at a higher rate, want the pause to remain", wait)
	}
	clock.advance(20 * time.Second)
	if wait := second.Take(CallSubmit, "a"); wait != 0 {
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

// pass lets time pass, but no longer than until all have their token. In each step, something else
// happens first.
func (c *crowd) pass(long time.Duration, first func()) (took time.Duration) {
	for ; len(c.due) > 0 && took < long; took += 10 * time.Millisecond {
		first()
		for _, caller := range slices.Sorted(maps.Keys(c.due)) {
			if !c.now.Before(c.due[caller]) {
				c.try(caller)
			}
		}
		c.now = c.now.Add(10 * time.Millisecond)
	}
	return took
}

const ages = time.Hour

func TestR10CallersGetTokensInTheOrderInWhichTheyCame(t *testing.T) {
	const callers = 500 // for whom there are tokens in 100 s
	crowd := newCrowd(NewRate(5, 10), callers)
	took := crowd.pass(ages, func() { crowd.rate.Take(CallPoll, "greedy", crowd.now) }) // one that tries all the time
	if !slices.IsSorted(crowd.served) || len(crowd.served) != callers {
		t.Errorf("they were served in the order %v", crowd.served)
	}
	if took > 102*time.Second {
		t.Errorf("it took %s, so somebody was served in between", took)
	}
	if each := float64(crowd.tries) / callers; each > 5 {
		t.Errorf("each tried %.1f times, want no more than every %s", each, longestWait)
	}
}

// Those that wait keep their places, and try no more often, while the carrier requires a pause.
func TestR10APauseKeepsTheOrder(t *testing.T) {
	const callers = 100
	crowd := newCrowd(NewRate(5, 10), callers)
	crowd.pass(time.Second, func() {})
	crowd.rate.pause(crowd.now, 40*time.Second)
	crowd.pass(ages, func() {})
	if !slices.IsSorted(crowd.served) || len(crowd.served) != callers || crowd.tries > 5*callers {
		t.Errorf("they were served in the order %v, after %d tries", crowd.served, crowd.tries)
	}
}

// POSTs may use the whole rate, and no poll gets a token in that time.
func TestR10ManyPOSTsKeepTheOrderOfPolls(t *testing.T) {
	const callers = 1000
	crowd := newCrowd(NewRate(5, 10), callers)
	before := len(crowd.served)
	crowd.pass(time.Minute, func() { crowd.rate.Take(CallSubmit, "POSTs", crowd.now) })
	if len(crowd.served) != before {
		t.Fatalf("%d polls were made beside them", len(crowd.served)-before)
	}
	if each := float64(crowd.tries) / callers; each > 6 {
		t.Errorf("each poll tried %.1f times in a minute", each)
	}
	crowd.pass(ages, func() {})
	if !slices.IsSorted(crowd.served) || len(crowd.served) != callers {
		t.Errorf("they were served in the order %v", crowd.served)
	}
}

func TestR10AHigherRateIsUsedByThoseThatWait(t *testing.T) {
	crowd := newCrowd(NewRate(1, 10), 300)
	crowd.rate.Set(crowd.now, 10, 10)
	if took := crowd.pass(ages, func() {}); took > longestWait+30*time.Second {
		t.Errorf("300 calls at 10 a second took %s", took)
	}
}

func TestR10CallersThatHaveGoneHoldNobodyUp(t *testing.T) {
	crowd := newCrowd(NewRate(5, 10), 500)
	crowd.now = crowd.now.Add(longestWait + patience + time.Second)
	crowd.try("newcomer")
	if last := crowd.served[len(crowd.served)-1]; last != "newcomer" {
		t.Errorf("served: %v, want the newcomer last", crowd.served)
	}
	if kept := len(*crowd.rate.lines[CallPoll]); kept != 0 {
		t.Errorf("%d places are kept", kept)
	}
}
