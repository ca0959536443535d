package carrier

import (
	"context"
	"net/http"
	"slices"
	"strconv"
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

// Submit sends one POST, or none if the request is NotSent, and reports the outcome. It never makes
// a second attempt: that decision is the caller's.
//
// The caller passes a context that does not end at shutdown. Submit itself times out after 5
// seconds of connecting, 30 of waiting for a response, and 45 in total. For every operation that may
// cost money, the POST uses a new HTTP/1.1 connection. After a 401 the token in use is invalidated. A
// request that breaks a version rule (spec §9) is NotSent: its error wraps an
// [UnsupportedVersionError] or a [MissingFieldError].
func (c *Client) Submit(ctx context.Context, op Operation, version int, body []byte) Receipt {
	contract, ok := ContractOf(op)
	if !ok {
		return notSent(&Error{Operation: op, Class: Invalid, Message: "no such operation"})
	}
	k := call{
		operation: op, method: http.MethodPost, path: contract.SubmitPath, version: version, body: body,
		fresh: contract.Repeat.Costly(),
	}
	if err := contract.checkBody(version, body); err != nil {
		return notSent(&Error{Operation: op, Target: k.target(), Class: Invalid, Message: err.Error(), cause: err})
	}
	token, err := c.tokens.Token(ctx)
	if err != nil {
		return notSent(tokenSourceError(k, err))
	}
	return c.receipt(contract, k, c.do(ctx, k, token))
}

func notSent(err *Error) Receipt { return Receipt{Delivery: NotSent, Err: err} }

// tokenSourceError wraps an error of the token source. Its text is safe to display, or comes from
// the caller.
func tokenSourceError(k call, err error) *Error {
	return &Error{Operation: k.operation, Target: k.target(), Class: Unauthorized, Message: err.Error(), cause: err}
}

// receipt classifies the response to a POST.
func (c *Client) receipt(contract Contract, k call, resp response) Receipt {
	handle, note := c.handleOf(contract, k, resp)
	note = secretsOf(k, resp).message(note, maxMessage) // it may quote the response
	delivery := Classify(Observation{
		Written: resp.written,
		Status:  resp.status,
		Success: contract.Success,
		Handle:  !handle.IsZero() || contract.Handle == HandleNone,
	})
	if delivery == Accepted {
		return Receipt{Delivery: Accepted, Handle: handle, Body: resp.body, Note: note}
	}
	c.recordStatus(contract, k, resp)
	return Receipt{Delivery: delivery, Err: c.responseError(k, resp, note), RetryAfter: c.retryAfter(resp), Note: note}
}

// handleOf finds the handle in a response with the success status, and describes anything unusual
// about it.
func (c *Client) handleOf(contract Contract, k call, resp response) (Handle, string) {
	if resp.status != contract.Success {
		return Handle{}, ""
	}
	switch contract.Handle {
	case HandleNone:
		return Handle{}, ""
	case HandleServiceID:
		// Spec §4: "path id is the service id", so it is taken from the request, regardless of the
		// Location.
		return handleWithID(contract, k, readSummary(k.body).ServiceID), ""
	case HandleInOrder:
		return c.handleOfOrder(contract, k, resp)
	case HandleInLocation:
		return c.handleInLocation(contract, k, resp)
	}
	return Handle{}, ""
}

// handleOfOrder takes the handle of an order from the Location or the body. If they name different
// orders, it is unknown which one is ours.
func (c *Client) handleOfOrder(contract Contract, k call, resp response) (Handle, string) {
	handle, note := c.handleInLocation(contract, k, resp)
	id := readSummary(resp.body).ID
	switch {
	case handle.IsZero():
		return handleWithID(contract, k, id), "the response has no usable Location; the id is from the body"
	case id > 0 && !handle.HasID(id):
		return Handle{}, "the Location names order " + handle.ID + ", the body order " + strconv.FormatInt(id, 10)
	}
	return handle, note
}

func handleWithID(contract Contract, k call, id int64) Handle {
	if id <= 0 {
		return Handle{}
	}
	return Handle{Operation: contract.Operation, Version: k.version, ID: strconv.FormatInt(id, 10)}
}

// handleInLocation takes the handle from the Location. Two different Locations count as none.
func (c *Client) handleInLocation(contract Contract, k call, resp response) (Handle, string) {
	locations := slices.Compact(resp.header.Values("Location"))
	if len(locations) != 1 {
		return Handle{}, "the response has " + strconv.Itoa(len(locations)) + " Locations"
	}
	handle, err := ParseLocation(contract.Operation, k.version, locations[0])
	if err != nil {
		return Handle{}, err.Error()
	}
	if host := foreignHost(c.origin.String(), locations[0]); host != "" {
		return handle, "the Location names another host, " + host + "; only its id was used"
	}
	return handle, ""
}

// recordStatus records what a response shows beyond this one call: that the token is invalid, or may
// be, or that the account exceeds the rate limit.
func (c *Client) recordStatus(contract Contract, k call, resp response) {
	switch {
	case resp.status == http.StatusUnauthorized:
		c.tokens.Invalidate(resp.token)
	case resp.status == http.StatusNotFound && contract.TokenHiddenIn404 && k.method == http.MethodPost:
		c.tokens.Suspect(resp.token)
	case resp.status == http.StatusTooManyRequests:
		c.limiter.pause(c.now(), max(c.retryAfter(resp), minRetryAfter))
	}
}

func (c *Client) retryAfter(resp response) time.Duration {
	return parseRetryAfter(resp.header.Get("Retry-After"), c.now())
}
