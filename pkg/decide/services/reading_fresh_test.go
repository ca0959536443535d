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

// justRead marks everything known as read just now, whenever that is.
func justRead(in *services.Input) {
	known := in.Service.Status.Carrier
	now := decide.Reading{State: decide.ReadingRecorded, Generation: in.Service.Generation, Elapsed: in.Elapsed}
	in.Memory.Readings.Health, in.Memory.Readings.Cancellation = now, now
	in.Memory.Readings.Health.Health.Plan = known.Plan.Value
}

// showRecorded completes a recorded reading of the cancellation whose values a test leaves open: it is
// in the status.
func showRecorded(in *services.Input) {
	known, reading := in.Service.LastKnown().Cancellation, &in.Memory.Readings.Cancellation
	open := carrier.Cancellation{InProgress: reading.Cancellation.InProgress}
	if known == nil || reading.State != decide.ReadingRecorded || reading.Cancellation != open {
		return
	}
	reading.Cancellation = carrier.Cancellation{
		Status: carrier.CancellationStatus(known.Status), Cancelled: known.Cancelled, RequestDate: known.RequestDate,
		RequestedOn: carrier.Timestamp(known.RequestedOn), CancelledOn: carrier.Timestamp(known.CancelledOn),
		CanRequest: known.CanRequest, CanAbort: known.CanAbort, CanReschedule: known.CanReschedule,
		InProgress: open.InProgress,
	}
}

// health changes the newest health request that the process remembers.
func health(edit func(*decide.Reading)) func(*services.Input) {
	return func(in *services.Input) { edit(&in.Memory.Readings.Health) }
}

// ago sets how long ago health was requested.
func ago(long time.Duration) func(*services.Input) {
	return func(in *services.Input) { in.Memory.Readings.Health.RequestedAt = in.Now.Add(-long) }
}

func neverRead(in *services.Input) { in.Memory.Readings = decide.Readings{} }

// refusing makes the carrier refuse health, from just now and for ten minutes.
func refusing(in *services.Input) { failing(404, 0)(in) }

// failing makes health fail, just now and for the given time before.
func failing(status int, since time.Duration) func(*services.Input) {
	return func(in *services.Input) {
		class := map[int]carrier.Class{404: carrier.NotFoundOrForbidden, 422: carrier.Refused, 503: carrier.ServerFault}
		in.Memory.Readings.Health = decide.Reading{
			State: decide.ReadingFailed, Generation: in.Service.Generation, RequestedAt: in.Now,
			Err:      &carrier.Error{HTTPStatus: status, Class: class[status], Message: "no health today"},
			Failures: 1, FailingSince: in.Now.Add(-since), RetryAt: in.Now.Add(decide.ForbiddenPause),
		}
	}
}

// approvedAsShown approves the plan of changes that Decide returns for the input.
func approvedAsShown(in *services.Input) {
	pendingShown(in)
	approving(in)
}

// pendingShown makes the status show the plan of changes that Decide returns for the input.
func pendingShown(in *services.Input) { in.Service.Status.Pending = services.Decide(*in).Pending }

func onlySLA(in *services.Input) {
	in.Service.Spec.Plan, in.Service.Spec.RestorationSLA = nil, "Enhanced"
	known := in.Service.Status.Carrier
	known.Term = &v1alpha1.KnownValue{
		Value: "12", Plan: known.Plan.Value, Source: v1alpha1.SourceDeclared, Since: known.Plan.Since,
	}
	justRead(in)
}

func apiVersion(version int32) func(*services.Input) {
	return func(in *services.Input) {
		spec := &in.Account.Object.Spec
		spec.APIVersion, spec.FamilyVersions = version, v1alpha1.FamilyVersionsStrict
	}
}

// converting records an ended aggregation conversion.
func converting(phase v1alpha1.RequestPhase) func(*services.Input) {
	return with(phase, func(r *v1alpha1.Request) {
		r.Operation, r.Target = v1alpha1.OperationAggregationConversion, v1alpha1.RequestTarget{}
		r.FinishedAt = metav1.NewTime(decidetest.Start().Add(55 * time.Second))
	})
}

