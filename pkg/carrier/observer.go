package carrier

import (
	"cmp"
	"errors"
	"time"
)

// Observer is called for metrics: after calls, after exchanges, and by Take. A function that is
// nil is not called. The functions must return quickly, because the caller of the client waits for
// them.
type Observer struct {
	Call     func(ObservedCall)     // after every call to the carrier
	Exchange func(ObservedExchange) // after every exchange of an assertion for a token

	// Wait is called by every Take. A wait of zero means that the rate limit allows the call.
	Wait func(kind CallKind, wait time.Duration)
}

// ObservedCall is one HTTP call to the carrier.
type ObservedCall struct {
	Operation string // of a POST or a poll; for a plain read, one of the constants below
	Method    string // GET or POST
	Status    int    // the HTTP status; zero if no response came
	Took      time.Duration
}

// The plain reads. They are not operations, because they request nothing from the carrier.
const (
	CancellationRead = "CancellationRead" // the state of a service's cancellation
	DisruptionsRead  = "DisruptionsRead"  // one page of a service's disruptions
	OrderRead        = "OrderRead"        // an order
	TestTypesRead    = "TestTypes"        // the diagnostic tests that are offered for a service
	ServiceRead      = "ServiceRead"      // a service, as the carrier describes it
	TokenCheck       = "TokenCheck"       // whether the carrier accepts the token
)

// ObservedExchange is one exchange of an assertion for a token.
type ObservedExchange struct {
	Failure TokenReason // why there is no token; empty if one was granted
}

func (o Observer) called(k call, status int, took time.Duration) {
	if o.Call == nil {
		return
	}
	o.Call(ObservedCall{Operation: cmp.Or(string(k.operation), k.reads), Method: k.method, Status: status, Took: took})
}

func (o Observer) exchanged(err error) {
	if o.Exchange == nil {
		return
	}
	var why TokenReason
	if err != nil {
		why = TokenUnreachable
		if failure, ok := errors.AsType[*TokenError](err); ok {
			why = failure.Reason
		}
	}
	o.Exchange(ObservedExchange{Failure: why})
}

func (o Observer) waits(kind CallKind, wait time.Duration) {
	if o.Wait != nil {
		o.Wait(kind, wait)
	}
}
