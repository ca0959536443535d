package carrier

// Delivery says what is known about the fate of one POST.
type Delivery string

// The deliveries.
const (
	NotSent      Delivery = "NotSent"      // no byte left this process
	NotProcessed Delivery = "NotProcessed" // turned away before it was looked at (401, 425, 429)
	Rejected     Delivery = "Rejected"     // looked at and refused
	Accepted     Delivery = "Accepted"     // the carrier has it, and said how to follow it
	Ambiguous    Delivery = "Ambiguous"    // it may or may not have happened
)

// Observation is everything about one POST that its delivery depends on.
type Observation struct {
	Written bool // a connection was given to the request: bytes may have left
	Status  int  // the answer's status; zero when no answer came
	Success int  // the status that the operation's contract calls accepted
	Handle  bool // the answer leads to a usable handle, or the operation needs none
}

// Classify is a total function: whatever was observed, it names exactly one delivery, and where
// nothing is proven that is Ambiguous. "An error from a POST" is not "it failed".
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
