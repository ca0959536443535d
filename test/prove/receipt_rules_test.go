// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"strings"
	"testing"
	"time"

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

// eachReceipt runs a test with each of them.
func eachReceipt(t *testing.T, scene func(*testing.T, *scripted, receipt)) {
	t.Helper()
	for _, one := range receipts() {
		t.Run(string(one.operation), func(t *testing.T) {
			t.Parallel()
			script(t, one.operation, 1, func(t *testing.T, s *scripted) { t.Helper(); scene(t, s, one) })
		})
	}
}

// leavesShown makes the process fail to record the response, and then makes the API server
// available again. By then the status shows the response.
func (s *scripted) leavesShown(t *testing.T, operation v1alpha1.Operation) {
	t.Helper()
	s.records(t, 4*time.Minute)
	s.at = nil
	s.expectShown(t, operation)
}

// refusesAfter makes the API server refuse all writes of a ledger after a POST.
func (s *scripted) refusesAfter(path string) {
	out := false
	s.at = func(effect Effect) Kind {
		out = out || strings.HasPrefix(effect.What, path)
		if out && effect.Sort == Write && strings.Contains(effect.What, " *v1alpha1.RequestLedger ") {
			return Refused
		}
		return nothing
	}
}

// "Ledger refused ... after the POST: Warning Event, metric, the receipt into the object's status".
// The process that had the response ends before it could be recorded.
func TestR16AReceiptThatNoLedgerTakesIsInTheStatus(t *testing.T) {
	t.Parallel()
	eachReceipt(t, func(t *testing.T, s *scripted, one receipt) {
		t.Helper()
		s.refusesAfter(one.path)
		s.leavesShown(t, one.operation)
		s.restart()
		s.drive(t.Context())
		s.expectAsks(t, one.operation, v1alpha1.ReasonLedgerLost)
		s.says(t, "Accepted:"+s.requestID(one.operation))
		s.drive(t.Context())
		s.expectRecorded(t, one.operation, 3)
	})
}

// The ledger is force-deleted while the response is on its way, and none can be created.
func TestR16AReceiptOfALedgerThatIsGoneIsInTheStatus(t *testing.T) {
	t.Parallel()
	eachReceipt(t, func(t *testing.T, s *scripted, one receipt) {
		t.Helper()
		s.refusesAfter(one.path)
		refuses := s.at
		s.at = func(effect Effect) Kind {
			if strings.HasPrefix(effect.What, one.path) && s.theLedger(t) != nil {
				s.loseLedger(t)
			}
			return refuses(effect)
		}
		s.leavesShown(t, one.operation)
		s.restart()
		s.drive(t.Context())
		s.expectAsks(t, one.operation, v1alpha1.ReasonLedgerLost)
	})
}

// The process retries until the ledger can be written: no person is needed.
func TestR16AReceiptInAStatusAsksNobodyWhileItsProcessLives(t *testing.T) {
	t.Parallel()
	eachReceipt(t, func(t *testing.T, s *scripted, one receipt) {
		t.Helper()
		s.refusesAfter(one.path)
		s.leavesShown(t, one.operation)
		s.records(t, time.Minute)
		if request := s.theLedger(t).RequestOf(one.operation); request == nil || request.Location == "" ||
			request.Error != nil {
			t.Errorf("on record is %+v", request)
		}
		s.expectRecorded(t, one.operation, 3)
	})
}

// requestID returns the carrier's number of the only request of an operation.
func (s *scripted) requestID(operation v1alpha1.Operation) string {
	for _, one := range s.sent {
		if one.operation == operation {
			return one.requestID
		}
	}
	return ""
}

// expectShown expects that the status contains the receipt and the ledger does not.
func (s *scripted) expectShown(t *testing.T, operation v1alpha1.Operation) {
	t.Helper()
	object := s.plan.Scenario.Empty() // its status, and not what the ledger has
	must(s.store.Client().Get(t.Context(), s.name, object))
	shown, id := object.RequestOf(operation), s.requestID(operation)
	if shown == nil || id == "" || !strings.HasSuffix(shown.Location, "/"+id) {
		t.Fatalf("the status shows %+v, and not request %s", shown, id)
	}
	if ledger := s.theLedger(t); ledger != nil && ledger.RequestOf(operation).Location != "" {
		t.Fatal("the ledger has taken it")
	}
}

// expectAsks expects that one request was sent, and that the object names it and waits for a
// person.
func (s *scripted) expectAsks(t *testing.T, operation v1alpha1.Operation, reason string) {
	t.Helper()
	said, _, stuck := stateOf(s.subject())
	id, words := s.requestID(operation), s.message()
	if s.posted(operation) != 1 || said != reason || !stuck || !strings.Contains(words, "/"+id) {
		t.Fatalf("%d were sent, and the object is %s, and does not name request %s: %s", s.posted(operation), said, id, words)
	}
}
