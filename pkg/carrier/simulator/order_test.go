package simulator_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

const (
	orders   = "/api/connect/orders/create"
	invalid  = "method.argument.not.valid" // a rule about a single field is broken
	rejected = "validation"                // a business rule is broken
)

// orderBody returns an order body with some fields replaced; nil omits one.
func orderBody(replaced map[string]any) string {
	fields := map[string]any{
		"sourceType": "wholesale", "planName": "Fast", "term": 1, "trafficClass": "tc4",
		"qualificationSearchId": "q-empty", "locationId": location, "customerReference": "SITE-014",
		"aggregationMethod": "L2TP", "restorationSla": "Enhanced - 12 (24/7)", "infrastructureId": nil,
		"contactName": "Ada", "requireVLAN": true, "vlanId": 100, "ntdInstallation": "wholesale-tech",
	}
	maps.Copy(fields, replaced)
	content, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(content)
}

// orderOnPort is an order on a port of the built location.
func orderOnPort(port int, replaced map[string]any) string {
	all := map[string]any{"qualificationSearchId": "q-built", "infrastructureId": "NTD1", "portId": port}
	maps.Copy(all, replaced)
	return orderBody(all)
}

// additionalFields returns the fields that make the body of orderBody an order for a further
// infrastructure.
func additionalFields(replaced map[string]any) map[string]any {
	all := map[string]any{"qualificationSearchId": "q-built"}
	maps.Copy(all, replaced)
	return all
}

// fees are the names of the additional fees.
func (a response) fees() []any {
	a.t.Helper()
	var names []any
	for _, item := range a.list("additionalFees") {
		if object, isObject := item.(map[string]any); isObject {
			names = append(names, object["addOnTypeName"])
		}
	}
	return names
}

// TestOrderHasEveryFieldOfItsTable compares an order with the table of spec §2.
func TestOrderHasEveryFieldOfItsTable(t *testing.T) {
	h := start(t)
	got := h.post(orders, orderBody(nil)).is(http.StatusCreated)
	want := []string{
		"360ServiceId", "additionalFees", "address", "aggregationMethod", "appointments", "avcId", "avcIdForTransfer",
		"bandwidthProfile", "customerRef", "eSla", "fee", "id", "infrastructure", "installationType", "isCancellable",
		"isNfas", "legacyTechnologyType", "locId", "ntdOption", "orderType", "poi", "poiName", "provider", "region",
		"serviceClass", "status", "technologyType", "trafficClass", "transferType", "vlanId",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got.json()))); diff != "" {
		t.Error(diff)
	}
	if location := got.header.Get("Location"); location != fmt.Sprint("/api/connect/orders/", got.find("id")) {
		t.Errorf("Location %q", location)
	}
	values := map[string]any{
		"orderType": "new", "status": "OPEN", "trafficClass": "TC4", "customerRef": "SITE-014", "infrastructure": nil,
		"vlanId": json.Number("100"), "installationType": "wholesale-tech", "transferType": nil, "provider": "wholesale",
	}
	for name, value := range values {
		if got.find(name) != value {
			t.Errorf("%s is %v, want %v", name, got.find(name), value)
		}
	}
	count := h.sim.SubmissionsAbout(simulator.OpOrderCreate, "SITE-014")
	if count != (simulator.Count{Seen: 1, Processed: 1}) {
		t.Errorf("counted %+v", count)
	}
}

// TestOrderScenarios places an order of each scenario of spec §2.
func TestOrderScenarios(t *testing.T) {
	transfer := func(kind string, avc any) map[string]any {
		return map[string]any{"transferType": kind, "avcIdForTransfer": avc}
	}
	cases := map[string]struct{ body, orderType, fee string }{
		"1 first":      {orderBody(nil), "new", "NTD_INSTALLATION_FEE"},
		"2 free port":  {orderOnPort(1, nil), "new", ""},
		"4 additional": {orderBody(additionalFields(nil)), "new", "SUBSEQUENT_INSTALLATION_CHARGE"},
		"4 without a technician": {
			orderBody(additionalFields(map[string]any{"ntdInstallation": "wholesale-dispatch"})), "new", "",
		},
		"5 in use":              {orderOnPort(2, transfer("SERVICE_TRANSFER", "AVC999")), "transfer", "SERVICE_TRANSFER_FEE"},
		"6 connect outstanding": {orderOnPort(2, transfer("CONNECT_OUTSTANDING", nil)), "transfer", "SERVICE_TRANSFER_FEE"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := start(t)
			got := h.post(orders, c.body).is(http.StatusCreated)
			want := []any{"SLA"}
			if c.fee != "" {
				want = append(want, c.fee)
			}
			if diff := cmp.Diff(want, got.fees()); diff != "" || got.text("orderType") != c.orderType {
				t.Errorf("%s\n%s", diff, got.body)
			}
		})
	}
}

// TestATechnicianIsCharged compares the fees of the ways to install.
func TestATechnicianIsCharged(t *testing.T) {
	for installation, want := range map[string][]any{
		"wholesale-tech":      {"SLA", "WHOLESALE_TECHNICIAN_FOR_INSTALL", "NTD_INSTALLATION_FEE"},
		"wholesale-dispatch":  {"SLA", "NTD_INSTALLATION_FEE"},
		"wholesale-no-action": {"SLA", "NTD_INSTALLATION_FEE"},
	} {
		h := start(t, func(s *simulator.Seed) { s.Qualifications[0].TechnicianFee = &simulator.Price{OneTime: "80.00"} })
		got := h.post(orders, orderBody(map[string]any{"ntdInstallation": installation})).is(http.StatusCreated)
		if diff := cmp.Diff(want, got.fees()); diff != "" {
			t.Errorf("%s: %s", installation, diff)
		}
	}
}

