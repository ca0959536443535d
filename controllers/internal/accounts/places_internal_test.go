// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// enterUntilFull takes places for an account until it gets no more.
func enterUntilFull(t *testing.T, p *places, account types.UID) int {
	t.Helper()
	for taken := range p.all + 1 {
		if !p.enter(t.Context(), account) {
			return taken
		}
	}
	t.Fatalf("%s holds more places than there are", account)
	return 0
}

func TestPlacesOfAHangingAccountLeaveRoomForTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces(16)
		for i, want := range []int{8, 4, 2, 1} {
			account := types.UID(rune('a' + i))
			if got := enterUntilFull(t, p, account); got != want {
				t.Errorf("beside %d hanging accounts one holds %d places, want %d", i, got, want)
			}
		}
		if !p.enter(t.Context(), "healthy") {
			t.Error("there is no place left")
		}
	})
}

func TestPlacesKeepNobodyWaitingForACrowdedAccount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, began := newPlaces(16), time.Now() //nolint:forbidigo // the bubble's clock: it moves when all wait
		enterUntilFull(t, p, "hanging")
		for range 1000 {
			if p.enter(t.Context(), "hanging") {
				t.Fatal("a place was free")
			}
		}
		if pause := p.pause("hanging"); pause != longestCrowded {
			t.Errorf("the 1001st comes back after %v", pause)
		}
		if waited := time.Since(began); waited != placePatience { //nolint:forbidigo // the same
			t.Errorf("1001 passes waited %v for a place, want %v of the first", waited, placePatience)
		}
	})
}

func TestPlacesAreWaitedForWhereCallsAreAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces(2)
		if !p.enter(t.Context(), "busy") {
			t.Fatal("there is no place")
		}
		entered := make(chan bool)
		go func() { entered <- p.enter(t.Context(), "busy") }()
		synctest.Wait() // it found none, and waits
		p.leave("busy")
		if !<-entered {
			t.Error("the place that became free was not taken")
		}
		if pause := p.pause("busy"); pause != crowdedPause {
			t.Errorf("one that finds none comes back after %v", pause)
		}
	})
}

func TestPlacesHaveNoLimitWhereTheWorkersAreNotCounted(t *testing.T) {
	t.Parallel()
	p := newPlaces(0)
	for range 100 {
		if !p.enter(t.Context(), "alone") {
			t.Fatal("a place was refused")
		}
	}
}
