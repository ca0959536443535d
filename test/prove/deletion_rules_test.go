// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/ledgers"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// M6a of the review: two objects of one service are deleted at the same moment, while a request is
// in progress.
func TestR24RequestOfTwoObjectsDeletedTogetherIsNotSentAgain(t *testing.T) {
	t.Parallel()
	runScript(t, converting, 2, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.managers[0].pass(t.Context())
		twin := s.service(t).DeepCopy()
		twin.ObjectMeta.Name, twin.UID, twin.ResourceVersion = "twin", "", ""
		twin.Status = v1alpha1.BroadbandServiceStatus{}
		must(s.world.Create(t.Context(), twin))
		looks := func() {
			other := s.managers[1]
			_, err := other.reconcile(t.Context(), reconcilerOf(other.reconcilers, kindService), keyIn(s.run, "twin"))
			must(err)
		}
		looks()
		s.remove(t.Context())
		must(s.store.Client().Delete(t.Context(), twin))
		looks()
		s.notifyManagers()
		s.managers[0].pass(t.Context())
		if ledger := s.onlyLedger(t); ledger == nil || len(ledger.Spec.Open) != 1 {
			t.Fatalf("the request in progress is not recorded: %+v", ledger)
		}
		s.restart()
		s.create(t.Context())
		s.notifyManagers()
		s.drive(t.Context())
		if posted := s.posted(converting); posted != 1 {
			t.Errorf("%d conversions were sent", posted)
		}
		s.expectConversions(t, 1, v1alpha1.ReasonInSync)
	})
}

// M6b of the review: a manager whose cache still shows the deleted object does not reopen an
// attempt that has ended in the meantime.
func TestR24StaleCacheOfADeletedObjectReopensNoAttempt(t *testing.T) {
	t.Parallel()
	runScript(t, changing, 2, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.managers[0].pass(t.Context())
		s.runUntilOpen(t)
		version := s.store.Version()
		s.replaceObject(t)
		s.drive(t.Context())
		first := s.posted(changing)
		s.declarePlan(t, world.PlanCheap)
		before, plan := s.posted(changing), s.onlyLedger(t).Spec.Sequence
		s.staleVersions["*v1alpha1.BroadbandService"], s.staleVersions["*v1alpha1.RequestLedger"] = version, version
		s.notifyManagers()
		s.managers[1].pass(t.Context())
		clear(s.staleVersions)
		s.restart()
		s.notifyManagers()
		s.drive(t.Context())
		if after := s.posted(changing); first != 1 || before != 2 || after != before {
			t.Errorf("%d, then %d, and in the end %d plan changes were sent", first, before, after)
		}
		if begun := s.onlyLedger(t).Spec.Sequence; begun != plan || len(s.onlyLedger(t).Spec.Open) > 0 {
			t.Errorf("%d attempts were begun, and there were %d: %+v", begun, plan, s.onlyLedger(t).Spec.Open)
		}
	})
}

// runUntilOpen runs passes of the first manager until an attempt is in progress.
func (s *scriptedRun) runUntilOpen(t *testing.T) {
	t.Helper()
	for range maxPasses {
		if len(s.subject().Record().OpenRequests()) > 0 {
			return
		}
		sleep(s.managers[0].next().Sub(now()))
		s.managers[0].pass(t.Context())
	}
	t.Fatal("nothing is sent")
}

// What is open stays in the ledger, and is counted (R24).
func TestR24CountsOpenAttemptsWithoutAnObject(t *testing.T) {
	t.Parallel()
	for _, operation := range []v1alpha1.Operation{converting, changing, diagnosing} {
		t.Run(string(operation), func(t *testing.T) {
			t.Parallel()
			runScript(t, operation, 1, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.runUntilOpen(t)
				s.expectLeftOpen(t, operation, 0)
				s.forceDeleteObject(t)
				s.expectLeftOpen(t, operation, 1)
				s.create(t.Context())
				s.notifyManagers()
				s.drive(t.Context())
				s.expectLeftOpen(t, operation, 0)
			})
		})
	}
}

// forceDeleteObject removes the object's finalizers, and deletes it.
func (s *scriptedRun) forceDeleteObject(t *testing.T) {
	t.Helper()
	subject := s.subject()
	subject.SetFinalizers(nil)
	must(s.store.Client().Update(t.Context(), subject))
	must(s.store.Client().Delete(t.Context(), subject))
}

func (s *scriptedRun) expectLeftOpen(t *testing.T, operation v1alpha1.Operation, want int) {
	t.Helper()
	operator := s.managers[0].reconcilers.Operator
	var all v1alpha1.RequestLedgerList
	must(operator.List(t.Context(), &all))
	left, err := ledgers.WithoutHolder(t.Context(), operator, all.Items)
	if err != nil || left[operation] != want {
		t.Fatalf("%v is open without its object, and not %d of %s (%v)", left, want, operation, err)
	}
}
