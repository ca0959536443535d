// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// ending declares a cancellation: on a date, or none for "".
func ending(date v1alpha1.Date) func(*services.Input) {
	return func(in *services.Input) {
		in.Memory.Readings.Cancellation = decide.Reading{
			State: decide.ReadingRecorded, Generation: in.Service.Generation, RequestedAt: decidetest.Start().Add(-time.Minute),
		}
		in.Service.Spec.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationNever}
		if date != "" {
			in.Service.Spec.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationOnDate, Date: date}
		}
	}
}

// endsOn is a cancellation at the carrier.
func endsOn(status carrier.CancellationStatus, date string) func(*services.Input) {
	return func(in *services.Input) {
		live := status == carrier.CancellationRequested || status == carrier.CancellationInError
		services.RecordCancellation(in.Service, carrier.Cancellation{
			Status: status, RequestDate: date, RequestedOn: "2026-02-01T00:00:00Z",
			Cancelled: status == carrier.CancellationCompleted, CanAbort: live, CanReschedule: live,
		}, in.Now, time.UTC)
	}
}

// rescheduling records a reschedule to the declared date.
func rescheduling(phase v1alpha1.RequestPhase, edits ...func(*v1alpha1.Request)) func(*services.Input) {
	return with(phase, append([]func(*v1alpha1.Request){func(r *v1alpha1.Request) {
		r.Operation, r.Target = v1alpha1.OperationCancellationReschedule, v1alpha1.RequestTarget{Date: "2026-12-31"}
		r.Before = v1alpha1.RequestBefore{RequestedOn: "2026-02-01T00:00:00Z"}
		r.Location = "/api/connect/services/service-cancellations/requests/1234567"
	}}, edits...)...)
}

// rereadEnding sets when the recorded cancellation was read: 15 seconds after the attempt.
func rereadEnding(in *services.Input) {
	in.Memory.Readings.Cancellation = decide.Reading{
		State: decide.ReadingRecorded, Generation: in.Service.Generation,
		RequestedAt: decidetest.Start().Add(15 * time.Second),
	}
}

func TestServiceAppliesTheDeclaredCancellation(t *testing.T) {
	moved := endsOn(carrier.CancellationRequested, "2026-11-30")
	cases{
		"on another date: reschedule": {settled(ending("2026-12-31"), moved), working("Submit")},
		"on its date: nothing":        {settled(ending("2026-11-30"), moved), judged{"Rest", decide.Settled, "InSync"}},
		"none, and one is requested: abort": {
			settled(ending(""), endsOn(carrier.CancellationInError, "2026-11-30")), working("Submit"),
		},
		"none, and it was submitted to the carrier: too late": {
			settled(ending(""), endsOn(carrier.CancellationInProgress, "2026-11-30")),
			judged{"Rest", decide.Stuck, "NotEligibleForCancellation"},
		},
		"none, and it was aborted: nothing": {
			settled(ending(""), endsOn(carrier.CancellationAborted, "")), judged{"Rest", decide.Settled, "InSync"},
		},
		"a date, and none is requested": {
			settled(ending("2026-12-31"), endsOn("", "")), judged{"Rest", decide.Stuck, "CancellationNotRequested"},
		},
		"a date in the past": {
			settled(ending("2026-03-01"), moved), judged{"Rest", decide.Stuck, "DateInPast"},
		},
		"a date that is today in the account's zone": {
			settled(ending("2026-03-02"), moved), working("Submit"),
		},
		"cancelled as wanted, and nothing else is compared": {
			settled(wanting, ending("2026-03-01"), endsOn(carrier.CancellationCompleted, "2026-03-01")),
			judged{"Rest", decide.Settled, "Cancelled"},
		},
		"without an account: waits for it": {
			settled(ending("2026-12-31"), moved, withoutAccount), judged{"Rest", decide.Working, "AccountNotReady"},
		},
		"does not wait for a modification": {
			settled(ending("2026-12-31"), moved, with(v1alpha1.PhaseInProgress), at(time.Second), justRead),
			working("Submit"),
		},
		"does not wait for an unknown outcome": {
			settled(ending("2026-12-31"), moved, with(v1alpha1.PhaseOutcomeUnknown), justRead), working("Submit"),
		},
		"changed at the carrier after our success: reported": {
			settled(ending("2026-12-31"), moved, rescheduling(v1alpha1.PhaseSucceeded), func(in *services.Input) {
				in.Service.Status.Carrier.Cancellation.Agreed = "2026-12-31"
			}),
			judged{"Rest", decide.Stuck, "Drifted"},
		},
	}.run(t)
}

