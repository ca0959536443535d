// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"net/http"
	"testing"
	"time"
)

func TestAnOutageLastsFromTheFirstFailureToTheNextToken(t *testing.T) {
	paused := 0
	a := newTokenSetup(t, func(c *TokenConfig) { c.Paused = func() { paused++ } })
	expect := func(since, retryAt time.Time, pauses int) {
		t.Helper()
		if got := a.source.Outage(); got != (Outage{Since: since, RetryAt: retryAt}) || paused != pauses {
			t.Errorf("%v after %d pauses, want since %s, again at %s, %d pauses", got, paused, since, retryAt, pauses)
		}
	}
	a.mustToken(t)
	expect(time.Time{}, time.Time{}, 0)
	a.respondWith(http.StatusInternalServerError, "")
	a.clock.advance(time.Hour)
	since := a.clock.Now()
	a.mustFail(t, TokenUnreachable)
	expect(since, since.Add(firstPause), 1)
	a.clock.advance(firstPause / 2)
	a.mustFail(t, TokenUnreachable) // the keys are read again, which is no failure
	expect(since, since.Add(firstPause), 1)
	a.clock.advance(firstPause)
	a.mustFail(t, TokenUnreachable)
	expect(since, a.clock.Now().Add(2*firstPause), 2)
	a.keys.Store(&[]Key{{ID: "kid-2", PEM: pkcs1(otherRSA())}})
	a.clock.advance(time.Second)
	a.mustFail(t, TokenUnreachable)
	expect(since, a.clock.Now().Add(firstPause), 3)
	a.respondWith(http.StatusOK, tokenResponse("at", 300))
	a.clock.advance(firstPause)
	a.mustToken(t)
	expect(time.Time{}, time.Time{}, 3)
}
