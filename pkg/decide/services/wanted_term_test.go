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

// valueFrom returns a value that became known some time after the start.
func valueFrom(source v1alpha1.ValueSource, value string, after time.Duration) *v1alpha1.KnownValue {
	return &v1alpha1.KnownValue{Value: value, Source: source, Since: metav1.NewTime(decidetest.Start().Add(after))}
}

// termFrom returns a known term of 12 months of a plan.
func termFrom(source v1alpha1.ValueSource, plan string) *v1alpha1.KnownValue {
	term := valueFrom(source, "12", 0)
	term.Plan = plan
	return term
}

// declaring declares a plan.
func declaring(plan string, term int32) func(*services.Input) {
	return func(in *services.Input) { in.Service.Spec.Plan = &v1alpha1.Plan{Name: plan, Term: term} }
}

// onFast is a service that an own change has moved to Fast for 12 months.
func onFast(in *services.Input) {
	state := in.Service.Status.Carrier
	state.Plan = valueFrom(v1alpha1.SourceChangeResult, "Fast", 0)
	state.Plan.AsHealth = "Fast"
	state.Term = termFrom(v1alpha1.SourceChangeResult, "Fast")
	in.Ledger = &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{Baseline: state.Plan.DeepCopy()}}
	approval(v1alpha1.ApprovalAutomatic)(in)
}

// drifting shows another plan in health, which was read and judged before the present pass.
func drifting(in *services.Input) {
	in.Service.Status.Carrier.Plan = valueFrom(v1alpha1.SourceHealth, "Slow", 10*time.Second)
	in.Service.Status.Carrier.Plan.AsHealth = "Fast"
}

// driftedAsDescribed shows another plan in the description of the service, which the ledger remembers.
func driftedAsDescribed(in *services.Input) {
	known := valueFrom(v1alpha1.SourceService, "Slow", 10*time.Second)
	known.DriftedFrom = "Fast"
	in.Service.Status.Carrier.Plan, in.Ledger.Spec.Baseline = known, known.DeepCopy()
}

// describedAs is the response to a read of the description of the service.
func describedAs(plan string) func(*services.Input) {
	return func(in *services.Input) {
		in.Account.Object.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionServiceRead}
		in.Memory.Readings.Service = decide.Reading{
			State: decide.ReadingAnswered, RequestedAt: decidetest.Start().Add(20 * time.Second),
			Service: showing(v1alpha1.DescribedValues{Plan: plan}),
		}
	}
}

// Nobody knows the term of a plan to which the carrier has changed, and an unknown term alone
// causes no change.
func TestTheTermOfAPlanThatTheCarrierHasReplacedIsNoReasonForAChange(t *testing.T) {
	t.Parallel()
	accepted := func(in *services.Input) { // in an earlier pass
		drifting(in)
		now := in.Service.Spec.Plan
		in.Service.Spec.Plan = &v1alpha1.Plan{Name: "Slow", Term: 24}
		services.UpdateState(in)
		in.Service.Spec.Plan, in.Service.Status.Carrier.Plan.AsHealth = now, "Slow"
	}
	resolved := func(in *services.Input) {
		in.Service.Status.Carrier.Plan, in.Ledger = nil, nil
		in.Service.Status.Carrier.Term = termFrom(v1alpha1.SourceDeclared, "Fast")
	}
	type edits []func(*services.Input)
	for name, row := range map[string]struct {
		edits   edits
		changes bool
	}{
		"our own change":              {edits{declaring("Fast", 24)}, true},
		"drift, reported":             {edits{drifting, declaring("Fast", 12)}, false},
		"drift, and another old term": {edits{drifting, declaring("Fast", 24)}, true},
		"drift, accepted":             {edits{drifting, declaring("Slow", 24)}, false},
		"drift, accepted, and read":   {edits{drifting, declaring("Slow", 24), read("Slow", 20*time.Second)}, false},
		"declared, and then changed":  {edits{declaring("Slow", 24), read("Slow", 20*time.Second)}, false},
		"drift, and changed back":     {edits{drifting, declaring("Fast", 12), read("Fast", 20*time.Second)}, false},
		"described drift, accepted": {
			edits{driftedAsDescribed, declaring("Slow", 24), describedAs("Slow")}, false,
		},
		"drift, accepted, and another drift": {
			edits{declaring("Slow", 24), accepted, read("Medium", 20*time.Second)}, false,
		},
		"drift, accepted, and back where it was": {
			edits{declaring("Fast", 24), accepted, read("Fast", 20*time.Second)}, false,
		},
		"a description that lagged behind": {
			edits{driftedAsDescribed, declaring("Fast", 24), describedAs("Fast")}, true,
		},
		"a person says what it is, and health shows another plan": {
			edits{resolved, declaring("Slow", 24), read("Slow", 20*time.Second)}, false,
		},
		"declared, and described":   {edits{declaring("Slow", 24), describedAs("Slow")}, false},
		"a person says what it is":  {edits{resolved, declaring("Fast", 12), read("Fast", 20*time.Second)}, false},
		"and declares another term": {edits{resolved, declaring("Fast", 24), read("Fast", 20*time.Second)}, true},
	} {
		in := settled(append(edits{onFast}, row.edits...)...)
		services.UpdateState(&in)
		decision := services.Decide(in)
		if (decision.Pending != nil) != row.changes {
			t.Errorf("%s: pending is %+v", name, decision.Pending)
		}
	}
}

// The order of a service supplies the term of the plan that was ordered.
func TestTheTermOfTheOrderIsNotThatOfAnotherPlan(t *testing.T) {
	t.Parallel()
	ordered := func(in *services.Input) {
		in.Service.Spec.ServiceID, in.Service.Spec.OrderRef = "", &v1alpha1.OrderReference{Name: "order"}
		in.Service.Status.ServiceID = "1234567"
		in.Order = &services.Order{Accepted: true, ServiceID: "1234567", Plan: "Fast", Term: 12}
		in.Service.Status.Carrier.Plan = nil
	}
	for name, row := range map[string]struct {
		edits   []func(*services.Input)
		changes bool
	}{
		"as ordered":                       {[]func(*services.Input){ordered}, false},
		"another term":                     {[]func(*services.Input){ordered, declaring("Fast", 24)}, true},
		"the carrier has changed it since": {[]func(*services.Input){ordered, drifting, declaring("Slow", 24)}, false},
	} {
		in := settled(row.edits...)
		services.UpdateState(&in)
		if decision := services.Decide(in); (decision.Pending != nil) != row.changes {
			t.Errorf("%s: pending is %+v", name, decision.Pending)
		}
	}
}
