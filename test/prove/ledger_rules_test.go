// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

const ordering = v1alpha1.OperationOrderCreate

// onlyLedger returns the only ledger besides the login's; nil for none.
func (s *scriptedRun) onlyLedger(t *testing.T) *v1alpha1.RequestLedger {
	t.Helper()
	var ledgers v1alpha1.RequestLedgerList
	must(s.store.Client().List(t.Context(), &ledgers))
	for i := range ledgers.Items {
		if ledgers.Items[i].Spec.Account == nil {
			return &ledgers.Items[i]
		}
	}
	return nil
}

// loseLedger force-deletes the ledger.
func (s *scriptedRun) loseLedger(t *testing.T) {
	t.Helper()
	ledger := s.onlyLedger(t)
	ledger.Finalizers = nil
	must(s.store.Client().Update(t.Context(), ledger))
	must(s.store.Client().Delete(t.Context(), ledger))
}

// restart replaces the first process with a new one.
func (s *scriptedRun) restart() {
	s.managers[0] = s.start()
	s.managers[0].env = s
}

// replaceObject deletes the object and applies it again.
func (s *scriptedRun) replaceObject(t *testing.T) {
	t.Helper()
	must(client.IgnoreNotFound(s.store.Client().Delete(t.Context(), s.subject())))
	s.create(t.Context())
	s.notifyManagers()
}

// expectOrders expects that the carrier has seen the given number of orders, and that the object
// has the given reason.
func (s *scriptedRun) expectOrders(t *testing.T, seen int, wantReason string) {
	t.Helper()
	reason, _, _ := stateOf(s.subject())
	if posted := s.posted(ordering); posted != seen || reason != wantReason {
		t.Fatalf("%d orders were sent, not %d, and the object is %s, not %s", posted, seen, reason, wantReason)
	}
}

// Between the last read of the object and the POST, another object takes the order over.
func TestR12OrderTakenOverByAnotherObjectIsNotSent(t *testing.T) {
	t.Parallel()
	runScript(t, ordering, 2, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.faultAt = atFirst("read order-", func() FaultKind {
			s.replaceObject(t)
			s.managers[1].pass(t.Context())
			return noFault
		})
		s.managers[0].pass(t.Context())
		if posted := s.posted(ordering); posted != 0 {
			t.Errorf("%d orders were sent by an intent that is another object's now", posted)
		}
		s.drive(t.Context())
		s.expectOrders(t, 1, v1alpha1.ReasonSubmitted)
	})
}

func TestR5OrderWithoutItsLedgerIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for name, restarts := range map[string]bool{"known by the status (R5)": true, "known by the process (R6)": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runScript(t, ordering, 1, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.drive(t.Context())
				s.loseLedger(t)
				if restarts {
					s.restart()
				} else {
					s.replaceObject(t)
				}
				s.notifyManagers()
				s.drive(t.Context())
				s.expectOrders(t, 1, v1alpha1.ReasonLedgerLost)
				s.setResolution(t, "Succeeded")
				s.drive(t.Context())
				s.expectOrders(t, 1, v1alpha1.ReasonSubmitted)
			})
		})
	}
}

// A backup of the ledgers is older than the order.
func TestR5OrderWithALedgerOlderThanItsStatusIsNotSentAgain(t *testing.T) {
	t.Parallel()
	runScript(t, ordering, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.drive(t.Context())
		older := s.onlyLedger(t)
		s.loseLedger(t)
		older.ResourceVersion, older.UID = "", ""
		older.Spec.Revision, older.Spec.Last, older.Spec.Ended = 1, nil, nil
		must(s.store.Client().Create(t.Context(), older))
		s.restart()
		s.drive(t.Context())
		s.expectOrders(t, 1, v1alpha1.ReasonLedgerLost)
	})
}

// M8, M9 and S7 of the review, for orders: nothing that happens to the object changes the ledger.
func TestR25OrderIsSentOnceWhenItsObjectIsReplacedOrRestored(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*testing.T, *scriptedRun){
		"deleted and applied again": func(t *testing.T, s *scriptedRun) { t.Helper(); s.replaceObject(t) },
		"status emptied":            func(t *testing.T, s *scriptedRun) { t.Helper(); s.loseStatus(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runScript(t, ordering, 1, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.drive(t.Context())
				change(t, s)
				s.restart()
				s.drive(t.Context())
				s.expectOrders(t, 1, v1alpha1.ReasonSubmitted)
			})
		})
	}
}

// S2 of the review: a 429 uses up no approval.
func TestR11OrderKeepsItsApprovalAfterA429(t *testing.T) {
	t.Parallel()
	runScript(t, ordering, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.edit(t.Context(), func(subject Subject) {
			if order, is := subject.(*v1alpha1.ServiceOrder); is {
				order.Spec.Approval = v1alpha1.ApprovalAlways
			}
		})
		s.drive(t.Context())
		s.expectOrders(t, 0, v1alpha1.ReasonAwaitingApproval)
		s.faultAt = atFirst("POST /api/", func() FaultKind { return Throttled })
		s.edit(t.Context(), func(subject Subject) {
			if order, is := subject.(*v1alpha1.ServiceOrder); is {
				annotate(order, v1alpha1.AnnotationApprove, order.Status.Pending.Hash)
			}
		})
		s.notifyManagers()
		s.drive(t.Context())
		s.expectOrders(t, 1, v1alpha1.ReasonSubmitted) // the 429 came from a proxy in front of the carrier
	})
}

