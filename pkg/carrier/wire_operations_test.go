package carrier_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

func TestHealthAtVersionFiveOnTheWire(t *testing.T) {
	w := newWire(t)
	outcome := w.complete(t, carrier.Health, 5, carrier.HealthRequest{ServiceID: service}.Body())
	health, err := carrier.DecodeHealth(5, outcome.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := []any{"Basic", "FTTP", carrier.HealthCompleted, carrier.HealthGreen}
	if diff := cmp.Diff(want, healthFields(health)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	w.mustHaveOnePOST(t, carrier.Health)
}

func TestAppointmentCancelOnTheWire(t *testing.T) {
	w := newWire(t)
	slots := carrier.AppointmentSlotsRequest{DateFrom: "2026-12-01", OrderID: order}.Body()
	receipt := w.Submit(t.Context(), carrier.AppointmentSlots, 8, slots)
	if receipt.Delivery != carrier.Accepted {
		t.Fatalf("%+v", receipt)
	}
	var id int64
	if _, err := fmt.Sscan(receipt.Handle.ID, &id); err != nil {
		t.Fatal(err)
	}
	cancel := carrier.AppointmentCancelRequest{AppointmentRequestID: id}.Body()
	if got := w.Submit(t.Context(), carrier.AppointmentCancel, 8, cancel); got.Delivery != carrier.Accepted {
		t.Errorf("%+v", got)
	}
	w.mustHaveOnePOST(t, carrier.AppointmentCancel)
}

func TestOrderOnTheWire(t *testing.T) {
	w := newWire(t)
	body := carrier.OrderRequest{
		PlanName: "Basic", Term: 1, TrafficClass: "tc4", QualificationSearchID: "q-1", LocationID: location,
		ProductType: "Access Only", NTDInstallation: carrier.InstallTech, CustomerReference: "SITE-014",
		AggregationMethod: carrier.AggregationL2TP,
	}.Body()
	receipt := w.Submit(t.Context(), carrier.OrderCreate, 8, body)
	if receipt.Delivery != carrier.Accepted {
		t.Fatalf("%s: %v", receipt.Delivery, receipt.Err)
	}
	placed, err := carrier.DecodeOrder(receipt.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := []any{receipt.Handle.ID, "SITE-014", carrier.OrderNew, carrier.OrderOpen}
	got := []any{fmt.Sprint(placed.ID), placed.CustomerRef, placed.OrderType, placed.Status}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	w.mustHaveOnePOST(t, carrier.OrderCreate)
}

func TestReadsOnTheWire(t *testing.T) {
	w := newWire(t)
	cancellation, err := w.Cancellation(t.Context(), pendingCancellation)
	if err != nil || cancellation.Status != carrier.CancellationRequested || cancellation.RequestDate != "2026-12-24" {
		t.Errorf("%+v, %v", cancellation, err)
	}
	if diff := cmp.Diff([]string{"CHG3", "CHG1", "CHG2"}, disruptionIDs(t, w)); diff != "" {
		t.Errorf("disruptions (-want +got):\n%s", diff)
	}
	if _, err := w.Cancellation(t.Context(), foreign); carrier.ClassOf(err) != carrier.NotFoundOrForbidden {
		t.Errorf("another client's service: %v", err)
	}
}

func TestRefusalsOnTheWire(t *testing.T) {
	w := newWire(t)
	unknown := carrier.PlanChangeRequest{ServiceID: service, PlanName: "No such plan", Term: 12}.Body()
	receipt := w.Submit(t.Context(), carrier.PlanChange, 8, unknown)
	if receipt.Delivery != carrier.Rejected || !receipt.Err.Has(carrier.SubPlanNameInvalid) {
		t.Errorf("an unknown plan: %s, %v", receipt.Delivery, receipt.Err)
	}
	doomed := carrier.PlanChangeRequest{ServiceID: service, PlanName: "Doomed", Term: 12}.Body()
	outcome := w.complete(t, carrier.PlanChange, 8, doomed)
	if outcome.State != carrier.Failed || !outcome.Err.Has(carrier.SubPlanChangeInError) {
		t.Errorf("a change that fails: %+v", outcome)
	}
	theirs := carrier.PlanChangeRequest{ServiceID: foreign, PlanName: "Fast", Term: 12}.Body()
	receipt = w.Submit(t.Context(), carrier.PlanChange, 8, theirs)
	if receipt.Delivery != carrier.Rejected || receipt.Err.Class != carrier.NotFoundOrForbidden {
		t.Errorf("another client's service: %s, %v", receipt.Delivery, receipt.Err)
	}
}

// TestFaultsOnTheWire: whatever goes wrong with a POST, the simulator receives at most one, and the
// client never reports more than it knows.
func TestFaultsOnTheWire(t *testing.T) {
	elsewhere := "https://elsewhere.example{path}"
	processed := simulator.Fault{Kind: simulator.FaultStatus, Status: 502, Processed: true}
	for name, test := range map[string]struct {
		fault simulator.Fault
		want  carrier.Delivery
	}{
		"a 502 before":               {simulator.Fault{Kind: simulator.FaultStatus, Status: 502}, carrier.Ambiguous},
		"a 502 after":                {processed, carrier.Ambiguous},
		"a gateway's page":           {simulator.Fault{Kind: simulator.FaultPage, Status: 503}, carrier.Ambiguous},
		"too many":                   {simulator.Fault{Kind: simulator.FaultStatus, Status: 429}, carrier.NotProcessed},
		"a reset before":             {simulator.Fault{Kind: simulator.FaultReset}, carrier.Ambiguous},
		"a reset after":              {simulator.Fault{Kind: simulator.FaultReset, Processed: true}, carrier.Ambiguous},
		"a redirect":                 {simulator.Fault{Kind: simulator.FaultRedirect, Status: 307}, carrier.Ambiguous},
		"no Location":                {simulator.Fault{Kind: simulator.FaultNoLocation}, carrier.Ambiguous},
		"a Location of another host": {simulator.Fault{Kind: simulator.FaultLocation, Location: elsewhere}, carrier.Accepted},
		"a Location of another path": {simulator.Fault{Kind: simulator.FaultLocation, Location: "/x/1"}, carrier.Ambiguous},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t)
			if err := w.sim.FailNext("POST PlanChange", test.fault); err != nil {
				t.Fatal(err)
			}
			body := carrier.PlanChangeRequest{ServiceID: service, PlanName: "Fast", Term: 12}.Body()
			receipt := w.Submit(t.Context(), carrier.PlanChange, 8, body)
			if receipt.Delivery != test.want {
				t.Errorf("%s (%v), want %s", receipt.Delivery, receipt.Err, test.want)
			}
			if received := w.sim.Submissions(simulator.OpPlanChange, 0).Seen; received != 1 {
				t.Errorf("%d POSTs arrived", received)
			}
		})
	}
}

func TestARevokedTokenIsReplaced(t *testing.T) {
	w := newWire(t)
	if _, err := w.Cancellation(t.Context(), pendingCancellation); err != nil {
		t.Fatal(err)
	}
	w.sim.RevokeTokens()
	_, err := w.Cancellation(t.Context(), pendingCancellation)
	if failure, ok := errors.AsType[*carrier.Error](err); !ok || failure.Class != carrier.Unauthorized {
		t.Fatalf("with a revoked token: %v", err)
	}
	if _, err := w.Cancellation(t.Context(), pendingCancellation); err != nil {
		t.Errorf("with its replacement: %v", err)
	}
}
