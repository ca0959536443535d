// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// settled is a service that is as declared, an hour after it was first seen.
func settled(edits ...func(*services.Input)) services.Input {
	service := &v1alpha1.BroadbandService{
		ObjectMeta: metav1.ObjectMeta{Name: "site", Namespace: "shop", UID: "u-1", Generation: 3},
		Spec: v1alpha1.BroadbandServiceSpec{
			AccountRef: v1alpha1.AccountReference{Name: "default"}, ServiceID: "1234567",
			Plan: &v1alpha1.Plan{Name: "Fast", Term: 12},
		},
		Status: v1alpha1.BroadbandServiceStatus{
			ObservedGeneration: 3,
			Carrier: &v1alpha1.CarrierState{
				Plan: &v1alpha1.KnownValue{
					Value: "Fast", Source: v1alpha1.SourceHealth, Since: metav1.NewTime(decidetest.Start()),
				},
				Cancellation: &v1alpha1.CancellationState{CanRequest: true},
			},
		},
	}
	view := services.Input{Service: service, Input: decidetest.Input(service)}
	for _, edit := range edits {
		edit(&view)
	}
	for _, topic := range []decide.Topic{decide.TopicHealth, decide.TopicCancellation} {
		if reading := view.Memory.Readings.Of(topic); reading.State != decide.ReadingNone && reading.RequestedAt.IsZero() {
			reading.RequestedAt = view.Now
		}
	}
	showRecorded(&view)
	return view
}

// wanting declares a plan that differs from the carrier's, which was read just now.
func wanting(in *services.Input) {
	in.Service.Status.Carrier.Plan.Value = "Slow"
	justRead(in)
}

// with records a request.
func with(phase v1alpha1.RequestPhase, edits ...func(*v1alpha1.Request)) func(*services.Input) {
	return func(in *services.Input) {
		request := v1alpha1.Request{
			Operation: v1alpha1.OperationPlanChange, Attempt: 1, AttemptID: "a-1", Sender: "me", Phase: phase,
			Target: v1alpha1.RequestTarget{Plan: "Fast", Term: 12}, Before: v1alpha1.RequestBefore{Plan: "Slow"},
			Login:      decidetest.Login(),
			Generation: 3, APIVersion: 8,
			SubmittedAt: metav1.NewTime(decidetest.Start()), FinishedAt: metav1.NewTime(decidetest.Start()),
			Location: "/api/connect/services/plan-changes/requests/77",
		}
		for _, edit := range edits {
			edit(&request)
		}
		in.Service.PutRequest(request)
	}
}

func at(after time.Duration) func(*services.Input) {
	return func(in *services.Input) { in.Now = decidetest.Start().Add(after) }
}

func annotated(key, value string) func(*services.Input) {
	return func(in *services.Input) { in.Service.Annotations = map[string]string{key: value} }
}

// read is a health request that was sent and has got a response.
func read(plan string, asked time.Duration) func(*services.Input) {
	return func(in *services.Input) {
		in.Memory.Readings.Health = decide.Reading{
			State: decide.ReadingAnswered, RequestedAt: decidetest.Start().Add(asked), Health: carrier.HealthResult{Plan: plan},
		}
	}
}

func lost(r *v1alpha1.Request) {
	r.Error = &v1alpha1.RequestError{HTTPStatus: 502, Message: "bad gateway"}
}

func stranger(r *v1alpha1.Request) { r.Sender = "another" }

// unseen is the error of a 404, which proves only that nothing was done.
func unseen(r *v1alpha1.Request) {
	r.Error = &v1alpha1.RequestError{HTTPStatus: 404, Message: "not found"}
}

// anotherInProgress is the error of a request that was refused because another one is in progress.
func anotherInProgress(r *v1alpha1.Request) {
	r.Error = &v1alpha1.RequestError{HTTPStatus: 422, Code: "constraints.service.modification.in.progress", Message: "no"}
}

// forgotten is a request whose Location the carrier has not recognized since the start.
func forgotten(r *v1alpha1.Request) { r.LostSince = metav1.NewTime(decidetest.Start()) }

// profileRepeated is a change of the DSL stability profile that was repeated the given number of
// times.
func profileRepeated(times int32) func(*v1alpha1.Request) {
	return func(r *v1alpha1.Request) {
		r.Operation, r.Repeats = v1alpha1.OperationDSLStabilityProfileChange, times
		r.Target, r.Before = v1alpha1.RequestTarget{DSLStabilityProfile: "Stable"}, v1alpha1.RequestBefore{}
	}
}

