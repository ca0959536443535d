package carrier

import (
	"context"
	"net/http"
	"time"
)

// Receipt is everything that is known after one POST.
type Receipt struct {
	Delivery   Delivery
	Handle     Handle        // how to poll the request; zero unless Accepted, and for AppointmentCancel, which has none
	Candidate  Handle        // the request in the one Location of an Ambiguous response; zero: none
	Body       []byte        // the response body, at most 1 MiB; only an order has one (spec §4)
	Err        *Error        // why it was not Accepted; nil if it was
	RetryAfter time.Duration // the delay requested by the carrier, 1 second to 1 hour; zero: none
	Note       string        // what was unusual about an accepted response, safe to display; empty: nothing
}

// Submit sends one POST, or none if the request is NotSent, and reports the outcome. It never makes
// a second attempt: that decision is the caller's.
//
// The caller passes a context that does not end at shutdown. Submit itself times out after 5
// seconds of connecting, 30 of waiting for a response, and 45 in total. For every operation
// that may cost money, and with [WithLastCheck], the POST uses a new HTTP/1.1 connection.
// After a 401 the token in use is invalidated. A request that breaks a version rule (spec §9)
// is NotSent: its error wraps an [UnsupportedVersionError] or a [MissingFieldError].
func (c *Client) Submit(ctx context.Context, op Operation, version int, body []byte) Receipt {
	contract, ok := ContractOf(op)
	if !ok {
		return notSent(&Error{Operation: op, Class: Invalid, Message: "no such operation"})
	}
	k := call{
		operation: op, method: http.MethodPost, path: contract.SubmitPath, version: version, body: body,
		check: lastCheck(ctx),
	}
	k.fresh = contract.Repeat.Costly() || k.check != nil
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
	found := c.find(contract, k, resp)
	found.note = secretsOf(k, resp).message(found.note, maxMessage) // it may quote the response
	delivery := Classify(contract, Observation{
		Written:  resp.written,
		Status:   resp.status,
		Handle:   !found.handle.IsZero() || contract.Handle == HandleNone,
		Location: !found.candidate.IsZero(),
		Refusal:  isRefusal(resp.status, resp.body),
	})
	if delivery == Accepted {
		return Receipt{Delivery: Accepted, Handle: found.handle, Body: resp.body, Note: found.note}
	}
	c.recordStatus(contract, k, resp)
	receipt := Receipt{Delivery: delivery, RetryAfter: c.retryAfter(resp), Note: found.note}
	if delivery == Ambiguous && resp.status != 0 {
		c.limiter.Load().pause(c.now(), receipt.RetryAfter)
		receipt.Candidate, receipt.Err = found.candidate, c.unproven(contract, k, resp, found.note)
		return receipt
	}
	receipt.Err = c.responseError(k, resp, found.note)
	return receipt
}
