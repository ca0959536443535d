package carrier

import (
	"context"
	"net/http"
	"time"
)

// OutcomeState says how far an accepted request is.
type OutcomeState string

// The outcome states (spec §1.1 rule 3).
const (
	Pending OutcomeState = "Pending" // 202: in progress
	Done    OutcomeState = "Done"    // 200: complete, the body is the resource
	Failed  OutcomeState = "Failed"  // 422: the request failed; a fact about it, not an error of the call
)

// Outcome is the carrier's answer about an accepted request.
type Outcome struct {
	State      OutcomeState
	Body       []byte        // Done: the resource; Pending: the resource so far, or nothing; Failed: nothing
	Err        *Error        // Failed: why; nil otherwise
	RetryAfter time.Duration // what the carrier asked for, 1 second to 1 hour; zero: nothing
}

// Poll asks once how far a request is.
//
// Done says that some request is complete: a caller that knows which service it asked for compares
// the ids of [DecodeSummary] with those, because an answer about another one is no success.
//
// Its error is an [Error], and proves nothing about the request: 401, 403, 404 and 400, 5xx, no
// answer at all, a 200 whose body is not JSON, anything that the specification does not have. A 404
// in particular never means that the request does not exist. After a 401 the token in use is
// invalidated.
func (c *Client) Poll(ctx context.Context, h Handle) (Outcome, error) {
	contract, ok := ContractOf(h.Operation)
	k := call{operation: h.Operation, method: http.MethodGet, path: h.Path(), version: h.Version}
	if !ok || !contract.Followed || k.path == "" {
		return Outcome{}, &Error{
			Operation: h.Operation, Target: k.target(), Class: Invalid, Message: "the handle leads to nothing to read",
		}
	}
	a, err := c.get(ctx, k)
	if err != nil {
		return Outcome{}, err
	}
	switch a.status {
	case http.StatusOK:
		return c.done(k, a)
	case http.StatusAccepted: // with a body or without one; what is not readable says no less
		return Outcome{State: Pending, Body: a.body, RetryAfter: c.retryAfter(a)}, nil
	case http.StatusUnprocessableEntity:
		return Outcome{State: Failed, Err: c.failureOf(k, a, "")}, nil
	}
	c.learn(contract, k, a)
	return Outcome{RetryAfter: c.retryAfter(a)}, c.failureOf(k, a, "")
}

// get makes a GET with a token of its own.
func (c *Client) get(ctx context.Context, k call) (answer, error) {
	token, err := c.tokens.Token(ctx)
	if err != nil {
		return answer{}, tokenFailure(k, err)
	}
	return c.exchange(ctx, k, token), nil
}

// done accepts a 200 only with a JSON document: success is never concluded from an empty or broken
// body.
func (c *Client) done(k call, a answer) (Outcome, error) {
	if a.bodyErr != nil {
		return Outcome{}, unreadable(k, a.bodyErr)
	}
	if _, err := parseDocument(a.body); err != nil {
		return Outcome{}, unreadable(k, err)
	}
	return Outcome{State: Done, Body: a.body}, nil
}