func TestServiceVerifiesACancellation(t *testing.T) {
	moved, lostly := endsOn(carrier.CancellationRequested, "2026-11-30"), rescheduling(v1alpha1.PhaseSubmitting, lost)
	cases{
		"a lost response is not verified at once": {
			settled(ending("2026-12-31"), moved, lostly, at(14*time.Second)), working("Rest"),
		},
		"and then the cancellation is read": {
			settled(ending("2026-12-31"), moved, lostly, at(15*time.Second)), working("StartReading cancellation"),
		},
		"as wanted: done": {
			settled(ending("2026-12-31"), endsOn(carrier.CancellationRequested, "2026-12-31"), lostly,
				rereadEnding, at(16*time.Second)),
			working("Resolve Succeeded"),
		},
		"the same cancellation as before: sent again": {
			settled(ending("2026-12-31"), moved, lostly, rereadEnding, at(16*time.Second)),
			working("Submit"),
		},
		"another cancellation: abandoned": {
			settled(ending("2026-12-31"), moved, rescheduling(v1alpha1.PhaseSubmitting, lost, func(r *v1alpha1.Request) {
				r.Before.RequestedOn = "2026-01-01T00:00:00Z"
			}), rereadEnding, at(16*time.Second)),
			working("Resolve Abandoned"),
		},
		"repeats used up: unknown": {
			settled(ending("2026-12-31"), moved, rescheduling(v1alpha1.PhaseSubmitting, lost, func(r *v1alpha1.Request) {
				r.Repeats = 2
			}), rereadEnding, at(16*time.Second)),
			working("Resolve OutcomeUnknown"),
		},
	}.run(t)
}

// drifted is a plan that health reports under another name than it did after our success.
func drifted(in *services.Input) {
	in.Service.Status.Carrier.Plan = &v1alpha1.KnownValue{
		Value: "Slow", AsHealth: "FAST (old)", Source: v1alpha1.SourceHealth, Since: metav1.NewTime(decidetest.Start()),
	}
	with(v1alpha1.PhaseSucceeded)(in)
}

func TestServiceReportsOrCorrectsDrift(t *testing.T) {
	correct := func(in *services.Input) {
		in.Service.Spec.DriftPolicy = v1alpha1.DriftCorrect
		in.Service.Spec.Observe = v1alpha1.Observe{HealthInterval: "0", CancellationInterval: "0"}
	}
	cases{
		"Report: shown, and not Ready":  {settled(drifted), judged{"Rest", decide.Stuck, "Drifted"}},
		"Correct, and a day has passed": {settled(drifted, justRead, correct, at(24*time.Hour)), working("Submit")},
		"Correct, and not a day": {
			settled(drifted, correct, at(23*time.Hour)), judged{"Rest", decide.Working, "Drifted"},
		},
		"a third plan is a change": {
			settled(drifted, justRead, func(in *services.Input) { in.Service.Spec.Plan.Name = "Third" }), working("Submit"),
		},
		"the carrier's plan is accepted": {
			settled(drifted, func(in *services.Input) { in.Service.Spec.Plan.Name = "Slow" }),
			judged{"Rest", decide.Settled, "InSync"},
		},
	}.run(t)
}

// approval sets the service's approval policy.
func approval(policy v1alpha1.Approval) func(*services.Input) {
	return func(in *services.Input) { in.Service.Spec.Approval = policy }
}

// quoted is a reading of the options, just made: what the plan costs now and after the change.
func quoted(before, after carrier.Number) func(*services.Input) {
	offer := func(plan string, monthly carrier.Number) carrier.Plan {
		return carrier.Plan{Plan: plan, Term: "12", PlanFee: decidetest.Fee("0.00", monthly)}
	}
	return func(in *services.Input) {
		known := in.Service.Status.Carrier
		known.Term = &v1alpha1.KnownValue{
			Value: "12", Plan: known.Plan.Value, Source: v1alpha1.SourceDeclared, Since: known.Plan.Since,
		}
		in.Memory.Readings.Options = decide.Reading{
			State: decide.ReadingAnswered, RequestedAt: in.Now, Token: in.Memory.Readings.Options.Token,
			Options: carrier.PlanOptionsResult{Plans: []carrier.Plan{offer("Slow", before), offer("Fast", after)}},
		}
	}
}

