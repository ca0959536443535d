// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// State is the overall state of an object, in the terms of kstatus.
type State string

// The states.
const (
	Settled State = "Settled" // Ready=True
	Waiting State = "Waiting" // Ready=False, neither Reconciling nor Stalled: waits for a person
	Working State = "Working" // Ready=False, Reconciling=True
	Stuck   State = "Stuck"   // Ready=False, Stalled=True: only a person can help
)

// Verdict returns a verdict of this state.
func (s State) Verdict(reason, message string) Verdict { return Verdict{s, reason, message} }

// Verdict explains a decision. The condition, the event and the log entry all use its wording.
type Verdict struct {
	State   State
	Reason  string // a condition reason of api/v1alpha1
	Message string // what happened, to what, what to do
}

// Aspect returns the verdict as a condition with status True.
func (v Verdict) Aspect(conditionType string) Aspect {
	return NewAspect(conditionType, metav1.ConditionTrue, v.Reason, v.Message)
}

// Aspect is the verdict on one declared aspect of a service.
type Aspect struct {
	Type    string // the condition type
	Status  metav1.ConditionStatus
	Reason  string
	Message string
}

// NewAspect returns the aspect of a condition.
func NewAspect(conditionType string, status metav1.ConditionStatus, reason, message string) Aspect {
	return Aspect{conditionType, status, reason, message}
}

// Set replaces what the aspect says of its condition.
func (a *Aspect) Set(status metav1.ConditionStatus, reason, message string) {
	a.Status, a.Reason, a.Message = status, reason, message
}

// Decision is the next step, the reason for it, and when to decide again.
type Decision struct {
	Step      Step
	Verdict   Verdict
	Aspects   []Aspect
	Pending   *v1alpha1.Pending // the changes that are wanted; nil for none
	RequeueAt time.Time         // when to decide again if no event comes first; zero means never
	Transient bool              // the verdict changes within seconds, so the recorded status may stay as it is until then
	Handled   v1alpha1.Handled  // the control annotations that count as handled from now on
	Unused    []string          // the parts of the messages about control annotations that have no effect
}

// Step is one thing to do. It has at most one side effect.
//
//sumtype:decl
type Step interface{ step() }

// Rest does nothing: either there is nothing to do, or nothing can be done yet.
type Rest struct{}

// StartReading requests something from the carrier. It changes nothing there.
type StartReading struct {
	Topic Topic
	Token string // the control annotation that requested it
	Again bool   // whether the reading failed before, and nothing has changed since
}

// ContinueReading polls an open reading, or reads its next page.
type ContinueReading struct{ Topic Topic }

// Submit sends a request that changes something, using the submission protocol. Its body is built
// from the target of the request.
type Submit struct {
	Request v1alpha1.Request // the intent; attemptID, sender and submittedAt are filled in by the protocol
	Contact ContactSource
	Approve string // the approval that it uses up; "" if none
	Retry   string // the retry annotation that it uses up; "" if none

	Reconcile      string // the reconcile annotation that it uses up; "" if none
	FinalizerFirst bool   // a Query that leaves something behind at the carrier, so the finalizer is added first
}

// SubmitQuery sends a request of class Query. No intent is recorded, and a finalizer is added only
// if FinalizerFirst is set. The response is recorded once it arrives.
type SubmitQuery Submit

// Probe sends the carrier a free read after a lost response, to find out whether it answers again.
type Probe struct{}

// ContactSource is the source of the contact data of a request.
type ContactSource struct {
	Inline *v1alpha1.Contact
	Secret string // name of a Secret with the keys name, phone, email
}

// Describe says where a contact comes from, without its data: its Secret, or the field that contains
// it; "" if there is none.
func (c ContactSource) Describe(field string) string {
	switch {
	case c.Inline != nil:
		return field
	case c.Secret != "":
		return "Secret " + c.Secret
	}
	return ""
}

// ReadContact reads the contact of a request from its Secret, to find out whether it can be sent. The
// data is not kept: it is read again when the request is sent.
type ReadContact struct{ Source ContactSource }

