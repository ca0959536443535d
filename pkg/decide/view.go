// SPDX-License-Identifier: Apache-2.0

// Package decide makes the decisions. From the spec, the recorded status, the memory of this
// process and the current time it computes the next Step and the Verdict that explains it.
//
//	(spec, status, memory, now) ──► Service ──► Decision{Step, Verdict, Aspects, LookAt}
//
// Everything here is a pure function of its arguments: no clock, no context, no network, no
// cluster. The same Input always gives the same Decision, so after a restart the new process
// decides as the previous one would have.
//
// The reasons and messages of all conditions are worded in this package and nowhere else.
package decide

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Input is the input of a decision about an object of any kind.
type Input struct {
	Subject Subject                 // the object, with the status facts of this pass included
	Ledger  *v1alpha1.RequestLedger // the ledger that records its attempts; nil if there is none
	Account Account                 // the account it names
	Memory  Memory                  // what this process remembers in addition to the status
	Now     time.Time               // the time of this pass
	Elapsed time.Duration           // the same time on the monotonic clock
	Submit  bool                    // whether the manager may send at all (--submit)

	Installation Installation // what the marker shows about this cluster; Gone is only set if a ledger must be created
}

// Subject is an object with requests in its status.
type Subject interface {
	metav1.Object
	OpenRequests() []*v1alpha1.Request
	RequestOf(operation v1alpha1.Operation) *v1alpha1.Request
	NewestError() *v1alpha1.LastError
	Controls() *v1alpha1.Handled
	AccountName() string
}

// control returns the value of a control annotation, cut to the length that the status can echo. A
// longer value is never a valid one.
func control(object metav1.Object, annotation string) string {
	const longest = 256
	return bounded(object.GetAnnotations()[annotation], longest)
}

// ServiceInput is the complete input of a decision about one service.
type ServiceInput struct {
	Input

	Service *v1alpha1.BroadbandService // the subject
	Order   *Order                     // the order that orderRef names; nil if there is no such order or no orderRef
}

// Account is the part of a CarrierAccount that decisions depend on.
type Account struct {
	Object   *v1alpha1.CarrierAccount // nil if it does not exist
	Unusable error                    // why no session could be opened for it; nil if one is open
	Spending Spending                 // what its identity has spent, if the account has a chargeLimit
	Breaker  Breaker                  // what holds back chargeable requests
}

// Order holds the values that a service takes over from the ServiceOrder that created it. A value
// that the order does not know is empty.
type Order struct {
	Accepted          bool               // whether the carrier has accepted it
	ServiceID         v1alpha1.CarrierID // the service that the order created; "" until the carrier has reported it
	Plan              string
	Term              int32
	RestorationSLA    string
	AggregationMethod string
	AVCID             string
}

// Memory is what one process remembers about one object. It is lost with the process, so nothing
// that must survive is kept only here.
type Memory struct {
	Sender           string             // the id of this process
	FirstSeen        time.Time          // when this process first saw the object
	Attempts         map[string]Attempt // by attempt id: the attempts that have not ended
	NotBefore        time.Time          // the carrier asked for no calls before this time (Retry-After)
	Gate             Gate               // what the check before a POST last saw
	Ahead            Ahead              // recorded times that were in the future when first seen
	Readings         Readings           // the newest reading of each topic
	Origin           Origin             // the carrier and identity the readings are from
	LastQuery        LastQuery          // the outcome of the last POST of class Query
	NextRefusalWrite time.Time          // before this time the same refusal is not written again in other words
	Told             time.Time          // when the carrier last sent a notification about the object
	ContactErr       error              // why the contact could not be read from its Secret; nil if it could
	ContactAgain     time.Time          // when the Secret is read again after such an error

	CancellationNotifiedAt time.Time // when the carrier last sent a notification about its cancellation
}

// LastQuery is the outcome of the newest POST of class Query.
type LastQuery struct {
	Failures int       // in a row
	Err      error     // the newest error; nil if the last one was answered
	RetryAt  time.Time // when the query may be sent again
	Renewed  bool      // the newest may have failed because of an invalid token, and the token has been renewed since
	Taken    string    // the id of the attempt that was answered
	TakenAt  time.Time // when it was answered
}

// Attempt is what one process remembers about one attempt that has not ended.
type Attempt struct {
	Seen      time.Time        // when this process first saw it in its present phase
	LastLook  time.Time        // when it was last polled, or first seen
	Posted    bool             // its POST may have left this process
	Receipt   *carrier.Receipt // the answer to that POST, until it is in the status
	Failures  int              // number of polls in a row without a conclusive result
	PollError error            // the error of the newest such poll
}
