// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"errors"
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Task is one request that an object needs.
type Task struct {
	Operation v1alpha1.Operation
	Target    v1alpha1.RequestTarget
	Body      []byte // as it is sent, without contact data
	Contact   ContactSource
	Changes   []v1alpha1.Change // what a person has to approve; empty if no approval is needed
}

// TaskInput is the input of a decision about an object that makes one request, like a Job.
type TaskInput struct {
	Input

	Task       Task
	ServiceID  v1alpha1.CarrierID // the service of the task; "" if none or unknown
	Hold       *Verdict           // why it cannot be sent: a referenced object is missing or wrong; nil if it can
	Lane       Lane               // the state of the other diagnostic tests of the service
	Approval   v1alpha1.Approval  // the object's own approval policy
	TTL        v1alpha1.Duration  // how long the object is kept once it has finished; "" or "0" means forever
	Found      string             // a summary of the answer; "" if it needs none
	HoldsUntil string             // the last day on which the answer is valid, as the carrier wrote it; "" means forever
}

// OneShot decides about an object that makes one request: it is sent, tracked and then done. A
// result or failure is final, whatever the state of the account.
func OneShot(in TaskInput) Decision {
	plan := taskPlan(&in)
	decision := firstStep([]func() *Decision{
		func() *Decision { return answeredRequest(&in.Input) },
		func() *Decision { return resolvedByPerson(&in.Input) },
		func() *Decision { return completed(&in) },
		func() *Decision { return failed(&in) },
		func() *Decision { return accountReady(&in.Input) },
		func() *Decision { return sentElsewhere(&in.Input) },
		func() *Decision { return untilEnded(&in.Input, openOf(&in.Input), taskEvidence{&in.Input}) },
		func() *Decision { return onHold(in.Hold) },
		func() *Decision { return planApproved(&in.Input, v1alpha1.ApprovalAlways, plan) },
		func() *Decision { return laneFree(&in) },
		func() *Decision { return sendTask(&in.Input, in.Task).approvedBy(&in.Input, plan) },
	})
	decision.LookAt = earlier(decision.LookAt, Expires(&in))
	if decision.Verdict.Reason == v1alpha1.ReasonAwaitingApproval {
		decision.Pending = plan
		decision.Aspects = []Aspect{decision.Verdict.holds(v1alpha1.ConditionApprovalRequired)}
	}
	decision.withControls(&in.Input)
	return decision
}

// taskPlan returns what a person has to approve; nil if no approval is needed. OnCost does not
// apply, because the carrier quotes no price.
func taskPlan(in *TaskInput) *v1alpha1.Pending {
	if len(in.Task.Changes) == 0 || policyOf(&in.Input, in.Approval) != v1alpha1.ApprovalAlways {
		return nil
	}
	last := in.Ledger.LastReachedFor(string(in.Subject.GetUID()))
	return planned(&in.Input, last, in.Task.Body, in.Task.Changes, nil)
}

// firstStep returns the decision of the first rule that returns one.
func firstStep(rules []func() *Decision) Decision {
	for _, rule := range rules {
		if decision := rule(); decision != nil {
			return *decision
		}
	}
	return Decision{Step: Rest{}, Verdict: Verdict{Settled, v1alpha1.ReasonCompleted, "there is nothing to do"}}
}

