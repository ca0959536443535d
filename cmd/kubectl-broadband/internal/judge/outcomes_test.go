// SPDX-License-Identifier: Apache-2.0

package judge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// sending returns an object whose request of an operation is in a phase.
func sending(operation v1alpha1.Operation, phase v1alpha1.RequestPhase) fleet.Object {
	request := v1alpha1.Request{AttemptID: "a-1", Operation: operation, Phase: phase, APIVersion: 8}
	switch operation { //nolint:exhaustive // every other operation is one of a service
	case v1alpha1.OperationOrderCreate:
		order := &v1alpha1.ServiceOrder{}
		order.Record().PutRequest(request)
		return order
	case v1alpha1.OperationDiagnosticTest:
		test := &v1alpha1.DiagnosticTest{}
		test.Record().PutRequest(request)
		return test
	}
	service := &v1alpha1.BroadbandService{}
	service.Status.Requests = []v1alpha1.Request{request}
	return service
}

// stated returns the outcomes that the plugin shows for an object, and what follows from each.
func stated(t *testing.T, object fleet.Object) map[string]string {
	t.Helper()
	choice, why := judge.ToResolve("", "")(object)
	if choice == nil {
		t.Fatal(why)
	}
	shown := map[string]string{}
	for _, one := range judge.OutcomesOf(choice) {
		shown[one.Stated] = one.Then
	}
	return shown
}

func TestExactlyTheOutcomesThatAreShownCanBeStated(t *testing.T) {
	t.Parallel()
	for contract := range carrier.Contracts() {
		for _, phase := range []v1alpha1.RequestPhase{v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseLateAcceptance} {
			assertStatable(t, sending(v1alpha1.Operation(contract.Operation), phase))
		}
	}
}

// assertStatable fails unless the outcomes that are shown for an object can be stated, and no others.
func assertStatable(t *testing.T, object fleet.Object) {
	t.Helper()
	shown := stated(t, object)
	for _, given := range []string{"Accepted=998877", "NotAccepted", "Succeeded", "Abandoned"} {
		outcome, err := judge.ParseOutcome(given)
		if err != nil {
			t.Fatal(err)
		}
		choice, why := judge.ToResolve("", outcome)(object)
		if _, is := shown[given]; is != (choice != nil) || is != (why == "") {
			t.Errorf("%+v: %s is shown: %v, and refused: %q", judge.RequestsOf(object), given, is, why)
		}
	}
}

func TestWhatFollowsFromAnOutcomeDependsOnTheRequest(t *testing.T) {
	t.Parallel()
	const (
		unknown, late = v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseLateAcceptance
		order, change = v1alpha1.OperationOrderCreate, v1alpha1.OperationPlanChange
		test          = v1alpha1.OperationDiagnosticTest
	)
	for _, row := range []struct {
		operation v1alpha1.Operation
		phase     v1alpha1.RequestPhase
		given     string
		then      string // "" if the outcome is not shown
	}{
		{order, unknown, "Abandoned", "this is final"},
		{order, unknown, "Accepted=998877", "counts as accepted under this number"},
		{order, unknown, "Succeeded", "its number stays unknown"},
		{order, late, "NotAccepted", ""},
		{order, late, "Abandoned", "this is final"},
		{change, unknown, "Abandoned", "only after a change of the spec"},
		{change, unknown, "Succeeded", "the requested values are recorded"},
		{change, late, "NotAccepted", ""},
		{test, unknown, "Abandoned", "only with the annotation retry"},
		{v1alpha1.OperationCancellationAbort, unknown, "Accepted=998877", ""},
	} {
		then, is := stated(t, sending(row.operation, row.phase))[row.given]
		if is != (row.then != "") || !strings.Contains(then, row.then) {
			t.Errorf("%s %s %s: %q, want %q", row.operation, row.phase, row.given, then, row.then)
		}
	}
}

// A lost ledger leaves one request for whatever was sent, which is not a plan change that the carrier
// knows.
func TestAnUnknownRequestIsNotShownAsAPlanChange(t *testing.T) {
	t.Parallel()
	service := &v1alpha1.BroadbandService{}
	service.Status.Requests = []v1alpha1.Request{{
		AttemptID: "a-1", Operation: v1alpha1.OperationPlanChange, Phase: v1alpha1.PhaseOutcomeUnknown, APIVersion: 8,
		Error: &v1alpha1.RequestError{Code: v1alpha1.ReasonLedgerLost, Message: "it is missing"},
	}}
	choice, why := judge.ToResolve("", "")(service)
	if choice == nil {
		t.Fatal(why)
	}
	const what = "whatever was sent before the RequestLedger was lost"
	asked := judge.Question(choice, nil)
	if choice.What != what || !slices.Contains(asked, judge.Fact{Name: "operation", Value: what}) {
		t.Errorf("%q, and asks %v", choice.What, asked)
	}
	for given, then := range map[string]string{
		"NotAccepted": "what differs is sent", "Succeeded": "that cannot be read",
		"Abandoned": "only after a change of the spec",
	} {
		if shown := stated(t, service)[given]; !strings.Contains(shown, then) {
			t.Errorf("%s: %q", given, shown)
		}
	}
}

// The condition of a rejected order names the two outcomes that have an effect.
func TestARejectedOrderIsClosedOrValid(t *testing.T) {
	t.Parallel()
	order := &v1alpha1.ServiceOrder{}
	order.Record().PutRequest(v1alpha1.Request{
		AttemptID: "a-1", Operation: v1alpha1.OperationOrderCreate, Phase: v1alpha1.PhaseSucceeded,
	})
	if choice, _ := judge.ToResolve("", "NotAccepted")(order); choice != nil {
		t.Errorf("an order that is not rejected: %+v", choice)
	}
	order.Status.Rejection = &v1alpha1.Notice{}
	if shown := stated(t, order); len(shown) != 2 || !strings.Contains(shown["Succeeded"], "nothing is sent") {
		t.Errorf("%v is shown", shown)
	}
	for _, outcome := range []string{"NotAccepted", "Succeeded"} {
		if choice, why := judge.ToResolve("", outcome)(order); choice == nil || choice.Value != "a-1="+outcome {
			t.Errorf("%+v: %s", choice, why)
		}
	}
	if choice, why := judge.ToResolve("", "Abandoned")(order); choice != nil || !strings.Contains(why, "only two") {
		t.Errorf("%+v: %s", choice, why)
	}
}
