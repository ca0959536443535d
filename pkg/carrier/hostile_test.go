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
	firstThing  = int64(2_000_000)
	maxLooks    = 40 // polls of one request, before a run is given up
	chance      = 20260314
)

// trial describes how one operation is tested on numbered things.
type trial struct {
	op   carrier.Operation
	body func(thing int64) []byte
	// subject is the simulator's counting key for submissions about a thing.
	subject func(thing int64) string
	// proves checks that a result belongs to the request about the thing.
	proves func(thing int64, result []byte) error
	// prepare creates what the operation needs; nil: nothing.
	prepare func(t *testing.T, w *wire, thing int64) int64
}

var errOther = errors.New("the result is not that of the request")

func number(thing int64) string { return strconv.FormatInt(thing, 10) }

func locationOf(thing int64) string { return fmt.Sprintf("LOC%012d", thing) }

func referenceOf(thing int64) string { return fmt.Sprint("SITE-", thing) }

// hostileSeed has hostileRuns of every thing that an operation can be about.
func hostileSeed(now time.Time, op carrier.Operation) simulator.Seed {
	world := seed(now)
	world.Services, world.Orders, world.FibreBuilds = nil, nil, nil
	for thing := firstThing; thing < firstThing+hostileRuns; thing++ {
		line := simulator.Service{ID: thing, Client: "reseller", Plan: "Basic", TechnologyType: "FTTN"}
		if op == carrier.CancellationReschedule || op == carrier.CancellationAbort {
			line.Cancellation = &simulator.Cancellation{Status: "REQUESTED", RequestDate: "2027-12-24"}
		}
		if op == carrier.Reclaim {
			line.Cancellation = &simulator.Cancellation{Status: "COMPLETED", RequestDate: "2026-03-01"}
			line.ReclaimableUntil = "2027-12-30"
		}
		world.Services = append(world.Services, line)
		world.Orders = append(world.Orders, simulator.PlacedOrder{ID: thing, Client: "reseller"})
		world.FibreBuilds = append(world.FibreBuilds, simulator.FibreBuild{LocationID: locationOf(thing), PriceCents: thing})
	}
	return world
}

// trials are all operations.
func trials() []trial {
	return append(serviceTrials(), otherTrials()...)
}

// of creates a trial about services.
func of[Result any](
	op carrier.Operation, body func(service int64) []byte,
	decode func([]byte) (Result, error), proves func(service int64, result Result) bool,
) trial {
	return trial{
		op: op, body: body, subject: number,
		proves: func(service int64, result []byte) error {
			decoded, err := decode(result)
			if err == nil && !proves(service, decoded) {
				return errOther
			}
			return err
		},
	}
}

// planFor is the plan to which a service is changed: each tenth to one whose changes fail.
func planFor(service int64) string {
	if service%10 == 0 {
		return "Doomed"
	}
	return "Fast"
}

func serviceTrials() []trial {
	return append(changeTrials(), []trial{
		of(carrier.CancellationReschedule, func(id int64) []byte {
			return carrier.CancellationRescheduleRequest{ServiceID: id, CancellationDate: "2027-12-31"}.Body()
		}, carrier.DecodeCancellation, func(id int64, r carrier.Cancellation) bool {
			return r.ServiceID == id && r.RequestDate == "2027-12-31"
		}),
		of(carrier.CancellationAbort, func(id int64) []byte { return carrier.CancellationAbortRequest{ServiceID: id}.Body() },
			carrier.DecodeCancellation, func(id int64, r carrier.Cancellation) bool {
				return r.ServiceID == id && r.Status == carrier.CancellationAborted
			}),
		of(carrier.DiagnosticTest, func(id int64) []byte {
			return carrier.DiagnosticTestRequest{ServiceID: id, TestType: carrier.TestPortReset}.Body()
		}, carrier.DecodeDiagnosticTest, func(id int64, r carrier.DiagnosticTestResult) bool {
			return r.ServiceID == id && !r.Result.IsActive
		}),
		of(carrier.Health, func(id int64) []byte { return carrier.HealthRequest{ServiceID: id}.Body() },
			healthAt(8), func(_ int64, r carrier.HealthResult) bool {
				return r.Status == carrier.HealthCompleted && r.Plan == "Basic"
			}),
		of(carrier.PlanOptions, func(id int64) []byte { return carrier.PlanOptionsRequest{ServiceID: id}.Body() },
			carrier.DecodePlanOptions, func(_ int64, r carrier.PlanOptionsResult) bool { return len(r.Plans) == 3 }),
	}...)
}

