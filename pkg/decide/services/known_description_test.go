// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// neverDescribed switches on the extension in a process that has not read the description yet.
func neverDescribed(in *services.Input) {
	describing(0, decide.ServiceValues{})(in)
	in.Memory.Readings.Service = decide.Reading{}
}

// knownBy gives the plan a source.
func knownBy(source v1alpha1.ValueSource) func(*services.Input) {
	return func(in *services.Input) { in.Service.Status.Carrier.Plan.Source = source }
}

// withDSLProfile declares a DSL profile, about which a person is asked while it is unknown.
func withDSLProfile(in *services.Input) {
	in.Service.Spec.DSLStabilityProfile, in.Service.Spec.UnknownValues = "Stable", v1alpha1.UnknownAsk
}

func withMethod(in *services.Input) { in.Service.Spec.AggregationMethod = "ETHERNET" }

// TestADescriptionIsReadForWhatItMayContain: a value that is unknown is read, except for a DSL profile
// that a description did not contain.
func TestADescriptionIsReadForWhatItMayContain(t *testing.T) {
	t.Parallel()
	type edits []func(*services.Input)
	byService, byOrder := knownBy(v1alpha1.SourceService), knownBy(v1alpha1.SourceOrder)
	for name, test := range map[string]struct {
		edits edits
		reads bool
	}{
		"everything is known":                  {edits{byService}, false},
		"the plan is only known by health":     {edits{knownBy(v1alpha1.SourceHealth)}, true},
		"the plan is unknown":                  {edits{planUnknown}, true},
		"the method is unknown":                {edits{byService, withMethod}, true},
		"the DSL profile was not described":    {edits{byService, withDSLProfile}, false},
		"nothing is known to be described yet": {edits{byOrder, withDSLProfile}, true},
	} {
		decision := services.Decide(settled(append([]func(*services.Input){neverDescribed}, test.edits...)...))
		step, reads := decision.Step.(decide.StartReading)
		if reads = reads && step.Topic == decide.TopicService; reads != test.reads {
			t.Errorf("%s: %s (%s)", name, decidetest.StepName(decision.Step), decision.Verdict.Message)
		}
	}
}

// A service that has just been described exists, so its cancellation is read at its interval, unless
// the spec declares how the service ends.
func TestTheCancellationOfADescribedServiceIsReadAtItsInterval(t *testing.T) {
	t.Parallel()
	type edits []func(*services.Input)
	described := func(in *services.Input) {
		describing(0, showing(v1alpha1.DescribedValues{Plan: "Fast"}))(in)
		knownBy(v1alpha1.SourceService)(in)
	}
	unread := func(in *services.Input) { in.Service.Status.Carrier.Cancellation = nil }
	kept := func(in *services.Input) {
		in.Service.Spec.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationNever}
	}
	reclaimed := func(in *services.Input) { in.Service.Spec.Disconnection = v1alpha1.DisconnectionReclaim }
	for name, row := range map[string]struct {
		edits edits
		reads bool
	}{
		"not described":                  {edits{}, true},
		"described":                      {edits{described}, false},
		"described, and kept":            {edits{described, kept}, true},
		"described, and to be reclaimed": {edits{described, reclaimed}, true},
	} {
		view := settled(append(edits{unread}, row.edits...)...)
		step, reads := services.Decide(view).Step.(decide.StartReading)
		if reads = reads && step.Topic == decide.TopicCancellation; reads != row.reads {
			t.Errorf("%s: %s", name, decidetest.StepName(services.Decide(view).Step))
		}
	}
}

