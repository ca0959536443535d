// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// receipt is a request whose response cannot be written into a ledger.
type receipt struct {
	operation v1alpha1.Operation
	path      string
}

func receipts() []receipt {
	return []receipt{
		{ordering, "POST /api/connect/orders"},
		{changing, "POST /api/connect/services/plan-changes"},
		{converting, "POST /api/connect/services/aggregation-conversions"},
		{diagnosing, "POST /api/connect/services/diagnostic-tests"},
	}
}

// forEachReceipt runs a test with each of the receipts.
func forEachReceipt(t *testing.T, test func(*testing.T, *scriptedRun, receipt)) {
	t.Helper()
	for _, one := range receipts() {
		t.Run(string(one.operation), func(t *testing.T) {
			t.Parallel()
			runScript(t, one.operation, 1, func(t *testing.T, s *scriptedRun) { t.Helper(); test(t, s, one) })
		})
	}
}

// leaveInStatus makes the process fail to record the response, and then makes the API server
// available again. By then the status shows the response.
func (s *scriptedRun) leaveInStatus(t *testing.T, operation v1alpha1.Operation) {
	t.Helper()
	s.runAndRecord(t, 4*time.Minute)
	s.faultAt = nil
	s.expectShown(t, operation)
}

// refuseLedgerWritesAfter makes the API server refuse all writes of a ledger after a POST.
func (s *scriptedRun) refuseLedgerWritesAfter(path string) {
	out := false
	s.faultAt = func(effect Effect) FaultKind {
		out = out || strings.HasPrefix(effect.What, path)
		if out && effect.Op == Write && strings.Contains(effect.What, " *v1alpha1.RequestLedger ") {
			return Refused
		}
		return noFault
	}
}

// The process that had the response ends before it could be recorded, and only the status has it.
func TestR16ResponseThatNoLedgerAcceptsIsInTheStatus(t *testing.T) {
	t.Parallel()
	forEachReceipt(t, func(t *testing.T, s *scriptedRun, one receipt) {
		t.Helper()
		s.refuseLedgerWritesAfter(one.path)
		s.leaveInStatus(t, one.operation)
		s.restart()
		s.drive(t.Context())
		s.expectWaitsForPerson(t, one.operation, v1alpha1.ReasonLedgerLost)
		s.setResolution(t, "Accepted:"+s.requestID(one.operation))
		s.drive(t.Context())
		s.expectRecorded(t, one.operation, 3)
	})
}

// The ledger is force-deleted while the response is on its way, and none can be created.
func TestR16ResponseIsInTheStatusIfTheLedgerIsGone(t *testing.T) {
	t.Parallel()
	forEachReceipt(t, func(t *testing.T, s *scriptedRun, one receipt) {
		t.Helper()
		s.refuseLedgerWritesAfter(one.path)
		refuses := s.faultAt
		s.faultAt = func(effect Effect) FaultKind {
			if strings.HasPrefix(effect.What, one.path) && s.onlyLedger(t) != nil {
				s.loseLedger(t)
			}
			return refuses(effect)
		}
		s.leaveInStatus(t, one.operation)
		s.restart()
		s.drive(t.Context())
		s.expectWaitsForPerson(t, one.operation, v1alpha1.ReasonLedgerLost)
	})
}

// The process retries until the ledger can be written: no person is needed.
func TestR16ResponseInTheStatusNeedsNobodyWhileItsProcessRuns(t *testing.T) {
	t.Parallel()
	forEachReceipt(t, func(t *testing.T, s *scriptedRun, one receipt) {
		t.Helper()
		s.refuseLedgerWritesAfter(one.path)
		s.leaveInStatus(t, one.operation)
		s.runAndRecord(t, time.Minute)
		s.expectInLedger(t, one.operation)
		s.expectRecorded(t, one.operation, 3)
	})
}

