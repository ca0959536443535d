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
	CallSubmit CallKind = "Submit" // a POST: may take the last token of the bucket
	CallPoll   CallKind = "Poll"   // a GET: leaves a share of the bucket to the POSTs
)

const (
	defaultRequestsPerSecond = 5
	defaultBurst             = 10
	submitShare              = 0.3             // of the bucket, kept for POSTs
	maxHold                  = 1 * time.Minute // how long one 429 may hold a whole account
	soonest                  = 10 * time.Millisecond
)

// limiter is the one token bucket of an account. Polls stop before the bucket is empty, so that
// however many requests are being followed, a new one finds room.
type limiter struct {
	mu     sync.Mutex
	bucket *rate.Limiter
	kept   float64 // tokens that polls leave in the bucket
	held   time.Time
}

func newLimiter(perSecond float64, burst int) *limiter {
	kept := math.Min(math.Ceil(submitShare*float64(burst)), float64(burst-1))
	return &limiter{bucket: rate.NewLimiter(rate.Limit(perSecond), burst), kept: kept}
}

// reserve takes one token out of the bucket and returns zero, or takes nothing and returns how long
// to wait.
func (l *limiter) reserve(kind CallKind, now time.Time) time.Duration {
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

// hold stops the whole account for a while: the carrier said that it gets too many requests, and
// means the client, not the one request to which it said so.
func (l *limiter) hold(now time.Time, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := now.Add(min(wait, maxHold)); until.After(l.held) {
		l.held = until
	}
}
