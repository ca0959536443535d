// SPDX-License-Identifier: Apache-2.0

package prove

import "time"

// idleEffects counts what happens to an object that should be settled.
type idleEffects struct {
	changes int       // writes and POSTs, or only those since the newest POST
	polls   int       // all GETs
	posted  time.Time // when the newest POST was sent
}

// isFew counts an effect, and reports whether there were no more effects than those of a few
// readings at an interval or after a start.
func (e *idleEffects) isFew(op Op) bool {
	const most = 20
	switch op {
	case Write, Post:
		e.changes++
	case Poll:
		e.polls++
	case Read, Key, Token, CacheRead:
	}
	return e.changes <= most && e.polls <= most
}

// isRetry counts an effect of an object that the carrier does not find, and reports whether it belongs
// to a retry every ten minutes: a POST, and the writes of its attempt and its refusal, or a GET.
func (e *idleEffects) isRetry(op Op) bool {
	const pause, writes, polls = 10 * time.Minute, 2, 50 // in seven hours
	switch op {
	case Post:
		tooSoon := now().Sub(e.posted) < pause
		e.changes, e.posted = 0, now()
		return !tooSoon
	case Write:
		e.changes++
		return e.changes <= writes
	case Poll:
		e.polls++
		return e.polls <= polls
	case Read, Key, Token, CacheRead:
	}
	return true
}

// tokenCheck is the free call that shows whether the carrier accepts a token.
const tokenCheck = "GET /api/connect/services/reclaims/requests/1"

// provesLogin reports whether an effect belongs to the proof of a login. The first pass of a new
// process makes this call, whichever object of the account it is about.
func (l *simulation) provesLogin(effect Effect) bool {
	return l.newProcess && (effect.Op == Key || effect.What == tokenCheck)
}
