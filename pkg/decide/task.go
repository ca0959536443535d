// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"errors"
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Task is one request that an object asks for.
type Task struct {
	Operation v1alpha1.Operation
	Target    v1alpha1.RequestTarget
	Body      []byte // as it is sent, contact data apart
	Contact   ContactSource
	Changes   []v1alpha1.Change // what a person approves; none: nobody is asked
}

// TaskView is what a decision about an object that makes one request, like a Job, rests on.
type TaskView struct {
	View

	Task       Task
	ServiceID  v1alpha1.CarrierID // the service that it is about; "": none, or not known
	Hold       *Verdict           // why it cannot be asked for: what it refers to is missing, or wrong; nil when it can
	Lane       Lane               // what stands between a diagnostic test and its request
	Approval   v1alpha1.Approval  // when the object itself says that it has to be approved
	TTL        v1alpha1.Duration  // how long the object stays once it has finished; "" or "0" for ever
	Found      string             // what the answer says, in short; "" for what nobody needs to read at once
	HoldsUntil string             // the last day on which the answer holds, as the carrier wrote it; "" for ever
}

// OneShot judges an object that makes one request: it is sent, followed, and then done.
// What is done, or has failed, stays so whatever becomes of the account.
func OneShot(v TaskView) Decision {
	plan := taskPlan(&v)
	decision := firstStep([]func() *Decision{
		func() *Decision { return answeredRequest(&v.View) },
		func() *Decision { return resolvedByPerson(&v.View) },
		func() *Decision { return completed(&v) },
		func() *Decision { return failed(&v) },
		func() *Decision { return accountReady(&v.View) },
		func() *Decision { return sentElsewhere(&v.View) },
		func() *Decision { return untilEnded(&v.View, openOf(&v.View), taskWitness{&v.View}) },
		func() *Decision { return onHold(v.Hold) },
		func() *Decision { return planApproved(&v.View, v1alpha1.ApprovalAlways, plan) },
		func() *Decision { return laneFree(&v) },
		func() *Decision { return sendTask(&v.View, v.Task).approvedBy(&v.View, plan) },
	})
	decision.LookAt = earlier(decision.LookAt, Expires(&v))
	if decision.Verdict.Reason == v1alpha1.ReasonAwaitingApproval {
		decision.Pending = plan
		decision.Facets = []Facet{decision.Verdict.holds(v1alpha1.ConditionApprovalRequired)}
	}
	decision.withControls(&v.View)
	return decision
}

// taskPlan is what a person has to approve; nil where nobody is asked. The carrier quotes no price,
// which is what OnCost would ask about.
func taskPlan(v *TaskView) *v1alpha1.Pending {
	if len(v.Task.Changes) == 0 || policyOf(&v.View, v.Approval) != v1alpha1.ApprovalAlways {
		return nil
	}
	last := v.Ledger.LastReachedFor(string(v.Subject.GetUID()))
	return planned(&v.View, last, v.Task.Body, v.Task.Changes, nil)
}

// firstStep is what the first rule says that answers.
func firstStep(rules []func() *Decision) Decision {
	for _, rule := range rules {
		if decision := rule(); decision != nil {
			return *decision
		}
	}
	return Decision{Step: Rest{}, Verdict: Verdict{Settled, v1alpha1.ReasonCompleted, "there is nothing to do"}}
}

func openOf(v *View) *v1alpha1.Request {
	for _, open := range v.Subject.OpenRequests() {
		return open
	}
	return nil
}

func onHold(why *Verdict) *Decision {
	if why == nil {
		return nil
	}
	return &Decision{Step: Rest{}, Verdict: *why}
}

// sendTask sends a request, or says why not. A Query is posed without an intent: a second
// one changes nothing.
func sendTask(v *View, task Task) *Decision {
	w := wish{operation: task.Operation, target: task.Target, body: task.Body}
	if held := taskHeld(v, task, w); held != nil {
		return held
	}
	decision := working(v1alpha1.ReasonProgressing, fmt.Sprintf("%s is being sent to the carrier", task.Operation))
	submit := Submit{Request: w.intent(v), Contact: task.Contact}
	submit = usingUpRetry(v, submit, v.Subject.RequestOf(task.Operation))
	decision.Step = submit
	if ClassOf(task.Operation, task.Target) == carrier.ClassQuery {
		return pose(v, decision, submit)
	}
	return decision
}

