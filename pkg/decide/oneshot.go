// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// completed reports the result: "One-shot done: True/Completed", and `Expired` once its answer is
// no longer valid, which is not a failure.
func completed(in *TaskInput) *Decision {
	request := in.Subject.RequestOf(in.Task.Operation)
	if request == nil || request.Phase != v1alpha1.PhaseSucceeded {
		return nil
	}
	ends := holdsTo(in)
	if !ends.IsZero() && !in.Now.Before(ends) {
		return &Decision{Step: Rest{}, Verdict: Verdict{Settled, v1alpha1.ReasonExpired, fmt.Sprintf(
			"the carrier's answer was valid until %s: for a new one create another object", in.HoldsUntil)}}
	}
	message := fmt.Sprintf("%s is done: %s", request.Operation, orElse(in.Found, "the carrier's answer is in the status"))
	switch {
	case request.EndedBy == v1alpha1.EndedByPerson:
		message = fmt.Sprintf("%s is done, as %s says: the carrier's answer is not known",
			request.Operation, v1alpha1.AnnotationResolve)
	case request.Error != nil:
		message = fmt.Sprintf(
			"%s is done, but its response was lost with the status, and the carrier does not give it again: %s",
			request.Operation, request.Error.Message)
	}
	return &Decision{Step: Rest{}, Verdict: Verdict{Settled, v1alpha1.ReasonCompleted, message}, LookAt: ends}
}

// holdsTo returns when an answer becomes invalid: the end of the day that the carrier named, in the
// account's time zone, "in which the carrier reads dates". Zero if it named none.
func holdsTo(in *TaskInput) time.Time {
	day := in.HoldsUntil[:min(len(in.HoldsUntil), len(time.DateOnly))]
	last, err := time.ParseInLocation(time.DateOnly, day, zone(&in.Input))
	if err != nil {
		return time.Time{}
	}
	return last.AddDate(0, 0, 1)
}

// failed holds back an object after a definitive failure. Its spec is immutable, so it cannot be
// corrected.
func failed(in *TaskInput) *Decision {
	last := in.Subject.RequestOf(in.Task.Operation)
	decision := heldBack(&in.Input, last)
	switch {
	case decision == nil:
		return nil
	case in.ServiceID != "" && reasonFor(last) == v1alpha1.ReasonNotFoundOrForbidden:
		decision.Verdict = unseen(in.Task.Operation, in.ServiceID)
	default:
		decision.Verdict.Message = failureMessageWith(&in.Input, last, "create another object")
	}
	decision.Verdict.Message += retryFlaw(&in.Input, last)
	return decision
}

// Expires returns when a finished object is deleted; zero means never, or not yet. An object whose
// outcome is unknown, or that is retried, has not finished.
func Expires(in *TaskInput) time.Time {
	request, lives := in.Subject.RequestOf(in.Task.Operation), in.TTL.Or(0)
	if lives <= 0 || request == nil || request.FinishedAt.IsZero() || !finished(in, request) {
		return time.Time{}
	}
	return request.FinishedAt.Add(lives)
}

func finished(in *TaskInput, request *v1alpha1.Request) bool {
	if request.Phase == v1alpha1.PhaseSucceeded {
		return true
	}
	return endedInFailure(request) && tryAgainAt(&in.Input, request).IsZero() && !asksAgain(&in.Input, request)
}

// NumberOf returns the carrier's number of the service of a task: its own, or that of the
// BroadbandService that it names. The verdict explains why there is none, or why it may not be
// used; nil if it may.
func NumberOf(
	account *v1alpha1.CarrierAccount, own v1alpha1.CarrierID, ref *v1alpha1.ServiceReference,
	service *v1alpha1.BroadbandService, operation v1alpha1.Operation,
) (v1alpha1.CarrierID, *Verdict) {
	number := own
	switch {
	case own != "":
	case service == nil:
		return "", serviceNotReady(ref, "does not exist in this namespace: create it, and this continues automatically")
	case account != nil && service.AccountName() != account.Name:
		return "", &Verdict{Stuck, v1alpha1.ReasonInvalid, fmt.Sprintf(
			"BroadbandService %s belongs to CarrierAccount %s, and this to %s: create another object with that account",
			service.Name, service.AccountName(), account.Name)}
	case service.ServiceNumber() == "":
		return "", serviceNotReady(ref, "has no service id yet: this continues automatically once it has one")
	default:
		number = service.ServiceNumber()
	}
	if !Listed(account, number) {
		refusal := unseen(operation, number)
		return number, &refusal
	}
	return number, nil
}

func serviceNotReady(ref *v1alpha1.ServiceReference, why string) *Verdict {
	name := ""
	if ref != nil {
		name = ref.Name
	}
	return &Verdict{Working, v1alpha1.ReasonServiceNotReady, fmt.Sprintf("BroadbandService %s %s", name, why)}
}

// LeaveOneShot decides about a deleted object of a kind with a finalizer: "a new object is a new
// wish, nothing is adopted", so nothing is kept.
func LeaveOneShot(in Input) Departure {
	return departing(in.Subject.OpenRequests(), in.Memory, in.Now, "nobody looks at what becomes of it")
}

// BodyHash returns the hash with which a recorded request identifies its body.
func BodyHash(body []byte) string { return desiredChange{body: body}.bodyHash() }
