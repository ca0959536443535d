// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

const diagnosing = v1alpha1.OperationDiagnosticTest

// expectTests expects that the carrier has seen the given number of tests, and that the first
// object has the given reason.
func (s *scriptedRun) expectTests(t *testing.T, seen int, wantReason string) {
	t.Helper()
	reason, _, _ := stateOf(s.subject())
	if posted := s.posted(diagnosing); posted != seen || reason != wantReason {
		t.Fatalf("%d tests were sent, not %d, and the object is %s, not %s", posted, seen, reason, wantReason)
	}
}

// expectLate expects that the only open attempt of the first object is a late acceptance.
func (s *scriptedRun) expectLate(t *testing.T, requestID string) {
	t.Helper()
	open := s.onlyLedger(t).Spec.Open
	if len(open) != 1 || !strings.HasSuffix(open[0].Location, "/"+requestID) ||
		open[0].UID != string(s.subject().GetUID()) {
		t.Fatalf("open is %+v", open)
	}
}

// acceptTestLate delays the response to a test until a person has resolved it as not accepted and
// another test was sent because of that.
func (s *scriptedRun) acceptTestLate(t *testing.T, approval v1alpha1.Approval) {
	t.Helper()
	asleep, other := s.managers[0], s.managers[1]
	s.faultAt = atFirst("POST /api/", delayed)
	s.whileDelayed = func() {
		s.runFor(t, other, 8*time.Minute)
		s.editAccount(t, func(account *v1alpha1.CarrierAccountSpec) { account.Approval = approval })
		s.setResolution(t, "NotAccepted")
		s.runFor(t, other, time.Hour)
	}
	s.runFor(t, asleep, time.Minute)
	s.drive(t.Context())
}

// The attempt was resolved as NotAccepted, and becomes a late acceptance (R15). A test is of class
// Never.
func TestR15TestAcceptedLateWaitsForAPerson(t *testing.T) {
	t.Parallel()
	const automatic, operation = v1alpha1.ApprovalAutomatic, v1alpha1.ApprovalAlways
	for name, test := range map[string]struct {
		approval   v1alpha1.Approval // Always: no second test is sent
		sent       int
		resolution string
		reason     string
	}{
		"it was carried out":            {automatic, 2, "Succeeded", v1alpha1.ReasonCompleted},
		"it was not carried out":        {automatic, 2, "Abandoned", v1alpha1.ReasonCompleted},
		"it is polled":                  {automatic, 2, "Accepted:", v1alpha1.ReasonCompleted},
		"the only one":                  {operation, 1, "Succeeded", v1alpha1.ReasonCompleted},
		"the only one, not carried out": {operation, 1, "Abandoned", v1alpha1.ReasonAbandoned},
		"the only one, it is polled":    {operation, 1, "Accepted:", v1alpha1.ReasonCompleted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runScript(t, diagnosing, 2, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.acceptTestLate(t, test.approval)
				s.expectTests(t, test.sent, v1alpha1.ReasonLateAcceptance)
				first := s.sent[0].requestID
				s.expectLate(t, first)
				s.setResolution(t, "NotAccepted")
				s.drive(t.Context())
				s.expectTests(t, test.sent, v1alpha1.ReasonLateAcceptance)
				resolution := test.resolution
				if resolution == "Accepted:" {
					resolution += first
				}
				s.setResolution(t, resolution)
				s.drive(t.Context())
				s.expectTests(t, test.sent, test.reason)
				if open := s.onlyLedger(t).Spec.Open; len(open) != 0 {
					t.Errorf("%+v is open", open)
				}
			})
		})
	}
}

// A late acceptance counts as open (R3), and the lane is shared by all tests of a service.
func TestR15TestWaitsForTheLateAcceptanceOfAnother(t *testing.T) {
	t.Parallel()
	runScript(t, diagnosing, 2, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.acceptTestLate(t, v1alpha1.ApprovalAutomatic)
		late, owner := s.onlyLedger(t).Spec.Open[0].AttemptID, s.subject()
		s.expectOtherTestWaits(t, owner.GetNamespace()+"/"+owner.GetName(), late)
		s.resolveOnOtherTest(t, late+"=Abandoned")
		if s.settledAttempt(t, late) != nil || s.posted(diagnosing) != 2 {
			t.Errorf("the resolution on another test was used: %+v", s.onlyLedger(t).Spec)
		}
	})
}

// The object of the attempt is gone, so any object of its ledger may have the resolution (R22). The
// finalizer was removed by force.
func TestR22AnyTestCanResolveTheAttemptOfADeletedTest(t *testing.T) {
	t.Parallel()
	for resolution, taken := range map[string]v1alpha1.RequestPhase{
		"Succeeded": v1alpha1.PhaseSucceeded, "Abandoned": v1alpha1.PhaseAbandoned, "NotAccepted": "",
	} {
		runScript(t, diagnosing, 2, func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.acceptTestLate(t, v1alpha1.ApprovalAutomatic)
			late, owner := s.onlyLedger(t).Spec.Open[0].AttemptID, s.subject()
			owner.SetFinalizers(nil)
			must(s.store.Client().Update(t.Context(), owner))
			must(client.IgnoreNotFound(s.store.Client().Delete(t.Context(), owner)))
			s.expectOtherTestWaits(t, "dtest other", late+"=Succeeded")
			s.resolveOnOtherTest(t, late+"="+resolution)
			ended, sent := s.settledAttempt(t, late), s.posted(diagnosing)
			switch {
			case taken == "" && (ended != nil || sent != 2):
				t.Errorf("%s: %d were sent, and it is %+v", resolution, sent, ended)
			case taken != "" && (ended == nil || sent != 3 || ended.Outcome != taken || ended.ResolvedBy == nil):
				t.Errorf("%s: %d were sent, and it is %+v", resolution, sent, ended)
			}
		})
	}
}