// Poll polls the request in progress.
type Poll struct{ AttemptID string }

// RecordResponse records a response that this process has but the status does not have yet.
type RecordResponse struct{ AttemptID string }

// Resolve ends an attempt or changes its phase without a call, because the known facts are
// sufficient.
type Resolve struct {
	AttemptID string
	By        Writer
	From      v1alpha1.RequestPhase // the phase on which the decision is based; the decision is void in any other phase
	Phase     v1alpha1.RequestPhase
	Location  string                 // the polling Location, when a person named the request
	Source    v1alpha1.ValueSource   // how the target is known, when Succeeded
	Error     *v1alpha1.RequestError // why the request has not succeeded; nil if it has
}

func (Rest) step()            {}
func (StartReading) step()    {}
func (ContinueReading) step() {}
func (Submit) step()          {}
func (SubmitQuery) step()     {}
func (Probe) step()           {}
func (ReadContact) step()     {}
func (Poll) step()            {}
func (RecordResponse) step()  {}
func (Resolve) step()         {}

// IsRest reports whether a step does nothing.
func IsRest(step Step) bool {
	_, resting := step.(Rest)
	return resting
}

func progressing(open *v1alpha1.Request) Verdict {
	if open.Location == "" {
		return Verdict{Working, v1alpha1.ReasonProgressing, fmt.Sprintf("%s is being sent to the carrier", open.Operation)}
	}
	return Verdict{Working, v1alpha1.ReasonProgressing, fmt.Sprintf("%s is in progress at the carrier", open.Operation)}
}

// RestOn does nothing, as the verdict explains.
func RestOn(verdict Verdict) *Decision { return &Decision{Step: Rest{}, Verdict: verdict} }

// RestSettled does nothing because nothing is left to do.
func RestSettled(reason, message string) *Decision { return RestOn(Verdict{Settled, reason, message}) }

// RestStuck does nothing because only a person can help.
func RestStuck(reason, message string) *Decision { return RestOn(Verdict{Stuck, reason, message}) }

// RestWorking does nothing now, and continues by itself.
func RestWorking(reason, message string) *Decision { return RestOn(Verdict{Working, reason, message}) }

// RestWaiting does nothing until a person allows the next step.
func RestWaiting(reason, message string) *Decision { return RestOn(Verdict{Waiting, reason, message}) }

// RequeueAt sets when to decide again.
func RequeueAt(decision *Decision, at time.Time) *Decision {
	decision.RequeueAt = at
	return decision
}

// ResolveBy ends an attempt, or changes its phase, on behalf of a writer.
func ResolveBy(
	by Writer, open *v1alpha1.Request, phase v1alpha1.RequestPhase, why *v1alpha1.RequestError,
) *Decision {
	step := Resolve{AttemptID: open.AttemptID, By: by, From: open.Phase, Phase: phase, Error: why}
	return &Decision{Step: step, Verdict: progressing(open)}
}

// ResolveSucceeded ends an attempt that has reached its target; source says how that is known.
func ResolveSucceeded(by Writer, open *v1alpha1.Request, source v1alpha1.ValueSource) *Decision {
	step := Resolve{AttemptID: open.AttemptID, By: by, From: open.Phase, Phase: v1alpha1.PhaseSucceeded, Source: source}
	return &Decision{Step: step, Verdict: progressing(open)}
}

// Rule checks one thing about an input. It returns a decision, or nil to let the next rule decide.
type Rule[I any] func(in I) *Decision

// First returns the decision of the first rule that makes one; nil if no rule does.
func First[I any](in I, rules []Rule[I]) *Decision {
	for _, rule := range rules {
		if decision := rule(in); decision != nil {
			return decision
		}
	}
	return nil
}

// Common adapts a rule that applies to objects of every kind to the input of one kind.
func Common[I interface{ common() *Input }](rule Rule[*Input]) Rule[I] {
	return func(in I) *Decision { return rule(in.common()) }
}

// common returns the Input that the input of each kind embeds.
func (in *Input) common() *Input { return in }
