// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// describing switches on the extension ServiceRead, and records a description with these values
// that was requested the given time after the start.
func describing(after time.Duration, values decide.ServiceValues) func(*services.Input) {
	return func(in *services.Input) {
		in.Account.Object.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionServiceRead}
		in.Memory.Readings.Service = decide.Reading{
			State: decide.ReadingRecorded, RequestedAt: decidetest.Start().Add(after), Generation: 3, Service: values,
		}
		if values.Modified {
			in.Memory.Readings.Service.Modified = 1
		}
	}
}

// describedBefore is a request before which the description showed these values.
func describedBefore(values v1alpha1.DescribedValues) func(*v1alpha1.Request) {
	return func(r *v1alpha1.Request) { r.Before.Described = &values }
}

// withSLATarget also requests an SLA.
func withSLATarget(r *v1alpha1.Request) { r.Target.RestorationSLA = "Enhanced - 8" }

// firstSeenAt is when this process first saw the attempt.
func firstSeenAt(after time.Duration) func(*services.Input) {
	return func(in *services.Input) {
		in.Memory.Attempts["a-1"] = decide.Attempt{FirstSeen: decidetest.Start().Add(after), Posted: true}
	}
}

// TestADescriptionProvesARequest is the rule of docs/design/0027-a-description-proves-a-change.md.
func TestADescriptionProvesARequest(t *testing.T) {
	t.Parallel()
	slow := describedBefore(v1alpha1.DescribedValues{Plan: "Slow", RestorationSLA: "Standard"})
	reached := showing(v1alpha1.DescribedValues{Plan: "Fast", RestorationSLA: "Enhanced - 8"})
	const counts = 76 * time.Second // a minute, the settling time, and the precision of a recorded time
	for name, test := range map[string]struct {
		request []func(*v1alpha1.Request)
		edits   []func(*services.Input)
		proven  bool
	}{
		"asked for after the settling time": {
			[]func(*v1alpha1.Request){slow}, []func(*services.Input){describing(counts, reached)}, true,
		},
		"asked for during the settling time": {
			[]func(*v1alpha1.Request){slow}, []func(*services.Input){describing(counts-time.Second, reached)}, false,
		},
		"asked for before the attempt": {
			[]func(*v1alpha1.Request){slow}, []func(*services.Input){describing(-time.Minute, reached)}, false,
		},
		"too early on the local clock": {
			[]func(*v1alpha1.Request){slow},
			[]func(*services.Input){describing(counts, reached), firstSeenAt(2 * time.Second)},
			false,
		},
		"late enough on the local clock": {
			[]func(*v1alpha1.Request){slow},
			[]func(*services.Input){describing(counts+2*time.Second, reached), firstSeenAt(2 * time.Second)},
			true,
		},
		"it lists a modification": {
			[]func(*v1alpha1.Request){slow},
			[]func(*services.Input){describing(counts, changing(v1alpha1.DescribedValues{Plan: "Fast"}))},
			false,
		},
		"it shows the old value": {
			[]func(*v1alpha1.Request){slow},
			[]func(*services.Input){describing(counts, showing(v1alpha1.DescribedValues{Plan: "Slow"}))},
			false,
		},
		"it shows nothing": {
			[]func(*v1alpha1.Request){slow}, []func(*services.Input){describing(counts, decide.ServiceValues{})}, false,
		},
		"only one of two requested values is shown": {
			[]func(*v1alpha1.Request){slow, withSLATarget},
			[]func(*services.Input){
				describing(counts, showing(v1alpha1.DescribedValues{Plan: "Fast", RestorationSLA: "Standard"})),
			},
			false,
		},
		"both requested values are shown": {
			[]func(*v1alpha1.Request){slow, withSLATarget}, []func(*services.Input){describing(counts, reached)}, true,
		},
		"the old value was not described": {
			nil, []func(*services.Input){describing(counts, reached)}, false,
		},
		"one of two old values was not described": {
			[]func(*v1alpha1.Request){describedBefore(v1alpha1.DescribedValues{Plan: "Slow"}), withSLATarget},
			[]func(*services.Input){describing(counts, reached)},
			false,
		},
		"the old value was the requested one": {
			[]func(*v1alpha1.Request){describedBefore(v1alpha1.DescribedValues{Plan: "FAST"})},
			[]func(*services.Input){describing(counts, reached)},
			false,
		},
		"the request sent a technician": {
			[]func(*v1alpha1.Request){slow, func(r *v1alpha1.Request) { r.Target.NTDOption = "1_PORT" }},
			[]func(*services.Input){describing(counts, reached)},
			true,
		},
	} {
		for _, phase := range []v1alpha1.RequestPhase{v1alpha1.PhaseSubmitting, v1alpha1.PhaseOutcomeUnknown} {
			edits := append([]func(*services.Input){at(2 * time.Minute), firstSeenAt(0)}, test.edits...)
			edits = append(edits, with(phase, append([]func(*v1alpha1.Request){lost}, test.request...)...))
			decision := services.Decide(settled(edits...))
			settled, resolves := decision.Step.(decide.Resolve)
			if proven := resolves && settled.Phase == v1alpha1.PhaseSucceeded; proven != test.proven {
				t.Errorf("%s, %s: %s (%s)", name, phase, decidetest.StepName(decision.Step), decision.Verdict.Message)
			}
		}
	}
}