// A value that cannot be read needs an approval (R7), also one that only the description of the
// service shows.
func TestR7AValueThatIsNoLongerDescribedIsNotChangedUnasked(t *testing.T) {
	t.Parallel()
	known := func(in *services.Input) {
		approval(v1alpha1.ApprovalAutomatic)(in)
		withMethod(in)
		in.Service.Spec.UnknownValues = v1alpha1.UnknownAsk
		state := in.Service.Status.Carrier
		state.Plan.Source = v1alpha1.SourceService
		state.AggregationMethod = valueFrom(v1alpha1.SourceService, "L2TP", 0)
	}
	refuse := func(in *services.Input) {
		in.Memory.Readings.Service = decide.Reading{
			State: decide.ReadingFailed, RequestedAt: in.Now, Generation: 3, Failures: 1,
			Err: &carrier.Error{Class: carrier.NotFoundOrForbidden, HTTPStatus: 404},
		}
	}
	switchOff := func(in *services.Input) { in.Account.Object.Spec.Extensions = nil }
	whole := describing(time.Minute, showing(v1alpha1.DescribedValues{Plan: "Fast", AggregationMethod: "L2TP"}))
	type edits []func(*services.Input)
	for name, row := range map[string]struct {
		edits edits
		sends bool
	}{
		"it is described":            {edits{whole}, true},
		"the description is refused": {edits{whole, refuse}, false},
		"it does not have the value": {
			edits{describing(time.Minute, showing(v1alpha1.DescribedValues{Plan: "Fast"}))}, false,
		},
		"the extension is off": {edits{whole, switchOff}, false},
	} {
		decision := services.Decide(settled(append(edits{known}, row.edits...)...))
		_, sends := decision.Step.(decide.Submit)
		verdict := decision.Verdict
		if asks := verdict.Reason == v1alpha1.ReasonAwaitingApproval; sends != row.sends || asks == row.sends {
			t.Errorf("%s: %s, %s: %s", name, decidetest.StepName(decision.Step), verdict.Reason, verdict.Message)
		}
	}
}

// Only a person who sees the change may say that the service has the declared value by now.
func TestTrustInAdvanceNeverReplacesWhatTheCarrierHasShown(t *testing.T) {
	t.Parallel()
	in := settled(describing(0, decide.ServiceValues{}), withMethod, func(in *services.Input) {
		in.Service.Spec.UnknownValues = v1alpha1.UnknownTrust
		in.Service.Spec.TrustDeclared = []v1alpha1.TrustedAspect{v1alpha1.TrustAggregationMethod}
		in.Service.Status.Carrier.AggregationMethod = valueFrom(v1alpha1.SourceService, "L2TP", 0)
		in.Memory.Readings.Service = decide.Reading{
			State: decide.ReadingFailed, Failures: 1, Err: &carrier.Error{Class: carrier.NotFoundOrForbidden, HTTPStatus: 404},
		}
	})
	services.UpdateState(&in)
	if known := in.Service.LastKnown().AggregationMethod; known.Value != "L2TP" {
		t.Errorf("it is taken to be %+v", known)
	}
}

// A new process has not read the description yet. The recorded plan of changes, and its hash, stay.
func TestAValueThatWasUnknownStaysUnknownForANewProcess(t *testing.T) {
	t.Parallel()
	in := settled(neverDescribed, withMethod, func(in *services.Input) {
		in.Service.Spec.UnknownValues = v1alpha1.UnknownAsk
		state := in.Service.Status.Carrier
		state.Plan.Source, state.AggregationMethod = v1alpha1.SourceService, valueFrom(v1alpha1.SourceService, "L2TP", 0)
	})
	in.Account.Object.Spec.Extensions = nil
	asked := services.Decide(in).Pending
	in.Account.Object.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionServiceRead}
	in.Service.Status.Pending = asked
	if again := services.Decide(in).Pending; asked == nil || again == nil || again.Hash != asked.Hash {
		t.Errorf("it was %+v, and is %+v", asked, again)
	}
}

// The same changes may be shown again, after the carrier has shown another value in the meantime.
func TestAUsedUpTrustDoesNotTakeEffectAgain(t *testing.T) {
	t.Parallel()
	in := settled(unknownMethod, policy(v1alpha1.UnknownAsk))
	asked := services.Decide(in).Pending
	in.Service.Status.Pending = asked
	annotated(v1alpha1.AnnotationTrust, asked.Hash)(&in)
	services.UpdateState(&in)
	if taken := in.Service.LastKnown().AggregationMethod; taken == nil || taken.Value != "ETHERNET" {
		t.Fatalf("it is taken to be %+v", taken)
	}
	in.Service.Status.Carrier.AggregationMethod, in.Service.Status.Pending = nil, nil
	in.Service.Status.Pending = services.Decide(in).Pending
	services.UpdateState(&in)
	if again := in.Service.LastKnown().AggregationMethod; again != nil || in.Service.Status.Pending.Hash == asked.Hash {
		t.Errorf("it is taken to be %+v again, for %s", again, in.Service.Status.Pending.Hash)
	}
}
