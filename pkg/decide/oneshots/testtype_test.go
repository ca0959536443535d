// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/internal/decidetest"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
)

// typed is a test of type port-reset, with an account that reads the test types.
func typed(read decide.Reading) func(*oneshots.Input) {
	return func(in *oneshots.Input) {
		in.TestType = carrier.TestPortReset
		in.Account.Object.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionTestTypes}
		in.Memory.Readings.TestTypes = read
	}
}

func offers(types ...string) decide.Reading {
	return decide.Reading{State: decide.ReadingAnswered, TestTypes: types}
}

func refusedOnce(class carrier.Class, failures int) decide.Reading {
	return decide.Reading{
		State: decide.ReadingFailed, Err: &carrier.Error{Class: class, Message: "no"}, Failures: failures,
		RetryAt: decidetest.Start().AddDate(1, 0, 0),
	}
}

func TestATestIsSentOnlyIfItIsOfferedOrNobodyKnows(t *testing.T) {
	t.Parallel()
	without := func(in *oneshots.Input) { in.Account.Object.Spec.Extensions = nil }
	otherKind := func(in *oneshots.Input) { in.TestType = "" }
	ended := func(in *oneshots.Input) {
		in.Conditions = []metav1.Condition{{
			Type: v1alpha1.ConditionReady, Reason: v1alpha1.ReasonTestTypeNotOffered, Message: "as before",
		}}
	}
	const progressing, unavailable = v1alpha1.ReasonProgressing, v1alpha1.ReasonCarrierUnavailable
	const notOffered, none = v1alpha1.ReasonTestTypeNotOffered, carrier.NotFoundOrForbidden
	for name, row := range map[string]struct {
		view   oneshots.Input
		step   decide.Step
		reason string
		says   string
	}{
		"the extension is off": {taskInput(typed(offers("loopback")), without), decide.Submit{}, progressing, ""},
		"another kind":         {taskInput(typed(offers("loopback")), otherKind), decide.Submit{}, progressing, ""},
		"not read yet":         {taskInput(typed(decide.Reading{})), decide.StartReading{}, progressing, ""},
		"offered":              {taskInput(typed(offers("loopback", "port-reset"))), decide.Submit{}, progressing, ""},
		"not offered":          {taskInput(typed(offers("loopback"))), decide.Rest{}, notOffered, "it offers loopback."},
		"not offered before":   {taskInput(typed(decide.Reading{}), ended), decide.Rest{}, notOffered, "as before"},
		"the carrier refuses":  {taskInput(typed(refusedOnce(none, 1))), decide.Submit{}, progressing, ""},
		"the carrier failed once": {
			taskInput(typed(refusedOnce(carrier.ServerFault, 1))), decide.Rest{}, unavailable, "is retried",
		},
		"the carrier failed often": {taskInput(typed(refusedOnce(carrier.ServerFault, 3))), decide.Submit{}, progressing, ""},
	} {
		decision := oneshots.Decide(row.view)
		if fmt.Sprintf("%T", decision.Step) != fmt.Sprintf("%T", row.step) || decision.Verdict.Reason != row.reason ||
			!strings.Contains(decision.Verdict.Message, row.says) {
			t.Errorf("%s: %T, %s: %s", name, decision.Step, decision.Verdict.Reason, decision.Verdict.Message)
		}
	}
}

func TestTheListOfOfferedTestsIsBounded(t *testing.T) {
	t.Parallel()
	many := make([]string, 100)
	for i := range many {
		many[i] = strings.Repeat("x", 1000)
	}
	message := oneshots.Decide(taskInput(typed(offers(many...)))).Verdict.Message
	if len(message) > decide.MaxMessage || !strings.Contains(message, "and 90 more") {
		t.Errorf("%d bytes: %s", len(message), message)
	}
}

func TestAnExtensionIsShownByWhatTheCarrierAnswered(t *testing.T) {
	t.Parallel()
	if aspect := decide.ExtensionsAspect(&v1alpha1.CarrierAccount{}, nil); aspect != nil {
		t.Errorf("nothing is known: %+v", aspect)
	}
	account := &v1alpha1.CarrierAccount{Spec: v1alpha1.CarrierAccountSpec{
		Extensions: []v1alpha1.Extension{v1alpha1.ExtensionTestTypes},
	}}
	has := decide.ExtensionsAspect(account, testTypesKnown(nil))
	if has.Status != metav1.ConditionTrue || has.Reason != v1alpha1.ReasonAnswering {
		t.Errorf("the carrier has it: %+v", has)
	}
	lacks := decide.ExtensionsAspect(account, testTypesKnown(errors.New("404 not found")))
	if lacks.Status != metav1.ConditionFalse || lacks.Reason != v1alpha1.ReasonExtensionUnavailable ||
		!strings.Contains(lacks.Message, "TestTypes (404 not found)") {
		t.Errorf("the carrier lacks it: %+v", lacks)
	}
}

// testTypesKnown is what a process knows about one extension.
func testTypesKnown(refusal error) decide.Extensions {
	known := make(decide.Extensions)
	known[v1alpha1.ExtensionTestTypes] = refusal
	return known
}
