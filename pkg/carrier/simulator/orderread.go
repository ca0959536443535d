package simulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/problem"
)

// statusRejected is the status of an order that the carrier rejected. The statuses of orders are not
// known, so this status, and the use of the statuses of requests for orders, are choices of the
// simulator.
const statusRejected = "REJECTED"

// orderState is an order with the resource that was returned when it was placed, which is nil for
// an order of the seed.
type orderState struct {
	PlacedOrder

	Resource json.RawMessage `json:"resource,omitempty"`
}

// readOrder is the GET of an order.
func readOrder(x *exchange) (response, error) {
	if !numeric(x.id) {
		return response{}, problem.NotNumeric("id")
	}
	order, known := x.sim.state.Orders[parseID(x.id)]
	if !known || order.Client != x.client.Name {
		return response{}, problem.NotFound()
	}
	return response{status: http.StatusOK, body: x.sim.orderAt(order, x.now)}, nil
}

// placed returns the order of spec §2, as it was placed.
func (o *orderState) placed() resource {
	var placed resource
	decoder := json.NewDecoder(bytes.NewReader(o.Resource))
	decoder.UseNumber() // ids are above 2^53
	if decoder.Decode(&placed) == nil {
		return placed
	}
	return resource{
		"id": o.ID, "provider": wholesaleSource, "orderType": "new", statusField: statusOpen,
		"customerRef": o.CustomerReference, "additionalFees": []resource{}, "appointments": []resource{},
		"isCancellable": true,
	}
}

// orderAt returns the order as it is at an instant. An order that becomes a service is OPEN for the
// first quarter of its time, then IN_PROGRESS, then COMPLETED. Any other order is OPEN until it is
// rejected, and then shows why.
func (s *Simulator) orderAt(order orderState, now time.Time) resource {
	read := order.placed()
	switch {
	case order.rejected(now):
		read[statusField], read["isCancellable"] = statusRejected, false
		read["rejectedReason"], read["rejectedOn"] = order.RejectedReason, timestamp(order.RejectedAt)
		return read
	case order.CompletesAt.IsZero():
		return read
	case order.completed(now):
		read[statusField], read["isCancellable"] = statusCompleted, false
		read.showService(s.state.Services[order.ServiceID])
	case !now.Before(order.quarter(1)):
		read[statusField] = statusInProgress
	}
	if installation := read["installationType"]; installation == technician || installation == dispatched {
		read["appointments"] = []resource{s.appointmentAt(&order, now)}
	}
	return read
}

func (o *PlacedOrder) rejected(now time.Time) bool {
	return !o.RejectedAt.IsZero() && !now.Before(o.RejectedAt)
}

func (o *PlacedOrder) completed(now time.Time) bool {
	return !o.CompletesAt.IsZero() && !now.Before(o.CompletesAt)
}

// quarter returns the instant at which n quarters of the order's time have passed.
func (o *PlacedOrder) quarter(n int) time.Time {
	return o.PlacedAt.Add(o.CompletesAt.Sub(o.PlacedAt) / 4 * time.Duration(n))
}

// showService shows the service that the order has become. The service is nil if it was removed.
func (r resource) showService(svc *serviceState) {
	if svc == nil {
		return
	}
	r["360ServiceId"], r["avcId"] = svc.ID, orNull(*svc.AVCID)
	r["infrastructure"] = resource{"id": svc.InfrastructureID, "portId": orNull(svc.PortID), "productId": svc.PRIID}
}

// appointmentAt returns the appointment of an order that needs a technician, with the fields that
// carriers show. The appointment is on the day after the order was placed, and its statuses are those
// that were observed.
func (s *Simulator) appointmentAt(order *orderState, now time.Time) resource {
	day := s.dayStarts(order.placedAt(now).In(s.zone).AddDate(0, 0, 1).Format(time.DateOnly))
	shown := slotOffers(0)[0].on(day)
	maps.Copy(shown, resource{
		"id": order.ID, "orderId": order.ID, "wholesaleAppointmentId": fmt.Sprintf("APT%012d", order.ID),
		statusField: order.appointmentStatus(now), "priorityAssist": false, "eSla": order.placed()["eSla"],
		"demandType": "Standard Install", "customerRef": order.CustomerReference,
		"contact": resource{
			"name": order.Contact.Name, "type": "Site", "phone": order.Contact.Phone, "notes": nil,
		},
		"cancelledOn": instantOrNull(order.AppointmentCancelledAt), serviceIDField: nil,
	})
	if order.completed(now) {
		shown[serviceIDField] = order.ServiceID
	}
	return shown
}

// placedAt returns when the order was placed. An order of the seed may have been placed now.
func (o *PlacedOrder) placedAt(now time.Time) time.Time {
	if o.PlacedAt.IsZero() {
		return now
	}
	return o.PlacedAt
}

func (o *PlacedOrder) appointmentStatus(now time.Time) string {
	const booked, started = 1, 3 // in quarters of the order's time
	switch {
	case !o.AppointmentCancelledAt.IsZero():
		return "cancelled"
	case now.Before(o.quarter(booked)):
		return "Reserved"
	case now.Before(o.quarter(started)):
		return "Booked"
	default:
		return "In Progress"
	}
}

// becomeService makes the order complete at an instant, from which the service of the order exists.
func (o *order) becomeService(placed *orderState, at time.Time) {
	placed.CompletesAt, placed.ServiceID = at, o.sim.nextID()
	service := Service{
		ID: placed.ServiceID, Client: o.client.Name, ActivatedAt: at, CustomerReference: placed.CustomerReference,
		TechnologyType: o.site.TechnologyType, TrafficClass: o.trafficClass(),
		Plan: o.plan.Name, Term: o.fields.number(termField), RestorationSLA: o.fields.text("restorationSla"),
		AggregationMethod: o.fields.text("aggregationMethod"), LocationID: o.site.LocationID,
		VLANID: string(o.fields["vlanId"]), POI: o.site.POI, POIName: o.site.POIName, Region: o.region(),
		Address: o.site.Address, Contact: placed.Contact, PortID: "1",
	}
	if o.infra != nil {
		service.InfrastructureID, service.PortID = o.infra.ID, string(o.fields["portId"])
	}
	if avc := o.fields.text("avcIdForTransfer"); o.transfer() && avc != "" {
		service.AVCID = &avc
	}
	o.sim.putService(service, o.now)
}

// RejectOrder makes the carrier immediately reject an order that is not complete, and announces the
// rejection.
func (s *Simulator) RejectOrder(orderID int64, reason string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	order, known := s.state.Orders[orderID]
	now := s.now()
	if !known || order.completed(now) || order.rejected(now) {
		return fmt.Errorf("order %d is not in progress", orderID)
	}
	delete(s.state.Services, order.ServiceID)
	order.RejectedAt, order.RejectedReason = now, reason
	order.CompletesAt, order.ServiceID = time.Time{}, 0
	s.state.Orders[orderID] = order
	s.announceRejection(&order)
	return nil
}
