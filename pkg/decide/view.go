// SPDX-License-Identifier: Apache-2.0

// Package decide judges. From what a user wants, what is recorded and what time
// it is, it says the next Step and the Verdict that explains it.
//
//	(spec, status, memory, now) ──► Service ──► Decision{Step, Verdict, Aspects, LookAt}
//
// Everything here is a pure function of its arguments: no clock, no context, no
// network, no cluster. The same Input always gives the same Decision, so a restart
// decides as the process before it would have.
//
// A reason or a message of a condition is worded here and nowhere else.
package decide

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Input is what a decision about an object of any kind rests on.
type Input struct {
	Subject Subject                 // the object as it stands, status facts of this pass included
	Ledger  *v1alpha1.RequestLedger // that has its attempts on record; nil: there is none
	Account Account                 // the account it names
	Memory  Memory                  // what this process remembers beside the status
	Now     time.Time               // the time of this pass
	Elapsed time.Duration           // the same by the monotonic clock
	Submit  bool                    // whether the manager may send at all (--submit)

	Installation Installation // what the marker says of this cluster; Gone only where a ledger would have to be created
}

// Subject is an object that holds requests in its status.
type Subject interface {
	metav1.Object
	OpenRequests() []*v1alpha1.Request
	RequestOf(operation v1alpha1.Operation) *v1alpha1.Request
	NewestError() *v1alpha1.LastError
	Controls() *v1alpha1.Handled
	AccountName() string
}

// control is a control annotation, as long as the status can echo it: a longer one is
// never any that we know.
func control(object metav1.Object, annotation string) string {
	const longest = 256
	return bounded(object.GetAnnotations()[annotation], longest)
}

// ServiceInput is all that a decision about one service rests on.
type ServiceInput struct {
	Input

	Service *v1alpha1.BroadbandService // the subject
	Order   *Order                     // the order that orderRef names; nil when there is no such order, or no orderRef
}

// Account is what a decision needs to know of a CarrierAccount.
type Account struct {
	Object   *v1alpha1.CarrierAccount // nil when it does not exist
	Unusable error                    // why no session could be opened for it; nil when one was
	Spending Spending                 // what its identity has spent, where it has a chargeLimit
	Breaker  Breaker                  // what holds back what costs
}

// Order is what a service takes over from the ServiceOrder that created it. What the
// order does not know is empty.
type Order struct {
	Accepted          bool               // whether the carrier has accepted it
	ServiceID         v1alpha1.CarrierID // the service that it became; "" while the carrier has not told
	Plan              string
	Term              int32
	RestorationSLA    string
	AggregationMethod string
	AVCID             string
}

// Memory is what one process remembers of one object. It is lost with the process,
// and nothing that must not be lost is kept only here.
type Memory struct {
	Sender       string             // this process's id
	FirstSeen    time.Time          // when this process first saw the object
	Attempts     map[string]Attempt // by attempt id: those that have not ended
	NotBefore    time.Time          // the carrier asked to be left alone until then (Retry-After)
	Gate         Gate               // what was seen at the gate before a POST
	Ahead        Ahead              // times on record that lay in the future when they were first seen
	Readings     Readings           // the newest reading of each topic
	Origin       Origin             // whom they are from
	LastQuery    LastQuery          // how the last POST of class Query went
	RetellAt     time.Time          // before which no other words for the same refusal are written
	Told         time.Time          // when the carrier last sent a notification about it
	ContactErr   error              // why the contact could not be read from its Secret; nil when it could
	ContactAgain time.Time          // when it is read again, after that

	ToldOfCancellation time.Time // when it last sent one about its cancellation
}

// LastQuery is how the newest POST of class Query went.
type LastQuery struct {
	Failures int       // in a row
	Err      error     // the newest; nil when the last was answered
	RetryAt  time.Time // when it may be asked again
	Renewed  bool      // the newest failed for want of a valid token, perhaps, and has another by now
	Taken    string    // the attempt that was answered: its id
	TakenAt  time.Time // when it was
}

// Attempt is what one process remembers of one attempt that has not ended.
type Attempt struct {
	Seen      time.Time        // when this process first saw it in its present phase
	LastLook  time.Time        // when it was last polled, or first seen
	Posted    bool             // its POST may have left this process
	Receipt   *carrier.Receipt // the answer to that POST, when it is not yet in the status
	Failures  int              // polls that proved nothing, in a row
	PollError error            // the newest of them
}
