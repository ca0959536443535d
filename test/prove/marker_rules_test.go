// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"
)

func TestR5NothingWaitsIfTheOperatorRanFirst(t *testing.T) {
	t.Parallel()
	runMarked(t, ordering, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.startBeforeObjects(t)
		s.expectPosted(t, ordering, 1, v1alpha1.ReasonSubmitted)
		if marker := s.readMarker(t).Spec.Marker; marker.Waits != "" {
			t.Errorf("%s is to be acknowledged", marker.Waits)
		}
	})
}

func TestR5ObjectsOlderThanTheOperatorWait(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		operation v1alpha1.Operation
		done      string
	}{
		{ordering, v1alpha1.ReasonSubmitted},
		{v1alpha1.OperationDiagnosticTest, v1alpha1.ReasonCompleted},
		{converting, v1alpha1.ReasonInSync},
		{v1alpha1.OperationDSLStabilityProfileChange, v1alpha1.ReasonInSync},
	} {
		operation, done := one.operation, one.done
		t.Run(string(operation), func(t *testing.T) {
			t.Parallel()
			runMarked(t, operation, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.expectPosted(t, operation, 0, v1alpha1.ReasonNewInstallation)
				s.restart()
				s.expectPosted(t, operation, 0, v1alpha1.ReasonNewInstallation)
				s.acknowledge(t)
				s.expectPosted(t, operation, 1, done)
				s.restart()
				s.expectPosted(t, operation, 1, done)
				if kept := s.readMarker(t).Annotations; len(kept) > 0 {
					t.Errorf("the annotation is not used up: %v", kept)
				}
			})
		})
	}
}

// A change waits only if its value is not read before the change. A plan is read, and so is a
// cancellation before an abort.
func TestR5ChangeOfAReadableValueDoesNotWait(t *testing.T) {
	t.Parallel()
	for _, operation := range []v1alpha1.Operation{v1alpha1.OperationPlanChange, v1alpha1.OperationCancellationAbort} {
		t.Run(string(operation), func(t *testing.T) {
			t.Parallel()
			runMarked(t, operation, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.expectPosted(t, operation, 1, v1alpha1.ReasonInSync)
				s.restart() // by now there is a ledger, and the status contains its revision
				s.expectPosted(t, operation, 1, v1alpha1.ReasonInSync)
				if marker := s.readMarker(t).Spec.Marker; marker.Waits != v1alpha1.MarkerNewInstallation {
					t.Errorf("%+v is not what it was", marker)
				}
			})
		})
	}
}

// Objects and their statuses were restored, but no ledger.
func TestR5RecoveryWithoutLedgersSendsNothing(t *testing.T) {
	t.Parallel()
	runMarked(t, ordering, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.startBeforeObjects(t)
		s.expectPosted(t, ordering, 1, v1alpha1.ReasonSubmitted)
		s.deleteAllLedgers(t)
		s.moveToOtherCluster(t)
		s.expectPosted(t, ordering, 1, v1alpha1.ReasonPlanned)
		s.restart()
		s.expectPosted(t, ordering, 1, v1alpha1.ReasonPlanned)
		if left := s.ledgers(t); len(left) > 0 {
			t.Fatalf("a restore would find %s there", left[0].Name)
		}
		s.acknowledge(t)
		s.expectPosted(t, ordering, 1, v1alpha1.ReasonLedgerLost)
		s.setResolution(t, "Succeeded")
		s.expectPosted(t, ordering, 1, v1alpha1.ReasonSubmitted)
	})
}

