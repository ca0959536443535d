package carrier

import "time"

const (
	// longestTurn is the maximum wait for a turn. A caller that is far behind tries again after it,
	// because those before it may have gone: a deleted object does not return its turn.
	longestTurn = 30 * time.Second

	// keepTurn is how long a turn is kept for a caller that does not come.
	keepTurn = time.Minute

	// turnPatience is how long after a turn nobody has to have come before all turns end.
	turnPatience = 5 * time.Second
)

// turns are the turns of the callers of one kind that wait for a token, in the order in which they
// came. Without turns, all of them would try again as soon as there may be one token: a thousand
// objects would be reconciled for each call, and one that is always a moment late would never get a
// token.
type turns struct {
	at    map[string]time.Time // by caller
	last  time.Time            // the last turn that was given
	used  time.Time            // when a token was taken last
	swept time.Time
}

// take takes a turn now, and reports whether the caller may: its turn has come, or nobody is before
// it. There must be a token.
func (t *turns) take(caller string, now time.Time, interval time.Duration) bool {
	if now.Sub(t.used) > interval+turnPatience { // those who had a turn have gone
		clear(t.at)
		t.last = time.Time{}
	}
	turn, waits := t.at[caller]
	if waits && now.Before(turn) || !waits && t.last.After(now) {
		return false
	}
	delete(t.at, caller)
	t.used = now
	return true
}

// of returns the turn of a caller. A caller without one gets the next after the last that was given,
// but not before there is a token.
func (t *turns) of(caller string, now, token time.Time, interval time.Duration) time.Time {
	turn, waits := t.at[caller]
	if waits {
		return turn
	}
	t.sweep(now)
	if turn = t.last.Add(interval); turn.Before(token) {
		turn = token
	}
	if t.at == nil {
		t.at = map[string]time.Time{}
	}
	t.at[caller], t.last = turn, turn
	return turn
}

// sweep drops the turns of callers that did not come.
func (t *turns) sweep(now time.Time) {
	if now.Sub(t.swept) < keepTurn {
		return
	}
	t.swept = now
	for caller, turn := range t.at {
		if now.Sub(turn) >= keepTurn {
			delete(t.at, caller)
		}
	}
}
