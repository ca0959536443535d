package carrier_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// The carrier of this file is hostile: it loses responses, breaks them, sends redirects and pages,
// forgets Locations, and grants expired tokens. Every run is one POST, tracked to its end, about
// its own subject, so that the results of the client can be checked against the simulator.

const (
	hostileRuns = 1000 // of each operation
	firstID     = int64(2_000_000)
	maxPolls    = 40 // polls of one request, before a run is given up
	randomSeed  = 20260314
)

// operationCase describes how one operation is tested, once for each of many ids.
type operationCase struct {
	op   carrier.Operation
	body func(thing int64) []byte
	// countKey is the key by which the simulator counts submissions about an id.
	countKey func(thing int64) string
	// verify checks that a result belongs to the request about the id.
	verify func(thing int64, result []byte) error
	// prepare creates what the operation needs; nil: nothing.
	prepare func(t *testing.T, w *wire, thing int64) int64
}

var errWrongResult = errors.New("the result is not that of the request")

func numberKey(id int64) string { return strconv.FormatInt(id, 10) }

func locationOf(id int64) string { return fmt.Sprintf("LOC%012d", id) }

func referenceOf(id int64) string { return fmt.Sprint("SITE-", id) }

// hostileSeed has hostileRuns services, orders or locations for an operation.
func hostileSeed(now time.Time, op carrier.Operation) simulator.Seed {
	world := seed(now)
	world.Services, world.Orders, world.FibreBuilds = nil, nil, nil
	for id := firstID; id < firstID+hostileRuns; id++ {
		line := simulator.Service{ID: id, Client: "reseller", Plan: "Basic", TechnologyType: "FTTN"}
		if op == carrier.CancellationReschedule || op == carrier.CancellationAbort {
			line.Cancellation = &simulator.Cancellation{Status: "REQUESTED", RequestDate: "2027-12-24"}
		}
		if op == carrier.Reclaim {
			line.Cancellation = &simulator.Cancellation{Status: "COMPLETED", RequestDate: "2026-03-01"}
			line.ReclaimableUntil = "2027-12-30"
		}
		world.Services = append(world.Services, line)
		world.Orders = append(world.Orders, simulator.PlacedOrder{ID: id, Client: "reseller"})
		world.FibreBuilds = append(world.FibreBuilds, simulator.FibreBuild{LocationID: locationOf(id), PriceCents: id})
	}
	return world
}

// operationCases has one case for every operation.
func operationCases() []operationCase {
	return append(serviceCases(), otherCases()...)
}

// serviceCase returns a case for an operation on services.
func serviceCase[Result any](
	op carrier.Operation, body func(service int64) []byte,
	decode func([]byte) (Result, error), proves func(service int64, result Result) bool,
) operationCase {
	return operationCase{
		op: op, body: body, countKey: numberKey,
		verify: func(service int64, result []byte) error {
			decoded, err := decode(result)
			if err == nil && !proves(service, decoded) {
				return errWrongResult
			}
			return err
		},
	}
}

// planFor is the plan that a service is changed to: for each tenth service, one whose changes fail.
func planFor(service int64) string {
	if service%10 == 0 {
		return "Doomed"
	}
	return "Fast"
}

func serviceCases() []operationCase {
	return append(changeCases(), []operationCase{
		serviceCase(carrier.CancellationReschedule, func(id int64) []byte {
			return carrier.CancellationRescheduleRequest{ServiceID: id, CancellationDate: "2027-12-31"}.Body()
		}, carrier.DecodeCancellation, func(id int64, r carrier.Cancellation) bool {
			return r.ServiceID == id && r.RequestDate == "2027-12-31"
		}),
		serviceCase(carrier.CancellationAbort, func(id int64) []byte {
			return carrier.CancellationAbortRequest{ServiceID: id}.Body()
		}, carrier.DecodeCancellation, func(id int64, r carrier.Cancellation) bool {
			return r.ServiceID == id && r.Status == carrier.CancellationAborted
		}),
		serviceCase(carrier.DiagnosticTest, func(id int64) []byte {
			return carrier.DiagnosticTestRequest{ServiceID: id, TestType: carrier.TestPortReset}.Body()
		}, carrier.DecodeDiagnosticTest, func(id int64, r carrier.DiagnosticTestResult) bool {
			return r.ServiceID == id && r.Result.IsActive != nil && !*r.Result.IsActive
		}),
		serviceCase(carrier.Health, func(id int64) []byte { return carrier.HealthRequest{ServiceID: id}.Body() },
			healthAt(8), func(_ int64, r carrier.HealthResult) bool {
				return r.Status == carrier.HealthCompleted && r.Plan == "Basic"
			}),
		serviceCase(carrier.PlanOptions, func(id int64) []byte { return carrier.PlanOptionsRequest{ServiceID: id}.Body() },
			carrier.DecodePlanOptions, func(_ int64, r carrier.PlanOptionsResult) bool { return len(r.Plans) == 3 }),
	}...)
}

