package carrier

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// CallKind is the purpose of a call. It decides how many tokens the call must leave in the bucket.
type CallKind string

// The call kinds.
const (
	CallSubmit CallKind = "Submit" // a POST that changes something: may take the last token of the bucket
	CallPoll   CallKind = "Poll"   // a GET or a query: leaves a share of the bucket for POSTs
)

const (
	submitShare  = 0.3             // share of the bucket reserved for POSTs that change something
	maxRatePause = 1 * time.Minute // maximum pause that one 429 can cause
	minWait      = 10 * time.Millisecond
)

// Rate is the token bucket shared by all clients that the carrier treats as one, with any
// pause that the carrier requires of them. Polls stop before the bucket is empty. They leave
// capacity for a new request, however many requests are being polled.
type Rate struct {
	mu          sync.Mutex
	bucket      *rate.Limiter
	reserved    float64 // tokens that polls leave in the bucket
	lines       map[CallKind]*line
	pausedUntil time.Time
}

// NewRate returns a full bucket with a rate per second and a burst.
func NewRate(perSecond float64, burst int) *Rate {
	return &Rate{
		bucket: rate.NewLimiter(rate.Limit(perSecond), burst), reserved: reservedOf(burst),
		lines: map[CallKind]*line{CallSubmit: {}, CallPoll: {}},
	}
}

// Set changes the rate and the burst, and reports whether either differs from before. Tokens
// already taken, the order of the waiting callers, and a pause remain.
func (l *Rate) Set(now time.Time, perSecond float64, burst int) (changed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bucket.Limit() == rate.Limit(perSecond) && l.bucket.Burst() == burst {
		return false
	}
	l.bucket.SetLimitAt(now, rate.Limit(perSecond))
	l.bucket.SetBurstAt(now, burst)
	l.reserved = reservedOf(burst)
	return true
}

// IsFresh returns true if the rate has no state: its bucket is full and there is no pause.
func (l *Rate) IsFresh(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.pausedUntil.After(now) && l.bucket.TokensAt(now) >= float64(l.bucket.Burst())
}

// reservedOf returns the number of tokens that polls leave in the bucket.
func reservedOf(burst int) float64 {
	return math.Min(math.Ceil(submitShare*float64(burst)), float64(burst-1))
}

// Take takes one token for a caller and returns zero, or takes nothing and returns how long to
// wait. A caller gets a token only if there is also one for each earlier caller of its kind
// that still waits. To keep its place, a caller has to come back after its wait.
func (l *Rate) Take(kind CallKind, caller string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting := l.lines[kind]
	wait := l.untilTokens(kind, waiting.before(caller, now)+1, now)
	if wait == 0 {
		waiting.leave(caller)
		l.bucket.AllowN(now, 1)
		return 0
	}
	waiting.wait(caller, now.Add(wait))
	return wait
}

// untilTokens returns the time until there are some tokens for calls of a kind, or until the caller
// should ask again.
func (l *Rate) untilTokens(kind CallKind, tokens int, now time.Time) time.Duration {
	if pause := l.pausedUntil.Sub(now); pause > 0 {
		return pause
	}
	needed := float64(tokens)
	if kind == CallPoll {
		needed += l.reserved
	}
	missing := needed - l.bucket.TokensAt(now)
	if missing <= 0 {
		return 0
	}
	wait := time.Duration(missing / float64(l.bucket.Limit()) * float64(time.Second))
	return min(max(wait, minWait), longestWait)
}

// pause pauses all calls for a while, because a 429 is about the client as a whole, not about the
// one request that received it.
func (l *Rate) pause(now time.Time, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := now.Add(min(wait, maxRatePause)); until.After(l.pausedUntil) {
		l.pausedUntil = until
	}
}
