package carrier

import "net/http"

// Delivery states what is known about the outcome of one POST.
type Delivery string

// The deliveries.
const (
	NotSent      Delivery = "NotSent"      // no byte left this process
	NotProcessed Delivery = "NotProcessed" // refused before it was processed (401, 425, 429)
	Rejected     Delivery = "Rejected"     // processed and refused
	Accepted     Delivery = "Accepted"     // accepted by the carrier; with a handle if one is needed
	Ambiguous    Delivery = "Ambiguous"    // outcome unknown
)

// Observation has everything that determines the delivery of one POST.
type Observation struct {
	Written bool // the request was given a connection, so bytes may have been sent
	Status  int  // the response status; zero if there was no response
	Success int  // the status that means accepted, by the operation's contract
	Handle  bool // the response has a usable handle, or the operation needs none
}

// Classify returns exactly one delivery for every observation, and Ambiguous if nothing is proven.
// "An error from a POST" is not "it failed".
func Classify(o Observation) Delivery {
	switch {
	case o.Status == 0 && !o.Written:
		return NotSent
	case o.Status == 0:
		return Ambiguous
	case o.Status == o.Success && o.Handle:
		return Accepted
	}
	return deliveryOfStatus(o.Status)
}

// deliveryOfStatus returns what an error status proves. 401 means "bearer token missing or invalid"
// (spec §7), and a rate limiter runs before the handler, so 401, 425 and 429 prove that nothing was
// done. The statuses of the second case prove a refusal. All other statuses prove nothing:
// 408, 409, 5xx and redirects can also follow completed work.
func deliveryOfStatus(status int) Delivery {
	switch status {
	case http.StatusUnauthorized, http.StatusTooEarly, http.StatusTooManyRequests:
		return NotProcessed
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusNotAcceptable, http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong,
		http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return Rejected
	}
	return Ambiguous
}