// Each kind of object shows that its ledger was not restored, unless its status is forged.
func TestR5AStatusThatNamesALedgerShowsARecovery(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		operation v1alpha1.Operation
		revision  int64 // that is forged; 0: as recorded
		waits     v1alpha1.MarkerWait
	}{
		{ordering, 0, v1alpha1.MarkerRecovery},
		{converting, 0, v1alpha1.MarkerRecovery},
		{v1alpha1.OperationDiagnosticTest, 0, v1alpha1.MarkerRecovery},
		{converting, 1 << 60, v1alpha1.MarkerNewInstallation},
	} {
		t.Run(fmt.Sprint(test.operation, " ", test.waits), func(t *testing.T) {
			t.Parallel()
			runMarked(t, test.operation, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.startBeforeObjects(t)
				s.drive(t.Context())
				s.loseAllLedgers(t)
				if test.revision != 0 {
					service := s.service(t)
					service.Status.Ledger.Revision = test.revision
					must(s.store.Client().Status().Update(t.Context(), service))
				}
				s.restart()
				s.drive(t.Context())
				if waits := s.readMarker(t).Spec.Marker.Waits; waits != test.waits {
					t.Errorf("%q is to be acknowledged, want %q", waits, test.waits)
				}
			})
		})
	}
}

func (s *scriptedRun) loseAllLedgers(t *testing.T) {
	t.Helper()
	var all v1alpha1.RequestLedgerList
	must(s.store.Client().List(t.Context(), &all))
	for i := range all.Items {
		s.forceDeleteLedger(t, &all.Items[i])
	}
}

// The account of a restored object may appear later. Until then the object keeps the ledger
// reference in its status.
func TestR5StatusKeepsItsLedgerReferenceWithoutAnAccount(t *testing.T) {
	t.Parallel()
	runScript(t, ordering, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.drive(t.Context())
		s.loseLedger(t)
		var account v1alpha1.CarrierAccount
		must(s.store.Client().Get(t.Context(), keyIn(s.run, world.AccountName), &account))
		must(s.store.Client().Delete(t.Context(), &account))
		s.restart()
		s.managers[0].pass(t.Context())
		account.ResourceVersion, account.UID = "", ""
		must(s.store.Client().Create(t.Context(), &account))
		s.restart()
		s.drive(t.Context())
		s.expectOrders(t, 1, v1alpha1.ReasonLedgerLost)
	})
}

// Everything was copied into another cluster, perhaps without the marker: open requests are polled,
// nothing new is sent, and one annotation is enough to continue.
func TestR26RecoveryIntoAnotherClusterNeedsOneAcknowledgement(t *testing.T) {
	t.Parallel()
	for name, leaves := range map[string]func(*testing.T, *scriptedRun){
		"with the marker":    func(*testing.T, *scriptedRun) {},
		"without the marker": func(t *testing.T, s *scriptedRun) { t.Helper(); s.forceDeleteLedger(t, s.readMarker(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runMarked(t, converting, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.startBeforeObjects(t)
				s.runFor(t, s.managers[0], 10*time.Second)
				leaves(t, s)
				s.moveToOtherCluster(t)
				s.expectPosted(t, converting, 1, v1alpha1.ReasonInSync)
				s.edit(t.Context(), s.plan.Scenario.Edit)
				s.notifyManagers()
				s.expectPosted(t, converting, 1, v1alpha1.ReasonPlanned)
				s.restart()
				s.expectPosted(t, converting, 1, v1alpha1.ReasonPlanned)
				s.acknowledge(t)
				s.expectPosted(t, converting, 2, v1alpha1.ReasonInSync)
				s.restart()
				s.expectPosted(t, converting, 2, v1alpha1.ReasonInSync)
			})
		})
	}
}

// While the operator runs, someone replaces the ledger with one of another cluster.
func TestR26LedgerOfAnotherClusterIsLost(t *testing.T) {
	t.Parallel()
	runMarked(t, converting, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.startBeforeObjects(t)
		s.expectPosted(t, converting, 1, v1alpha1.ReasonInSync)
		ledger := s.ledgers(t)[0]
		ledger.Spec.Cluster = "elsewhere"
		must(s.store.Client().Update(t.Context(), &ledger))
		marker := s.readMarker(t)
		annotate(marker, "example.com/note", "which is no reason to check all ledgers again")
		must(s.store.Client().Update(t.Context(), marker))
		s.edit(t.Context(), s.plan.Scenario.Edit)
		s.notifyManagers()
		s.expectPosted(t, converting, 1, v1alpha1.ReasonLedgerLost)
		if message := s.message(); !strings.Contains(message, `belongs to another cluster ("elsewhere")`) {
			t.Errorf("the message is %q", message)
		}
		s.setResolution(t, "Succeeded")
		s.expectPosted(t, converting, 1, v1alpha1.ReasonInSync)
	})
}

