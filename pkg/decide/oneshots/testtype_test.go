// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// typed is a test of type port-reset, with an account that reads the test types.
func typed(read decide.Reading) func(*oneshots.Input) {
	return func(in *oneshots.Input) {
		if test, ok := in.Subject.(*v1alpha1.DiagnosticTest); ok {
			test.Spec.TestType, in.Test = carrier.TestPortReset, test
		}
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
	ended := func(in *oneshots.Input) {
		in.Test.Status.NotOffered = &v1alpha1.NotOffered{Offered: []string{"line-state"}, Count: 3}
	}
	broken := func(in *oneshots.Input) { in.Account.Unusable = errors.New("the login failed") }
	as := func(phase v1alpha1.RequestPhase) func(*oneshots.Input) {
		return func(in *oneshots.Input) {
			in.Test.Status.Request = &v1alpha1.Request{
				Operation: v1alpha1.OperationDiagnosticTest, AttemptID: "a-1", Phase: phase,
				Login: decidetest.Login(),
			}
		}
	}
	unsent, unknown := as(v1alpha1.PhaseNotSent), as(v1alpha1.PhaseOutcomeUnknown)
	late := as(v1alpha1.PhaseLateAcceptance)
	const progressing, unavailable = v1alpha1.ReasonProgressing, v1alpha1.ReasonCarrierUnavailable
	const notOffered, none = v1alpha1.ReasonTestTypeNotOffered, carrier.NotFoundOrForbidden
	for name, row := range map[string]struct {
		view   oneshots.Input
		step   decide.Step
		reason string
		says   string
	}{
		"the extension is off": {taskInput(typed(offers("loopback")), without), decide.Submit{}, progressing, ""},
		"not read yet":         {taskInput(typed(decide.Reading{})), decide.StartReading{}, progressing, ""},
		"offered":              {taskInput(typed(offers("loopback", "port-reset"))), decide.Submit{}, progressing, ""},
		"not offered":          {taskInput(typed(offers("loopback"))), decide.Rest{}, notOffered, "it offers loopback."},
		"not offered before":   {taskInput(typed(decide.Reading{}), ended), decide.Rest{}, notOffered, "state, and 2 more."},
		"and offered now":      {taskInput(typed(offers("port-reset")), ended), decide.Rest{}, notOffered, "line-state"},
		"and the extension is off now": {
			taskInput(typed(decide.Reading{}), ended, without), decide.Rest{}, notOffered, "line-state",
		},
		"and the account is broken now": {taskInput(typed(decide.Reading{}), ended, broken), decide.Rest{}, notOffered, ""},
		"not offered after a restart":   {taskInput(typed(offers("loopback")), unsent), decide.Rest{}, notOffered, ""},
		"not offered, but it was sent": {
			taskInput(typed(offers("loopback")), unknown), decide.Rest{}, v1alpha1.ReasonOutcomeUnknown, "",
		},
		"not offered, but it was accepted late": {
			taskInput(typed(offers("loopback")), ended, late), decide.Rest{}, v1alpha1.ReasonLateAcceptance, "",
		},
		"the carrier refuses": {taskInput(typed(refusedOnce(none, 1))), decide.Submit{}, progressing, ""},
		"the carrier failed once": {
			taskInput(typed(refusedOnce(carrier.ServerFault, 1))), decide.Rest{}, unavailable, "is retried",
		},
		"the carrier failed often": {taskInput(typed(refusedOnce(carrier.ServerFault, 3))), decide.Submit{}, progressing, ""},
	} {
		decision := oneshots.DecideTest(row.view)
		if fmt.Sprintf("%T", decision.Step) != fmt.Sprintf("%T", row.step) || decision.Verdict.Reason != row.reason ||
			!strings.Contains(decision.Verdict.Message, row.says) {
			t.Errorf("%s: %T, %s: %s", name, decision.Step, decision.Verdict.Reason, decision.Verdict.Message)
		}
	}
}

// Such a test may have waited for days before, and its ttlAfterFinished begins when it ends.
func TestATestThatIsNotOfferedIsKeptFromWhenItEnded(t *testing.T) {
	t.Parallel()
	view := taskInput(typed(offers("loopback")), func(in *oneshots.Input) { in.TTL = "1h" })
	decision := oneshots.DecideTest(view)
	if want := view.Now.Add(time.Hour); !decision.RequeueAt.Equal(want) {
		t.Errorf("it is deleted at %s, want %s", decision.RequeueAt, want)
	}
}

func TestTheListOfOfferedTestsIsBounded(t *testing.T) {
	t.Parallel()
	many := make([]string, 100)
	for i := range many {
		many[i] = strings.Repeat("x", 1000)
	}
	message := oneshots.DecideTest(taskInput(typed(offers(many...)))).Verdict.Message
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
