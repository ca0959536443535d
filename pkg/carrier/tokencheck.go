package carrier

import (
	"context"
	"errors"
	"net/http"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/jsondoc"
)

// nobodysRequest is an id that no request of a client has. If the carrier has a request with
// this id after all, its response also proves that the carrier accepts the token.
const nobodysRequest = "1"

var errNotThatRequest = errors.New("the response is not about the request that was asked for")

// CheckToken makes one free read, and returns nil if the response shows that the carrier
// accepts the token of the client. It reads a reclaim request with an id that belongs to
// nobody. Such a read exists in every version, needs no service, changes nothing, and returns
// 401 if the token is invalid (spec §4, Service reclaim; §5).
//
// The error is an [Error], or wraps a [TokenError] if there is no token. Class Unauthorized means
// that the carrier refuses the token, which is then invalidated. Any other class proves nothing: it
// may be a page of a server in front of the carrier, a fault, or no response at all.
func (c *Client) CheckToken(ctx context.Context) error {
	contract, _ := ContractOf(Reclaim)
	handle := Handle{Operation: Reclaim, Version: c.version, ID: nobodysRequest}
	k := call{reads: TokenCheck, method: http.MethodGet, path: handle.Path(), version: c.version}
	resp, err := c.get(ctx, k)
	if err != nil {
		return err
	}
	c.recordStatus(contract, k, resp)
	switch {
	case resp.status != 0 && resp.bodyErr != nil:
		return incomplete(k, resp.bodyErr)
	case resp.status == http.StatusOK:
		return aboutRequest(k, resp.body)
	case resp.status == http.StatusAccepted && (len(resp.body) == 0 || isObject(resp.body)):
		return nil
	}
	return c.tokenFailure(k, resp)
}

// tokenFailure returns what an error response says about the token. It is nil if the carrier
// has accepted the token, and only lacks the request.
func (c *Client) tokenFailure(k call, resp response) error {
	failure := c.responseError(k, resp, "")
	switch ours := isStandard(resp.status, resp.body); {
	case ours && (resp.status == http.StatusNotFound || resp.status == http.StatusUnprocessableEntity):
		return nil
	case ours && resp.status == http.StatusForbidden:
		c.tokens.Invalidate(resp.token)
		failure.Class = Unauthorized
	case failure.Class == NotFoundOrForbidden, failure.Class == Refused:
		failure.Class, failure.Message = Unreadable, "the response is not the carrier's: it has no error body"
	}
	return failure
}

// aboutRequest returns an error unless the body of a 200 is the requested resource. A server
// in front of the carrier may return anything with a 200.
func aboutRequest(k call, body []byte) error {
	var resource struct {
		ID string `json:"id"`
	}
	err := readObject(body, &resource)
	if err == nil && resource.ID != nobodysRequest {
		err = errNotThatRequest
	}
	if err != nil {
		return unreadable(k, err)
	}
	return nil
}

func isObject(body []byte) bool {
	d, err := jsondoc.Parse(body)
	return err == nil && d.IsObject()
}