// otherTest returns a second test of the same service.
func (s *scriptedRun) otherTest(t *testing.T) *v1alpha1.DiagnosticTest {
	t.Helper()
	test := &v1alpha1.DiagnosticTest{}
	must(s.store.Client().Get(t.Context(), keyIn(s.run, "other"), test))
	return test
}

// passOtherTest runs a pass of a manager over that test.
func (s *scriptedRun) passOtherTest(t *testing.T) {
	t.Helper()
	manager := s.managers[1]
	_, err := manager.reconcile(t.Context(), reconcilerOf(manager.reconcilers, kindTest), keyIn(s.run, "other"))
	must(err)
}

// another returns another test of the service, which needs no approval beside the first.
func (s *scriptedRun) another() *v1alpha1.DiagnosticTest {
	return s.world.Test("other", lineID, func(test *v1alpha1.DiagnosticTest) { test.Spec.TestType = "loopback" })
}

// expectOtherTestWaits applies another test, and expects that it is not sent and that its message
// contains these names.
func (s *scriptedRun) expectOtherTestWaits(t *testing.T, names ...string) {
	t.Helper()
	sent := s.posted(diagnosing)
	must(s.world.Create(t.Context(), s.another()))
	s.passOtherTest(t)
	other := s.otherTest(t)
	reason, _, stalled := stateOf(other)
	message := meta.FindStatusCondition(other.Status.Conditions, v1alpha1.ConditionReady).Message
	if s.posted(diagnosing) != sent || reason != v1alpha1.ReasonAnotherTestInProgress || !stalled {
		t.Fatalf("%d were sent, and it is %s: %s", s.posted(diagnosing), reason, message)
	}
	for _, name := range names {
		if !strings.Contains(message, name) {
			t.Errorf("the message does not name %s: %s", name, message)
		}
	}
}

// resolveOnOtherTest sets an annotation on that test as a person would.
func (s *scriptedRun) resolveOnOtherTest(t *testing.T, resolution string) {
	t.Helper()
	other := s.otherTest(t)
	annotate(other, v1alpha1.AnnotationResolve, resolution)
	must(s.store.Client().Update(t.Context(), other))
	s.passOtherTest(t)
}

// settledAttempt returns a late acceptance that was settled; nil while it is open.
func (s *scriptedRun) settledAttempt(t *testing.T, attemptID string) *v1alpha1.EndedAttempt {
	t.Helper()
	spec := s.onlyLedger(t).Spec
	at := slices.IndexFunc(spec.Ended, func(one v1alpha1.EndedAttempt) bool { return one.AttemptID == attemptID })
	if at < 0 || len(spec.Open) > 0 && spec.Open[0].AttemptID == attemptID {
		return nil
	}
	return &spec.Ended[at]
}

// loseResult drops the status of a test that ended two days ago, and makes the carrier unavailable
// for a while.
func (s *scriptedRun) loseResult(t *testing.T, away time.Duration) {
	t.Helper()
	s.drive(t.Context())
	sleep(2 * 24 * time.Hour)
	until := now().Add(away)
	s.faultAt = func(effect Effect) FaultKind {
		if effect.Op == Poll && now().Before(until) {
			return Refused
		}
		return noFault
	}
	s.loseStatus(t.Context())
	s.notifyManagers()
	s.runFor(t, s.managers[0], time.Minute)
}

// A test whose result is read again is over: it is not Overdue, and no resolution makes it run
// again. The simulation found a test that was Overdue (SIM_SEED=5057 at the time).
func TestR14TestWhoseResultIsReadAgainIsNotRunAgain(t *testing.T) {
	t.Parallel()
	const away = 20 * time.Minute
	for _, resolution := range []string{"", "NotAccepted", "Abandoned", "Accepted:1", "Succeeded"} {
		t.Run(resolution, func(t *testing.T) {
			t.Parallel()
			runScript(t, diagnosing, 1, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.loseResult(t, away)
				ended := s.onlyLedger(t).Spec
				s.edit(t.Context(), func(subject Subject) {
					annotate(subject, v1alpha1.AnnotationResolve, ended.Last[0].AttemptID+"="+resolution)
				})
				s.notifyManagers()
				s.runFor(t, s.managers[0], away/2)
				s.expectTests(t, 1, v1alpha1.ReasonCarrierUnavailable)
				s.runFor(t, s.managers[0], away)
				s.expectTests(t, 1, v1alpha1.ReasonCompleted)
				if test, is := s.subject().(*v1alpha1.DiagnosticTest); !is || test.Status.TestID == "" {
					t.Error("its result is not in its status")
				}
				if !equality.Semantic.DeepEqual(s.onlyLedger(t).Spec, ended) {
					t.Errorf("the ledger is %+v", s.onlyLedger(t).Spec)
				}
			})
		})
	}
}
