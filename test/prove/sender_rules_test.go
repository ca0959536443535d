// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// closeAccount unlists the service from an account and requires approval for everything.
func closeAccount(account *v1alpha1.CarrierAccountSpec) {
	account.Approval, account.ServiceIDs = v1alpha1.ApprovalAlways, []v1alpha1.CarrierID{"1"}
}

func isServiceWrite(effect Effect) bool {
	return effect.Op == Write && strings.Contains(effect.What, "BroadbandService")
}

// The account is the emergency brake. It must work even if a cache does not show the edit yet.
func TestR12ClosedAccountSendsNothingChargeable(t *testing.T) {
	t.Parallel()
	runScript(t, v1alpha1.OperationPlanChange, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.faultAt = atFirst("update status *v1alpha1.BroadbandService", func() FaultKind {
			s.staleVersions["*v1alpha1.CarrierAccount"] = s.store.Version()
			s.editAccount(t, closeAccount)
			return noFault
		})
		s.runFor(t, s.managers[0], time.Hour)
		if posted := s.posted(v1alpha1.OperationPlanChange); posted != 0 {
			t.Errorf("%d plan changes by an account that was closed", posted)
		}
		before := len(s.effects)
		s.runFor(t, s.managers[0], time.Hour)
		if slices.ContainsFunc(s.effects[before:], isServiceWrite) {
			t.Error("something was written while the cache stood still")
		}
		delete(s.staleVersions, "*v1alpha1.CarrierAccount")
		s.notifyManagers()
		s.drive(t.Context())
		if reason, _, _ := stateOf(s.subject()); s.posted(v1alpha1.OperationPlanChange) != 0 {
			t.Errorf("it was sent once the cache showed the closed account (%s)", reason)
		}
	})
}

// The monotonic clock of a machine that was suspended between the intent and the POST did not count
// that time. The wall clock did.
func TestR13SuspendedMachineSendsNothing(t *testing.T) {
	t.Parallel()
	runScript(t, v1alpha1.OperationPlanChange, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.faultAt = atFirst("create *v1alpha1.RequestLedger service-", func() FaultKind {
			sleep(time.Hour)
			s.managers[0].asleep += time.Hour
			return noFault
		})
		s.runUntilEnded(t, v1alpha1.OperationPlanChange)
		request := s.subject().Record().RequestOf(v1alpha1.OperationPlanChange)
		if posted := s.posted(v1alpha1.OperationPlanChange); posted != 0 || request.Phase != v1alpha1.PhaseNotSent {
			t.Errorf("%d were sent, and it is %s", posted, request.Phase)
		}
		s.drive(t.Context())
		if posted := s.posted(v1alpha1.OperationPlanChange); posted != 1 {
			t.Errorf("%d were sent in the end", posted)
		}
	})
}

// A person who abandons an order may have placed it by telephone. A process that was suspended
// between the intent and the POST must not change that when it resumes.
func TestR14AttemptAbandonedByAPersonStaysAbandoned(t *testing.T) {
	t.Parallel()
	for _, operation := range []v1alpha1.Operation{
		v1alpha1.OperationOrderCreate, v1alpha1.OperationAggregationConversion,
	} {
		intent := "create *v1alpha1.RequestLedger service-"
		if operation == ordering {
			intent = "create *v1alpha1.RequestLedger order-"
		}
		runScript(t, operation, 2, func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.resolveWhileDelayed(t, intent, 8*time.Minute, "Abandoned", time.Minute)
			if posted := s.posted(operation); posted != 0 {
				t.Errorf("%s was sent %d times although a person has abandoned it", operation, posted)
			}
			if request := s.subject().Record().RequestOf(operation); request == nil ||
				request.Phase != v1alpha1.PhaseAbandoned || request.EndedBy != v1alpha1.EndedByPerson {
				t.Errorf("it is %v", request)
			}
		})
	}
}

// A process that was suspended before it repeats a request must not change what a person has
// abandoned either (M2 of the review). A refused repeat leaves the outcome of the previous attempt
// unknown, unless a person has ended the previous attempt.
func TestR14RepeatAbandonedByAPersonStaysAbandoned(t *testing.T) {
	t.Parallel()
	const operation = v1alpha1.OperationDSLStabilityProfileChange
	runScript(t, operation, 2, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		asleep, other := s.managers[0], s.managers[1]
		s.faultAt = loseAndRepeatLate()
		s.whileDelayed = func() {
			s.runFor(t, other, 8*time.Minute)
			s.setResolution(t, "Abandoned")
			s.runFor(t, other, time.Minute)
		}
		s.runFor(t, asleep, time.Hour)
		s.drive(t.Context())
		if posted := s.posted(operation); posted != 1 || s.whileDelayed != nil {
			t.Errorf("it was sent %d times, and nobody resolved it: %t", posted, s.whileDelayed != nil)
		}
		if request := s.subject().Record().RequestOf(operation); request == nil || request.Phase != v1alpha1.PhaseAbandoned ||
			request.EndedBy != v1alpha1.EndedByPerson {
			t.Errorf("it is %v", request)
		}
	})
}

// loseAndRepeatLate loses the response to the first POST, and delays the intent of its repeat 15
// minutes later.
func loseAndRepeatLate() func(Effect) FaultKind {
	var lost, repeated time.Time
	return func(effect Effect) FaultKind {
		writes := strings.Contains(effect.What, "*v1alpha1.RequestLedger service-")
		switch {
		case effect.Op == Post && lost.IsZero():
			lost = now()
			return Lost
		case writes && !lost.IsZero() && repeated.IsZero() && now().Sub(lost) >= 15*time.Minute:
			repeated = now()
			return Late
		}
		return noFault
	}
}

// The gate stops a repeat. The write that records this is applied, its response is lost, and the
// retry records it again. That must not end the first attempt, which the carrier may have
// accepted.
func TestAStoppedRepeatIsEndedOnce(t *testing.T) {
	t.Parallel()
	const operation = v1alpha1.OperationDSLStabilityProfileChange
	runScript(t, operation, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		var repeat stoppedRepeat
		s.faultAt = repeat.fault
		for range 24 * 60 {
			if repeat.written {
				break
			}
			s.runFor(t, s.managers[0], time.Minute)
		}
		first := s.subject().Record().RequestOf(operation)
		if !repeat.written || first.Phase == v1alpha1.PhaseNotSent {
			t.Errorf("the repeat was stopped: %t; the attempt before it is %s", repeat.written, first.Phase)
		}
	})
}

// stoppedRepeat loses the response to an attempt, makes the gate stop its repeat, and loses the
// response to the write that records this.
type stoppedRepeat struct {
	lost            time.Time // when the response to the attempt was lost; zero: not yet
	closed, written bool
}

func (r *stoppedRepeat) fault(effect Effect) FaultKind {
	switch {
	case effect.Op == Post && r.lost.IsZero():
		r.lost = now()
		return Lost
	case r.isDue() && strings.HasPrefix(effect.What, "read default"):
		r.closed = true
		return Refused
	case r.closed && !r.written && strings.Contains(effect.What, "update *v1alpha1.RequestLedger service-"):
		r.written = true
		return Lost
	}
	return noFault
}

// isDue reports whether the attempt is repeated now.
func (r *stoppedRepeat) isDue() bool {
	return !r.lost.IsZero() && !r.closed && now().Sub(r.lost) >= 15*time.Minute
}
