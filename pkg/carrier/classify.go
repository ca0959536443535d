package carrier

// Delivery states what is known about the outcome of one POST.
type Delivery string

// The deliveries.
const (
	NotSent      Delivery = "NotSent"      // no byte left this process
	NotProcessed Delivery = "NotProcessed" // refused before it was processed (401, 425, 429)
	Rejected     Delivery = "Rejected"     // processed and refused
	Accepted     Delivery = "Accepted"     // accepted by the carrier, with a way to poll it
	Ambiguous    Delivery = "Ambiguous"    // outcome unknown
)

// Observation has everything that determines the delivery of one POST.
type Observation struct {
	Written bool // the request was given a connection: bytes may have been sent
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
	if delivery, ok := statusDeliveries[o.Status]; ok {
		return delivery
	}
	return Ambiguous
}
