// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// completed: "One-shot done: True/Completed", and `Expired` once its answer no longer
// holds: it has ended well all the same.
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
			"%s is done, but its answer was lost with the status, and the carrier does not give it again: %s",
			request.Operation, request.Error.Message)
	}
	return &Decision{Step: Rest{}, Verdict: Verdict{Settled, v1alpha1.ReasonCompleted, message}, LookAt: ends}
}

// holdsTo is the moment from which on an answer no longer holds: the end of the day that
// the carrier named, in the account's time zone, "in which the carrier reads dates". Zero
// when it named none.
func holdsTo(in *TaskInput) time.Time {
	day := in.HoldsUntil[:min(len(in.HoldsUntil), len(time.DateOnly))]
	last, err := time.ParseInLocation(time.DateOnly, day, zone(&in.Input))
	if err != nil {
		return time.Time{}
	}
	return last.AddDate(0, 0, 1)
}

// failed holds an object after a definitive failure. Its spec is immutable, so there is
// nothing to correct.
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

// Expires is when an object that has finished is deleted; zero for never, or not yet: one
// whose outcome is unknown, or that is tried again, has not finished.
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

// NumberOf is the carrier's number of the service that a task is about: its own, or that
// of the BroadbandService which it names. The verdict says why there is none, or why it
// may not be used; nil when it may.
func NumberOf(
	account *v1alpha1.CarrierAccount, own v1alpha1.CarrierID, ref *v1alpha1.ServiceReference,
	service *v1alpha1.BroadbandService, operation v1alpha1.Operation,
) (v1alpha1.CarrierID, *Verdict) {
	number := own
	switch {
	case own != "":
	case service == nil:
		return "", serviceNotReady(ref, "does not exist in this namespace: create it, and this goes on by itself")
	case account != nil && service.AccountName() != account.Name:
		return "", &Verdict{Stuck, v1alpha1.ReasonInvalid, fmt.Sprintf(
			"BroadbandService %s belongs to CarrierAccount %s, and this to %s: create another object with that account",
			service.Name, service.AccountName(), account.Name)}
	case service.ServiceNumber() == "":
		return "", serviceNotReady(ref, "has no service id yet: this goes on by itself once it has one")
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

// LeaveOneShot judges a deleted object whose kind has a finalizer: "a new object is a new
// wish, nothing is adopted", so that nothing is kept.
func LeaveOneShot(in Input) Departure {
	return departing(in.Subject.OpenRequests(), in.Memory, in.Now, "nobody looks at what becomes of it")
}

// BodyHash is how a request on record tells what its body was.
func BodyHash(body []byte) string { return desiredChange{body: body}.bodyHash() }
