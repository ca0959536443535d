// SPDX-License-Identifier: Apache-2.0

// Package oneshots decides about the objects that make one request and end with its result:
// DiagnosticTest, FibreBuildQuote, PlanOptionsQuery and HealthCheck.
package oneshots

import (
	"cmp"
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// hasResult reports the result, and `Expired` once the response is no longer valid, which is not a
// failure.
func hasResult(in *Input) *decide.Decision {
	request := in.Subject.Record().RequestOf(in.Task.Operation)
	if request == nil || request.Phase != v1alpha1.PhaseSucceeded {
		return nil
	}
	ends := validUntil(in)
	if !ends.IsZero() && !in.Now.Before(ends) {
		return decide.RestSettled(v1alpha1.ReasonExpired, fmt.Sprintf(
			"the carrier's response was valid until %s: for a new one, create another object", in.ValidUntil))
	}
	found := cmp.Or(in.Summary, "the carrier's response is in the status")
	message := fmt.Sprintf("%s is done: %s", request.Operation, found)
	switch {
	case request.EndedBy == v1alpha1.EndedByPerson:
		message = fmt.Sprintf("%s is done, according to %s: the carrier's response is not known",
			request.Operation, v1alpha1.AnnotationResolve)
	case request.Error != nil:
		message = fmt.Sprintf(
			"%s is done, but its response was lost with the status, and the carrier does not return it again: %s",
			request.Operation, request.Error.Message)
	}
	return decide.RequeueAt(decide.RestSettled(v1alpha1.ReasonCompleted, message), ends)
}

// validUntil returns when a response becomes invalid: the end of the day that the carrier named, in
// the account's time zone, which is the one of the carrier's dates. Zero if it named none.
func validUntil(in *Input) time.Time {
	zone := decide.TimeZone(&in.Input)
	last, err := time.ParseInLocation(time.DateOnly, decide.DayOf(in.ValidUntil, zone), zone)
	if err != nil {
		return time.Time{}
	}
	return last.AddDate(0, 0, 1)
}

// hasFailed holds back an object after a definitive failure. Its spec is immutable, so it cannot be
// corrected.
func hasFailed(in *Input) *decide.Decision {
	last := in.Subject.Record().RequestOf(in.Task.Operation)
	decision := decide.HeldBack(&in.Input, last)
	switch {
	case decision == nil:
		return nil
	case in.ServiceID != "" && decide.ReasonFor(last) == v1alpha1.ReasonNotFoundOrForbidden:
		decision.Verdict = decide.RefusedAsNotFound(&in.Input, last, in.ServiceID)
	default:
		decision.Verdict.Message = decide.FailureMessage(&in.Input, last, "create another object")
	}
	decision.Verdict.Message += decide.WhyRetryIgnored(&in.Input, last)
	return decision
}

// Expires returns when a finished object is deleted; zero means never, or not yet. An object whose
// outcome is unknown, or that is retried, has not finished.
func Expires(in *Input) time.Time {
	request, keep := in.Subject.Record().RequestOf(in.Task.Operation), in.TTL.Or(0)
	if ended := endedUnsent(in); ended != nil && keep > 0 {
		return in.Past(ended.FinishedAt).Add(keep)
	}
	if keep <= 0 || request == nil || request.FinishedAt.IsZero() {
		return time.Time{}
	}
	failed := decide.EndedInFailure(request) && decide.AutoRetryAt(&in.Input, request).IsZero() &&
		!decide.RetryRequested(&in.Input, request)
	if request.Phase != v1alpha1.PhaseSucceeded && !failed {
		return time.Time{}
	}
	return in.Past(request.FinishedAt).Add(keep)
}

// Finalize decides about a deleted object of a kind with a finalizer. Nothing of the object is
// kept, because a new object makes a new request.
func Finalize(in decide.Input) decide.Finalization {
	return decide.Finalize(in.Subject.Record().OpenRequests(), in.Memory, in.Now, "its result is not recorded")
}

// Decide decides about an object that makes one request. A result or a failure is reported whatever
// the state of the account.
func Decide(in Input) decide.Decision {
	decision := *decide.First(&in, taskRules())
	decision.RequeueAt = decide.Earlier(decision.RequeueAt, Expires(&in))
	if decision.Verdict.Reason == v1alpha1.ReasonAwaitingApproval {
		decision.Pending = taskPlan(&in)
		decision.Aspects = []decide.Aspect{decision.Verdict.Aspect(v1alpha1.ConditionApprovalRequired)}
	}
	decision.WithControls(&in.Input)
	return decision
}

// taskRules lists the rules of an object that makes one request, in their order. The last one always
// decides.
func taskRules() []decide.Rule[*Input] {
	common := decide.Common[*Input]
	return []decide.Rule[*Input]{
		common(decide.ResponseIsUnrecorded), // a response held in memory is recorded before anything else
		common(decide.ResolvedByPerson),     // a person's resolution ends an unknown outcome
		hasResult,                           // a result stays, whatever the state of the account
		testIsNotOffered,                    // a test that the carrier does not offer is never sent
		hasFailed,                           // a definitive failure stays, too
		common(decide.AccountIsNotReady),    // no call is possible without a login
		common(decide.SentElsewhere),        // a request in progress stays with the login that sent it
		requestIsOpen,                       // a request at the carrier is tracked until it ends
		referenceIsUnusable,                 // a referenced object is missing or wrong
		testTypesAreUnread,                  // which tests the carrier offers is read first
		approvalIsMissing,                   // a person approves it, if the policy or an earlier test asks for that
		laneIsOccupied,                      // the tests of a service are run one at a time
		send,                                // the request is sent, if what applies to every kind allows it
	}
}

func requestIsOpen(in *Input) *decide.Decision {
	return decide.UntilEnded(&in.Input, decide.OpenRequest(&in.Input), decide.TaskEvidence{Input: &in.Input})
}

func send(in *Input) *decide.Decision {
	return decide.SendTask(&in.Input, in.Task).ApprovedBy(&in.Input, taskPlan(in))
}

func taskPlan(in *Input) *v1alpha1.Pending {
	if neededApproval(in) == nil {
		return nil
	}
	newest := in.Subject.Record().RequestOf(in.Task.Operation) // the ledger, which all tests share, may have dropped it
	last := decide.NewestInHash(newest, in.Ledger, func(ended v1alpha1.EndedAttempt) bool {
		return ended.UID == string(in.Subject.GetUID())
	})
	return decide.NewPending(&in.Input, last, in.Task.Body, in.Task.Changes, nil)
}

// neededApproval returns why a person has to approve the request; nil if nobody has to. OnCost does
// not apply, because the carrier quotes no price.
func neededApproval(in *Input) *decide.ApprovalReason {
	if len(in.Task.Changes) == 0 {
		return nil
	}
	if decide.ApprovalPolicy(&in.Input, in.Approval) == v1alpha1.ApprovalAlways {
		return new(decide.RequiredByPolicy(v1alpha1.ApprovalAlways))
	}
	earlier := repeatedTest(in)
	if earlier == nil {
		return nil
	}
	return &decide.ApprovalReason{Priced: true, Why: fmt.Sprintf(
		"the same test of this service may have run at %s (attempt %s), less than an hour before this object was created, "+
			"so nothing is sent until somebody approves this",
		decide.FormatTime(&in.Input, earlier.SubmittedAt.Time), earlier.AttemptID)}
}

func approvalIsMissing(in *Input) *decide.Decision {
	if needed := neededApproval(in); needed != nil {
		return decide.AwaitApproval(&in.Input, *needed, taskPlan(in))
	}
	return nil
}

func referenceIsUnusable(in *Input) *decide.Decision {
	if in.BlockedBy == nil {
		return nil
	}
	return decide.RestOn(*in.BlockedBy)
}

// DecideTest updates the status of a diagnostic test with what was read about it, and decides about
// it.
func DecideTest(in Input) decide.Decision {
	recordNotOffered(&in)
	return Decide(in)
}
