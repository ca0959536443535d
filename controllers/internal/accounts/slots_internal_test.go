// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// enterUntilFull takes slots for an account until no more are available.
func enterUntilFull(t *testing.T, p *slots, account types.UID) int {
	t.Helper()
	for taken := range p.all + 1 {
		if !p.acquire(t.Context(), account) {
			return taken
		}
	}
	t.Fatalf("%s holds more slots than there are", account)
	return 0
}

func TestSlotsOfAHangingAccountLeaveRoomForTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newSlots(16)
		for i, want := range []int{8, 4, 2, 1} {
			account := types.UID(rune('a' + i))
			if got := enterUntilFull(t, p, account); got != want {
				t.Errorf("next to %d hanging accounts one holds %d slots, want %d", i, got, want)
			}
		}
		if !p.acquire(t.Context(), "healthy") {
			t.Error("there is no slot left")
		}
	})
}

func TestSlotsDoNotDelayOthersForACrowdedAccount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, began := newSlots(16), time.Now() //nolint:forbidigo // the bubble's clock: it advances when all goroutines wait
		enterUntilFull(t, p, "hanging")
		for range 1000 {
			if p.acquire(t.Context(), "hanging") {
				t.Fatal("a slot was free")
			}
		}
		if pause := p.pause("hanging"); pause != longestCrowded {
			t.Errorf("the 1001st comes back after %v", pause)
		}
		if waited := time.Since(began); waited != slotPatience { //nolint:forbidigo // the same
			t.Errorf("1001 passes waited %v for a slot, want %v of the first", waited, slotPatience)
		}
	})
}

func TestSlotsAreWaitedForIfCallsAreAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newSlots(2)
		if !p.acquire(t.Context(), "busy") {
			t.Fatal("there is no slot")
		}
		entered := make(chan bool)
		go func() { entered <- p.acquire(t.Context(), "busy") }()
		synctest.Wait() // it found no slot, and waits
		p.release("busy")
		if !<-entered {
			t.Error("the slot that became free was not taken")
		}
		if pause := p.pause("busy"); pause != crowdedPause {
			t.Errorf("one that finds none comes back after %v", pause)
		}
	})
}

func TestSlotsHaveNoLimitIfTheWorkersAreNotCounted(t *testing.T) {
	t.Parallel()
	p := newSlots(0)
	for range 100 {
		if !p.acquire(t.Context(), "alone") {
			t.Fatal("a slot was refused")
		}
	}
}
