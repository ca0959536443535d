package simulator

import (
	"net/http"
	"strconv"
	"time"
)

// The ways to install an NTD (spec §2).
const (
	technician = "wholesale-tech"
	noAction   = "wholesale-no-action"
	dispatched = "wholesale-dispatch"
)

// orderFields is the order creation body of spec §2.
func orderFields() []field {
	return []field{
		{name: "customerReference", kind: text, required: true},
		{name: "sourceType", kind: text, required: true, allowed: []string{"wholesale"}},
		{name: "planName", kind: text, required: true},
		{name: termField, kind: number, required: true},
		{name: "qualificationSearchId", kind: text, required: true},
		{name: "locationId", kind: text, required: true},
		{name: "aggregationMethod", kind: text, required: true, allowed: aggregationMethods()},
		{name: "trafficClass", kind: text, allowed: []string{"tc1", "tc2", "tc4"}},
		{name: "remoteQualificationSearchId", kind: text},
		{name: "remoteOrderId", kind: text},
		{name: "productType", kind: text},
		{name: "restorationSla", kind: text},
		{name: contactNameField, kind: text},
		{name: contactPhoneField, kind: text},
		{name: contactEmailField, kind: text},
		{name: "infrastructureId", kind: text},
		{name: "portId", kind: number},
		{name: "requireVLAN", kind: flag},
		{name: "vlanId", kind: number},
		{name: "ntdInstallation", kind: text, allowed: []string{technician, noAction, dispatched}},
		{name: "avcIdForTransfer", kind: text},
		{name: "transferType", kind: text, allowed: []string{serviceTransfer, connectOutstanding}},
	}
}

// createOrder places an order (spec §4): 201, a Location and the order.
func createOrder(x *exchange) (response, error) {
	o := &order{exchange: x}
	for _, rule := range orderRules() {
		if err := rule(o); err != nil {
			return response{}, err
		}
	}
	placed := o.place()
	x.call.Accepted, x.call.RequestID = true, strconv.FormatInt(placed.ID, 10)
	return response{
		status: http.StatusCreated, location: ordersPath + x.call.RequestID, body: placed.Resource,
	}, nil
}

// place stores the order. An order with a wrong AVC is rejected later (scenario 6). An order on a
// port with a service of the same client ends that service first (scenario 10).
func (o *order) place() orderState {
	done := o.now.Add(o.sim.delay(OpOrderCreate, 0))
	placed := orderState{PlacedOrder: PlacedOrder{
		ID: o.sim.nextID(), Client: o.client.Name, PlacedAt: o.now,
		CustomerReference: o.fields.text("customerReference"), Contact: o.contact(),
	}}
	placed.Resource = encoded(o.info(placed.PlacedOrder))
	avc := o.fields.text("avcIdForTransfer")
	switch {
	case o.fault.Kind == FaultEndInError:
		placed.RejectedAt, placed.RejectedReason = done, o.fault.Body
	case o.transfer() && avc != "" && avc != o.port.AVCID:
		placed.RejectedAt, placed.RejectedReason = done, "The AVC id is incorrect"
	case o.transfer():
		o.sim.disconnect(o.client.Name, o.port.AVCID, cancellation{
			LastStatus: cancelRequested, Date: o.now.In(o.sim.zone).Format(time.DateOnly), RequestedOn: o.now,
			RequestedBy: o.client.User, DueAt: done,
		})
	}
	if placed.RejectedAt.IsZero() && o.sim.has(ExtensionOrderRead) {
		o.becomeService(&placed, done)
	}
	o.sim.state.Orders[placed.ID] = placed
	if !placed.RejectedAt.IsZero() {
		o.sim.announceRejection(&placed)
	}
	return placed
}

func (o *order) contact() Contact {
	return Contact{
		Name: o.fields.text(contactNameField), Phone: o.fields.text(contactPhoneField),
		Email: o.fields.text(contactEmailField),
	}
}

// disconnect ends the client's service on a circuit, if there is one.
func (s *Simulator) disconnect(owner, avc string, how cancellation) {
	for _, svc := range s.state.Services {
		if avc != "" && *svc.AVCID == avc && svc.Client == owner {
			svc.CancellationState = how
			s.announceCancellation(svc)
		}
	}
}

// announceRejection announces the rejection of an order. The event shows the order as it was placed,
// as the published interface shows it: with type instead of orderType, with the fields of the
// rejection, and without status, provider and fee.
func (s *Simulator) announceRejection(placed *orderState) {
	notice := placed.placed()
	notice["type"], notice["serviceId"] = notice["orderType"], nil
	notice["rejectedReason"], notice["rejectedOn"] = placed.RejectedReason, timestamp(placed.RejectedAt)
	for _, name := range []string{"orderType", statusField, "provider", "fee"} {
		delete(notice, name)
	}
	s.announce(orderRejected, event{
		Client: placed.Client, OrderID: placed.ID, HappensAt: placed.RejectedAt, Resource: encoded(notice),
	})
}
