package simulator

import (
	"encoding/base64"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// hostility is what a hostile carrier decides by chance. The same seed and the same calls in the same
// order lead to the same decisions. All methods are for a lock's holder; on nil they decide nothing.
type hostility struct {
	source *rand.PCG
	dice   *rand.Rand
	skew   time.Duration       // of the Date header of the carrier API
	shy    map[string]struct{} // tokens that will be refused once
}

func newHostility(seed uint64) *hostility {
	const golden = 0x9e3779b97f4a7c15 // any second half will do
	h := &hostility{source: rand.NewPCG(seed, golden), shy: make(map[string]struct{})}
	h.dice = rand.New(h.source) //nolint:gosec // G404: a sequence that can be repeated is what is wanted
	const widest = 30
	h.skew = time.Duration(h.dice.IntN(2*widest+1)-widest) * time.Second
	return h
}

// savedHostile is how far the sequence has got.
type savedHostile struct {
	Source string   `json:"source"`
	Shy    []string `json:"shy"`
}

func (h *hostility) save() *savedHostile {
	if h == nil {
		return nil
	}
	source, err := h.source.MarshalBinary()
	if err != nil {
		return nil // it never fails
	}
	saved := &savedHostile{Source: base64.StdEncoding.EncodeToString(source)}
	for token := range h.shy {
		saved.Shy = append(saved.Shy, token)
	}
	return saved
}

// restore goes on where a saved sequence ended. A state of a friendly carrier changes nothing.
func (h *hostility) restore(saved *savedHostile) {
	if h == nil || saved == nil {
		return
	}
	source, err := base64.StdEncoding.DecodeString(saved.Source)
	if err != nil || h.source.UnmarshalBinary(source) != nil {
		return // the sequence begins again
	}
	for _, token := range saved.Shy {
		h.shy[token] = struct{}{}
	}
}

// chance comes true in some of a thousand cases.
func (h *hostility) chance(perMille int) bool { return h != nil && h.dice.IntN(1000) < perMille }

// fault is what goes wrong with a call, by the shares of the fault mix.
func (h *hostility) fault(r *route) Fault {
	if h == nil || r == nil {
		return Fault{}
	}
	roll := h.dice.IntN(1000)
	for _, share := range h.mix() {
		if roll < share.perMille {
			return share.make()
		}
		roll -= share.perMille
	}
	return Fault{}
}

// share is a fault with how often it strikes.
type share struct {
	perMille int
	make     func() Fault
}

// mix is the fault mix. What a gateway does may strike before or after the call has taken effect.
func (h *hostility) mix() []share {
	return []share{
		{30, func() Fault { return Fault{Kind: FaultStatus, Status: 500, Processed: h.coin()} }},
		{30, func() Fault { return Fault{Kind: FaultStatus, Status: 502, Processed: h.coin()} }},
		{20, func() Fault { return Fault{Kind: FaultPage, Status: 502 + h.dice.IntN(2), Processed: h.coin()} }},
		{20, func() Fault { return Fault{Kind: FaultReset, Processed: true} }},
		{20, func() Fault { return Fault{Kind: FaultHang, Processed: true} }},
		{10, func() Fault { return Fault{Kind: FaultCutBody} }},
		{10, func() Fault { return Fault{Kind: FaultNoLocation} }},
		{10, func() Fault { return Fault{Kind: FaultTrickle} }},
		{5, func() Fault { return Fault{Kind: FaultBomb} }},
		{20, func() Fault { return Fault{Kind: FaultStatus, Status: 429, RetryAfter: h.retryAfter()} }},
		{10, func() Fault { return Fault{Kind: FaultRedirect, Status: h.redirect(), Processed: h.coin()} }},
		{100, func() Fault { return Fault{Kind: FaultLocation, Location: h.location()} }},
	}
}

// tokenFault is what goes wrong with a token exchange.
func (h *hostility) tokenFault() Fault {
	switch {
	case h.chance(30):
		return Fault{Kind: FaultStatus, Status: 500, Processed: h.coin()}
	case h.chance(20):
		return Fault{Kind: FaultPage, Status: 502 + h.dice.IntN(2)}
	case h.chance(10):
		return Fault{Kind: FaultReset, Processed: true}
	}
	return Fault{}
}

func (h *hostility) coin() bool { return h.dice.IntN(2) == 0 }

// pick chooses one of several.
func pick[T any](h *hostility, from ...T) T { return from[h.dice.IntN(len(from))] }

func (h *hostility) retryAfter() string {
	return pick(h, "", "1", "7", "Wed, 21 Oct 2015 07:28:00 GMT", "soon", "-1", "1000000000")
}

func (h *hostility) redirect() int {
	return pick(h, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect)
}

// location is a form of the Location header; {path} stands for the true path.
func (h *hostility) location() string {
	return pick(h,
		"{path}", "https://elsewhere.example{path}", "//elsewhere.example{path}", "HTTPS://Elsewhere.Example{path}",
		"{path}/", "{path}?version=8", "{path}#outcome",
	)
}

// doubts says whether a token that is valid is refused; that happens to it once.
func (h *hostility) doubts(token string) bool {
	if h == nil {
		return false
	}
	_, shy := h.shy[token]
	delete(h.shy, token)
	return shy
}

// issued lets some tokens be refused at first.
func (h *hostility) issued(token string) {
	if h.chance(50) {
		h.shy[token] = struct{}{}
	}
}

// expiresIn is what the identity provider says of a token's lifetime.
func (h *hostility) expiresIn(seconds int64) any {
	if !h.chance(300) {
		return seconds
	}
	return pick[any](h, int64(299), int64(1), int64(0), nil, strconv.FormatInt(seconds, 10), -seconds)
}

// hides says whether a request is not found yet, although it was accepted a moment ago.
func (h *hostility) hides(r *request, now time.Time) bool {
	const moment = 2 * time.Second
	return h != nil && now.Sub(r.SubmittedAt) < moment && h.chance(50)
}

// delay is how long something takes.
func (h *hostility) delay(usual time.Duration) time.Duration {
	if h == nil {
		return usual
	}
	const longest = 15 * time.Second
	return time.Duration(h.dice.Int64N(int64(longest)))
}

// id is a number above 2^53 in no order, now and then next to the largest there is.
func (h *hostility) id() int64 {
	const near, above = 1 << 20, 1 << 53
	if h.chance(100) {
		return math.MaxInt64 - h.dice.Int64N(near)
	}
	return above + h.dice.Int64N(math.MaxInt64-above)
}

// retired says whether a key is out of use at the moment: of a client with several keys each in turn
// for ten minutes.
func (h *hostility) retired(keys parsedKeys, kid string, now time.Time) bool {
	const turn = 600
	if h == nil || len(keys) < 2 {
		return false
	}
	kids := make([]string, 0, len(keys))
	for name := range keys {
		kids = append(kids, name)
	}
	slices.Sort(kids)
	return kids[int(now.Unix()/turn)%len(kids)] == kid
}

// toggle gives a 202 a body that has none, and takes it from one that has.
func (h *hostility) toggle(answer reply, status string) reply {
	if !h.chance(100) {
		return answer
	}
	if answer.body != nil {
		answer.body = nil
		return answer
	}
	answer.body = map[string]string{statusField: status}
	return answer
}
