// SPDX-License-Identifier: Apache-2.0

// Package decide makes the decisions. From the spec, the recorded status, the memory of this
// process and the current time it computes the next Step and the Verdict that explains it.
//
//	(spec, status, memory, now) ──► services.Decide ──► Decision{Step, Verdict, Aspects, RequeueAt}
//	                                orders.Decide
//	                                appointments.Decide
//	                                oneshots.Decide
//
// The packages of the kinds hold what is particular to a kind. This package holds what they share,
// and does not depend on any kind: the input and the decision, the phases of a request, when it may
// be sent, how it is tracked and resolved, the ledger, and the wording of failures.
//
// Everything here is a pure function of its arguments: no clock, no context, no network, no
// cluster. The same Input always gives the same Decision, so after a restart the new process
// decides as the previous one would have.
//
// The reasons and messages of all conditions are worded in these packages and nowhere else.
package decide

import (
	"fmt"
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

	Installation Installation // what the marker shows; MarkerGone is only set if a ledger must be created
}

// Subject is an object with requests in its status.
type Subject interface {
	metav1.Object
	Record() v1alpha1.Record
	AccountName() string
}

// ShownReady returns the condition Ready that the status of the object shows for its present
// generation; an empty one if there is none.
func (in *Input) ShownReady() metav1.Condition {
	if shown, ok := in.Subject.(v1alpha1.Described); ok {
		conditions, _ := shown.Describes()
		if ready := ReadyIn(*conditions); ready.ObservedGeneration == in.Subject.GetGeneration() {
			return ready
		}
	}
	return metav1.Condition{}
}

// Control returns the value of a control annotation, cut to the length that the status can echo. A
// longer value is never a valid one.
func Control(object metav1.Object, annotation string) string {
	const longest = 256
	return Bounded(object.GetAnnotations()[annotation], longest)
}

// AnnotateCommand returns the command that sets an annotation of the object. It also removes the
// name of the user who set the previous value: config/policy refuses the name of another user.
func AnnotateCommand(in *Input, annotation, value string) string {
	command := fmt.Sprintf("kubectl -n %s annotate --overwrite %s %s '%s=%s'", in.Subject.GetNamespace(),
		v1alpha1.ShortName(in.Subject), in.Subject.GetName(), annotation, value)
	if setter := v1alpha1.SetterAnnotation(annotation); in.Subject.GetAnnotations()[setter] != "" {
		command += " " + setter + "-"
	}
	return command
}

// Account is the part of a CarrierAccount that decisions depend on.
type Account struct {
	Object   *v1alpha1.CarrierAccount // nil if it does not exist
	Unusable error                    // why no session could be opened for it; nil if one is open
	Unproven bool                     // whether the carrier has not accepted its token in this process yet
	ProvenAt time.Time                // while Unproven: when the carrier is asked next whether it accepts the token
	Spending Spending                 // what its login has spent, if the account has a chargeLimit
	Breaker  Breaker                  // what holds back chargeable requests

	Extensions Extensions // what this process knows about the carrier's extensions
	PollTimes  PollTimes  // when requests are polled, as this process has learned

	Continues *v1alpha1.CarrierLogin // the login whose records the account's login continues; nil if it has its own
}

// Extensions maps each extension that a process has used to the error with which the carrier refused
// it; nil if the carrier has it.
type Extensions map[v1alpha1.Extension]error

// Breaker is what a process knows about the availability of an account's carrier. After a lost
// response it holds back chargeable requests until the carrier has answered a read and the pause is
// over. The zero value holds back nothing.
type Breaker struct {
	LostRequest string    // the request whose response was lost last, such as "PlanChange for bbs/site"
	LostAt      time.Time // when that was noticed; zero: no response is known to be lost
	Until       time.Time // no chargeable request is sent before this time
	Answered    bool      // whether the carrier has answered since LostAt
	AnsweredAt  time.Time // when the carrier last answered; zero: never
	ProbeAt     time.Time // when a free read is sent, unless the carrier has answered
	ProbeError  error     // the error of the first free read that has failed since LostAt; nil if none has failed
	Unproven    Unproven  // requests of class Never, in a row, that the carrier may or may not have accepted
	Flapping    bool      // the carrier was silent again soon after it had begun to answer
	Silence     *Silence  // set while the carrier does not answer; nil if it does, or was not called for a long time
}

// MostUnproven is how many consecutive requests of class Never may get a response that does not
// show their outcome. Once there are that many, no further one is sent.
const MostUnproven = 2

// Unproven describes consecutive requests for which it is unknown whether the carrier accepted
// them.
type Unproven struct {
	Count        int
	Last, Before string    // the last two, such as `OrderCreate for sorder/site`; "" if there are fewer
	At           time.Time // when the response to the last one was found to be lost
}

// Silence is what is shown of a carrier that does not answer. It holds back nothing.
type Silence struct {
	Since time.Time // when the response was lost, or when the first unanswered call was made
	Lost  string    // the request whose response was lost then; "" if none was lost
	Err   error     // the error that revealed the silence
}

// Installation is what the marker among the RequestLedgers shows about the cluster (R5). The zero
// value is a cluster without a marker, in which there is nothing to acknowledge.
type Installation struct {
	Marker     string              // its name; "" if no marker is used
	Cluster    string              // the UID of this cluster
	Clusters   []string            // the clusters whose ledgers count here
	Waits      v1alpha1.MarkerWait // what a person has to acknowledge; "" if nothing
	MarkerGone bool                // the marker is missing or not the one that this process started with

	Policies Policies // the admission policies that decide who may approve and resolve
}

// Policies is what a process knows about the admission policies that decide who may approve and
// resolve. The zero value means that something else checks approvals.
type Policies struct {
	Flaw    string // what is wrong with them; "" if they are in force
	InForce string // identifies the policy of approvals; another or a changed policy has another value
}

// Spending is the joint spending of the accounts of a login.
type Spending struct {
	Ledger  *v1alpha1.RequestLedger // the ledger of the login; nil if there is none yet
	Future  FutureReservations      // the reservations with a time in the future
	Elapsed time.Duration           // the current monotonic time, which Future is compared with
}

// FutureReservations maps the attempt id of each reservation whose time was in the future to the
// monotonic time at which a process first saw it. Its hour is measured from then (R19).
type FutureReservations map[string]time.Duration

// newestRequests returns the newest request of each operation of the object that has one.
func newestRequests(in *Input) []*v1alpha1.Request {
	var newest []*v1alpha1.Request
	for contract := range carrier.Contracts() {
		if last := in.Subject.Record().RequestOf(v1alpha1.Operation(contract.Operation)); last != nil {
			newest = append(newest, last)
		}
	}
	return newest
}
