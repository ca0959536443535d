package simulator

// family is everything that differs between the asynchronous operations. All use submit and poll.
type family struct {
	operation Operation
	// accept checks a submission for a service of the client; nil accepts everything. It may set
	// Failure and ErrorDetail, so that the request is accepted and fails later.
	accept func(*exchange, *request) error
	// effect is the effect of a completed request on the service; nil if the operation only reads.
	effect func(*serviceState, *request)
	// announce returns the events that announce the end of a request, and is called when the request
	// begins; nil for none.
	announce func(*Simulator, *serviceState, *request) []eventKind
	// pending is the body of a 202; nil for none.
	pending func(*exchange, *request) any
	// result is the body of a 200.
	result func(*exchange, *request) any
	// failed is the sub-error code of a request that did not complete, and timedOut is the code of a
	// request that took too long. object is the resource's name in both.
	failed, timedOut, object string
	// failure is the status of a request that did not complete; IN_ERROR when empty.
	failure string
	// opaque means that the id of a request is opaque text.
	opaque bool
}