// TestOrdersRefused breaks each rule of spec §2.
func TestOrdersRefused(t *testing.T) {
	type replaced map[string]any
	cases := map[string]struct{ body, code, subErrors string }{
		"no reference": {
			orderBody(replaced{"customerReference": nil}), invalid, "constraints.not.null customerReference",
		},
		"transfer of the first": {
			orderBody(replaced{"transferType": "SERVICE_TRANSFER", "avcIdForTransfer": "AVC999"}), rejected,
			"constraints.avc.id.not.required avcIdForTransfer,constraints.transfer.type.not.required transferType",
		},
		"transfer of an additional": {
			orderBody(additionalFields(replaced{"transferType": "CONNECT_OUTSTANDING"})), rejected,
			"constraints.transfer.type.not.required transferType",
		},
		"in use without a type": {orderOnPort(2, nil), invalid, "constraints.not.null transferType"},
		"transfer without AVC": {
			orderOnPort(2, replaced{"transferType": "SERVICE_TRANSFER"}), invalid, "constraints.not.null avcIdForTransfer",
		},
		"outstanding with AVC": {
			orderOnPort(2, replaced{"transferType": "CONNECT_OUTSTANDING", "avcIdForTransfer": "A"}), rejected,
			"constraints.avc.id.not.required avcIdForTransfer",
		},
		"no capacity": {
			orderOnPort(1, replaced{"planName": "Giga"}), rejected, "constraints.order.ntd.capacity.exceeded planName",
		},
		"unknown plan": {
			orderBody(replaced{"planName": "None"}), rejected, "constraints.order.plan.name.invalid planName",
		},
		"a term that the plan lacks": {
			orderBody(replaced{"planName": "Basic", "term": 24}), rejected, "constraints.order.term.invalid term",
		},
		"unknown SLA": {
			orderBody(replaced{"restorationSla": "Gold"}), rejected,
			"constraints.order.restoration.sla.invalid restorationSla",
		},
		"unknown qualification": {
			orderBody(replaced{"qualificationSearchId": "q"}), rejected,
			"constraints.order.qualification.invalid qualificationSearchId",
		},
		"unknown infrastructure": {
			orderOnPort(1, replaced{"infrastructureId": "N"}), rejected,
			"constraints.order.infrastructure.invalid infrastructureId",
		},
		"unknown port": {orderOnPort(9, nil), rejected, "constraints.order.port.invalid portId"},
		"an unknown traffic class": {
			orderBody(replaced{"trafficClass": "tc9"}), invalid, "constraints.pattern trafficClass",
		},
		"a traffic class in capitals": {
			orderBody(replaced{"trafficClass": "TC4"}), invalid, "constraints.pattern trafficClass",
		},
		"an unknown ntdInstallation": {
			orderBody(replaced{"ntdInstallation": "self"}), invalid, "constraints.pattern ntdInstallation",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := start(t)
			h.post(orders, c.body).refusedWith(http.StatusUnprocessableEntity, c.code, strings.Split(c.subErrors, ",")...)
		})
	}
}

// TestAdditionalInfrastructureMustBeOffered applies scenario 4.
func TestAdditionalInfrastructureMustBeOffered(t *testing.T) {
	h := start(t, func(s *simulator.Seed) { s.Qualifications[1].AdditionalAllowed = false })
	h.post(orders, orderBody(map[string]any{"qualificationSearchId": "q-built"})).refusedWith(422, "validation",
		"constraints.order.additional.infrastructure.not.allowed infrastructureId")
}

// TestReplacementOfAnNTD applies scenario 3.
func TestReplacementOfAnNTD(t *testing.T) {
	h := start(t, func(s *simulator.Seed) { s.Qualifications[1].Infrastructures[0].ReplacementDown = 2000 })
	h.post(orders, orderOnPort(1, map[string]any{"planName": "Giga"})).is(http.StatusCreated)
}

// TestAnInternalTransferCancelsTheOldService applies scenario 10.
func TestAnInternalTransferCancelsTheOldService(t *testing.T) {
	h := start(t)
	h.post(orders, orderOnPort(3, map[string]any{
		"transferType": "SERVICE_TRANSFER", "avcIdForTransfer": "AVC000001000001",
	})).is(http.StatusCreated)
	h.wait(10 * time.Second)
	if got := h.get(cancellation(fttp)).is(200); got.find("cancelled") != true {
		t.Error(got.body)
	}
}

// TestWrongAVCIsRejectedLater applies scenario 6.
func TestWrongAVCIsRejectedLater(t *testing.T) {
	h := start(t)
	got := h.post(orders, orderOnPort(2, map[string]any{
		"transferType": "SERVICE_TRANSFER", "avcIdForTransfer": "AVC1",
	})).is(http.StatusCreated)
	id := fmt.Sprint(got.find("id"))
	i := slices.IndexFunc(h.sim.Orders(), func(o simulator.PlacedOrder) bool { return fmt.Sprint(o.ID) == id })
	if i < 0 {
		t.Fatalf("order %s is not known", id)
	}
	if placed := h.sim.Orders()[i]; placed.RejectedAt.IsZero() || placed.RejectedReason == "" {
		t.Errorf("%+v", placed)
	}
}
