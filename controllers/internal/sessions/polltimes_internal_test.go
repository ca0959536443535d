// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"slices"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// The carrier sees one client, whichever account's request it works on.
func TestTheAccountsOfALoginLearnTogetherWhenToPoll(t *testing.T) {
	t.Parallel()
	var now time.Time
	registry := registryAt(&now)
	one := provenSession(t, registry, ratedAt("shop", "1", 1, 4))
	other := provenSession(t, registry, ratedAt("branch", "2", 1, 4))
	stranger := sessionOf(t, registry, accountOf("3"))
	for range 16 {
		one.Took(carrier.PlanChange, 20*time.Second, 30*time.Second)
	}
	want := []time.Duration{25 * time.Second}
	if got := other.PollTimes()[carrier.PlanChange]; !slices.Equal(got, want) {
		t.Errorf("another account of the login polls at %v, want %v", got, want)
	}
	if got := other.PollTimes()[carrier.Health]; got != nil {
		t.Errorf("another operation is polled at %v", got)
	}
	if got := stranger.PollTimes(); got != nil {
		t.Errorf("an account of another login polls at %v", got)
	}
}

func TestWhatWasReadOfThePollTimesStaysAsItIs(t *testing.T) {
	t.Parallel()
	times := pollTimes{}
	for range 16 {
		times.took(carrier.PlanChange, time.Minute, time.Minute)
	}
	before := times.current()
	for range 64 {
		times.took(carrier.PlanChange, time.Second, time.Second)
	}
	if got := before[carrier.PlanChange]; !slices.Equal(got, []time.Duration{time.Minute}) {
		t.Errorf("what was read became %v", got)
	}
	if got := times.current()[carrier.PlanChange]; got[0] >= time.Minute {
		t.Errorf("polls are at %v, although all requests are quicker now", got)
	}
}
