// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// inLedger records attempts, the oldest first. Each ended a minute after the one before it.
func inLedger(attempts ...v1alpha1.Request) func(*services.Input) {
	return func(in *services.Input) {
		in.Ledger = &v1alpha1.RequestLedger{}
		for i, attempt := range attempts {
			attempt.SubmittedAt = metav1.NewTime(decidetest.Start().Add(time.Duration(i) * time.Minute))
			attempt.FinishedAt = attempt.SubmittedAt
			in.Ledger.Open(attempt)
		}
		in.Service.ShowLedger(in.Ledger)
	}
}

// ended is an attempt at the declared plan change.
func ended(
	id string, phase v1alpha1.RequestPhase, generation int64, edits ...func(*v1alpha1.Request),
) v1alpha1.Request {
	attempt := v1alpha1.Request{
		Operation: v1alpha1.OperationPlanChange, AttemptID: id, Attempt: 1, Phase: phase, UID: "u-1",
		Generation: generation, Target: v1alpha1.RequestTarget{Plan: "Fast", Term: 12},
	}
	for _, edit := range edits {
		edit(&attempt)
	}
	return attempt
}

// An attempt of an older generation, begun by a holder whose cache lags behind, is stopped by the
// last check. Attempts that had ended for the newest generation count all the same.
func TestR3AnUnsentAttemptDoesNotHideAFailure(t *testing.T) {
	t.Parallel()
	const held, sent = v1alpha1.ReasonCarrierRejected, v1alpha1.ReasonProgressing
	ofAnother := func(r *v1alpha1.Request) { r.UID = "u-0" }
	retrying := func(r *v1alpha1.Request) { r.Retry = "a-1" }
	for name, test := range map[string]struct {
		attempts []v1alpha1.Request
		reason   string
	}{
		"failed":                        {[]v1alpha1.Request{ended("a-1", v1alpha1.PhaseFailed, 3)}, held},
		"failed for another object":     {[]v1alpha1.Request{ended("a-1", v1alpha1.PhaseFailed, 3, ofAnother)}, sent},
		"failed for another generation": {[]v1alpha1.Request{ended("a-1", v1alpha1.PhaseFailed, 2)}, sent},
		"given up, and then not sent": {[]v1alpha1.Request{
			ended("a-1", v1alpha1.PhaseAbandoned, 3), ended("a-2", v1alpha1.PhaseNotSent, 2),
		}, v1alpha1.ReasonAbandoned},
		"failed, and then twice not sent": {[]v1alpha1.Request{
			ended("a-1", v1alpha1.PhaseFailed, 3), ended("a-2", v1alpha1.PhaseNotSent, 2),
			ended("a-3", v1alpha1.PhaseNotProcessed, 2),
		}, held},
		"failed, and its retry not sent": {[]v1alpha1.Request{
			ended("a-1", v1alpha1.PhaseFailed, 3), ended("a-2", v1alpha1.PhaseNotSent, 3, retrying),
		}, sent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decision := services.Decide(settled(wanting, inLedger(test.attempts...), at(time.Hour)))
			if _, sends := decision.Step.(decide.Submit); sends != (test.reason == sent) ||
				decision.Verdict.Reason != test.reason {
				t.Errorf("%T, %s: %s", decision.Step, decision.Verdict.Reason, decision.Verdict.Message)
			}
		})
	}
}

func TestR21ARetryThatWasNotSentIsSentAgain(t *testing.T) {
	t.Parallel()
	unsent := ended("a-2", v1alpha1.PhaseNotSent, 3, func(r *v1alpha1.Request) { r.Retry = "a-1" })
	decision := services.Decide(settled(
		wanting, inLedger(ended("a-1", v1alpha1.PhaseFailed, 3), unsent), at(time.Hour)))
	submit, sends := decision.Step.(decide.Submit)
	if !sends || submit.Request.Retry != "a-1" {
		t.Errorf("%T with the retry %q: %s", decision.Step, submit.Request.Retry, decision.Verdict.Message)
	}
}

// What a status shows, and what it should show according to its ledger.
func TestR16AStatusShowsItsLedger(t *testing.T) {
	t.Parallel()
	since := func(minutes int) metav1.Time {
		return metav1.NewTime(decidetest.Start().Add(time.Duration(minutes) * time.Minute))
	}
	value := func(text string, source v1alpha1.ValueSource, at int) *v1alpha1.KnownValue {
		return &v1alpha1.KnownValue{Value: text, Source: source, Since: since(at)}
	}
	read := func(text, asHealth string, at int) *v1alpha1.KnownValue {
		known := value(text, v1alpha1.SourceHealth, at)
		known.AsHealth = asHealth
		return known
	}
	reached := value("Fast", v1alpha1.SourceChangeResult, 5)
	moved, claimed := read("Slow", "Fast", 9), value("Slow", v1alpha1.SourceDeclared, 9)
	for name, test := range map[string]struct{ shown, baseline, want *v1alpha1.KnownValue }{
		"nothing":                               {},
		"a reading":                             {shown: read("Slow", "Slow", 1), want: read("Slow", "Slow", 1)},
		"a reading from before the change":      {shown: read("Slow", "Slow", 1), baseline: reached, want: reached},
		"a reading since the change":            {shown: moved, baseline: reached, want: moved},
		"an emptied status":                     {baseline: reached, want: reached},
		"a status that claims a change":         {shown: value("Fast", v1alpha1.SourceChangeResult, 9)},
		"a status that claims another":          {shown: claimed, baseline: reached, want: reached},
		"a reading that health did not give":    {shown: value("Fast", v1alpha1.SourceHealth, 9)},
		"one that says what the ledger says so": {shown: reached, baseline: reached, want: reached},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := settled().Service
			service.Status.Carrier.Plan = test.shown
			service.Status.Carrier.RestorationSLA = value("forged", v1alpha1.SourceDeclared, 9)
			services.Project(service, &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{Baseline: test.baseline}},
				decide.Clock{Now: decidetest.Start().Add(10 * time.Minute)})
			got := service.Status.Carrier.Plan
			if (got == nil) != (test.want == nil) || got != nil && *got != *test.want {
				t.Errorf("the plan is %+v, and not %+v", got, test.want)
			}
			if service.Status.Carrier.RestorationSLA != nil {
				t.Error("the status says what the ledger does not know")
			}
		})
	}
}