func changeTrials() []trial {
	return []trial{
		of(carrier.PlanChange, func(id int64) []byte {
			return carrier.PlanChangeRequest{ServiceID: id, PlanName: planFor(id), Term: 12}.Body()
		}, carrier.DecodePlanChange, func(id int64, r carrier.PlanChangeResult) bool {
			return r.ServiceID == id && r.Plan.Plan == "Fast" && planFor(id) == "Fast" && r.Status == carrier.PlanChangeCompleted
		}),
		of(carrier.AggregationConversion, func(id int64) []byte {
			return carrier.AggregationConversionRequest{
				ServiceID: id, AggregationMethod: carrier.AggregationEthernet,
			}.Body()
		}, carrier.DecodeAggregationConversion, func(id int64, r carrier.AggregationConversionResult) bool {
			return r.ServiceID == id && r.ConvertTo == carrier.AggregationEthernet && r.Status == carrier.AggregationCompleted
		}),
		of(carrier.DSLStabilityProfileChange, func(id int64) []byte {
			return carrier.DSLStabilityProfileChangeRequest{ServiceID: id, DSLStabilityProfile: carrier.DSLStable}.Body()
		}, carrier.DecodeDSLStabilityProfileChange, func(id int64, r carrier.DSLStabilityProfileChangeResult) bool {
			return r.ServiceID == id && r.DSLStabilityProfile == carrier.DSLStable && r.Status == carrier.DSLChangeCompleted
		}),
		of(carrier.Reclaim, func(id int64) []byte { return carrier.ReclaimRequest{ServiceID: id}.Body() },
			carrier.DecodeReclaim, func(id int64, r carrier.ReclaimResult) bool {
				return r.ServiceID == id && r.Status == carrier.ReclaimCompleted
			}),
	}
}

func otherTrials() []trial {
	fibre := of(carrier.FibreBuildCharge, func(thing int64) []byte {
		return carrier.FibreBuildChargeRequest{LocationID: locationOf(thing)}.Body()
	}, carrier.DecodeFibreBuildCharge, func(thing int64, r carrier.FibreBuildChargeResult) bool {
		return r.WholesaleLocationID == locationOf(thing) && string(r.PriceValue) == number(thing)
	})
	fibre.subject = locationOf
	slots := of(carrier.AppointmentSlots, func(thing int64) []byte {
		return carrier.AppointmentSlotsRequest{DateFrom: "2027-12-01", OrderID: thing}.Body()
	}, carrier.DecodeAppointmentSlots, func(_ int64, r []carrier.AppointmentSlot) bool { return len(r) > 0 })
	orders := of(carrier.OrderCreate, func(thing int64) []byte {
		return carrier.OrderRequest{
			PlanName: "Basic", Term: 1, QualificationSearchID: "q-1", LocationID: location,
			CustomerReference: referenceOf(thing), AggregationMethod: carrier.AggregationL2TP,
		}.Body()
	}, carrier.DecodeOrder, nil)
	orders.subject = referenceOf
	cancels := trial{
		op: carrier.AppointmentCancel, subject: number, prepare: appointmentRequest,
		body: func(thing int64) []byte { return carrier.AppointmentCancelRequest{AppointmentRequestID: thing}.Body() },
	}
	return []trial{fibre, slots, orders, cancels}
}

