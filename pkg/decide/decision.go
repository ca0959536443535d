// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// State is how an object stands, in the words of kstatus.
type State string

// The states.
const (
	Settled State = "Settled" // Ready=True
	Waiting State = "Waiting" // Ready=False, neither Reconciling nor Stalled: a person asked for the wait
	Working State = "Working" // Ready=False, Reconciling=True
	Stuck   State = "Stuck"   // Ready=False, Stalled=True: only a person can help
)

// weight is how much of an object a state speaks for.
func (s State) weight() int {
	return slices.Index([]State{Settled, Waiting, Stuck, Working}, s)
}

// Verdict explains a decision. Condition, event and log all take their words from it.
type Verdict struct {
	State   State
	Reason  string // a condition reason of api/v1alpha1
	Message string // what happened, to what, what to do
}

// holds is the verdict as a condition that is True.
func (v Verdict) holds(conditionType string) Aspect {
	return Aspect{Type: conditionType, Status: metav1.ConditionTrue, Reason: v.Reason, Message: v.Message}
}

// Aspect is the verdict on one declared aspect of a service.
type Aspect struct {
	Type    string // the condition type
	Status  metav1.ConditionStatus
	Reason  string
	Message string
}

// Decision is the next step, why, and when to look again.
type Decision struct {
	Step    Step
	Verdict Verdict
	Aspects []Aspect
	Pending *v1alpha1.Pending // the changes that are wanted; nil for none
	LookAt  time.Time         // when to look again if nothing happens; zero for never
	Brief   bool              // it will have changed in seconds: what is on record may stand until then
	Handled v1alpha1.Handled  // the control annotations that count as acted on from here
	Unused  string            // of a control annotation that asks for nothing, that it does; "" for none
}

// Step is one thing to do. Exactly one side effect each, at most.
//
//sumtype:decl
type Step interface{ step() }

// Rest does nothing: there is nothing to do, or nothing yet.
type Rest struct{}

// Ask puts a question to the carrier that changes nothing there.
type Ask struct {
	Topic Topic
	Token string // the control annotation it is asked for
}

// Collect looks whether a question that was asked has its answer.
type Collect struct{ Topic Topic }

// Submit sends a request that changes something, by the submission protocol. Its body
// is built from the request's target.
type Submit struct {
	Request v1alpha1.Request // the intent; attemptID, sender and submittedAt are the protocol's to fill
	Contact ContactSource
	Approve string // the approval that it uses up; "" for none
	Retry   string // the retry annotation that it uses up; "" for none

	Reconcile string // the reconcile annotation that it uses up; "" for none
	Hold      bool   // a Query that leaves something behind: the finalizer goes on before it
}

// SubmitQuery sends a request of class Query: it has neither intent nor finalizer, and its
// answer is written down once there is one.
type SubmitQuery Submit

// Probe asks the carrier a free question, to learn whether it answers again after an answer was lost.
type Probe struct{}

// ContactSource says where the contact of a request comes from.
type ContactSource struct {
	Inline *v1alpha1.Contact
	Secret string // name of a Secret with the keys name, phone, email
}

// Follow polls the request under way.
type Follow struct{ AttemptID string }

// RecordAnswer writes down an answer that this process holds and the status does not.
type RecordAnswer struct{ AttemptID string }

// Resolve ends or moves an attempt without a call: the facts at hand suffice.
type Resolve struct {
	AttemptID string
	By        Writer
	From      v1alpha1.RequestPhase // the phase that was judged: in another one the fact no longer holds
	Phase     v1alpha1.RequestPhase
	Location  string                 // the polling Location, when a person named the request
	Source    v1alpha1.ValueSource   // how the target is known, when Succeeded
	Error     *v1alpha1.RequestError // why, when not Succeeded
}

func (Rest) step()         {}
func (Ask) step()          {}
func (Collect) step()      {}
func (Submit) step()       {}
func (SubmitQuery) step()  {}
func (Probe) step()        {}
func (Follow) step()       {}
func (RecordAnswer) step() {}
func (Resolve) step()      {}

func isRest(step Step) bool {
	_, resting := step.(Rest)
	return resting
}
