package carrier

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// versionTable is spec §9, transcribed row by row: the families at versions 1 to 8. A digit stands
// for a version that exists, a dot for one that does not.
var versionTable = map[Operation]string{
	AggregationConversion:     "...45678",
	DSLStabilityProfileChange: "...45678",
	FibreBuildCharge:          ".....678",
	Health:                    "....5678",
	Reclaim:                   "12345678",
	AppointmentSlots:          "12345678",
	AppointmentCancel:         "12345678",
	DiagnosticTest:            "12345678",
	CancellationReschedule:    "12345678",
	CancellationAbort:         "12345678",
	PlanChange:                "12345678",
	PlanOptions:               "12345678",
	OrderCreate:               "12345678", // §9 has no row for orders
}

func TestEveryOperationAtEveryVersion(t *testing.T) {
	if got, want := len(versionTable), len(contracts); got != want {
		t.Fatalf("%d rows for %d operations", got, want)
	}
	for op, row := range versionTable {
		contract, ok := ContractOf(op)
		if !ok {
			t.Fatalf("no row for %s", op)
		}
		for i, mark := range row {
			checkVersion(t, contract, i+1, mark)
		}
	}
}

func checkVersion(t *testing.T, contract Contract, version int, mark rune) {
	t.Helper()
	exists := mark != '.'
	err := contract.SupportedAt(version)
	if _, named := errors.AsType[*UnsupportedVersionError](err); (err == nil) != exists || named == exists {
		t.Errorf("%s at version %d: %v, want exists %t", contract.Operation, version, err, exists)
	}
}

// versionRecorder is a client of a carrier that refuses every call, and the version of its last
// call.
type versionRecorder struct {
	*Client

	last atomic.Value
}

func newVersionRecorder(t *testing.T) *versionRecorder {
	t.Helper()
	recorder := new(versionRecorder)
	recorder.Client = testClient(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		recorder.last.Store(r.Header.Get("X-Api-Version"))
		respond(http.StatusNotFound, refusal(http.StatusNotFound))(w, r)
	}).URL)
	return recorder
}

// check submits once, and checks whether anything was sent, and at which version.
func (s *versionRecorder) check(t *testing.T, op Operation, version int, body []byte, mark rune) Receipt {
	t.Helper()
	want, delivery := "", NotSent
	if mark != '.' {
		want, delivery = fmt.Sprint(version), Rejected
	}
	s.last.Store("")
	receipt := s.Submit(t.Context(), op, version, body)
	if receipt.Delivery != delivery || s.last.Load() != want {
		t.Errorf("%s at version %d: %s (%v), sent as %q; want %s as %q",
			op, version, receipt.Delivery, receipt.Err, s.last.Load(), delivery, want)
	}
	return receipt
}

// TestVersionsOnTheWire: operations that do not exist at a version are never sent, and the others
// carry their version.
func TestVersionsOnTheWire(t *testing.T) {
	for op, row := range versionTable {
		recorder := newVersionRecorder(t)
		for i, mark := range ".." + row + ".." { // from -1 to 10
			recorder.check(t, op, i-1, healthBody, mark)
		}
	}
}

// A decision that builds no body for an operation must not become a request.
func TestNoRequestIsSentWithoutABody(t *testing.T) {
	for op := range versionTable {
		newVersionRecorder(t).check(t, op, versionLast, nil, '.')
	}
}

// planChangeAt are the rules of spec §9 for the body of a plan change: which versions accept which.
var planChangeAt = map[string]struct {
	request PlanChangeRequest
	takes   string
}{
	"a plan":                      {PlanChangeRequest{PlanName: "Fast", Term: 12}, "12345678"},
	"an SLA":                      {PlanChangeRequest{RestorationSLA: "Enhanced"}, ".....678"},
	"an NTD option alone":         {PlanChangeRequest{NTDOption: "1_PORT"}, "1234567."},
	"an NTD option with a name":   {PlanChangeRequest{NTDOption: "1_PORT", ContactName: "a"}, "1234567."},
	"an NTD option, two contacts": {PlanChangeRequest{NTDOption: "1", ContactName: "a", ContactPhone: "1"}, "1234567."},
	"an NTD option with all three": {
		PlanChangeRequest{NTDOption: "1", ContactName: "a", ContactPhone: "1", ContactEmail: "e"}, "12345678",
	},
	"contacts alone":           {PlanChangeRequest{ContactName: "a", ContactPhone: "1", ContactEmail: "e"}, "12345678"},
	"an SLA and an NTD option": {PlanChangeRequest{RestorationSLA: "Enhanced", NTDOption: "1_PORT"}, ".....67."},
}

// TestPlanChangeBodiesAtEveryVersion: the request's own check and Submit agree, and nothing that
// they refuse is sent.
func TestPlanChangeBodiesAtEveryVersion(t *testing.T) {
	for name, test := range planChangeAt {
		t.Run(name, func(t *testing.T) {
			recorder := newVersionRecorder(t)
			for i, mark := range test.takes {
				err := test.request.Check(i + 1)
				receipt := recorder.check(t, PlanChange, i+1, test.request.Body(), mark)
				if refused := mark == '.'; refused != (err != nil) || refused && !sameText(receipt.Err.Unwrap(), err) {
					t.Errorf("version %d: %v, but the check says %v", i+1, receipt.Err, err)
				}
			}
		})
	}
}

func sameText(a, b error) bool { return a != nil && b != nil && a.Error() == b.Error() }

// TestPollPathsAtEveryVersion: only version 5 of health is polled at a different path.
func TestPollPathsAtEveryVersion(t *testing.T) {
	for contract := range Contracts() {
		var paths []string
		for version := contract.MinVersion; version <= contract.MaxVersion; version++ {
			paths = append(paths, contract.PollPathAt(version))
		}
		want := []string{contract.PollPath}
		if contract.Operation == Health {
			want = slices.Insert(want, 0, strings.Replace(contract.PollPath, "requests", "request", 1))
		}
		if diff := cmp.Diff(want, slices.Compact(paths)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", contract.Operation, diff)
		}
	}
}