func openOf(in *Input) *v1alpha1.Request {
	for _, open := range in.Subject.OpenRequests() {
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

// sendTask sends a request, or explains why it is not sent. A Query is sent without an intent,
// because a second one changes nothing.
func sendTask(in *Input, task Task) *Decision {
	want := desiredChange{operation: task.Operation, target: task.Target, body: task.Body}
	if held := taskHeld(in, task, want); held != nil {
		return held
	}
	decision := working(v1alpha1.ReasonProgressing, fmt.Sprintf("%s is being sent to the carrier", task.Operation))
	submit := Submit{Request: want.intent(in), Contact: task.Contact}
	submit = usingUpRetry(in, submit, in.Subject.RequestOf(task.Operation))
	decision.Step = submit
	if ClassOf(task.Operation, task.Target) == carrier.ClassQuery {
		return submitQuery(in, decision, submit)
	}
	return decision
}

// taskHeld returns why a request may not be sent now; nil if it may.
func taskHeld(in *Input, task Task, want desiredChange) *Decision {
	if err := supported(in, carrier.Operation(task.Operation)); err != nil {
		if _, unsupported := errors.AsType[*carrier.UnsupportedVersionError](err); unsupported {
			return stuck(v1alpha1.ReasonUnsupportedByAPIVersion, err.Error()+": raise apiVersion of the CarrierAccount")
		}
	}
	if held := taskWithheld(in, task); held != nil {
		return held
	}
	if held := contactHeld(in, task.Contact); held != nil {
		return held
	}
	if handleGone(in.Subject.RequestOf(task.Operation)) {
		return nil
	}
	return maySend(in, want)
}

// taskWithheld holds back what this installation does not send, or not yet.
func taskWithheld(in *Input, task Task) *Decision {
	switch {
	case in.withheld() != "" && ClassOf(task.Operation, task.Target) != carrier.ClassQuery:
		return waiting(v1alpha1.ReasonPlanned, fmt.Sprintf("%s, and %s is not sent", in.withheld(), task.Operation))
	case asksOnce(task.Operation):
		return newHere(in, string(task.Operation))
	}
	return nil
}

// handleGone: a Query whose Location was lost has already waited for a minute.
func handleGone(last *v1alpha1.Request) bool {
	return last != nil && ClassOf(last.Operation, last.Target) == carrier.ClassQuery &&
		last.Error != nil && last.Error.Code == v1alpha1.ReasonHandleLost
}

// contactHeld waits if the contact's Secret could not be read.
func contactHeld(in *Input, contact ContactSource) *Decision {
	if contact.Secret == "" || in.Memory.ContactErr == nil || !in.Now.Before(in.Memory.ContactAgain) {
		return nil
	}
	return lookAgain(stuck(v1alpha1.ReasonContactRequired, in.Memory.ContactErr.Error()), in.Memory.ContactAgain)
}

// staleGrace is how long a cached object may lag behind the writes of this process.
const staleGrace = 10 * time.Second

// submitQuery sends a Query; after a failure it waits until the pause is over.
func submitQuery(in *Input, decision *Decision, submit Submit) *Decision {
	query, last := in.Memory.LastQuery, in.Subject.RequestOf(submit.Request.Operation)
	recorded := last != nil && last.AttemptID == query.Taken
	if until := query.TakenAt.Add(staleGrace); query.Taken != "" && !recorded && in.Now.Before(until) {
		// "One request each": this copy of the object is older than the recorded answer.
		decision.Step = Rest{}
		return lookAgain(decision, until)
	}
	if query.Err != nil && in.Now.Before(query.RetryAt) {
		return lookAgain(working(v1alpha1.ReasonCarrierUnavailable, fmt.Sprintf(
			"%s has not been answered (%s): it is asked again", submit.Request.Operation, errorText(query.Err))), query.RetryAt)
	}
	decision.Step = SubmitQuery(submit)
	return decision
}

// taskEvidence cannot determine the outcome of a request: a Query is sent anew, and for any other
// request a person has to decide.
type taskEvidence struct{ *Input }

// verify decides about a request that may or may not have reached the carrier. "A Query handle is
// asked anew after 60 s", whether it is unknown at the carrier or belongs to something else.
func (t taskEvidence) verify(open *v1alpha1.Request) *Decision {
	if ClassOf(open.Operation, open.Target) != carrier.ClassQuery {
		return resolveTo(open, v1alpha1.PhaseOutcomeUnknown, whyUnknown(open))
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
	return resolveTo(open, v1alpha1.PhaseNotProcessed, why)
}

// proof returns nil: nothing that this process reads resolves the outcome.
func (taskEvidence) proof(*v1alpha1.Request) *Decision { return nil }
