package carrier

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Receipt is everything that is known after one POST.
type Receipt struct {
	Delivery   Delivery
	Handle     Handle        // how to poll the request; zero unless Accepted, and for AppointmentCancel, which has none
	Body       []byte        // the response body, at most 1 MiB; only an order has one (spec §4)
	Err        *Error        // why it was not Accepted; nil if it was
	RetryAfter time.Duration // the delay requested by the carrier, 1 second to 1 hour; zero: none
	Note       string        // what was unusual about an accepted response, safe to display; empty: nothing
}

// Submit sends exactly one POST and reports its outcome. It never makes a second attempt: that
// decision is the caller's.
//
// The caller passes a context that does not end at shutdown. Submit itself times out after 5
// seconds of connecting, 30 of waiting for a response, and 45 in total. With fresh, and for every
// operation that may cost money, the POST uses a new HTTP/1.1 connection. After a 401 the token in
// use is invalidated. A request that breaks a version rule (spec §9) is NotSent: its error wraps an
// [UnsupportedVersionError] or a [MissingFieldError].
func (c *Client) Submit(ctx context.Context, op Operation, version int, body []byte, fresh bool) Receipt {
	contract, ok := ContractOf(op)
	if !ok {
		return notSent(&Error{Operation: op, Class: Invalid, Message: "there is no such operation"})
	}
	k := call{
		operation: op, method: http.MethodPost, path: contract.SubmitPath, version: version, body: body,
		fresh: fresh || contract.Repeat.Costly(),
	}
	if err := contract.allows(version, body); err != nil {
		return notSent(&Error{Operation: op, Target: k.target(), Class: Invalid, Message: err.Error(), cause: err})
	}
	token, err := c.tokens.Token(ctx)
	if err != nil {
		return notSent(tokenFailure(k, err))
	}
	return c.receipt(contract, k, c.exchange(ctx, k, token))
}

func notSent(err *Error) Receipt { return Receipt{Delivery: NotSent, Err: err} }

// tokenFailure wraps an error of the token source. Its text is safe to display, or comes from the
// caller.
func tokenFailure(k call, err error) *Error {
	return &Error{Operation: k.operation, Target: k.target(), Class: Unauthorized, Message: err.Error(), cause: err}
}

// receipt classifies the response to a POST.
func (c *Client) receipt(contract Contract, k call, a answer) Receipt {
	handle, note := c.handleOf(contract, k, a)
	note = secretsOf(k, a).message(note, maxMessage) // it may quote the response
	delivery := Classify(Observation{
		Written: a.written,
		Status:  a.status,
		Success: contract.Success,
		Handle:  !handle.IsZero() || contract.Handle == HandleNone,
	})
	if delivery == Accepted {
		return Receipt{Delivery: Accepted, Handle: handle, Body: a.body, Note: note}
	}
	c.learn(contract, k, a)
	return Receipt{Delivery: delivery, Err: c.failureOf(k, a, note), RetryAfter: c.retryAfter(a), Note: note}
}

// handleOf finds the handle in a response with the success status, and describes anything unusual
// about it.
func (c *Client) handleOf(contract Contract, k call, a answer) (Handle, string) {
	if a.status != contract.Success {
		return Handle{}, ""
	}
	switch contract.Handle {
	case HandleNone:
		return Handle{}, ""
	case HandleServiceID:
		// Spec §4: "path id is the service id", so it is taken from the request, regardless of the
		// Location.
		return numbered(contract, k, readSummary(k.body).ServiceID), ""
	case HandleInOrder:
		return c.ordered(contract, k, a)
	case HandleInLocation:
		return c.located(contract, k, a)
	}
	return Handle{}, ""
}

// ordered takes the handle of an order from the Location or the body. If they name different
// orders, it is unknown which one is ours.
func (c *Client) ordered(contract Contract, k call, a answer) (Handle, string) {
	located, note := c.located(contract, k, a)
	inBody := numbered(contract, k, readSummary(a.body).ID)
	switch {
	case located.IsZero():
		return inBody, "the answer has no usable Location; the id is the body's"
	case !inBody.IsZero() && !sameNumber(located.ID, inBody.ID):
		return Handle{}, "the Location names order " + located.ID + ", the body order " + inBody.ID
	}
	return located, note
}

func sameNumber(a, b string) bool { return strings.TrimLeft(a, "0") == strings.TrimLeft(b, "0") }

func numbered(contract Contract, k call, id int64) Handle {
	if id <= 0 {
		return Handle{}
	}
	return Handle{Operation: contract.Operation, Version: k.version, ID: strconv.FormatInt(id, 10)}
}

// located takes the handle from the Location. Two different Locations count as none.
func (c *Client) located(contract Contract, k call, a answer) (Handle, string) {
	locations := slices.Compact(a.header.Values("Location"))
	if len(locations) != 1 {
		return Handle{}, "the answer has " + strconv.Itoa(len(locations)) + " Locations"
	}
	handle, err := ParseLocation(contract.Operation, k.version, locations[0])
	if err != nil {
		return Handle{}, err.Error()
	}
	if host := ForeignHost(c.origin.String(), locations[0]); host != "" {
		return handle, "the Location names another host, " + host + "; only its id was used"
	}
	return handle, ""
}

// learn records what a response shows beyond this one call: that the token is invalid, or that the
// account exceeds the rate limit.
func (c *Client) learn(contract Contract, k call, a answer) {
	switch {
	case a.status == http.StatusUnauthorized:
		c.tokens.Invalidate(a.token)
	case a.status == http.StatusNotFound && contract.TokenHiddenIn404 && k.method == http.MethodPost:
		c.tokens.Invalidate(a.token)
	case a.status == http.StatusTooManyRequests:
		c.limiter.hold(c.now(), max(c.retryAfter(a), minRetryAfter))
	}
}

func (c *Client) retryAfter(a answer) time.Duration {
	return ParseRetryAfter(a.header.Get("Retry-After"), c.now())
}