func isCompleted(id int64, r carrier.RequestSummary) bool {
	return r.ServiceID == id && r.Status == completed
}

func changeCases() []operationCase {
	return []operationCase{
		serviceCase(carrier.PlanChange, func(id int64) []byte {
			return carrier.PlanChangeRequest{ServiceID: id, PlanName: planFor(id), Term: 12}.Body()
		}, carrier.DecodePlanChange, func(id int64, r carrier.PlanChangeResult) bool {
			return r.ServiceID == id && r.Plan.Plan == "Fast" && planFor(id) == "Fast" && r.Status == carrier.PlanChangeCompleted
		}),
		serviceCase(carrier.AggregationConversion, func(id int64) []byte {
			return carrier.AggregationConversionRequest{
				ServiceID: id, AggregationMethod: carrier.AggregationEthernet,
			}.Body()
		}, summaryOf(carrier.AggregationConversion), isCompleted),
		serviceCase(carrier.DSLStabilityProfileChange, func(id int64) []byte {
			return carrier.DSLStabilityProfileChangeRequest{ServiceID: id, DSLStabilityProfile: carrier.DSLStable}.Body()
		}, summaryOf(carrier.DSLStabilityProfileChange), isCompleted),
		serviceCase(carrier.Reclaim, func(id int64) []byte { return carrier.ReclaimRequest{ServiceID: id}.Body() },
			summaryOf(carrier.Reclaim), isCompleted),
	}
}

func otherCases() []operationCase {
	fibre := serviceCase(carrier.FibreBuildCharge, func(id int64) []byte {
		return carrier.FibreBuildChargeRequest{LocationID: locationOf(id)}.Body()
	}, carrier.DecodeFibreBuildCharge, func(id int64, r carrier.FibreBuildChargeResult) bool {
		return r.WholesaleLocationID == locationOf(id) && string(r.PriceValue) == numberKey(id)
	})
	fibre.countKey = locationOf
	slots := serviceCase(carrier.AppointmentSlots, func(id int64) []byte {
		return carrier.AppointmentSlotsRequest{DateFrom: "2027-12-01", OrderID: id}.Body()
	}, carrier.DecodeAppointmentSlots, func(_ int64, r []carrier.AppointmentSlot) bool { return len(r) > 0 })
	orders := serviceCase(carrier.OrderCreate, func(id int64) []byte {
		return carrier.OrderRequest{
			PlanName: "Basic", Term: 1, QualificationSearchID: "q-1", LocationID: location,
			CustomerReference: referenceOf(id), AggregationMethod: carrier.AggregationL2TP,
		}.Body()
	}, carrier.DecodeOrder, nil)
	orders.countKey = referenceOf
	cancels := operationCase{
		op: carrier.AppointmentCancel, countKey: numberKey, prepare: appointmentRequest,
		body: func(id int64) []byte { return carrier.AppointmentCancelRequest{AppointmentRequestID: id}.Body() },
	}
	return []operationCase{fibre, slots, orders, cancels}
}

