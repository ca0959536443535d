// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

const conversion, plan = v1alpha1.OperationAggregationConversion, v1alpha1.OperationPlanChange

func declared(value string) *v1alpha1.KnownValue {
	return &v1alpha1.KnownValue{
		Value: value, Source: v1alpha1.SourceDeclared, Since: v1alpha1.WholeSeconds(decidetest.Start()),
	}
}

// declaredTerm is the term of the plan fast.
func declaredTerm() *v1alpha1.KnownValue {
	term := declared("12")
	term.Plan = "fast"
	return term
}

// readSlow is the plan as health reported it.
func readSlow() *v1alpha1.KnownValue {
	return &v1alpha1.KnownValue{Value: "slow", Source: v1alpha1.SourceHealth, AsHealth: "slow"}
}

func changeOf(operation v1alpha1.Operation, field, from string) []v1alpha1.Change {
	return []v1alpha1.Change{{Operation: operation, Field: field, From: from}}
}

// takenBack is a request that a person has resolved as succeeded, and what is known before and
// after the person changes the resolution.
type takenBack struct {
	request     v1alpha1.Request
	held, after v1alpha1.CarrierState
}

// believedChanges are cases of values known only from the request.
func believedChanges() map[string]takenBack {
	return map[string]takenBack{
		"a previously known value is restored": {
			v1alpha1.Request{
				Operation: conversion, Target: v1alpha1.RequestTarget{AggregationMethod: "ETHERNET"},
				Plan: changeOf(conversion, "aggregationMethod", "L2TP"),
			},
			v1alpha1.CarrierState{AggregationMethod: declared("ETHERNET"), RestorationSLA: declared("4h")},
			v1alpha1.CarrierState{AggregationMethod: declared("L2TP"), RestorationSLA: declared("4h")},
		},
		"nothing was known": {
			v1alpha1.Request{
				Operation: conversion, Target: v1alpha1.RequestTarget{AggregationMethod: "ETHERNET"},
				Plan: changeOf(conversion, "aggregationMethod", ""),
			},
			v1alpha1.CarrierState{AggregationMethod: declared("ETHERNET")},
			v1alpha1.CarrierState{},
		},
		"the plan is read again": {
			v1alpha1.Request{
				Operation: plan, Target: v1alpha1.RequestTarget{Plan: "fast", Term: 12},
				Plan: changeOf(plan, "plan.name", "slow"),
			},
			v1alpha1.CarrierState{Plan: declared("fast"), Term: declaredTerm()},
			v1alpha1.CarrierState{},
		},
	}
}

// otherKnowledge are cases of values known from other sources.
func otherKnowledge() map[string]takenBack {
	return map[string]takenBack{
		"values that the request has not changed": {
			v1alpha1.Request{
				Operation: conversion, Target: v1alpha1.RequestTarget{AggregationMethod: "ETHERNET"},
				Plan: changeOf(conversion, "aggregationMethod", "L2TP"),
			},
			v1alpha1.CarrierState{AggregationMethod: declared("ETHERNET"), Plan: declared("fast"), Term: declaredTerm()},
			v1alpha1.CarrierState{AggregationMethod: declared("L2TP"), Plan: declared("fast"), Term: declaredTerm()},
		},
		"the plan that is sent with a restoration SLA": {
			v1alpha1.Request{
				Operation: plan, Target: v1alpha1.RequestTarget{Plan: "fast", Term: 12, RestorationSLA: "4h"},
				Before: v1alpha1.RequestBefore{Plan: "fast"},
				Plan:   append(changeOf(plan, "restorationSLA", "12h"), changeOf(plan, "plan.term", "12")...),
			},
			v1alpha1.CarrierState{Plan: declared("fast"), Term: declaredTerm(), RestorationSLA: declared("4h")},
			v1alpha1.CarrierState{Plan: declared("fast"), Term: declaredTerm(), RestorationSLA: declared("12h")},
		},
		"a value read since is kept": {
			v1alpha1.Request{Operation: plan, Target: v1alpha1.RequestTarget{Plan: "fast", Term: 12}},
			v1alpha1.CarrierState{Plan: readSlow(), Term: declaredTerm()},
			v1alpha1.CarrierState{Plan: readSlow()},
		},
		"a cancellation is read again": {
			v1alpha1.Request{Operation: v1alpha1.OperationCancellationAbort},
			v1alpha1.CarrierState{Cancellation: &v1alpha1.CancellationState{Status: "ABORTED"}},
			v1alpha1.CarrierState{},
		},
		"a placeholder for a lost ledger concerns every value": {
			v1alpha1.Request{Operation: plan, Error: &v1alpha1.RequestError{Code: v1alpha1.ReasonLedgerLost}},
			v1alpha1.CarrierState{
				Plan: readSlow(), Term: declaredTerm(), RestorationSLA: declared("4h"),
				AggregationMethod: declared("L2TP"), DSLStabilityProfile: declared("Stable"),
			},
			v1alpha1.CarrierState{Plan: readSlow()},
		},
	}
}

// A person has resolved a request as succeeded, and now changes the resolution.
func TestR14ARevisedResolutionRevertsItsValues(t *testing.T) {
	t.Parallel()
	rows := believedChanges()
	maps.Copy(rows, otherKnowledge())
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := &v1alpha1.BroadbandService{}
			service.Status.Carrier = row.held.DeepCopy()
			services.RevertResolution(service, &row.request, decidetest.Start())
			if diff := cmp.Diff(&row.after, service.Status.Carrier); diff != "" {
				t.Error(diff)
			}
		})
	}
	untouched := &v1alpha1.BroadbandService{}
	services.RevertResolution(untouched, &v1alpha1.Request{Operation: plan}, decidetest.Start())
	if untouched.Status.Carrier != nil {
		t.Error("of nothing known something became known")
	}
}

// A value that was known before a resolution is known again after the resolution is taken back.
func TestR14AValueKnownBeforeAResolutionIsRestored(t *testing.T) {
	t.Parallel()
	read := &v1alpha1.KnownValue{Value: "12", Plan: "fast", Source: v1alpha1.SourceChangeResult}
	service := &v1alpha1.BroadbandService{}
	service.Status.Carrier = &v1alpha1.CarrierState{
		Term: read, AggregationMethod: &v1alpha1.KnownValue{Value: "L2TP", Source: v1alpha1.SourceOrder},
	}
	for _, target := range []v1alpha1.RequestTarget{{Plan: "fast", Term: 12}, {AggregationMethod: "ETHERNET"}} {
		request := &v1alpha1.Request{Operation: v1alpha1.OperationPlanChange, Target: target}
		services.ApplyResolution(service, request, decidetest.Start())
		services.RevertResolution(service, request, decidetest.Start())
	}
	state := service.Status.Carrier
	if state.AggregationMethod == nil || state.AggregationMethod.Value != "L2TP" || !cmp.Equal(state.Term, read) {
		t.Errorf("known are %+v and %+v", state.AggregationMethod, state.Term)
	}
}
