package simulator

import (
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/rewrite"
)

// hostility makes the random decisions of a hostile carrier. The same seed and the same calls in
// the same order give the same decisions. The caller of a method must hold the lock. A nil
// hostility decides nothing.
type hostility struct {
	source *rand.PCG
	random *rand.Rand
	skew   time.Duration // of the Date header of the carrier API
}

func newHostility(seed uint64) *hostility {
	const stream = 0x9e3779b97f4a7c15 // any constant will do
	h := &hostility{source: rand.NewPCG(seed, stream)}
	h.random = rand.New(h.source) //nolint:gosec // G404: the sequence must be repeatable
	const maxSkew = 30
	h.skew = time.Duration(h.random.IntN(2*maxSkew+1)-maxSkew) * time.Second
	return h
}

// restore continues a saved sequence. The state of a friendly carrier has none.
func (h *hostility) restore(position []byte) {
	if h != nil && len(position) > 0 {
		_ = h.source.UnmarshalBinary(position) //nolint:errcheck // otherwise the sequence starts over
	}
}

// chance returns true with the given probability, in thousandths.
func (h *hostility) chance(perMille int) bool { return h != nil && h.random.IntN(1000) < perMille }

// fault returns the fault of a call, with the probabilities of the mix.
func (h *hostility) fault() Fault {
	if h == nil {
		return Fault{}
	}
	roll := h.random.IntN(1000)
	for _, weighted := range h.faultMix() {
		if roll < weighted.perMille {
			return weighted.make()
		}
		roll -= weighted.perMille
	}
	return Fault{}
}

// weightedFault is a fault and its probability.
type weightedFault struct {
	perMille int
	make     func() Fault
}

// faultMix returns the faults and their probabilities. Gateway faults may occur before or after the
// call has taken effect.
func (h *hostility) faultMix() []weightedFault {
	return []weightedFault{
		{30, func() Fault { return Fault{Kind: FaultStatus, Status: 500, Processed: h.coin()} }},
		{30, func() Fault { return Fault{Kind: FaultStatus, Status: 502, Processed: h.coin()} }},
		{20, func() Fault { return Fault{Kind: FaultPage, Status: 502 + h.random.IntN(2), Processed: h.coin()} }},
		{20, func() Fault { return Fault{Kind: FaultReset, Processed: true} }},
		{20, func() Fault { return Fault{Kind: FaultHang, Processed: true} }},
		{10, func() Fault { return Fault{Kind: FaultCutBody} }},
		{10, func() Fault { return Fault{Kind: FaultNoLocation} }},
		{10, func() Fault { return Fault{Kind: FaultTrickle} }},
		{5, func() Fault { return Fault{Kind: FaultBomb} }},
		{20, func() Fault { return Fault{Kind: FaultStatus, Status: 429, RetryAfter: h.retryAfter()} }},
		{10, func() Fault { return Fault{Kind: FaultRedirect, Status: h.redirectStatus(), Processed: h.coin()} }},
		{100, func() Fault { return Fault{Kind: FaultLocation, Location: h.location()} }},
	}
}

// tokenFault returns the fault of a token exchange.
func (h *hostility) tokenFault() Fault {
	switch {
	case h.chance(30):
		return Fault{Kind: FaultStatus, Status: 500, Processed: h.coin()}
	case h.chance(20):
		return Fault{Kind: FaultPage, Status: 502 + h.random.IntN(2)}
	case h.chance(10):
		return Fault{Kind: FaultReset, Processed: true}
	}
	return Fault{}
}

func (h *hostility) coin() bool { return h.random.IntN(2) == 0 }

// pick returns one of several values.
func pick[T any](h *hostility, from ...T) T { return from[h.random.IntN(len(from))] }

func (h *hostility) retryAfter() string {
	return pick(h, "", "1", "7", "Wed, 21 Oct 2015 07:28:00 GMT", "soon", "-1", "1000000000")
}

func (h *hostility) redirectStatus() int {
	return pick(h, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect)
}

// location returns a form of the Location header; {path} is replaced with the true path.
func (h *hostility) location() string {
	return pick(h,
		"{path}", "https://elsewhere.example{path}", "//elsewhere.example{path}", "HTTPS://Elsewhere.Example{path}",
		"{path}/", "{path}?version=8", "{path}#outcome",
	)
}

// expiresIn returns the lifetime of a token as sent by the identity provider.
func (h *hostility) expiresIn(seconds int64) any {
	if !h.chance(300) {
		return seconds
	}
	return pick[any](h, int64(299), int64(1), int64(0), nil, strconv.FormatInt(seconds, 10), -seconds)
}

// hidesRequest reports whether a request that was just accepted is not found yet.
func (h *hostility) hidesRequest(r *request, now time.Time) bool {
	const period = 2 * time.Second
	return h != nil && now.Sub(r.SubmittedAt) < period && h.chance(50)
}

// delay returns how long a request takes.
func (h *hostility) delay(usual time.Duration) time.Duration {
	if h == nil {
		return usual
	}
	const maxDelay = 15 * time.Second
	return time.Duration(h.random.Int64N(int64(maxDelay)))
}

// id returns a random number above 2^53, sometimes close to the largest possible one.
func (h *hostility) id() int64 {
	const nearMax, minID = 1 << 20, 1 << 53
	if h.chance(100) {
		return math.MaxInt64 - h.random.Int64N(nearMax)
	}
	return minID + h.random.Int64N(math.MaxInt64-minID)
}

// refusesKey reports whether a key is currently refused. If a client has several keys, each of them
// is refused in turn for ten minutes.
func (h *hostility) refusesKey(keys parsedKeys, kid string, now time.Time) bool {
	const period = 600
	if h == nil || len(keys) < 2 {
		return false
	}
	kids := make([]string, 0, len(keys))
	for name := range keys {
		kids = append(kids, name)
	}
	slices.Sort(kids)
	return kids[int(now.Unix()/period)%len(kids)] == kid
}

// toggleBody occasionally adds a body to a 202 without one, or removes the body of a 202 that has
// one.
func (h *hostility) toggleBody(resp response, status string) response {
	if !h.chance(100) {
		return resp
	}
	if resp.body != nil {
		resp.body = nil
		return resp
	}
	resp.body = map[string]string{statusField: status}
	return resp
}

// distortion decides how to distort the next response. Nil leaves it unchanged.
func (h *hostility) distortion() *rewrite.Distortion {
	if h == nil {
		return nil
	}
	const half = 500
	random := rand.New(rand.NewPCG(h.random.Uint64(), 0)) //nolint:gosec // G404: as in newHostility
	return &rewrite.Distortion{Shuffle: h.chance(half), Repeat: h.chance(10), Null: h.chance(half), Random: random}
}
