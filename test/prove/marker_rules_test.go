// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"
)

func TestR5NothingWaitsWhereTheOperatorWasFirst(t *testing.T) {
	t.Parallel()
	marked(t, ordering, func(t *testing.T, s *scripted) {
		t.Helper()
		s.operatorFirst(t)
		s.expect(t, ordering, 1, v1alpha1.ReasonSubmitted)
		if marker := s.theMarker(t).Spec.Marker; marker.Waits != "" {
			t.Errorf("%s is to be acknowledged", marker.Waits)
		}
	})
}

func TestR5WhatWasAppliedBeforeTheOperatorWaits(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		asks v1alpha1.Operation
		done string
	}{
		{ordering, v1alpha1.ReasonSubmitted},
		{v1alpha1.OperationDiagnosticTest, v1alpha1.ReasonCompleted},
		{converting, v1alpha1.ReasonInSync},
		{v1alpha1.OperationDSLStabilityProfileChange, v1alpha1.ReasonInSync},
	} {
		asks, done := one.asks, one.done
		t.Run(string(asks), func(t *testing.T) {
			t.Parallel()
			marked(t, asks, func(t *testing.T, s *scripted) {
				t.Helper()
				s.expect(t, asks, 0, v1alpha1.ReasonNewInstallation)
				s.restart()
				s.expect(t, asks, 0, v1alpha1.ReasonNewInstallation)
				s.acknowledge(t)
				s.expect(t, asks, 1, done)
				s.restart()
				s.expect(t, asks, 1, done)
				if kept := s.theMarker(t).Annotations; len(kept) > 0 {
					t.Errorf("the annotation is not used up: %v", kept)
				}
			})
		})
	}
}

// "Everything else goes on": a plan is read before it is changed, and so is a cancellation.
func TestR5AChangeOfWhatIsReadWaitsForNobody(t *testing.T) {
	t.Parallel()
	for _, asks := range []v1alpha1.Operation{v1alpha1.OperationPlanChange, v1alpha1.OperationCancellationAbort} {
		t.Run(string(asks), func(t *testing.T) {
			t.Parallel()
			marked(t, asks, func(t *testing.T, s *scripted) {
				t.Helper()
				s.expect(t, asks, 1, v1alpha1.ReasonInSync)
				s.restart() // with a ledger by now, whose revision the status contains
				s.expect(t, asks, 1, v1alpha1.ReasonInSync)
				if marker := s.theMarker(t).Spec.Marker; marker.Waits != v1alpha1.MarkerNewInstallation {
					t.Errorf("%+v is not what it was", marker)
				}
			})
		})
	}
}

// Objects and their statuses were restored, but no ledger.
func TestR5ARecoveryWithoutLedgersSendsNothing(t *testing.T) {
	t.Parallel()
	marked(t, ordering, func(t *testing.T, s *scripted) {
		t.Helper()
		s.operatorFirst(t)
		s.expect(t, ordering, 1, v1alpha1.ReasonSubmitted)
		s.forget(t)
		s.moves(t)
		s.expect(t, ordering, 1, v1alpha1.ReasonPlanned)
		s.restart()
		s.expect(t, ordering, 1, v1alpha1.ReasonPlanned)
		if left := s.ledgers(t); len(left) > 0 {
			t.Fatalf("a restore would find %s there", left[0].Name)
		}
		s.acknowledge(t)
		s.expect(t, ordering, 1, v1alpha1.ReasonLedgerLost)
		s.says(t, "Succeeded")
		s.expect(t, ordering, 1, v1alpha1.ReasonSubmitted)
	})
}