// TestADescriptionIsReadForALostResponse checks that the description is read at its times, and
// longer while a modification is in progress. After that, the class of the operation decides.
func TestADescriptionIsReadForALostResponse(t *testing.T) {
	slow := []func(*v1alpha1.Request){lost, describedBefore(v1alpha1.DescribedValues{Plan: "Slow"})}
	old := showing(v1alpha1.DescribedValues{Plan: "Slow"})
	busy := changing(v1alpha1.DescribedValues{Plan: "Slow"})
	unknown := judged{"Resolve OutcomeUnknown", decide.Working, v1alpha1.ReasonProgressing}
	open := func(now, asked time.Duration, values decide.ServiceValues) services.Input {
		return settled(at(now), firstSeenAt(0), describing(asked, values), with(v1alpha1.PhaseSubmitting, slow...))
	}
	cases{
		"not before the settling time": {open(75*time.Second, -time.Hour, old), working("Rest")},
		"after the settling time":      {open(76*time.Second, -time.Hour, old), working("StartReading service")},
		"again a minute later":         {open(136*time.Second, 76*time.Second, old), working("StartReading service")},
		"not at once again":            {open(100*time.Second, 76*time.Second, old), working("Rest")},
		"until half an hour has passed": {
			open(31*time.Minute, 31*time.Minute, old), unknown,
		},
		"five minutes after it listed a modification": {
			open(36*time.Minute, 31*time.Minute, busy), working("StartReading service"),
		},
		"not earlier":       {open(35*time.Minute, 31*time.Minute, busy), working("Rest")},
		"for a day at most": {open(25*time.Hour, 25*time.Hour, busy), unknown},
	}.run(t)
}

// TestADescriptionThatFailsLeavesTheOldWay checks that health proves a plan change after reading
// the description has failed three times.
func TestADescriptionThatFailsLeavesTheOldWay(t *testing.T) {
	t.Parallel()
	failing := func(in *services.Input) {
		in.Memory.Readings.Service.State, in.Memory.Readings.Service.Failures = decide.ReadingFailed, decide.FailuresShown
	}
	view := settled(at(3*time.Minute), firstSeenAt(0), describing(2*time.Minute, decide.ServiceValues{}), failing,
		with(v1alpha1.PhaseSubmitting, lost, describedBefore(v1alpha1.DescribedValues{Plan: "Slow"})),
		read("Fast", 2*time.Minute+time.Second))
	settled, resolves := services.Decide(view).Step.(decide.Resolve)
	if !resolves || settled.Source != v1alpha1.SourceHealth {
		t.Errorf("%+v", settled)
	}
}

// TestARequestRecordsWhatWasDescribedBeforeIt checks that only a fresh description without
// modifications lets a request through.
func TestARequestRecordsWhatWasDescribedBeforeIt(t *testing.T) {
	t.Parallel()
	fresh := func(values decide.ServiceValues) services.Input {
		return settled(wanting, describing(0, values), func(in *services.Input) {
			in.Now = decidetest.Start().Add(time.Minute)
			in.Service.Status.Carrier.Plan.Source = v1alpha1.SourceService
			in.Service.Status.Carrier.Plan.Since = metav1.NewTime(decidetest.Start())
		})
	}
	sent, sends := services.Decide(fresh(showing(v1alpha1.DescribedValues{Plan: "Slow"}))).Step.(decide.Submit)
	if !sends || sent.Request.Before.Described == nil || sent.Request.Before.Described.Plan != "Slow" {
		t.Errorf("%t: %+v", sends, sent.Request.Before)
	}
	held := services.Decide(fresh(changing(v1alpha1.DescribedValues{Plan: "Slow"})))
	if !decide.IsRest(held.Step) || held.Verdict.Reason != v1alpha1.ReasonChangeInProgress {
		t.Errorf("%s: %s", decidetest.StepName(held.Step), held.Verdict.Message)
	}
}

// showing is a description with these values.
func showing(values v1alpha1.DescribedValues) decide.ServiceValues {
	return decide.ServiceValues{DescribedValues: values}
}

// changing is a description with these values that lists a modification.
func changing(values v1alpha1.DescribedValues) decide.ServiceValues {
	return decide.ServiceValues{DescribedValues: values, Modified: true}
}