// stable declares the profile that profileRepeated requests.
func stable(in *services.Input) { in.Service.Spec.DSLStabilityProfile = "Stable" }

// judged is the result of a decision.
type judged struct {
	Step   string
	State  decide.State
	Reason string
}

// working is an intermediate step, without anything for a person to do.
func working(step string) judged { return judged{step, decide.Working, v1alpha1.ReasonProgressing} }

// answered adds a response to the process's memory.
func answered(in *services.Input) {
	in.Memory.Attempts["a-1"] = decide.Attempt{
		FirstSeen: decidetest.Start(), LastPoll: decidetest.Start(), Posted: true, Receipt: &carrier.Receipt{},
	}
}

// recorded is an attempt whose response this process has recorded.
func recorded(in *services.Input) {
	in.Memory.Attempts["a-1"] = decide.Attempt{FirstSeen: decidetest.Start(), LastPoll: decidetest.Start(), Posted: true}
}

// seenNow makes the process see the attempt for the first time.
func seenNow(in *services.Input) { in.Memory.Attempts["a-1"] = decide.Attempt{FirstSeen: in.Now} }

func planned(in *services.Input) { in.Service.Spec.ManagementPolicy = v1alpha1.ManagementPlan }

func planUnknown(in *services.Input) { in.Service.Status.Carrier.Plan = nil }

func withoutAccount(in *services.Input) { in.Account = decide.Account{} }

// cases are views and the decisions about them.
type cases map[string]struct {
	view services.Input
	want judged
}

func (c cases) run(t *testing.T) {
	t.Helper()
	t.Parallel()
	for name, test := range c {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decision := services.Decide(test.view)
			got := judged{decidetest.StepName(decision.Step), decision.Verdict.State, decision.Verdict.Reason}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", decision.Verdict.Message, diff)
			}
		})
	}
}

func TestServiceDecides(t *testing.T) {
	cases{
		"nothing to do":                    {settled(), judged{"Rest", decide.Settled, "InSync"}},
		"a plan that differs is submitted": {settled(wanting), working("Submit")},
		"an unknown plan is read first": {
			settled(planUnknown),
			working("StartReading health"),
		},
		"a failed request is not repeated": {
			settled(wanting, with(v1alpha1.PhaseFailed)),
			judged{"Rest", decide.Stuck, "CarrierRejected"},
		},
		"unless the spec has changed": {
			settled(wanting, with(v1alpha1.PhaseFailed, func(r *v1alpha1.Request) { r.Generation = 2 })),
			working("Submit"),
		},
		"or retry asks for it": {
			settled(wanting, with(v1alpha1.PhaseFailed), annotated(v1alpha1.AnnotationRetry, "a-1")),
			working("Submit"),
		},
		"a missing account is waited for": {
			settled(wanting, withoutAccount),
			judged{"Rest", decide.Working, "AccountNotReady"},
		},
		"what was answered with 404 is not sent again at once": {
			settled(wanting, with(v1alpha1.PhaseRejected, unseen)),
			judged{"Rest", decide.Stuck, "NotFoundOrForbidden"},
		},
		"but ten minutes later": {
			settled(wanting, with(v1alpha1.PhaseRejected, unseen), at(10*time.Minute)),
			working("Submit"),
		},
		"refused because another is in progress is sent again after 5 min": {
			settled(wanting, with(v1alpha1.PhaseRejected, anotherInProgress), at(5*time.Minute)),
			working("Submit"),
		},
		"and not before, and nobody has to do anything": {
			settled(wanting, with(v1alpha1.PhaseRejected, anotherInProgress), at(5*time.Minute-time.Second)),
			judged{"Rest", decide.Working, "ChangeInProgress"},
		},
		"but one that the carrier accepted and then failed for that reason waits for a person": {
			settled(wanting, with(v1alpha1.PhaseFailed, anotherInProgress), at(24*time.Hour)),
			judged{"Rest", decide.Stuck, "ChangeInProgress"},
		},
	}.run(t)
}