// taskHeld says why a request may not be sent now; nil when it may.
func taskHeld(v *View, task Task, w wish) *Decision {
	if err := supported(v, carrier.Operation(task.Operation)); err != nil {
		if _, unsupported := errors.AsType[*carrier.UnsupportedVersionError](err); unsupported {
			return stuck(v1alpha1.ReasonUnsupportedByAPIVersion, err.Error()+": raise apiVersion of the CarrierAccount")
		}
	}
	if held := taskWithheld(v, task); held != nil {
		return held
	}
	if held := contactHeld(v, task.Contact); held != nil {
		return held
	}
	if handleGone(v.Subject.RequestOf(task.Operation)) {
		return nil
	}
	return maySend(v, w)
}

// taskWithheld holds back what is not sent in this installation, or not yet.
func taskWithheld(v *View, task Task) *Decision {
	switch {
	case v.withheld() != "" && ClassOf(task.Operation, task.Target) != carrier.ClassQuery:
		return waiting(v1alpha1.ReasonPlanned, fmt.Sprintf("%s, and %s is not sent", v.withheld(), task.Operation))
	case asksOnce(task.Operation):
		return newHere(v, string(task.Operation))
	}
	return nil
}

// handleGone: a Query whose handle was lost has waited its minute already.
func handleGone(last *v1alpha1.Request) bool {
	return last != nil && ClassOf(last.Operation, last.Target) == carrier.ClassQuery &&
		last.Error != nil && last.Error.Code == v1alpha1.ReasonHandleLost
}

// contactHeld waits for a contact's Secret that could not be read.
func contactHeld(v *View, contact ContactSource) *Decision {
	if contact.Secret == "" || v.Memory.ContactErr == nil || !v.Now.Before(v.Memory.ContactAgain) {
		return nil
	}
	return lookAgain(stuck(v1alpha1.ReasonContactRequired, v.Memory.ContactErr.Error()), v.Memory.ContactAgain)
}

// staleGrace is how long a copy of an object may lag behind what this process wrote.
const staleGrace = 10 * time.Second

// pose asks a Query, and after a failure not before its pause is over.
func pose(v *View, decision *Decision, submit Submit) *Decision {
	posed, last := v.Memory.Posed, v.Subject.RequestOf(submit.Request.Operation)
	if posed.Taken != "" && (last == nil || last.AttemptID != posed.Taken) && v.Now.Before(posed.TakenAt.Add(staleGrace)) {
		// "One request each": this copy of the object is from before the answer was written down.
		decision.Step = Rest{}
		return lookAgain(decision, posed.TakenAt.Add(staleGrace))
	}
	if posed.Err != nil && v.Now.Before(posed.RetryAt) {
		return lookAgain(working(v1alpha1.ReasonCarrierUnavailable, fmt.Sprintf(
			"%s has not been answered (%s): it is asked again", submit.Request.Operation, errorText(posed.Err))), posed.RetryAt)
	}
	decision.Step = Pose(submit)
	return decision
}

// taskWitness has no way to find out what became of a request: a Query is asked anew, and
// all else is a person's.
type taskWitness struct{ *View }

// verify judges a request that may or may not be with the carrier. "A Query handle is asked
// anew after 60 s", whether nobody knows it any more or it leads elsewhere.
func (t taskWitness) verify(open *v1alpha1.Request) *Decision {
	if ClassOf(open.Operation, open.Target) != carrier.ClassQuery {
		return settle(open, v1alpha1.PhaseOutcomeUnknown, whyUnknown(open))
	}
	why := &v1alpha1.RequestError{
		Code: v1alpha1.ReasonHandleLost, Message: fmt.Sprintf("the carrier no longer knows its Location %s", open.Location),
	}
	if open.Phase == v1alpha1.PhaseSubmitting && open.Error != nil {
		why = open.Error
		last := t.Subject.NewestError()
		if last != nil && t.Now.Before(t.past(last.At).Add(queryGrace)) {
			return lookAgain(working(v1alpha1.ReasonProgressing, fmt.Sprintf(
				"%s has no usable answer (%s): it is asked anew a minute later", open.Operation, errorMessage(why))),
				t.past(last.At).Add(queryGrace))
		}
	}
	return settle(open, v1alpha1.PhaseNotProcessed, why)
}

// proof: nothing that this process reads settles it.
func (taskWitness) proof(*v1alpha1.Request) *Decision { return nil }
