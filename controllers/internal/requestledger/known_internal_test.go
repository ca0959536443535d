// SPDX-License-Identifier: Apache-2.0

package requestledger

import (
	"testing"
	"time"
)

func TestR28TheKnownStateOfALedgerIsKeptWhileItExists(t *testing.T) {
	t.Parallel()
	var ledgers Store
	for _, name := range []string{"exists", "gone", "comes back"} {
		ledgers.noteShown(name, 7)
		ledgers.change(name, func(seen *ledgerState) { seen.written = 7 })
	}
	at := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	existing := map[string]bool{"exists": true}
	sweep := func(after time.Duration) {
		at = at.Add(after)
		ledgers.Sweep(func(name string) bool { return existing[name] }, at)
	}
	sweep(0)
	sweep(time.Hour - time.Second)
	if ledgers.of("gone").revision != 7 {
		t.Error("R6: what was seen of a ledger is forgotten before its objects can say that it is lost")
	}
	existing["comes back"] = true
	sweep(0)
	delete(existing, "comes back")
	sweep(time.Second)
	for name, want := range map[string]int64{"exists": 7, "gone": 0, "comes back": 7} {
		if got := ledgers.of(name).revision; got != want {
			t.Errorf("of the ledger that %s %d is known, not %d", name, got, want)
		}
	}
	if !ledgers.IsNews("gone", 1) || ledgers.IsNews("exists", 7) {
		t.Error("what was written is not as what was seen")
	}
	sweep(time.Hour)
	if len(ledgers.known) != 1 {
		t.Errorf("it keeps %v", ledgers.known)
	}
}