// appointmentRequest requests slots until there is a request to withdraw.
func appointmentRequest(t *testing.T, w *wire, thing int64) int64 {
	t.Helper()
	body := carrier.AppointmentSlotsRequest{DateFrom: "2027-12-01", OrderID: thing}.Body()
	for {
		w.advance(time.Minute)
		receipt := w.Submit(t.Context(), carrier.AppointmentSlots, 8, body, false)
		if receipt.Delivery == carrier.Accepted {
			id, err := strconv.ParseInt(receipt.Handle.ID, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
	}
}

// tally counts the outcomes of the runs of one operation.
type tally struct {
	deliveries map[carrier.Delivery]int
	ended      int // tracked to their end
}

// TestHostileCarrier: whatever the carrier does, there is no panic, at most one POST for each call
// of Submit, no false delivery and no false success.
func TestHostileCarrier(t *testing.T) {
	t.Parallel()
	for _, tried := range trials() {
		t.Run(string(tried.op), func(t *testing.T) {
			t.Parallel()
			w := newHostileWire(t, tried.op)
			counted := tally{deliveries: make(map[carrier.Delivery]int)}
			for thing := firstThing; thing < firstThing+hostileRuns; thing++ {
				tried.run(t, w, thing, &counted)
			}
			t.Logf("%v, %d followed to their end", counted.deliveries, counted.ended)
			for _, delivery := range []carrier.Delivery{carrier.Accepted, carrier.Ambiguous, carrier.NotProcessed} {
				if counted.deliveries[delivery] == 0 {
					t.Errorf("no POST was %s: the carrier is not hostile, or only that", delivery)
				}
			}
		})
	}
}

// newHostileWire is a client and a hostile simulator. Calls that the simulator would leave hanging
// are released at once.
func newHostileWire(t *testing.T, op carrier.Operation) *wire {
	t.Helper()
	w := &wire{now: time.Date(2026, time.March, 14, 9, 26, 53, 0, time.UTC)}
	w.sim = simulator.New(simulator.Options{
		Seed: hostileSeed(w.now, op), Now: w.clock, Hostile: true, RandomSeed: chance,
	})
	w.sim.Close()
	server := httptest.NewServer(w.sim.Handler())
	t.Cleanup(server.Close)
	w.connect(t, server.URL, "")
	return w
}

// run makes one POST, compares its receipt with what happened, and tracks it.
func (r trial) run(t *testing.T, w *wire, thing int64, counted *tally) {
	t.Helper()
	w.advance(time.Second)
	about := thing
	if r.prepare != nil {
		about = r.prepare(t, w, thing)
	}
	receipt := w.Submit(t.Context(), r.op, 8, r.body(about), false)
	counted.deliveries[receipt.Delivery]++
	truth := w.sim.SubmissionsAbout(simulator.Operation(r.op), r.subject(about))
	if why := contradiction(receipt, truth); why != "" {
		t.Errorf("%d: %s (%v), but %s: %+v", about, receipt.Delivery, receipt.Err, why, truth)
	}
	if receipt.Delivery != carrier.Accepted || receipt.Handle.IsZero() {
		return
	}
	if r.op == carrier.OrderCreate {
		mustBePlaced(t, w, receipt, r.subject(thing))
		return
	}
	if r.follow(t, w, receipt.Handle, thing) {
		counted.ended++
	}
}

// contradiction returns how a receipt differs from what happened. A POST that a gateway delivers
// twice counts once.
func contradiction(receipt carrier.Receipt, truth simulator.Count) string {
	known := receipt.Delivery != carrier.Ambiguous
	sent, done := receipt.Delivery != carrier.NotSent, receipt.Delivery == carrier.Accepted
	switch {
	case truth.Seen > 1:
		return "more than one POST arrived"
	case known && sent != (truth.Seen == 1):
		return "that is not how many arrived"
	case known && done != (truth.Processed > 0):
		return "that is not what took effect"
	case done != (receipt.Err == nil):
		return "its error says something else"
	}
	return ""
}

// mustBePlaced expects the order of a receipt to be the one that was placed.
func mustBePlaced(t *testing.T, w *wire, receipt carrier.Receipt, reference string) {
	t.Helper()
	for _, placed := range w.sim.Orders() {
		if number(placed.ID) == receipt.Handle.ID {
			if placed.CustomerReference != reference {
				t.Errorf("order %s is that of %s, not of %s", receipt.Handle.ID, placed.CustomerReference, reference)
			}
			return
		}
	}
	t.Errorf("there is no order %s", receipt.Handle.ID)
}

// follow polls a request until it ends, and expects the result to be its own.
func (r trial) follow(t *testing.T, w *wire, handle carrier.Handle, thing int64) (ended bool) {
	t.Helper()
	for range maxLooks {
		w.advance(5 * time.Second)
		outcome, err := w.Poll(t.Context(), handle)
		switch {
		case err != nil || outcome.State == carrier.Pending:
			continue
		case outcome.State == carrier.Failed:
			if r.op != carrier.PlanChange || planFor(thing) != "Doomed" {
				t.Errorf("%s failed, though nothing was to: %v", handle.Path(), outcome.Err)
			}
			return true
		}
		if err := r.proves(thing, outcome.Body); err != nil {
			t.Errorf("%s: %v: %s", handle.Path(), err, outcome.Body)
		}
		return true
	}
	return false // in one of a thousand calls this carrier forgets the request
}