// The carrier has rejected the order before, and for a while the response to the next attempt is in
// the status alone.
func TestR16AResponseInTheStatusIsNotRejectedWithTheOrderBefore(t *testing.T) {
	t.Parallel()
	runScript(t, ordering, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.runFor(t, s.managers[0], time.Minute)
		s.expectOrders(t, 1, v1alpha1.ReasonSubmitted)
		s.reject(t)
		s.refuseLedgerWritesAfter("POST " + submitPath(ordering))
		refuses := s.faultAt
		s.faultAt = func(effect Effect) FaultKind {
			if s.posted(ordering) == 1 && strings.HasPrefix(effect.What, "update status *v1alpha1.ServiceOrder") {
				return Refused // so that the status still shows the order before
			}
			return refuses(effect)
		}
		s.edit(t.Context(), func(subject Subject) {
			annotate(subject, v1alpha1.AnnotationResolve, s.sent[0].attempt+"=NotAccepted")
		})
		s.notifyManagers()
		s.runAndRecord(t, 4*time.Minute)
		s.faultAt = nil
		s.runAndRecord(t, time.Minute)
		s.expectOrders(t, 2, v1alpha1.ReasonSubmitted)
	})
}

// reject records a rejection of the order, as a notification does.
func (s *scriptedRun) reject(t *testing.T) {
	t.Helper()
	order, is := s.stored(t.Context()).(*v1alpha1.ServiceOrder)
	if !is {
		t.Fatal("there is no ServiceOrder")
	}
	order.Status.Rejection = &v1alpha1.Notice{Event: "OrderRejected", At: metav1.NewTime(now())}
	must(s.store.Client().Status().Update(t.Context(), order))
	s.notifyManagers()
	s.runFor(t, s.managers[0], time.Minute)
	s.expectOrders(t, 1, v1alpha1.ReasonOrderRejected)
}

// The account is deleted while the response cannot be recorded, and created again later (R15).
func TestR15ResponseIsKeptWhileTheAccountDoesNotExist(t *testing.T) {
	t.Parallel()
	forEachReceipt(t, func(t *testing.T, s *scriptedRun, one receipt) {
		t.Helper()
		s.refuseLedgerWritesAfter(one.path)
		s.runAndRecord(t, 4*time.Minute)
		s.expectShown(t, one.operation)
		account := s.account(t.Context())
		must(s.store.Client().Delete(t.Context(), account.DeepCopy()))
		s.notifyManagers()
		s.runAndRecord(t, time.Minute)
		account.ResourceVersion, account.UID = "", ""
		must(s.store.Client().Create(t.Context(), account))
		s.notifyOfAccount()
		s.faultAt = nil
		s.runAndRecord(t, time.Minute) // it logs in
		s.notifyManagers()
		s.runAndRecord(t, time.Minute)
		s.expectInLedger(t, one.operation)
		s.expectRecorded(t, one.operation, 3)
	})
}

// expectInLedger expects that the ledger contains the receipt.
func (s *scriptedRun) expectInLedger(t *testing.T, operation v1alpha1.Operation) {
	t.Helper()
	request := s.onlyLedger(t).RequestOf(operation)
	if request == nil || request.Location == "" || request.Error != nil {
		t.Errorf("the recorded request is %+v", request)
	}
}

// requestID returns the carrier's number for the only request of an operation.
func (s *scriptedRun) requestID(operation v1alpha1.Operation) string {
	for _, one := range s.sent {
		if one.operation == operation {
			return one.requestID
		}
	}
	return ""
}

// expectShown expects that the status contains the receipt and the ledger does not.
func (s *scriptedRun) expectShown(t *testing.T, operation v1alpha1.Operation) {
	t.Helper()
	object := s.plan.Scenario.Empty() // its status, and not what the ledger has
	must(s.store.Client().Get(t.Context(), s.name, object))
	shown, id := object.Record().RequestOf(operation), s.requestID(operation)
	if shown == nil || id == "" || !strings.HasSuffix(shown.Location, "/"+id) {
		t.Fatalf("the status shows %+v, and not request %s", shown, id)
	}
	if ledger := s.onlyLedger(t); ledger != nil && ledger.RequestOf(operation).Location != "" {
		t.Fatal("the ledger has it")
	}
}

// expectWaitsForPerson expects that one request was sent, and that the object names it and waits
// for a person.
func (s *scriptedRun) expectWaitsForPerson(t *testing.T, operation v1alpha1.Operation, wantReason string) {
	t.Helper()
	reason, _, stuck := stateOf(s.subject())
	id, message := s.requestID(operation), s.message()
	if s.posted(operation) != 1 || reason != wantReason || !stuck || !strings.Contains(message, "/"+id) {
		t.Fatalf("%d were sent, and the object is %s, and does not name request %s: %s",
			s.posted(operation), reason, id, message)
	}
}