func TestR5WithoutTheMarkerNoLedgerIsCreated(t *testing.T) {
	t.Parallel()
	for _, operation := range []v1alpha1.Operation{ordering, converting, v1alpha1.OperationDiagnosticTest} {
		t.Run(string(operation), func(t *testing.T) {
			t.Parallel()
			runMarked(t, operation, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.startBeforeObjects(t)
				s.deleteAllLedgers(t)
				s.expectPosted(t, operation, 0, v1alpha1.ReasonLedgerLost)
				if made := s.ledgers(t); len(made) > 0 {
					t.Errorf("%s was created", made[0].Name)
				}
				s.restart() // as objects that are older than the operator
				s.expectPosted(t, operation, 0, v1alpha1.ReasonNewInstallation)
			})
		})
	}
}

// Without the marker, a value that is trusted because a person has confirmed it is not recorded,
// and it blocks nothing.
func TestR5WithoutTheMarkerNothingLearnedIsRecorded(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*testing.T, *scriptedRun){
		"the marker is gone": func(t *testing.T, s *scriptedRun) { t.Helper(); s.deleteAllLedgers(t); s.notifyManagers() },
		"it was restored":    func(t *testing.T, s *scriptedRun) { t.Helper(); s.moveToOtherCluster(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runMarked(t, converting, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.startBeforeObjects(t)
				must(s.store.Client().Delete(t.Context(), s.subject()))
				change(t, s)
				s.create(t.Context())
				s.edit(t.Context(), func(subject Subject) {
					if service, is := subject.(*v1alpha1.BroadbandService); is {
						service.Spec.TrustDeclared = []v1alpha1.TrustedAspect{v1alpha1.TrustAggregationMethod}
					}
				})
				s.notifyManagers()
				s.expectPosted(t, converting, 0, v1alpha1.ReasonInSync)
				if made := s.ledgers(t); len(made) > 0 {
					t.Errorf("%s was created", made[0].Name)
				}
			})
		})
	}
}

func TestR5LostLedgerStaysLostWithoutTheMarker(t *testing.T) {
	t.Parallel()
	runMarked(t, ordering, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.startBeforeObjects(t)
		s.expectPosted(t, ordering, 1, v1alpha1.ReasonSubmitted)
		s.deleteAllLedgers(t)
		s.notifyManagers()
		s.expectPosted(t, ordering, 1, v1alpha1.ReasonLedgerLost)
		s.restart()
		s.expectPosted(t, ordering, 1, v1alpha1.ReasonPlanned)
	})
}

// A forged status does not block forever, and it is reported.
func TestR5ImpossibleRevisionIsReported(t *testing.T) {
	t.Parallel()
	runScript(t, converting, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.expectPosted(t, converting, 1, v1alpha1.ReasonInSync)
		service := s.service(t)
		service.Status.Ledger.Revision = 1 << 60
		must(s.store.Client().Status().Update(t.Context(), service))
		s.edit(t.Context(), s.plan.Scenario.Edit)
		s.restart()
		s.expectPosted(t, converting, 2, v1alpha1.ReasonInSync)
		if !slices.ContainsFunc(s.world.Events.All(), func(event string) bool {
			return strings.HasPrefix(event, "Warning LedgerRevisionIgnored status.ledger.revision 1152921504606846976")
		}) {
			t.Errorf("there is no Event: %q", s.world.Events.All())
		}
		if ended := s.ledgers(t)[0].Spec.Ended; len(ended) != 2 {
			t.Errorf("an attempt that was not sent is recorded: %+v", ended)
		}
	})
}
