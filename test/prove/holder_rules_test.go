// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// runUntilAccepted runs passes of the first manager until the carrier has accepted a request.
func (s *scriptedRun) runUntilAccepted(t *testing.T, operation v1alpha1.Operation) *v1alpha1.Request {
	t.Helper()
	for range maxPasses {
		if request := s.subject().Record().RequestOf(operation); request != nil && request.Phase == v1alpha1.PhaseInProgress {
			return request
		}
		sleep(s.managers[0].next().Sub(now()))
		s.managers[0].pass(t.Context())
	}
	t.Fatalf("%s is not accepted", operation)
	return nil
}

// A new object adopts the open request as its own. If the request fails, it is not sent again until
// a person asks for it. The old object was edited, so the generations of the two objects differ.
func TestR24FailedChangeOfAReplacedObjectIsNotSentAgain(t *testing.T) {
	t.Parallel()
	runScript(t, converting, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		must(s.world.Carrier.FailNext("AggregationConversion", simulator.Fault{Kind: simulator.FaultEndInError}))
		s.edit(t.Context(), func(subject Subject) {
			if service, is := subject.(*v1alpha1.BroadbandService); is {
				service.Spec.Observe.HealthInterval = "8000h"
			}
		})
		if before := s.runUntilAccepted(t, converting); before.Generation != 2 {
			t.Fatalf("it is of generation %d", before.Generation)
		}
		s.replaceObject(t)
		s.drive(t.Context())
		taken := s.onlyLedger(t).RequestOf(converting)
		if taken.UID != string(s.subject().GetUID()) || taken.Generation != s.subject().GetGeneration() {
			t.Errorf("the attempt is %s's, of generation %d", taken.UID, taken.Generation)
		}
		if posted := s.posted(converting); posted != 1 || taken.Phase != v1alpha1.PhaseFailed {
			t.Errorf("%d conversions were sent, and the last is %s", posted, taken.Phase)
		}
	})
}

// Metadata that others put on a ledger, such as backup and audit tools, is kept.
func TestR30KeepsMetadataThatOthersPutOnALedger(t *testing.T) {
	t.Parallel()
	runScript(t, converting, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		const theirs = "example.com/theirs"
		s.runUntilAccepted(t, converting)
		ledger := s.onlyLedger(t)
		ledger.Labels = map[string]string{theirs: "label"}
		metav1.SetMetaDataAnnotation(&ledger.ObjectMeta, theirs, "annotation")
		ledger.Finalizers = append(ledger.Finalizers, theirs)
		must(s.store.Client().Update(t.Context(), ledger))
		s.drive(t.Context())
		s.replaceObject(t)
		s.drive(t.Context())
		s.expectConversions(t, 1, v1alpha1.ReasonInSync)
		after := s.onlyLedger(t)
		if after.Spec.Revision < ledger.Spec.Revision+2 {
			t.Fatalf("it was not written since: revision %d was %d", after.Spec.Revision, ledger.Spec.Revision)
		}
		if after.Labels[theirs] != "label" || after.Annotations[theirs] != "annotation" ||
			!slices.Contains(after.Finalizers, theirs) || !slices.Contains(after.Finalizers, v1alpha1.FinalizerMemory) {
			t.Errorf("left are %v, %v and %v", after.Labels, after.Annotations, after.Finalizers)
		}
	})
}

// S4 of the review: the clock of the host that recorded an end was a week ahead. A wait after that
// end lasts as long as it should, and not a week.
func TestR19EndInTheFutureDelaysNothing(t *testing.T) {
	t.Parallel()
	runScript(t, converting, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.faultAt = atFirst("POST /api/connect/services/aggregation-conversions", func() FaultKind { return Throttled })
		s.runUntilEnded(t, converting)
		ledger := s.onlyLedger(t)
		ledger.Spec.Last[0].FinishedAt = metav1.NewTime(now().Add(7 * 24 * time.Hour))
		must(s.store.Client().Update(t.Context(), ledger))
		s.restart()
		s.runFor(t, s.managers[0], 10*time.Minute)
		if posted := s.posted(converting); posted != 1 {
			t.Errorf("%d conversions were sent within ten minutes", posted)
		}
		warnings := slices.DeleteFunc(s.world.Events.All(), func(event string) bool {
			return !strings.HasPrefix(event, "Warning TimeInFuture ")
		})
		if len(warnings) != 1 {
			t.Errorf("it is reported %d times: %q", len(warnings), warnings)
		}
	})
}

// M1 of the review, without any fault: a plan is changed, the object is deleted, and 90 days later
// someone changes the plan at the carrier and declares the new plan. The ledger still has the old
// one.
func TestR7RedeclaredServiceDoesNotBuyThePlanItHas(t *testing.T) {
	t.Parallel()
	for name, restarts := range map[string]bool{"by the same process": false, "by another process": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runScript(t, changing, 1, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				expectPosts(t, s.runUntilReady(t), reading, changing)
				s.redeclare(t, world.PlanCheap)
				if restarts {
					s.restart()
				}
				expectPosts(t, s.runUntilReady(t), reading)
				if plan := s.service(t).Status.Carrier.Plan.Value; plan != world.PlanCheap {
					t.Errorf("its recorded plan is %s", plan)
				}
			})
		})
	}
}

// redeclare deletes the object, changes the plan at the carrier 90 days later, and creates an
// object that declares it.
func (s *scriptedRun) redeclare(t *testing.T, plan string) {
	t.Helper()
	must(s.store.Client().Delete(t.Context(), s.subject()))
	s.notifyManagers()
	s.drive(t.Context())
	sleep(90 * 24 * time.Hour)
	must(s.world.Carrier.SetPlan(lineID, plan))
	service, is := s.plan.Scenario.Object(s.world).(*v1alpha1.BroadbandService)
	if !is {
		t.Fatal("the scenario is about no service")
	}
	service.Spec.Plan.Name = plan
	must(s.world.Create(t.Context(), service))
}