// unpriceable records that the read of the options has just failed.
func unpriceable(in *services.Input) {
	in.Memory.Readings.Options = decide.Reading{
		State: decide.ReadingFailed, RetryAt: in.Now.Add(time.Minute), RequestedAt: in.Now,
		Err: &carrier.Error{HTTPStatus: 503, Class: carrier.ServerFault},
	}
}

// approving sets the annotation to the hash of the plan of changes that Decide returns for the
// input.
func approving(in *services.Input) {
	annotated(v1alpha1.AnnotationApprove, services.Decide(*in).Pending.Hash)(in)
}

// reread marks the options as read for the approval that is given.
func reread(in *services.Input) {
	in.Memory.Readings.Options.Token = in.Service.Annotations[v1alpha1.AnnotationApprove]
}

func TestServiceAsksForApproval(t *testing.T) {
	onCost := approval(v1alpha1.ApprovalOnCost)
	cases{
		"the price is read first": {settled(wanting, onCost), working("StartReading plan options")},
		"the price cannot be read": {
			settled(wanting, onCost, unpriceable), judged{"Rest", decide.Working, "CarrierUnavailable"},
		},
		"a more expensive plan waits": {
			settled(wanting, onCost, quoted("45.00", "58.00")), judged{"Rest", decide.Waiting, "AwaitingApproval"},
		},
		"a cheaper plan is sent": {
			settled(wanting, onCost, quoted("58.00", "45.00"), changedBefore("u-1", false, v1alpha1.PhaseSucceeded)),
			working("Submit"),
		},
		"a cheaper plan waits if it would be the first change": {
			settled(wanting, onCost, quoted("58.00", "45.00")), judged{"Rest", decide.Waiting, "AwaitingApproval"},
		},
		"a cheaper plan waits if only another object has changed the service": {
			settled(wanting, onCost, quoted("58.00", "45.00"), changedBefore("u-0", false, v1alpha1.PhaseSucceeded)),
			judged{"Rest", decide.Waiting, "AwaitingApproval"},
		},
		"a cheaper plan waits if the only change was taken over": {
			settled(wanting, onCost, quoted("58.00", "45.00"), changedBefore("u-1", true, v1alpha1.PhaseSucceeded)),
			judged{"Rest", decide.Waiting, "AwaitingApproval"},
		},
		"a cheaper plan is sent if the service was ordered": {
			settled(wanting, onCost, quoted("58.00", "45.00"), func(in *services.Input) {
				in.Service.Spec.OrderRef = &v1alpha1.OrderReference{Name: "order"}
			}), working("Submit"),
		},
		"a cheaper plan waits if the only change was refused": {
			settled(wanting, onCost, quoted("58.00", "45.00"), changedBefore("u-1", false, v1alpha1.PhaseRejected)),
			judged{"Rest", decide.Waiting, "AwaitingApproval"},
		},
		"a cheaper plan waits if a person has resolved the only change as not accepted": {
			settled(wanting, onCost, quoted("58.00", "45.00"), changedBefore("u-1", false, v1alpha1.PhaseNotAccepted)),
			judged{"Rest", decide.Waiting, "AwaitingApproval"},
		},
		"a cheaper plan is sent if a change before the refused one succeeded": {
			settled(wanting, onCost, quoted("58.00", "45.00"), changedBefore("u-1", false, v1alpha1.PhaseRejected),
				changedEarlier("u-1", false)), working("Submit"),
		},
		"a cheaper plan waits if the change before the refused one was taken over": {
			settled(wanting, onCost, quoted("58.00", "45.00"), changedBefore("u-1", false, v1alpha1.PhaseRejected),
				changedEarlier("u-1", true)), judged{"Rest", decide.Waiting, "AwaitingApproval"},
		},
		"an invalid amount waits": {
			settled(wanting, onCost, quoted("45.00", "soon")), judged{"Rest", decide.Waiting, "AwaitingApproval"},
		},
		"approved: the price is read again": {
			settled(wanting, onCost, quoted("45.00", "58.00"), approving), working("StartReading plan options"),
		},
		"the same price: sent": {
			settled(wanting, onCost, quoted("45.00", "58.00"), approving, reread), working("Submit"),
		},
		"another price: the approval is void": {
			settled(wanting, onCost, quoted("45.00", "58.00"), approving, reread, quoted("45.00", "59.00")),
			judged{"Rest", decide.Waiting, "AwaitingApproval"},
		},
		"with Always a cheaper plan waits, too": {
			settled(wanting, approval(v1alpha1.ApprovalAlways), quoted("58.00", "45.00")),
			judged{"Rest", decide.Waiting, "AwaitingApproval"},
		},
		"Automatic reads no price": {settled(wanting), working("Submit")},
	}.run(t)
}