// The account of a restored object may appear later. Until then the object keeps the ledger
// reference in its status.
func TestR5AStatusOutlastsThatThereIsNoAccount(t *testing.T) {
	t.Parallel()
	script(t, ordering, 1, func(t *testing.T, s *scripted) {
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
func TestR26ARecoveryIntoAnotherClusterIsOneAcknowledgement(t *testing.T) {
	t.Parallel()
	for name, leaves := range map[string]func(*testing.T, *scripted){
		"with the marker":    func(*testing.T, *scripted) {},
		"without the marker": func(t *testing.T, s *scripted) { t.Helper(); s.drop(t, s.theMarker(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			marked(t, converting, func(t *testing.T, s *scripted) {
				t.Helper()
				s.operatorFirst(t)
				s.passes(t, s.managers[0], 10*time.Second)
				leaves(t, s)
				s.moves(t)
				s.expect(t, converting, 1, v1alpha1.ReasonInSync)
				s.edit(t.Context(), s.plan.Scenario.Edit)
				s.alert()
				s.expect(t, converting, 1, v1alpha1.ReasonPlanned)
				s.restart()
				s.expect(t, converting, 1, v1alpha1.ReasonPlanned)
				s.acknowledge(t)
				s.expect(t, converting, 2, v1alpha1.ReasonInSync)
				s.restart()
				s.expect(t, converting, 2, v1alpha1.ReasonInSync)
			})
		})
	}
}

// While the operator runs, someone replaces the ledger with one of another cluster.
func TestR26ALedgerOfAnotherClusterIsLost(t *testing.T) {
	t.Parallel()
	marked(t, converting, func(t *testing.T, s *scripted) {
		t.Helper()
		s.operatorFirst(t)
		s.expect(t, converting, 1, v1alpha1.ReasonInSync)
		ledger := s.ledgers(t)[0]
		ledger.Spec.Cluster = "elsewhere"
		must(s.store.Client().Update(t.Context(), &ledger))
		marker := s.theMarker(t)
		annotate(marker, "example.com/note", "which is no reason to look at all ledgers again")
		must(s.store.Client().Update(t.Context(), marker))
		s.edit(t.Context(), s.plan.Scenario.Edit)
		s.alert()
		s.expect(t, converting, 1, v1alpha1.ReasonLedgerLost)
		if said := s.message(); !strings.Contains(said, `of another cluster ("elsewhere")`) {
			t.Errorf("it says %q", said)
		}
		s.says(t, "Succeeded")
		s.expect(t, converting, 1, v1alpha1.ReasonInSync)
	})
}

func TestR5WithoutTheMarkerNoLedgerIsCreated(t *testing.T) {
	t.Parallel()
	for _, asks := range []v1alpha1.Operation{ordering, converting, v1alpha1.OperationDiagnosticTest} {
		t.Run(string(asks), func(t *testing.T) {
			t.Parallel()
			marked(t, asks, func(t *testing.T, s *scripted) {
				t.Helper()
				s.operatorFirst(t)
				s.forget(t)
				s.expect(t, asks, 0, v1alpha1.ReasonLedgerLost)
				if made := s.ledgers(t); len(made) > 0 {
					t.Errorf("%s was created", made[0].Name)
				}
				s.restart() // as objects that are older than the operator
				s.expect(t, asks, 0, v1alpha1.ReasonNewInstallation)
			})
		})
	}
}

// What is taken as true because a person confirmed it is not recorded meanwhile, and blocks
// nothing.
func TestR5WithoutTheMarkerNothingLearnedIsRecorded(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(*testing.T, *scripted){
		"the marker is gone": func(t *testing.T, s *scripted) { t.Helper(); s.forget(t); s.alert() },
		"it was restored":    func(t *testing.T, s *scripted) { t.Helper(); s.moves(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			marked(t, converting, func(t *testing.T, s *scripted) {
				t.Helper()
				s.operatorFirst(t)
				must(s.store.Client().Delete(t.Context(), s.subject()))
				happens(t, s)
				s.create(t.Context())
				s.edit(t.Context(), func(subject Subject) {
					if service, is := subject.(*v1alpha1.BroadbandService); is {
						service.Spec.TrustDeclared = []v1alpha1.TrustedAspect{v1alpha1.TrustAggregationMethod}
					}
				})
				s.alert()
				s.expect(t, converting, 0, v1alpha1.ReasonInSync)
				if made := s.ledgers(t); len(made) > 0 {
					t.Errorf("%s was created", made[0].Name)
				}
			})
		})
	}
}

func TestR5WithoutTheMarkerWhatIsLostStaysSo(t *testing.T) {
	t.Parallel()
	marked(t, ordering, func(t *testing.T, s *scripted) {
		t.Helper()
		s.operatorFirst(t)
		s.expect(t, ordering, 1, v1alpha1.ReasonSubmitted)
		s.forget(t)
		s.alert()
		s.expect(t, ordering, 1, v1alpha1.ReasonLedgerLost)
		s.restart()
		s.expect(t, ordering, 1, v1alpha1.ReasonPlanned)
	})
}

// A forged status does not block forever, and it is reported.
func TestR5ARevisionThatNoLedgerComesToIsReported(t *testing.T) {
	t.Parallel()
	script(t, converting, 1, func(t *testing.T, s *scripted) {
		t.Helper()
		s.expect(t, converting, 1, v1alpha1.ReasonInSync)
		service := s.service(t)
		service.Status.Ledger.Revision = 1 << 60
		must(s.store.Client().Status().Update(t.Context(), service))
		s.edit(t.Context(), s.plan.Scenario.Edit)
		s.restart()
		s.expect(t, converting, 2, v1alpha1.ReasonInSync)
		if !slices.ContainsFunc(s.world.Events.All(), func(said string) bool {
			return strings.HasPrefix(said, "Warning LedgerRevisionIgnored status.ledger.revision 1152921504606846976")
		}) {
			t.Errorf("nobody was told: %q", s.world.Events.All())
		}
		if ended := s.ledgers(t)[0].Spec.Ended; len(ended) != 2 {
			t.Errorf("an attempt that was not sent is on record: %+v", ended)
		}
	})
}
