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
	Changes   []v1alpha1.Change // the requested changes, priced as far as known; empty if none
}

// OpenRequest returns the request that has not ended; nil if there is none.
func OpenRequest(in *Input) *v1alpha1.Request {
	for _, open := range in.Subject.Record().OpenRequests() {
		return open
	}
	return nil
}

// SendTask sends a request, or explains why it is not sent. A Query is sent without an intent,
// because sending it twice changes nothing.
func SendTask(in *Input, task Task) *Decision {
	want := DesiredChange{Operation: task.Operation, Target: task.Target, Body: task.Body}
	if held := taskHeld(in, task, want); held != nil {
		return held
	}
	decision := RestWorking(v1alpha1.ReasonProgressing, fmt.Sprintf("%s is being sent to the carrier", task.Operation))
	submit := Submit{Request: want.Intent(in), Contact: task.Contact}
	submit.Request.Plan = task.Changes
	submit = UsingUpRetry(in, submit, in.Subject.Record().RequestOf(task.Operation))
	decision.Step = submit
	if ClassOf(task.Operation, task.Target) == carrier.ClassQuery {
		return submitQuery(in, decision, submit)
	}
	return decision
}

func taskHeld(in *Input, task Task, want DesiredChange) *Decision {
	if err := CheckSupported(in, carrier.Operation(task.Operation)); err != nil {
		if _, unsupported := errors.AsType[*carrier.UnsupportedVersionError](err); unsupported {
			return RestStuck(v1alpha1.ReasonUnsupportedByAPIVersion, err.Error()+": "+RaiseVersion)
		}
	}
	if held := taskWithheld(in, task); held != nil {
		return held
	}
	if held := ContactIsUnreadable(in, task.Contact); held != nil {
		return held
	}
	last := in.Subject.Record().RequestOf(task.Operation)
	if isQuery(last) && last.Error != nil && last.Error.Code == v1alpha1.ReasonHandleLost {
		return nil // it has already waited for a minute
	}
	return MustWait(in, want)
}

// taskWithheld holds back requests that this installation does not send, or does not send yet.
func taskWithheld(in *Input, task Task) *Decision {
	held := in.Withheld().Rest(fmt.Sprintf("%s is not sent", task.Operation))
	switch {
	case held != nil && ClassOf(task.Operation, task.Target) != carrier.ClassQuery:
		return held
	case sentOnlyOnce(task.Operation):
		return AwaitAcknowledgement(in, string(task.Operation))
	}
	return nil
}

// ContactIsUnreadable waits if the contact's Secret could not be read.
func ContactIsUnreadable(in *Input, contact ContactSource) *Decision {
	if contact.Secret == "" || in.Memory.ContactErr == nil || !in.Now.Before(in.Memory.ContactAgain) {
		return nil
	}
	return RequeueAt(RestStuck(v1alpha1.ReasonContactRequired, in.Memory.ContactErr.Error()), in.Memory.ContactAgain)
}

// AwaitContact waits until the contact of a request has been read once, before a person is asked to
// approve the request: it could not be sent without its contact. Nil if the contact can be read, or
// if there is none to read.
func AwaitContact(in *Input, contact ContactSource) *Decision {
	held := ContactIsUnreadable(in, contact)
	if held != nil || contact.Secret == "" || in.Memory.ContactRead == contact.Secret {
		return held
	}
	decision := RestWorking(v1alpha1.ReasonProgressing, "the contact is being read from Secret "+contact.Secret)
	decision.Step = ReadContact{Source: contact}
	return decision
}

// staleGrace is how long a cached object may lag behind the writes of this process.
const staleGrace = 10 * time.Second

// submitQuery sends a Query; after a failure it waits until the pause is over.
func submitQuery(in *Input, decision *Decision, submit Submit) *Decision {
	query, last := in.Memory.LastQuery, in.Subject.Record().RequestOf(submit.Request.Operation)
	recorded := last != nil && last.AttemptID == query.Answered
	if until := query.AnsweredAt.Add(staleGrace); query.Answered != "" && !recorded && in.Now.Before(until) {
		// This copy of the object is older than the recorded response. Deciding from it would send a
		// second request.
		decision.Step = Rest{}
		return RequeueAt(decision, until)
	}
	if query.Err != nil && in.Now.Before(query.RetryAt) {
		return RequeueAt(RestWorking(v1alpha1.ReasonCarrierUnavailable, fmt.Sprintf(
			"%s did not succeed (%s): it is sent again automatically",
			submit.Request.Operation, ErrorText(query.Err))), query.RetryAt)
	}
	decision.Step = SubmitQuery(submit)
	return decision
}

// TaskEvidence cannot determine the outcome of a request, so a Query is sent again, and a person
// has to decide about any other request.
type TaskEvidence struct{ *Input }

// Verify decides about a request that may not have reached the carrier. A Query whose handle is
// lost is sent again after a minute.
func (t TaskEvidence) Verify(open *v1alpha1.Request) *Decision {
	if ClassOf(open.Operation, open.Target) != carrier.ClassQuery {
		return ResolveBy(WriterRule, open, v1alpha1.PhaseOutcomeUnknown, WhyUnknown(open))
	}
	why := &v1alpha1.RequestError{
		Code:    v1alpha1.ReasonHandleLost,
		Message: fmt.Sprintf("the carrier no longer recognizes the request's Location %s", open.Location),
	}
	if open.Phase == v1alpha1.PhaseSubmitting && open.Error != nil {
		why = open.Error
		last := t.Subject.Record().NewestError()
		if last != nil && t.Now.Before(t.Past(last.At).Add(queryGrace)) {
			return RequeueAt(RestWorking(v1alpha1.ReasonProgressing, fmt.Sprintf(
				"%s has no usable response (%s): it is sent again after a minute", open.Operation, ErrorMessage(why))),
				t.Past(last.At).Add(queryGrace))
		}
	}
	return ResolveBy(WriterRule, open, v1alpha1.PhaseNotProcessed, why)
}

// Proof returns nil, because nothing that this process reads resolves the outcome.
func (TaskEvidence) Proof(*v1alpha1.Request) *Decision { return nil }

// Finalization is what has to happen before a deleted object may be removed.
type Finalization struct {
	WaitUntil time.Time // until then another process may still be recording a response; zero: no wait
	Warning   string    // the warning for the user; "" if nothing is in progress
}

// Finalize returns what has to happen before an object with open requests may be removed.
func Finalize(open []*v1alpha1.Request, memory Memory, now time.Time, then string) Finalization {
	var finalization Finalization
	var continuing []v1alpha1.Request
	for _, open := range open {
		if IsReadAgain(open) {
			continue // it is done
		}
		if open.Phase == v1alpha1.PhaseSubmitting && open.Error == nil && open.Sender != memory.Sender {
			until := memory.Attempts[open.AttemptID].FirstSeen.Add(senderGrace)
			finalization.WaitUntil = Later(finalization.WaitUntil, until)
		}
		continuing = append(continuing, *open)
	}
	if !now.Before(finalization.WaitUntil) {
		finalization.WaitUntil = time.Time{}
	}
	if len(continuing) > 0 {
		finalization.Warning = fmt.Sprintf("deleted while %s: the request may continue at the carrier, but %s",
			AttemptsText(continuing), then)
	}
	return finalization
}