// A retry request is for one attempt. The process ends when the refusal of that attempt is in the
// ledger but not yet in the status.
func TestR21UsedRetryRequestIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	runScript(t, ordering, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		posts := 0
		s.faultAt = func(effect Effect) FaultKind {
			if effect.Op == Post {
				posts++
				return Invalid
			}
			if posts > 1 && strings.HasPrefix(effect.What, "update *v1alpha1.RequestLedger order-") {
				return CrashAfter
			}
			return noFault
		}
		s.drive(t.Context())
		s.runFor(t, s.managers[0], time.Minute)
		asked := now().Format(time.RFC3339)
		s.edit(t.Context(), func(subject Subject) { annotate(subject, v1alpha1.AnnotationRetry, asked) })
		s.notifyManagers()
		s.drive(t.Context())
		if sent := s.posted(ordering); posts != 2 || sent != 0 {
			t.Errorf("of %d attempts the second was the retry, and %d more were sent", posts, sent)
		}
		if used := s.subject().Record().Controls().Retry; used != asked {
			t.Errorf("the retry %q is recorded as used, not %q", used, asked)
		}
	})
}

// M3 of the review: a response is late, and the object is gone by then.
func TestR16ResponseToADeletedOrderIsRecorded(t *testing.T) {
	t.Parallel()
	runScript(t, ordering, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.faultAt = atFirst("POST /api/", func() FaultKind {
			must(s.store.Client().Delete(t.Context(), s.subject()))
			return noFault
		})
		s.runFor(t, s.managers[0], time.Minute)
		newest := s.onlyLedger(t).RequestOf(ordering)
		if newest.Phase != v1alpha1.PhaseSucceeded || !strings.HasPrefix(newest.Location, "/api/connect/orders/") {
			t.Errorf("the recorded request is %+v", newest)
		}
	})
}

// M3 of the review. A person who asks the carrier too early may resolve an order as not accepted,
// and another order is sent. Then the response to the first order arrives.
func TestR15OrderAcceptedLateWaitsForAPerson(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		approval   v1alpha1.Approval // Always: no second order is sent
		resolution string
		reason     string
		shown      int // which of the accepted orders the object shows in the end
	}{
		"it counts":        {v1alpha1.ApprovalAutomatic, "Succeeded", v1alpha1.ReasonSubmitted, 0},
		"it was cancelled": {v1alpha1.ApprovalAutomatic, "Abandoned", v1alpha1.ReasonSubmitted, 1},
		"the only one":     {v1alpha1.ApprovalAlways, "Succeeded", v1alpha1.ReasonSubmitted, 0},
		"the only one, which was cancelled": {
			v1alpha1.ApprovalAlways, "Abandoned", v1alpha1.ReasonAbandoned, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runScript(t, ordering, 2, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.acceptLate(t, test.approval)
				orders := len(s.sent)
				s.expectOrders(t, orders, v1alpha1.ReasonLateAcceptance)
				s.setResolution(t, "NotAccepted")
				s.drive(t.Context())
				s.expectOrders(t, orders, v1alpha1.ReasonLateAcceptance)
				s.setResolution(t, test.resolution)
				s.drive(t.Context())
				s.expectOrders(t, orders, test.reason)
				shown := s.subject().Record().RequestOf(ordering).Location
				if of := s.sent[test.shown].requestID; !strings.HasSuffix(shown, "/"+of) {
					t.Errorf("the object shows %s, not order %s", shown, of)
				}
			})
		})
	}
}

// acceptLate delays an order's response until a person has resolved it as not accepted, and another
// was sent because of that if the approval mode allows it.
func (s *scriptedRun) acceptLate(t *testing.T, approval v1alpha1.Approval) {
	t.Helper()
	asleep, other := s.managers[0], s.managers[1]
	s.faultAt = atFirst("POST /api/", delayed)
	s.whileDelayed = func() {
		s.runFor(t, other, 8*time.Minute)
		s.editAccount(t, func(account *v1alpha1.CarrierAccountSpec) { account.Approval = approval })
		s.setResolution(t, "NotAccepted")
		s.runFor(t, other, 8*time.Minute)
	}
	s.runFor(t, asleep, time.Minute)
	s.drive(t.Context())
	first := s.sent[0].requestID
	if !slices.ContainsFunc(s.world.Events.All(), func(event string) bool {
		return strings.Contains(event, "LateAcceptance") && strings.Contains(event, first)
	}) {
		t.Errorf("no Event names order %s: %q", first, s.world.Events.All())
	}
}
