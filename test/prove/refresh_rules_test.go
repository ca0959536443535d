// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"
)

const (
	changing = v1alpha1.OperationPlanChange
	reading  = v1alpha1.Operation("Health")
)

// service returns the object of the scenario.
func (s *scriptedRun) service(t *testing.T) *v1alpha1.BroadbandService {
	t.Helper()
	service, is := s.subject().(*v1alpha1.BroadbandService)
	if !is {
		t.Fatal("there is no BroadbandService")
	}
	return service
}

// declarePlan sets a plan as a user would, and runs the operator. It returns the POSTs that
// followed.
func (s *scriptedRun) declarePlan(t *testing.T, plan string) []v1alpha1.Operation {
	t.Helper()
	s.setPlan(t, plan)
	return s.runUntilReady(t)
}

// runUntilReady runs the operator until the object is settled and Ready, and returns the POSTs that
// followed.
func (s *scriptedRun) runUntilReady(t *testing.T) []v1alpha1.Operation {
	t.Helper()
	before := len(s.sent)
	s.notifyManagers()
	s.drive(t.Context())
	if reason, ready, _ := stateOf(s.subject()); !ready {
		t.Fatalf("it is %s", reason)
	}
	posted := make([]v1alpha1.Operation, 0, len(s.sent)-before)
	for _, one := range s.sent[before:] {
		posted = append(posted, one.operation)
	}
	return posted
}

// expectPosts expects these POSTs, without logins.
func expectPosts(t *testing.T, got []v1alpha1.Operation, want ...v1alpha1.Operation) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%v were sent, not %v", got, want)
	}
}

// restoreStatus restores the status of the object.
func (s *scriptedRun) restoreStatus(t *testing.T, older v1alpha1.BroadbandServiceStatus) {
	t.Helper()
	service := s.service(t)
	older.DeepCopyInto(&service.Status)
	must(s.store.Client().Status().Update(t.Context(), service))
}

// A process reads the plan once before it changes it, unless it has just read it.
func TestR7PlanChangeTakesOneHealthRequestAndOnePOST(t *testing.T) {
	t.Parallel()
	runScript(t, changing, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		expectPosts(t, s.runUntilReady(t), reading, changing)
		sleep(11 * time.Minute)
		expectPosts(t, s.declarePlan(t, world.PlanSlow), reading, changing)
		s.restart()
		expectPosts(t, s.runUntilReady(t))
		expectPosts(t, s.declarePlan(t, world.PlanFast), reading, changing)
	})
}

// M1 of the review: someone changes the plan at the carrier, and then the manifest.
func TestR7PlanChangedBySomebodyElseIsNotBought(t *testing.T) {
	t.Parallel()
	runScript(t, changing, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.runUntilReady(t)
		must(s.world.Carrier.SetPlan(lineID, world.PlanSlow))
		expectPosts(t, s.declarePlan(t, world.PlanSlow), reading)
	})
}

// M9 of the review: the status from before a change is restored, and perhaps the ledger with it.
func TestR7PlanIsNotBoughtAgainAfterARestore(t *testing.T) {
	t.Parallel()
	type restore = func(*testing.T, *scriptedRun, *v1alpha1.BroadbandService, *v1alpha1.RequestLedger)
	for name, change := range map[string]restore{
		"the status alone": func(
			t *testing.T, s *scriptedRun, older *v1alpha1.BroadbandService, _ *v1alpha1.RequestLedger,
		) {
			t.Helper()
			s.restoreStatus(t, older.Status)
		},
		"the status, and another process": func(
			t *testing.T, s *scriptedRun, older *v1alpha1.BroadbandService, _ *v1alpha1.RequestLedger,
		) {
			t.Helper()
			s.restoreStatus(t, older.Status)
			s.restart()
		},
		"everything, from a backup": restoreAll,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runScript(t, changing, 1, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.runUntilReady(t)
				older, ledger := s.service(t), s.onlyLedger(t)
				expectPosts(t, s.declarePlan(t, world.PlanSlow), reading, changing)
				change(t, s, older, ledger)
				if posted := s.runUntilReady(t); slices.Contains(posted, changing) {
					t.Errorf("%v were sent once more", posted)
				}
				if plan := s.service(t).Status.Carrier.Plan.Value; plan != world.PlanSlow {
					t.Errorf("its recorded plan is %s", plan)
				}
			})
		})
	}
}

// restoreAll loses the object and the ledger, and restores older ones. The spec does not become an
// older one, because it is kept elsewhere.
func restoreAll(t *testing.T, s *scriptedRun, older *v1alpha1.BroadbandService, ledger *v1alpha1.RequestLedger) {
	t.Helper()
	service := s.service(t)
	must(s.store.Client().Delete(t.Context(), service))
	s.loseLedger(t)
	service.UID, service.ResourceVersion = "", ""
	must(s.store.Client().Create(t.Context(), service))
	s.restoreStatus(t, older.Status)
	ledger.UID, ledger.ResourceVersion = "", ""
	must(s.store.Client().Create(t.Context(), ledger))
	s.restart()
}
