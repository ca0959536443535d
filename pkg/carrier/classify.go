package carrier

import (
	"net/http"
	"slices"
)

// Delivery states what is known about the outcome of one POST.
type Delivery string

// The deliveries.
const (
	NotSent      Delivery = "NotSent"      // no byte left this process
	NotProcessed Delivery = "NotProcessed" // refused before it was processed (401, 425, 429)
	Rejected     Delivery = "Rejected"     // refused in a response of the carrier itself
	Accepted     Delivery = "Accepted"     // accepted by the carrier; with a handle if one is needed
	Ambiguous    Delivery = "Ambiguous"    // outcome unknown
)

// Observation has everything that determines the delivery of one POST.
type Observation struct {
	Written  bool // the request was given a connection, so bytes may have been sent
	Status   int  // the response status; zero if there was no response
	Handle   bool // the response has a usable handle, or the operation needs none
	Location bool // the response has exactly one Location, and it is one of the operation
	Refusal  bool // the body is the carrier's own refusal: see isRefusal
}

// Classify returns exactly one delivery for every observation of an operation's POST, and
// Ambiguous if nothing is proven. An error status does not prove that the POST has failed: a
// gateway, a firewall that reads responses, or a framework that cannot write its response may
// return any error status after the carrier has done the work.
func Classify(contract Contract, o Observation) Delivery {
	switch {
	case o.Status == 0 && !o.Written:
		return NotSent
	case o.Status == 0:
		return Ambiguous
	case o.Status == contract.Success && o.Handle:
		return Accepted
	case o.Location:
		return Ambiguous // a request that was refused has no outcome, so the status cannot be true
	case comesBeforeProcessing(o.Status):
		return NotProcessed
	case contract.refusesWith(o.Status) && o.Refusal:
		return Rejected
	}
	return Ambiguous
}

// comesBeforeProcessing reports whether a status alone proves that nothing was done, no matter
// which server has sent it. That server must decide before it passes the request on, because
// the status is about a condition that authorizes or limits the processing itself:
//
//   - 401: the token is missing or invalid (spec §7). No server processes a request before it
//     checks whether the sender is authorized.
//   - 425: the request came in the early data of a TLS connection, which is never sent here.
//   - 429: a rate limiter counts a request before it lets the request pass. Its purpose is to
//     protect the servers behind it.
//
// No other status is a proof by itself. A gateway that cannot deliver the response also returns
// 405 or 413: it has a page of its own for the POST, or it limits the size of the response.
// 414, 415 and 431 cannot be about our requests: the free reads that precede every chargeable
// request have the same addresses, types and headers.
func comesBeforeProcessing(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return false
}

// refusesWith reports whether a status means that the carrier has refused this POST: the
// specification lists it as an error of the request, or the carrier's framework returns it
// before the POST has a handler. The body decides whether the response is the carrier's.
//
// The published interface has 400, 405 and 415 in the carrier's form for every operation: the
// framework cannot read the body or its type, or does not know the method.
func (c Contract) refusesWith(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusUnsupportedMediaType:
		return true
	}
	isOfRequest := status >= http.StatusBadRequest && status < http.StatusInternalServerError
	return isOfRequest && slices.Contains(c.Statuses, status)
}