func TestR7APlanChangeNeedsAFreshReadingOfThePlan(t *testing.T) {
	const open = decide.ReadingOpen
	asks := working("StartReading health")
	naming := func(plan string) func(*decide.Reading) { return func(r *decide.Reading) { r.Health.Plan = plan } }
	setBack := func(in *services.Input) { in.Elapsed += 11 * time.Minute }
	cases{
		"read just now: sent":        {settled(wanting), working("Submit")},
		"never read: asked":          {settled(wanting, neverRead), asks},
		"read ten minutes ago: sent": {settled(wanting, ago(10*time.Minute)), working("Submit")},
		"read before that: asked":    {settled(wanting, ago(10*time.Minute+1)), asks},
		"read before this generation": {
			settled(wanting, health(func(r *decide.Reading) { r.Generation = 2 })), asks,
		},
		"the wall clock was set back": {settled(wanting, setBack), asks},
		"another plan is recorded":    {settled(wanting, health(naming("Fast"))), asks},
		"read before a conversion ended": {
			settled(wanting, converting(v1alpha1.PhaseFailed), ago(10*time.Second)), asks,
		},
		"read since a conversion ended": {
			settled(wanting, converting(v1alpha1.PhaseFailed), ago(4*time.Second)), working("Submit"),
		},
		"a conversion that was not sent": {
			settled(wanting, converting(v1alpha1.PhaseNotSent), ago(10*time.Second)), working("Submit"),
		},
		"a conversion that ended this second: not yet": {
			settled(wanting, converting(v1alpha1.PhaseFailed), at(55*time.Second), ago(10*time.Second)), working("Rest"),
		},
		"being read: waits": {
			settled(wanting, health(func(r *decide.Reading) {
				r.State, r.LastPoll = open, decidetest.Start().Add(time.Minute)
			})),
			working("Rest"),
		},
		"an SLA rides on it":          {settled(onlySLA), working("Submit")},
		"an SLA rides on it, too":     {settled(onlySLA, neverRead), asks},
		"no read at this API version": {settled(wanting, neverRead, apiVersion(4)), working("Submit")},
	}.run(t)
}

// Waiting for a reading adds no write to a change as long as it takes only seconds.
func TestR7AReadingThatTakesSecondsIsNotRecorded(t *testing.T) {
	t.Parallel()
	for asked, brief := range map[int]bool{59: true, 60: false} {
		open := func(r *decide.Reading) { r.State, r.LastPoll = decide.ReadingOpen, decidetest.Start().Add(time.Minute) }
		view := settled(wanting, health(open), ago(time.Duration(asked)*time.Second))
		if decision := services.Decide(view); decision.Transient != brief {
			t.Errorf("%d s after it was asked for: %t", asked, decision.Transient)
		}
	}
	for source, brief := range map[v1alpha1.ValueSource]bool{
		v1alpha1.SourceHealth: true, v1alpha1.SourceService: true, v1alpha1.SourceChangeResult: true,
		v1alpha1.SourceOrder: false, v1alpha1.SourceDeclared: false,
	} {
		view := settled(wanting, health(func(r *decide.Reading) { r.Generation = 2 }), at(0), func(in *services.Input) {
			in.Service.Status.Carrier.Plan.Source = source
		})
		if decision := services.Decide(view); decidetest.StepName(decision.Step) != "Rest" || decision.Transient != brief {
			t.Errorf("a plan that is known since this second by %s: %s, %t", source,
				decidetest.StepName(decision.Step), decision.Transient)
		}
	}
	if decision := services.Decide(settled(wanting, failing(503, time.Second))); decision.Transient {
		t.Error("a reading that fails is not written down")
	}
}

func TestR7AReclaimNeedsAFreshReadingOfTheCancellation(t *testing.T) {
	reclaim := func(in *services.Input) {
		in.Service.Spec.Plan, in.Service.Spec.Disconnection = nil, v1alpha1.DisconnectionReclaim
		in.Service.Status.Carrier.Cancellation.Cancelled = true
		justRead(in)
	}
	reconnected := func(in *services.Input) { in.Memory.Readings.Cancellation.Cancellation.CanRequest = true }
	cases{
		"read just now: sent":            {settled(reclaim), working("Submit")},
		"never read: asked":              {settled(reclaim, neverRead), working("StartReading cancellation")},
		"another one was read than this": {settled(reclaim, reconnected), working("StartReading cancellation")},
	}.run(t)
}

func TestR7NothingIsReadForAChangeThatWaits(t *testing.T) {
	t.Parallel()
	edits := map[string]func(*services.Input){
		"for a policy": planned,
		"for a person": func(in *services.Input) { in.Service.Spec.Suspend = true },
		"for approval": func(in *services.Input) {
			approval(v1alpha1.ApprovalAlways)(in)
			quoted("45.00", "58.00")(in)
		},
		"for the limit": func(in *services.Input) { in.Account.Object.Spec.ChargeLimit = &v1alpha1.ChargeLimit{} },
		"for the response": func(in *services.Input) {
			in.Account.Breaker = decide.Breaker{LostAt: in.Now, Answered: true, Until: in.Now.Add(time.Minute)}
		},
	}
	for waits, edit := range edits {
		t.Run(waits, func(t *testing.T) {
			t.Parallel()
			decision := services.Decide(settled(wanting, neverRead, edit))
			if got := decidetest.StepName(decision.Step); got != "Rest" && got != "StartReading plan options" {
				t.Errorf("%s: %s", got, decision.Verdict.Message)
			}
		})
	}
}

