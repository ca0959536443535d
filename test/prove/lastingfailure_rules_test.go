// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// The operations of these tests. When one has failed, each read of the cancellation responds with 422
// until another has been accepted, because both have the same Location.
const (
	rescheduling = v1alpha1.OperationCancellationReschedule
	aborting     = v1alpha1.OperationCancellationAbort
)

// alwaysFailing returns the first scenario of an operation, at a carrier that accepts each request of
// that operation and then lets it fail.
func alwaysFailing(operation v1alpha1.Operation, apply serviceEdit) *Scenario {
	failing := func(l *simulator.Service) {
		withCancellation(l)
		l.Outcomes = map[string]simulator.Outcome{string(operation): simulator.OutcomeFails}
	}
	return service(string(operation)+", which fails", operation, failing, func(s *v1alpha1.BroadbandService) {
		s.Spec.Plan = nil
		apply(s)
	})
}

// editService edits the service as a user would.
func (s *scriptedRun) editService(t *testing.T, edit serviceEdit) {
	t.Helper()
	s.edited = true
	s.edit(t.Context(), onService(edit))
	s.notifyManagers()
}

// The carrier accepts an abort or a reschedule, the response is lost, and the request fails. No
// read of the cancellation shows its outcome any more, so a person has to be asked.
func TestALostRequestThatFailsIsReportedAsUnknown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		operation v1alpha1.Operation
		declared  serviceEdit
	}{
		{aborting, withCancellationMode(v1alpha1.CancellationNever, "")},
		{rescheduling, withCancellationMode(v1alpha1.CancellationOnDate, newDate)},
	} {
		t.Run(string(test.operation), func(t *testing.T) {
			t.Parallel()
			runScriptOf(t, alwaysFailing(test.operation, test.declared), 1, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.faultAt = atFirst("POST "+submitPath(test.operation), func() FaultKind { return Lost })
				s.runFor(t, s.managers[0], time.Hour)
				reason, _, stuck := stateOf(s.subject())
				posted := s.posted(test.operation)
				if reason != v1alpha1.ReasonOutcomeUnknown || !stuck || posted != 1 || len(s.violations) > 0 {
					t.Errorf("it was sent %d times, and the object is %s (%s): %v",
						posted, reason, s.readyMessage(), s.violations)
				}
			})
		})
	}
}

// A reschedule was accepted and has failed, so that the cancellation cannot be read. What the user
// declares after that is sent: it is a new generation, and the failed request is the newest one.
func TestAnEditAfterAFailedRescheduleIsSent(t *testing.T) {
	t.Parallel()
	const another, failed = "2026-10-31", v1alpha1.ReasonNotEligibleForCancellation
	for name, test := range map[string]struct {
		edit                serviceEdit
		reschedules, aborts int
		reason, status      string
	}{
		"to another date": {withCancellationMode(v1alpha1.CancellationOnDate, another), 2, 0, failed, "REQUESTED"},
		"to none":         {withCancellationMode(v1alpha1.CancellationNever, ""), 1, 1, v1alpha1.ReasonInSync, "ABORTED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runAfterFailedReschedule(t, test.edit, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				if s.posted(rescheduling) != test.reschedules || s.posted(aborting) != test.aborts {
					t.Errorf("%d reschedules and %d aborts were sent", s.posted(rescheduling), s.posted(aborting))
				}
				reason, _, _ := stateOf(s.subject())
				status := s.line().Cancellation.Status
				if reason != test.reason || status != test.status || len(s.violations) > 0 {
					t.Errorf("the cancellation is %s, and the object is %s (%s): %v",
						status, reason, s.readyMessage(), s.violations)
				}
			})
		})
	}
}

// runAfterFailedReschedule runs a test half an hour after a user has edited a service whose reschedule
// was accepted and has failed.
func runAfterFailedReschedule(t *testing.T, edit serviceEdit, test func(*testing.T, *scriptedRun)) {
	t.Helper()
	declared := withCancellationMode(v1alpha1.CancellationOnDate, newDate)
	runScriptOf(t, alwaysFailing(rescheduling, declared), 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.failed[fmt.Sprintf("/api/connect/services/service-cancellations/requests/%d", lineID)] = true // without a fault
		s.drive(t.Context())
		if last := s.subject().Record().RequestOf(rescheduling); last.Phase != v1alpha1.PhaseFailed {
			t.Fatalf("before the edit the reschedule is %s: %s", last.Phase, s.readyMessage())
		}
		s.editService(t, edit)
		s.runFor(t, s.managers[0], 30*time.Minute)
		test(t, s)
	})
}

