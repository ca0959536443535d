package carrier

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// CallKind says what a call is for; it decides how deep into the bucket the call may reach.
type CallKind string

// The call kinds.
const (
	CallSubmit CallKind = "Submit" // a POST that changes something: may take the last token of the bucket
	CallPoll   CallKind = "Poll"   // a GET, or a question: leaves a share of the bucket to the others
)

const (
	defaultRequestsPerSecond = 5
	defaultBurst             = 10
	submitShare              = 0.3             // of the bucket, kept for the POSTs that change something
	maxHold                  = 1 * time.Minute // how long one 429 may hold all of them
	soonest                  = 10 * time.Millisecond
)

// Rate is the one token bucket of those who are one client to the carrier, and the pause that it asked
// them for. Polls stop before the bucket is empty, so that however many requests are being followed, a
// new one finds room.
type Rate struct {
	mu     sync.Mutex
	bucket *rate.Limiter
	kept   float64 // tokens that polls leave in the bucket
	held   time.Time
}

// NewRate is a full bucket: so many calls a second, and so many at once.
func NewRate(perSecond float64, burst int) *Rate {
	return &Rate{bucket: rate.NewLimiter(rate.Limit(perSecond), burst), kept: keptOf(burst)}
}

// Set is another rate from now on. Neither what has been taken out of the bucket nor a pause is
// forgotten by that.
func (l *Rate) Set(now time.Time, perSecond float64, burst int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bucket.SetLimitAt(now, rate.Limit(perSecond))
	l.bucket.SetBurstAt(now, burst)
	l.kept = keptOf(burst)
}

// IsFresh says whether a rate remembers nothing: its bucket is full, and there is no pause.
func (l *Rate) IsFresh(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.held.After(now) && l.bucket.TokensAt(now) >= float64(l.bucket.Burst())
}

// keptOf is how many of the tokens polls leave.
func keptOf(burst int) float64 {
	return math.Min(math.Ceil(submitShare*float64(burst)), float64(burst-1))
}

// Take takes one token out of the bucket and returns zero, or takes nothing and returns how long
// to wait.
func (l *Rate) Take(kind CallKind, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if wait := l.held.Sub(now); wait > 0 {
		return wait
	}
	needed := 1.0
	if kind == CallPoll {
		needed += l.kept
	}
	if missing := needed - l.bucket.TokensAt(now); missing > 0 {
		wait := time.Duration(missing / float64(l.bucket.Limit()) * float64(time.Second))
		return max(wait, soonest)
	}
	l.bucket.AllowN(now, 1)
	return 0
}

// hold stops all of them for a while: the carrier said that it gets too many requests, and
// means the client, not the one request to which it said so.
func (l *Rate) hold(now time.Time, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := now.Add(min(wait, maxHold)); until.After(l.held) {
		l.held = until
	}
}