func TestPendingShowsThePrice(t *testing.T) {
	t.Parallel()
	view := settled(wanting, approval(v1alpha1.ApprovalOnCost), quoted("45.00", "58.00"))
	decision := services.Decide(view)
	const want = `plan.name "Slow" → "Fast" (one-time 0.00 AUD, monthly 45.00 AUD → 58.00 AUD)`
	if !strings.Contains(decision.Verdict.Message, want) {
		t.Errorf("the message is %q, and must hold %q", decision.Verdict.Message, want)
	}
	if !strings.Contains(decision.Verdict.Message, decision.Pending.Hash) {
		t.Errorf("the message %q does not say what to approve: %s", decision.Verdict.Message, decision.Pending.Hash)
	}
}

func TestPendingHashIsNeverTheSameTwice(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, view := range map[string]services.Input{
		"a change":              settled(wanting),
		"another object":        settled(wanting, func(in *services.Input) { in.Service.UID = "u-2" }),
		"another generation":    settled(wanting, func(in *services.Input) { in.Service.Generation = 4 }),
		"another plan":          settled(wanting, func(in *services.Input) { in.Service.Spec.Plan.Name = "Faster" }),
		"another carrier state": settled(func(in *services.Input) { in.Service.Status.Carrier.Plan.Value = "Slower" }),
		"after an attempt":      settled(wanting, with(v1alpha1.PhaseFailed)),
		"at another carrier":    settled(wanting, func(in *services.Input) { in.Account.Object.Spec.BaseURL = "https://b" }),
		"as another client":     settled(wanting, func(in *services.Input) { in.Account.Object.Spec.Auth.ClientName = "b" }),
	} {
		hash := services.Decide(view).Pending.Hash
		if other, twice := seen[hash]; twice {
			t.Errorf("%q and %q have the same hash %s", name, other, hash)
		}
		seen[hash] = name
		if again := services.Decide(view).Pending.Hash; again != hash {
			t.Errorf("%q has the hashes %s and %s", name, hash, again)
		}
	}
}

// changedBefore records a change of the aggregation method that was sent for an object and ended in
// the given phase.
func changedBefore(uid string, takenOver bool, phase v1alpha1.RequestPhase) func(*services.Input) {
	return func(in *services.Input) {
		in.Service.PutRequest(v1alpha1.Request{
			Operation: v1alpha1.OperationAggregationConversion, AttemptID: "a-0", UID: uid, Generation: 2,
			Phase: phase, TakenOver: takenOver,
			SubmittedAt: metav1.NewTime(decidetest.Start()), FinishedAt: metav1.NewTime(decidetest.Start()),
		})
	}
}

// changedEarlier records in the ledger a change that succeeded, and that the status does not show
// any more.
func changedEarlier(uid string, takenOver bool) func(*services.Input) {
	return func(in *services.Input) {
		in.Ledger = &v1alpha1.RequestLedger{}
		in.Ledger.Put(v1alpha1.Request{
			Operation: v1alpha1.OperationAggregationConversion, AttemptID: "a-earlier", UID: uid,
			Phase: v1alpha1.PhaseSucceeded, TakenOver: takenOver,
		})
		in.Ledger.Put(*in.Service.RequestOf(v1alpha1.OperationAggregationConversion))
	}
}