// A status that was emptied shows again which annotations were used up.
func TestAStatusShowsTheNewestApprovalAndRetryOfItsLedger(t *testing.T) {
	t.Parallel()
	ledger := &v1alpha1.RequestLedger{}
	for i, sent := range []v1alpha1.Request{
		{Operation: v1alpha1.OperationPlanChange, ApprovedHash: "p1", Retry: "a-0"},
		{Operation: v1alpha1.OperationAggregationConversion, ApprovedHash: "p2"},
	} {
		sent.AttemptID, sent.UID, sent.Phase = fmt.Sprint("a-", i+1), "u-1", v1alpha1.PhaseInProgress
		sent.SubmittedAt = metav1.NewTime(decidetest.Start().Add(time.Duration(i) * time.Minute))
		ledger.Open(sent)
	}
	service := settled().Service
	services.Project(service, ledger, decide.Clock{Now: decidetest.Start().Add(time.Hour)})
	if handled := service.Status.Handled; handled.Approve != "p2" || handled.Retry != "a-0" {
		t.Errorf("%+v", handled)
	}
}

// A baseline that was written by a clock that was ahead is older than a reading made after this
// process first saw the baseline.
func TestR19ABaselineFromTheFutureDoesNotHideANewerReading(t *testing.T) {
	t.Parallel()
	later := func(by time.Duration) metav1.Time { return metav1.NewTime(decidetest.Start().Add(by)) }
	written := later(ahead)
	seen := decide.FutureTimes{written.UTC(): decidetest.Start()}
	for name, test := range map[string]struct {
		read  metav1.Time
		ahead decide.FutureTimes
		shown bool
	}{
		"read since it was first seen":       {later(time.Minute), seen, true},
		"read before it was first seen":      {later(-time.Minute), seen, false},
		"it is seen now":                     {later(time.Minute), nil, false},
		"read by that clock, and before it":  {later(ahead - time.Minute), seen, false},
		"read by that clock, and since then": {later(ahead + time.Minute), seen, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, ledger := settled().Service, &v1alpha1.RequestLedger{}
			service.Status.Carrier.Plan = &v1alpha1.KnownValue{
				Value: "Slow", AsHealth: "Slow", Source: v1alpha1.SourceHealth, Since: test.read,
			}
			ledger.Spec.Baseline = &v1alpha1.KnownValue{Value: "Fast", Source: v1alpha1.SourceChangeResult, Since: written}
			clock := decide.Clock{Now: decidetest.Start().Add(2 * time.Minute), FutureTimes: test.ahead}
			services.Project(service, ledger, clock)
			if shown := service.Status.Carrier.Plan.Value == "Slow"; shown != test.shown {
				t.Errorf("the plan is %+v", service.Status.Carrier.Plan)
			}
		})
	}
}

// The ledger keeps an agreement that the status has just lost, until a pass without an attempt shows
// that the spec declares something else, or nothing.
func TestALedgerKeepsTheAgreementAboutACancellation(t *testing.T) {
	t.Parallel()
	begun, ended := &v1alpha1.Request{Phase: v1alpha1.PhaseSubmitting}, &v1alpha1.Request{Phase: v1alpha1.PhaseSucceeded}
	declared := &v1alpha1.Cancellation{Mode: v1alpha1.CancellationNever}
	for name, test := range map[string]struct {
		state *v1alpha1.CancellationState
		by    *v1alpha1.Request
		want  string
	}{
		"the status has it":                   {&v1alpha1.CancellationState{Agreed: "2026-12-31"}, ended, "2026-12-31"},
		"the cancellation is not known":       {nil, nil, "none"},
		"read for the result of an attempt":   {&v1alpha1.CancellationState{}, ended, "none"},
		"another one is declared":             {&v1alpha1.CancellationState{}, nil, ""},
		"another one is declared, and begun":  {&v1alpha1.CancellationState{}, begun, ""},
		"it is not known when one is begun":   {nil, begun, "none"},
		"agreed again by the end of a change": {&v1alpha1.CancellationState{Agreed: "none"}, begun, "none"},
	} {
		service := settled().Service
		service.Status.Carrier.Cancellation = test.state
		for of, want := range map[*v1alpha1.Cancellation]string{declared: test.want, nil: ""} {
			spec := v1alpha1.RequestLedgerSpec{Known: v1alpha1.KnownToLedger{AgreedCancellation: "none"}}
			service.Spec.Cancellation = of
			services.Remember(&spec, service, test.by)
			if got := spec.Known.AgreedCancellation; got != want {
				t.Errorf("%s, declared %v: %q, want %q", name, of != nil, got, want)
			}
		}
	}
}