func TestServiceTracksAnOpenRequest(t *testing.T) {
	cases{
		"an intent of ours that was not posted was not sent": {
			settled(with(v1alpha1.PhaseSubmitting)),
			working("Resolve NotSent"),
		},
		"a response in memory is recorded first": {
			settled(with(v1alpha1.PhaseSubmitting), answered),
			working("Record"),
		},
		"another process's intent is not touched for two minutes": {
			settled(with(v1alpha1.PhaseSubmitting, stranger), at(119*time.Second)),
			working("Rest"),
		},
		"but what a person holds back is reported at once": {
			settled(with(v1alpha1.PhaseSubmitting, stranger, profileRepeated(0)), at(16*time.Minute), seenNow, planned),
			judged{"Rest", decide.Waiting, "Planned"},
		},
		"and then verified by health": {
			settled(with(v1alpha1.PhaseSubmitting, stranger), at(120*time.Second)),
			working("StartReading health"),
		},
		"a lost response is verified at two minutes, not before": {
			settled(with(v1alpha1.PhaseSubmitting, lost), at(119*time.Second)),
			working("Rest"),
		},
		"health that shows the target proves it": {
			settled(with(v1alpha1.PhaseSubmitting, lost), read("Fast", 2*time.Minute), at(3*time.Minute)),
			working("Resolve Succeeded"),
		},
		"health from before the attempt proves nothing": {
			settled(with(v1alpha1.PhaseSubmitting, lost), read("Fast", -time.Minute), at(time.Minute)),
			working("Rest"),
		},
		"health that shows another plan at ten minutes is read again": {
			settled(with(v1alpha1.PhaseSubmitting, lost), read("Slow", 10*time.Minute), at(30*time.Minute)),
			working("StartReading health"),
		},
		"health that shows another plan at thirty minutes ends it unknown": {
			settled(with(v1alpha1.PhaseSubmitting, lost), read("Slow", 30*time.Minute), at(31*time.Minute)),
			working("Resolve OutcomeUnknown"),
		},
		"a lost response that health cannot prove is unknown at once": {
			settled(with(v1alpha1.PhaseSubmitting, lost, func(r *v1alpha1.Request) { r.Before.Plan = "Fast" })),
			working("Resolve OutcomeUnknown"),
		},
		"a lost response with an NTD option is class Never": {
			settled(with(v1alpha1.PhaseSubmitting, lost, func(r *v1alpha1.Request) { r.Target.NTDOption = "1_PORT" })),
			working("Resolve OutcomeUnknown"),
		},
		"an unknown outcome waits for a person": {
			settled(wanting, with(v1alpha1.PhaseOutcomeUnknown)),
			judged{"Rest", decide.Stuck, "OutcomeUnknown"},
		},
		"a resolution of it settles it": {
			settled(with(v1alpha1.PhaseOutcomeUnknown), annotated(v1alpha1.AnnotationResolve, "a-1=NotAccepted")),
			working("Resolve NotAccepted"),
		},
		"a resolution of another attempt does not": {
			settled(with(v1alpha1.PhaseOutcomeUnknown), annotated(v1alpha1.AnnotationResolve, "a-2=NotAccepted")),
			judged{"Rest", decide.Stuck, "OutcomeUnknown"},
		},
		"a request that sets a value is repeated": {
			settled(stable, with(v1alpha1.PhaseSubmitting, lost, profileRepeated(1)), at(15*time.Minute)),
			working("Submit"),
		},
		"but not a third time": {
			settled(stable, with(v1alpha1.PhaseSubmitting, lost, profileRepeated(2)), at(15*time.Minute)),
			working("Resolve OutcomeUnknown"),
		},
		"a Location that was unknown for a day proves nothing: it is verified": {
			settled(with(v1alpha1.PhaseInProgress, forgotten), at(24*time.Hour)),
			working("StartReading health"),
		},
		"an unknown outcome is settled by a later reading": {
			settled(with(v1alpha1.PhaseOutcomeUnknown), read("Fast", 24*time.Hour), at(25*time.Hour)),
			working("Resolve Succeeded"),
		},
		"a phase of another version is not changed": {
			settled(wanting, with("Levitating")),
			judged{"Rest", decide.Stuck, "OutcomeUnknown"},
		},
		"a request in progress is polled when it is due": {
			settled(with(v1alpha1.PhaseInProgress), at(time.Minute)),
			working("Poll"),
		},
		"and not before": {
			settled(with(v1alpha1.PhaseInProgress), at(time.Second)),
			working("Rest"),
		},
		"a request that takes long is overdue": {
			settled(with(v1alpha1.PhaseInProgress), at(25*time.Hour)),
			judged{"Poll", decide.Working, "Overdue"},
		},
	}.run(t)
}

func TestAStaleCacheIsReadAgainSoonAfterOurOwnAnswer(t *testing.T) {
	t.Parallel()
	view := settled(wanting, with(v1alpha1.PhaseSubmitting), recorded)
	decision := services.Decide(view)
	if _, rests := decision.Step.(decide.Rest); !rests || !decision.RequeueAt.Equal(view.Now.Add(time.Second)) {
		t.Errorf("%T, to be looked at again at %s, want a rest of one second: its own write wakes no process",
			decision.Step, decision.RequeueAt)
	}
}
