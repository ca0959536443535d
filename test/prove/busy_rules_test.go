// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// A request that is refused because another one is in progress is sent again after 5 to 30
// minutes, if its outcome can be read. Otherwise the request in progress may be this very one, and
// a person is asked.
func TestARefusalBecauseAnotherRequestIsInProgressNeedsOnlyTimeIfTheOutcomeIsRead(t *testing.T) {
	t.Parallel()
	scheme := setUp(t)
	for _, scenario := range Scenarios() {
		if scenario.Trusts {
			continue // it sends nothing
		}
		if scenario.Operation == v1alpha1.OperationAppointmentCancel {
			continue // the carrier has no 422 for it, so that is no refusal
		}
		for _, managers := range []int{1, 2} {
			synctest.Test(t, func(t *testing.T) { expectSentAfterPause(t, scheme, scenario, managers) })
		}
	}
}

// classOfScenario returns the class of the request that a scenario is about.
func classOfScenario(scenario *Scenario) carrier.RepeatClass {
	contract, _ := carrier.ContractOf(carrier.Operation(scenario.Operation))
	return contract.RepeatClass(strings.HasPrefix(scenario.Name, planWithNTD))
}

// expectSentAfterPause runs a scenario in which the first POST of its operation is refused because
// another request is in progress.
func expectSentAfterPause(t *testing.T, scheme *runtime.Scheme, scenario *Scenario, managers int) {
	t.Helper()
	post := "POST " + submitPath(scenario.Operation)
	plan := Plan{Scenario: scenario, Managers: managers, Faults: []Fault{{What: post, Nth: 1, Kind: Busy}}}
	r := newRun(t.Context(), scheme, plan)
	r.execute(t.Context())
	if len(r.violations) > 0 {
		t.Errorf("%s: %s", plan, r.violations)
	}
	other := func(effect Effect) bool { return effect.What != post }
	sent := slices.DeleteFunc(slices.Clone(r.effects[:r.lastEffect]), other)
	if len(sent) != 2 {
		t.Fatalf("%s: it was sent %d times, want twice", plan, len(sent))
	}
	never := classOfScenario(scenario) == carrier.ClassNever
	if asked := len(r.resolved) > 0; asked != never {
		t.Errorf("%s: a person was asked: %t", plan, asked)
	}
	if never {
		return // it is sent again once it is known that the one in progress is somebody else's
	}
	const truncated = time.Second // recorded times are truncated to seconds
	if pause := sent[1].at.Sub(sent[0].at); pause < busyPause-truncated || pause > 30*time.Minute {
		t.Errorf("%s: it was sent again after %s", plan, pause)
	}
}

// neverRepeated returns the operations whose outcome cannot be read.
func neverRepeated() []v1alpha1.Operation {
	return []v1alpha1.Operation{
		v1alpha1.OperationAggregationConversion, v1alpha1.OperationDiagnosticTest, v1alpha1.OperationOrderCreate,
	}
}

// lostThenBusy loses the first response to a POST, and makes the carrier refuse the second POST as
// busy, unless it does that itself.
func lostThenBusy(operation v1alpha1.Operation) func(Effect) FaultKind {
	sent := 0
	return func(effect Effect) FaultKind {
		if effect.What != "POST "+submitPath(operation) {
			return noFault
		}
		sent++
		switch {
		case sent == 1:
			return Lost
		case sent == 2 && operation == v1alpha1.OperationOrderCreate:
			return Busy // the simulated carrier has no such code for orders
		}
		return noFault
	}
}

// A person has resolved a request as not accepted. Then the carrier says that one is in progress.
func TestARequestThatWasResolvedTooEarlyIsNotBoughtTwice(t *testing.T) {
	t.Parallel()
	for _, operation := range neverRepeated() {
		runScript(t, operation, 1, func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.setChargeLimit(t, 20)
			s.faultAt = lostThenBusy(operation)
			s.runFor(t, s.managers[0], 20*time.Second)
			early := s.subject().Record().OpenRequests()[0].AttemptID
			s.resolved[early], s.resolvedFalsely[early], s.repeatable[early] = true, true, true
			s.setResolution(t, "NotAccepted")
			s.runFor(t, s.managers[0], time.Hour)
			reached := 2
			if operation == v1alpha1.OperationOrderCreate {
				reached = 1
			}
			s.expectAskedAboutProgress(t, operation, reached)
			s.expectSettledByPerson(t, operation, reached)
		})
	}
}

// A gateway sends a POST twice, and returns the response to the second copy.
func TestARequestThatAGatewaySendsTwiceIsNotSentOnceMore(t *testing.T) {
	t.Parallel()
	for _, operation := range neverRepeated() {
		if operation == v1alpha1.OperationOrderCreate {
			continue // the simulated carrier accepts both copies
		}
		runScript(t, operation, 1, func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.setChargeLimit(t, 20)
			s.faultAt = atFirst("POST "+submitPath(operation), func() FaultKind { return Doubled })
			s.runFor(t, s.managers[0], time.Hour)
			s.expectAskedAboutProgress(t, operation, 1)
			s.expectSettledByPerson(t, operation, 1)
		})
	}
}

// expectAskedAboutProgress checks how often an operation was sent, and that a person is asked about
// the last attempt.
func (s *scriptedRun) expectAskedAboutProgress(t *testing.T, operation v1alpha1.Operation, sent int) {
	t.Helper()
	reason, _, stuck := stateOf(s.subject())
	open := s.subject().Record().RequestOf(operation)
	if s.posted(operation) != sent || !stuck || reason != v1alpha1.ReasonOutcomeUnknown ||
		open.Phase != v1alpha1.PhaseOutcomeUnknown || !isBusyError(open.Error) {
		t.Errorf("%s was sent %d times, and is %s: %s, stalled %t",
			operation, s.posted(operation), open.Phase, reason, stuck)
	}
}

// expectSettledByPerson checks that the object settles without another POST once a person has
// looked the request up at the carrier.
func (s *scriptedRun) expectSettledByPerson(t *testing.T, operation v1alpha1.Operation, sent int) {
	t.Helper()
	s.faultAt = nil
	if !s.resolve(t.Context(), isUnknown) {
		t.Errorf("%s: nobody is asked", operation)
	}
	s.runFor(t, s.managers[0], 2*time.Hour)
	if reason, ready, _ := stateOf(s.subject()); !ready || s.posted(operation) != sent || len(s.violations) > 0 {
		t.Errorf("%s: Ready is %t (%s), it was sent %d times: %v",
			operation, ready, reason, s.posted(operation), s.violations)
	}
}
