package simulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

func withOrderRead(s *simulator.Seed) {
	s.Extensions = append(s.Extensions, simulator.ExtensionOrderRead)
}

// order places an order and returns its path and its number.
func (h *harness) order(body string) (string, int64) {
	h.t.Helper()
	placed := h.post(orders, body).is(http.StatusCreated)
	number, err := strconv.ParseInt(fmt.Sprint(placed.find("id")), 10, 64)
	if err != nil {
		h.t.Fatal(err)
	}
	return placed.header.Get("Location"), number
}

func (a response) status360() string {
	a.t.Helper()
	return fmt.Sprintf("%v %v %v", a.find("status"), a.find("360ServiceId"), a.find("isCancellable"))
}

func (a response) appointmentStatus() any {
	a.t.Helper()
	for _, item := range a.list("appointments") {
		if appointment, isObject := item.(map[string]any); isObject {
			return appointment["status"]
		}
	}
	return nil
}

// completedOrders reads an order that became a service although its appointment was cancelled.
func completedOrders(h *harness) []response {
	transfer, id := h.order(orderOnPort(2, transferFields("SERVICE_TRANSFER", "AVC999")))
	if err := h.sim.CancelAppointment(id, "storm"); err != nil {
		h.t.Fatal(err)
	}
	h.wait(10 * time.Second)
	return []response{h.get(transfer).is(http.StatusOK)}
}

func rejectedOrder(h *harness) []response {
	path, _ := h.order(orderOnPort(2, transferFields("SERVICE_TRANSFER", "AVC1")))
	h.wait(10 * time.Second)
	return []response{h.get(path).is(http.StatusOK)}
}

func TestAnOrderMovesOnUntilItIsAService(t *testing.T) {
	h := start(t, withOrderRead, withServiceRead)
	path, _ := h.order(orderBody(nil))
	see := func() string {
		got := h.get(path).is(http.StatusOK)
		return fmt.Sprintf("%s, %v", got.status360(), got.appointmentStatus())
	}
	var all [4]string
	for i := range all { // every 2.5 s of its 10 s
		all[i] = see()
		h.wait(2500 * time.Millisecond)
	}
	want := [4]string{
		"OPEN <nil> true, Reserved", "IN_PROGRESS <nil> true, Booked",
		"IN_PROGRESS <nil> true, Booked", "IN_PROGRESS <nil> true, In Progress",
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
	done := h.get(path)
	number, isNumber := done.find("360ServiceId").(json.Number)
	if done.find("status") != "COMPLETED" || !isNumber {
		t.Fatal(done.body)
	}
	service := h.get("/api/connect/services/" + number.String()).is(http.StatusOK)
	connected := map[string]any{
		"eSla": "Enhanced - 12 (24/7)", "locId": location, "avcId": done.find("avcId"), "aggregationMethod": "L2TP",
		"customerRef": "SITE-014", "vlanId": "100", "wholesaleServiceActivatedOn": "2026-11-20T10:00:10Z",
	}
	for name, value := range connected {
		if service.find(name) != value {
			t.Errorf("%s of the service is %v, want %v", name, service.find(name), value)
		}
	}
	id, err := number.Int64()
	if err != nil {
		t.Fatal(err)
	}
	h.post(planChange, planChangeBody(id, "Basic", 1)).created()
	h.post(health, serviceBody(id)).created()
}

func TestTheServiceOfAnOrderDoesNotExistBeforeTheOrderIsComplete(t *testing.T) {
	h := start(t, withOrderRead)
	before := len(h.sim.Services())
	_, id := h.order(orderBody(nil))
	number := orderOf(t, h, id).ServiceID
	h.post(health, serviceBody(number)).is(http.StatusNotFound)
	if _, known := h.sim.Service(number); known || len(h.sim.Services()) != before {
		t.Error("the service exists")
	}
	h.restart(withOrderRead)
	h.wait(10 * time.Second)
	h.post(health, serviceBody(number)).created()
	if service, known := h.sim.Service(number); !known || service.Plan != "Fast" {
		t.Errorf("%+v", service)
	}
}

func orderOf(t *testing.T, h *harness, id int64) simulator.PlacedOrder {
	t.Helper()
	for _, order := range h.sim.Orders() {
		if order.ID == id {
			return order
		}
	}
	t.Fatalf("there is no order %d", id)
	return simulator.PlacedOrder{}
}

func TestARejectedOrderSaysWhyAndWhen(t *testing.T) {
	cases := map[string]func(*harness) string{
		"The AVC id is incorrect": func(h *harness) string {
			path, _ := h.order(orderOnPort(2, transferFields("SERVICE_TRANSFER", "AVC1")))
			return path
		},
		"armed": func(h *harness) string {
			h.arm("OrderCreate", simulator.Fault{Kind: simulator.FaultEndInError, Body: "armed"})
			path, _ := h.order(orderBody(nil))
			return path
		},
		"no capacity": func(h *harness) string {
			path, id := h.order(orderBody(nil))
			h.wait(10 * time.Second / 2)
			if err := h.sim.RejectOrder(id, "no capacity"); err != nil {
				t.Fatal(err)
			}
			return path
		},
	}
	for reason, place := range cases {
		h := start(t, withOrderRead)
		path := place(h)
		h.restart(withOrderRead)
		h.wait(10 * time.Second)
		got := h.get(path).is(http.StatusOK)
		if got.status360() != "REJECTED <nil> false" || got.find("rejectedReason") != reason || got.text("rejectedOn") == "" {
			t.Error(reason + ": " + got.body)
		}
	}
}

func TestACompleteOrderCannotBeRejected(t *testing.T) {
	h := start(t, withOrderRead)
	_, id := h.order(orderBody(nil))
	h.wait(10 * time.Second)
	if err := h.sim.RejectOrder(id, "too late"); err == nil {
		t.Error("it was rejected")
	}
}

func TestTheCancelledAppointmentOfAnOrderIsRead(t *testing.T) {
	h := start(t, withOrderRead)
	path, id := h.order(orderBody(nil))
	if err := h.sim.CancelAppointment(id, "storm"); err != nil {
		t.Fatal(err)
	}
	if got := h.get(path); got.appointmentStatus() != "cancelled" {
		t.Error(got.body)
	}
}

func TestOnlyTheOwnerReadsAnOrder(t *testing.T) {
	h := start(t, withOrderRead)
	h.get("/api/connect/orders/555").is(http.StatusOK)
	h.get("/api/connect/orders/556").refusedWith(404, "resource.not.found")
	h.get("/api/connect/orders/1").refusedWith(404, "resource.not.found")
	h.get("/api/connect/orders/abc").refusedWith(400, "method.argument.type.mismatch")
	for _, status := range []int{http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed} {
		h.arm("OrderRead", simulator.Fault{Kind: simulator.FaultStatus, Status: status})
		h.get("/api/connect/orders/555").is(status)
	}
}

func TestWithoutTheExtensionAnOrderNeverBecomesAService(t *testing.T) {
	h := start(t)
	before := len(h.sim.Services())
	path, id := h.order(orderBody(nil))
	h.wait(time.Hour)
	if order := orderOf(t, h, id); order.ServiceID != 0 || len(h.sim.Services()) != before {
		t.Errorf("%+v", order)
	}
	h.get(path).is(http.StatusNotFound)
	h.expectViolations(simulator.RulePath)
}