// appointmentRequest requests slots until there is a request to withdraw.
func appointmentRequest(t *testing.T, w *wire, id int64) int64 {
	t.Helper()
	body := carrier.AppointmentSlotsRequest{DateFrom: "2027-12-01", OrderID: id}.Body()
	for {
		w.advance(time.Minute)
		receipt := w.Submit(t.Context(), carrier.AppointmentSlots, 8, body)
		if receipt.Delivery == carrier.Accepted {
			requestID, err := strconv.ParseInt(receipt.Handle.ID, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return requestID
		}
	}
}

// outcomes counts the outcomes of the runs of one operation.
type outcomes struct {
	deliveries map[carrier.Delivery]int
	completed  int // tracked to their end
}

// TestHostileCarrier: whatever the carrier does, there is no panic, at most one POST for each call
// of Submit, no false delivery and no false success.
func TestHostileCarrier(t *testing.T) {
	t.Parallel()
	for _, test := range operationCases() {
		t.Run(string(test.op), func(t *testing.T) {
			t.Parallel()
			w := newHostileWire(t, test.op)
			counts := outcomes{deliveries: make(map[carrier.Delivery]int)}
			for id := firstID; id < firstID+hostileRuns; id++ {
				test.run(t, w, id, &counts)
			}
			t.Logf("%v, %d completed", counts.deliveries, counts.completed)
			for _, delivery := range []carrier.Delivery{carrier.Accepted, carrier.Ambiguous, carrier.NotProcessed} {
				if counts.deliveries[delivery] == 0 {
					t.Errorf("no POST was %s: the simulator covers too few outcomes", delivery)
				}
			}
		})
	}
}

// newHostileWire is a client and a hostile simulator. Calls that the simulator would leave hanging
// are released immediately.
func newHostileWire(t *testing.T, op carrier.Operation) *wire {
	t.Helper()
	w := &wire{now: time.Date(2026, time.March, 14, 9, 26, 53, 0, time.UTC)}
	w.sim = simulator.New(simulator.Options{
		Seed: hostileSeed(w.now, op), Now: w.clock, Hostile: true, RandomSeed: randomSeed,
	})
	w.sim.Close()
	server := httptest.NewServer(w.sim.Handler())
	t.Cleanup(server.Close)
	w.connect(t, server.URL, "")
	return w
}

// run makes one POST, compares its receipt with what happened, and tracks it.
func (r operationCase) run(t *testing.T, w *wire, id int64, counts *outcomes) {
	t.Helper()
	w.advance(time.Second)
	requestID := id
	if r.prepare != nil {
		requestID = r.prepare(t, w, id)
	}
	receipt := w.Submit(t.Context(), r.op, 8, r.body(requestID))
	counts.deliveries[receipt.Delivery]++
	received := w.sim.SubmissionsAbout(simulator.Operation(r.op), r.countKey(requestID))
	if difference := discrepancy(receipt, received); difference != "" {
		t.Errorf("%d: %s (%v), but %s: %+v", requestID, receipt.Delivery, receipt.Err, difference, received)
	}
	if receipt.Delivery != carrier.Accepted || receipt.Handle.IsZero() {
		return
	}
	if r.op == carrier.OrderCreate {
		mustHavePlaced(t, w, receipt, r.countKey(id))
		return
	}
	if r.pollToEnd(t, w, receipt.Handle, id) {
		counts.completed++
	}
}

// discrepancy returns how a receipt differs from what happened. A POST that a gateway delivers
// twice counts once.
func discrepancy(receipt carrier.Receipt, received simulator.Count) string {
	known := receipt.Delivery != carrier.Ambiguous
	sent, accepted := receipt.Delivery != carrier.NotSent, receipt.Delivery == carrier.Accepted
	switch {
	case received.Seen > 1:
		return "more than one POST arrived"
	case known && sent != (received.Seen == 1):
		return "another number arrived"
	case known && accepted != (received.Processed > 0):
		return "it had another effect"
	case accepted != (receipt.Err == nil):
		return "its error contradicts that"
	}
	return ""
}

// mustHavePlaced expects the order of a receipt to be the one that was placed.
func mustHavePlaced(t *testing.T, w *wire, receipt carrier.Receipt, reference string) {
	t.Helper()
	for _, placed := range w.sim.Orders() {
		if numberKey(placed.ID) == receipt.Handle.ID {
			if placed.CustomerReference != reference {
				t.Errorf("order %s is that of %s, not of %s", receipt.Handle.ID, placed.CustomerReference, reference)
			}
			return
		}
	}
	t.Errorf("there is no order %s", receipt.Handle.ID)
}

// pollToEnd polls a request until it ends, and expects the result to be its own.
func (r operationCase) pollToEnd(t *testing.T, w *wire, handle carrier.Handle, id int64) (completed bool) {
	t.Helper()
	for range maxPolls {
		w.advance(5 * time.Second)
		outcome, err := w.Poll(t.Context(), handle)
		switch {
		case err != nil || outcome.State == carrier.Pending:
			continue
		case outcome.State == carrier.Failed:
			if r.op != carrier.PlanChange || planFor(id) != "Doomed" {
				t.Errorf("%s failed unexpectedly: %v", handle.Path(), outcome.Err)
			}
			return true
		}
		if err := r.verify(id, outcome.Body); err != nil {
			t.Errorf("%s: %v: %s", handle.Path(), err, outcome.Body)
		}
		return true
	}
	return false // the simulator forgets the request in one of a thousand calls
}