// While an abort that will fail is in progress, the carrier shows the cancellation as aborted. If it
// is read then, the failure is still reported, and the cancellation is not shown as declared.
func TestAFailedAbortThatIsReadMeanwhileIsReported(t *testing.T) {
	t.Parallel()
	never := withCancellationMode(v1alpha1.CancellationNever, "")
	runScriptOf(t, alwaysFailing(aborting, never), 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		location := fmt.Sprintf("/api/connect/services/service-cancellations/requests/%d", lineID)
		s.failed[location] = true // without a fault
		read := func() FaultKind {
			s.edit(t.Context(), func(subject Subject) { annotate(subject, v1alpha1.AnnotationReconcile, "now") })
			s.notifyManagers()
			return noFault
		}
		s.faultAt = atNth(2, "GET "+location, read) // at the first poll
		s.drive(t.Context())
		reason, ready, _ := stateOf(s.subject())
		service, isService := s.subject().(*v1alpha1.BroadbandService)
		if !isService {
			t.Fatal("the service does not exist")
		}
		known := service.Status.Carrier.Cancellation
		if ready || reason != v1alpha1.ReasonNotEligibleForCancellation || known.Status != "REQUESTED" ||
			s.posted(aborting) != 1 || len(s.violations) > 0 {
			t.Errorf("%d aborts were sent, the cancellation is known as %s, and the object is %s (%s): %v",
				s.posted(aborting), known.Status, reason, s.readyMessage(), s.violations)
		}
	})
}

// An edit after a failure is sent once, whatever fault happens at one effect before or after the
// edit.
func TestAnEditAfterAFailedRescheduleIsSentInSpiteOfAFault(t *testing.T) {
	t.Parallel()
	for managers := 1; managers <= 2; managers++ {
		t.Run(fmt.Sprintf("managers %d", managers), func(t *testing.T) {
			t.Parallel()
			tried, applied := eachFault(editAfterFailure(t, managers, Fault{}).effects), 0
			for _, fault := range tried {
				if isEditApplied(t, managers, fault) {
					applied++
				}
			}
			t.Logf("with %d of %d faults it was applied, and with the others a person is asked", applied, len(tried))
			if applied == 0 || applied == len(tried) {
				t.Error("one of the two never happened")
			}
		})
	}
}

// eachFault returns each fault at each effect, except that the carrier forgets every request: it has
// then forgotten the failure, too.
func eachFault(effects []Effect) (all []faultAtEffect) {
	for _, effect := range effects {
		for _, kind := range faults(effect.Op) {
			if kind != Forgotten {
				all = append(all, faultAtEffect{effect, kind})
			}
		}
	}
	return all
}

// faultAtEffect is a fault and the effect at which it happens.
type faultAtEffect struct {
	effect Effect
	kind   FaultKind
}

// isEditApplied reports whether what is declared after a failure is applied in spite of a fault. A
// person may be asked instead, but only if it may be unknown what the carrier has accepted, or if the
// fault was a definitive response.
func isEditApplied(t *testing.T, managers int, fault faultAtEffect) bool {
	t.Helper()
	s := editAfterFailure(t, managers, Fault{At: fault.effect.Number, Kind: fault.kind})
	reason, _, stuck := stateOf(s.subject())
	applied := reason == v1alpha1.ReasonInSync && s.line().Cancellation.Status == "ABORTED"
	mayAsk := stuck && (fault.effect.Op == Post || fault.kind.isCrash() || fault.kind == Invalid)
	twice := s.posted(rescheduling) > 1 || s.posted(aborting) > 1
	if twice || !applied && !mayAsk || len(s.violations) > 0 {
		t.Errorf("%s at %s: %d reschedules and %d aborts were sent, and the object is %s (%s): %v", fault.kind,
			fault.effect.What, s.posted(rescheduling), s.posted(aborting), reason, s.readyMessage(), s.violations)
	}
	return applied
}

// editAfterFailure runs until a reschedule has failed, lets the user declare that the service is
// not to be cancelled, and continues. A fault may happen on the way.
func editAfterFailure(t *testing.T, managers int, fault Fault) (ended *scriptedRun) {
	t.Helper()
	declared := withCancellationMode(v1alpha1.CancellationOnDate, newDate)
	runScriptOf(t, alwaysFailing(rescheduling, declared), managers, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.faultAt = func(effect Effect) FaultKind {
			if effect.Number == fault.At {
				return fault.Kind
			}
			return noFault
		}
		s.failed[fmt.Sprintf("/api/connect/services/service-cancellations/requests/%d", lineID)] = true // without a fault
		s.drive(t.Context())
		s.editService(t, withCancellationMode(v1alpha1.CancellationNever, ""))
		s.drive(t.Context())
		ended = s
	})
	return ended
}

// readyMessage returns the message of the condition Ready.
func (s *scriptedRun) readyMessage() string {
	conditions, _ := s.subject().Describes()
	for _, condition := range *conditions {
		if condition.Type == v1alpha1.ConditionReady {
			return strings.TrimSpace(condition.Message)
		}
	}
	return ""
}
