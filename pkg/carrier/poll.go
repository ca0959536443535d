package carrier

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/jsondoc"
)

// OutcomeState is the progress of an accepted request.
type OutcomeState string

// The outcome states (spec §1 rule 3).
const (
	Pending OutcomeState = "Pending" // 202: in progress
	Done    OutcomeState = "Done"    // 200: complete, the body has the resource
	Failed  OutcomeState = "Failed"  // 422 in the carrier's form: the request failed, the call itself did not
)

// Outcome is the carrier's response about an accepted request.
type Outcome struct {
	State      OutcomeState
	Body       []byte        // Done: the resource; Pending: the resource so far, or nothing; Failed: nothing
	Err        *Error        // Failed: the reason; nil otherwise
	RetryAfter time.Duration // the delay requested by the carrier, 1 second to 1 hour; zero: none
}

// Poll reads the state of a request once.
//
// Done means that some request is complete. A caller that knows the service id must compare it with
// the ids of [DecodeSummary], because a response about another service is not a success.
//
// The error is an [Error] and proves nothing about the request. The cause is 400, 401, 403,
// 404, 5xx, no response at all, a 200 whose body is not JSON, a 422 without the carrier's
// error body, or anything outside the specification. In particular, a 404 never means that the
// request does not exist. After a 401 the token in use is invalidated.
func (c *Client) Poll(ctx context.Context, h Handle) (Outcome, error) {
	contract, ok := ContractOf(h.Operation)
	k := call{
		operation: h.Operation, method: http.MethodGet, path: h.Path(), version: h.Version, asWritten: contract.AsWritten,
	}
	if !ok || !contract.Polled || k.path == "" {
		return Outcome{}, &Error{
			Operation: h.Operation, Target: k.target(), Class: Invalid, Message: "the handle has no path to poll",
		}
	}
	resp, err := c.get(ctx, k)
	if err != nil {
		return Outcome{}, err
	}
	switch resp.status {
	case http.StatusOK:
		return c.completed(k, resp)
	case http.StatusAccepted: // with or without a body; an unreadable one is still a 202
		return Outcome{State: Pending, Body: resp.body, RetryAfter: c.retryAfter(resp)}, nil
	}
	failure := c.responseError(k, resp, "")
	if resp.status == http.StatusUnprocessableEntity {
		if isStandard(resp.status, resp.body) {
			return Outcome{State: Failed, Err: failure}, nil
		}
		failure.Class, failure.Message = Unreadable, resp.notCarriers()
	}
	c.recordStatus(contract, k, resp)
	return Outcome{RetryAfter: c.retryAfter(resp)}, failure
}

// get fetches a token and makes a GET.
func (c *Client) get(ctx context.Context, k call) (response, error) {
	token, err := c.tokens.Token(ctx)
	if err != nil {
		return response{}, tokenSourceError(k, err)
	}
	return c.do(ctx, k, token), nil
}

// read makes a GET, and returns a response that has one of the given statuses and a complete body.
// The error is an [Error], even if there is no token.
func (c *Client) read(ctx context.Context, k call, statuses ...int) (response, error) {
	resp, err := c.get(ctx, k)
	switch {
	case err != nil:
		return response{}, err
	case !slices.Contains(statuses, resp.status):
		c.recordStatus(Contract{}, k, resp)
		return response{}, c.responseError(k, resp, "")
	case resp.bodyErr != nil:
		return response{}, incomplete(k, resp.bodyErr)
	}
	return resp, nil
}

// readResource makes a GET, and reads the resource in its response. The error is an [Error].
func readResource[Resource any](ctx context.Context, c *Client, k call) (Resource, error) {
	resp, err := c.read(ctx, k, http.StatusOK)
	if err != nil {
		var none Resource
		return none, err
	}
	return decode[Resource]("", resp.body)
}

// completed accepts a 200 only with a JSON document, because an empty or broken body is never a
// success.
func (c *Client) completed(k call, resp response) (Outcome, error) {
	if resp.bodyErr != nil {
		return Outcome{}, incomplete(k, resp.bodyErr)
	}
	if _, err := jsondoc.Parse(resp.body); err != nil {
		return Outcome{}, unreadable(k, err)
	}
	return Outcome{State: Done, Body: resp.body}, nil
}