func TestR7AnUnreadableValueNeedsApproval(t *testing.T) {
	waits := judged{"Rest", decide.Waiting, "AwaitingApproval"}
	nameless := health(func(r *decide.Reading) { r.State, r.Health.Plan = decide.ReadingAnswered, "" })
	believed := func(in *services.Input) { in.Service.Status.Carrier.Plan.Source = v1alpha1.SourceDeclared }
	hung := func(in *services.Input) {
		ago(time.Hour)(in)
		in.Memory.Readings.Health.State, in.Memory.Readings.Health.LastPoll = decide.ReadingOpen, in.Now
	}
	lateFor := func(since time.Duration) func(*services.Input) { // each result comes after 11 minutes
		return func(in *services.Input) {
			ago(11 * time.Minute)(in)
			reading := &in.Memory.Readings.Health
			reading.LastPoll, reading.Elapsed = in.Now, in.Elapsed-11*time.Minute
			reading.Failures, reading.FailingSince = 2, in.Now.Add(-since)
		}
	}
	cases{
		"refused": {settled(wanting, refusing), waits},
		"refused, of a plan that only the user has said": {
			settled(wanting, refusing, believed), judged{"Rest", decide.Stuck, "NotFoundOrForbidden"},
		},
		"refused for an hour, of a plan that only the user has said": {
			settled(wanting, failing(404, time.Hour), believed), waits,
		},
		"refused with a reason, of a plan that only the user has said": {
			settled(wanting, failing(422, 0), believed), waits,
		},
		"refused with a reason": {settled(wanting, failing(422, 0)), waits},
		"refused before this generation": {
			settled(wanting, refusing, health(func(r *decide.Reading) { r.Generation = 2 })),
			judged{"Rest", decide.Stuck, "NotFoundOrForbidden"},
		},
		"answered without a plan": {settled(wanting, nameless), waits},
		"failing for an hour":     {settled(wanting, failing(503, time.Hour)), waits},
		"failing for less": {
			settled(wanting, failing(503, time.Hour-1)), judged{"Rest", decide.Working, "CarrierUnavailable"},
		},
		"not answered for an hour": {settled(wanting, hung), waits},
		"recorded as unread, and this process knows nothing": {
			settled(wanting, refusing, pendingShown, neverRead), waits,
		},
		"recorded as unread for an older generation": {
			settled(wanting, refusing, pendingShown, neverRead, func(in *services.Input) { in.Service.Generation++ }),
			working("StartReading health"),
		},
		"recorded as unread, and read since": {settled(wanting, refusing, pendingShown, justRead), working("Submit")},
		"refused, and approved":              {settled(wanting, refusing, approvedAsShown), working("Submit")},
		"not answered for an hour, and approved": {
			settled(wanting, hung, approvedAsShown), working("Submit"),
		},
		"always read too late, for less than an hour": {
			settled(wanting, lateFor(time.Hour-1)), working("StartReading health"),
		},
		"always read too late": {settled(wanting, lateFor(time.Hour)), waits},
		"read too late once, an hour ago": {
			settled(wanting, lateFor(time.Hour), health(func(r *decide.Reading) { r.LastPoll = r.FailingSince })),
			working("StartReading health"),
		},
		"always read too late, and approved": {
			settled(wanting, lateFor(time.Hour), approvedAsShown), working("Submit"),
		},
		"refused some time before it was approved": {
			settled(wanting, refusing, approvedAsShown, ago(11*time.Minute), health(func(r *decide.Reading) {
				r.RetryAt = time.Time{}
			})), judged{"StartReading health", decide.Stuck, "NotFoundOrForbidden"},
		},
	}.run(t)
}

func TestR7TheMessageReportsAnUnreadPlan(t *testing.T) {
	t.Parallel()
	decision := services.Decide(settled(wanting, refusing, withNTDOption))
	for _, words := range []string{
		"the service's plan could not be read", "no health today", decision.Pending.Hash,
		`plan.name unknown → "Fast" with NTD option "4_PORT", plan.term unknown → "12", ` +
			`plan.contact unknown → "spec.plan.contact";`,
	} {
		if !strings.Contains(decision.Verdict.Message, words) {
			t.Errorf("%q is missing in %q", words, decision.Verdict.Message)
		}
	}
	if strings.Contains(decision.Verdict.Message, "quotes no price") {
		t.Errorf("it speaks of a price that nobody has asked for: %q", decision.Verdict.Message)
	}
	if known := services.Decide(settled(wanting, withNTDOption)); known.Pending.Hash == decision.Pending.Hash {
		t.Error("who approves a change from a known plan approves one from an unread plan")
	}
	again := services.Decide(settled(wanting, withNTDOption, failing(503, 2*time.Hour), at(time.Hour)))
	if again.Pending.Hash != decision.Pending.Hash {
		t.Error("the hash covers more than that it is unread")
	}
}

// A new process reports the same, so it has nothing to write.
func TestR7EveryProcessReportsAnUnreadPlanAlike(t *testing.T) {
	t.Parallel()
	view := settled(wanting, refusing)
	decision := services.Decide(view)
	view.Service.Status.Pending = decision.Pending
	for _, aspect := range decision.Aspects {
		view.Service.Status.Conditions = append(view.Service.Status.Conditions,
			metav1.Condition{Type: aspect.Type, Reason: aspect.Reason, Message: aspect.Message})
	}
	neverRead(&view)
	again := services.Decide(view)
	if again.Verdict != decision.Verdict || again.Pending.Hash != decision.Pending.Hash {
		t.Errorf("%s: %s, and not %s", decidetest.StepName(again.Step), again.Verdict.Message, decision.Verdict.Message)
	}
}
