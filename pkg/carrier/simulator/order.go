package simulator

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// The two ways to take over an in-use infrastructure (spec §2).
const (
	serviceTransfer    = "SERVICE_TRANSFER"
	connectOutstanding = "CONNECT_OUTSTANDING"
)

// orderFields is the order creation body of spec §2.
func orderFields() []field {
	return []field{
		{name: "customerReference", kind: text, required: true},
		{name: "sourceType", kind: text, required: true},
		{name: "planName", kind: text, required: true},
		{name: termField, kind: number, required: true},
		{name: "qualificationSearchId", kind: text, required: true},
		{name: "locationId", kind: text, required: true},
		{name: "aggregationMethod", kind: text, required: true, allowed: aggregationMethods()},
		{name: "trafficClass", kind: text},
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
		{name: "ntdInstallation", kind: text, allowed: []string{
			"wholesale-tech", "wholesale-no-action", "wholesale-dispatch",
		}},
		{name: "avcIdForTransfer", kind: text},
		{name: "transferType", kind: text, allowed: []string{serviceTransfer, connectOutstanding}},
	}
}

// order is an order that is being checked.
type order struct {
	*exchange

	site  Qualification
	plan  Plan
	infra *Infrastructure // nil for the first or an additional one
	port  *Port           // nil likewise
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
		status: http.StatusCreated, location: ordersPath + x.call.RequestID, body: o.info(placed),
	}, nil
}

// orderRules returns the scenarios of spec §2 as checks. The first that fails refuses the order.
func orderRules() []func(*order) error {
	return []func(*order) error{
		(*order).qualified,
		(*order).planOffered,
		(*order).infrastructureFound,
		(*order).additionalAllowed, // scenario 4
		(*order).capacityLeft,      // scenarios 2 and 3
		(*order).transferValid,     // scenarios 5 to 7
	}
}

// qualified finds the qualification on which the order is based.
func (o *order) qualified() error {
	id := o.fields.text("qualificationSearchId")
	site, known := o.sim.catalog.sites[id]
	if !known || site.Client != o.client.Name || site.LocationID != o.fields.text("locationId") {
		return o.invalid("constraints.order.qualification.invalid", "qualificationSearchId", id)
	}
	o.site = site
	o.site.TechnologyType = cmp.Or(site.TechnologyType, defaultTechnology)
	return nil
}

func (o *order) planOffered() error {
	name := o.fields.text("planName")
	plan, known := o.sim.catalog.plans[name]
	if !known || !plan.suits(o.site.TechnologyType) {
		return o.invalid("constraints.order.plan.name.invalid", "planName", name)
	}
	o.plan = plan
	return nil
}

// infrastructureFound finds the infrastructure and port; null is the first or an additional one.
func (o *order) infrastructureFound() error {
	if !o.fields.has("infrastructureId") {
		return nil
	}
	id, port := o.fields.text("infrastructureId"), o.fields.number("portId")
	i := slices.IndexFunc(o.site.Infrastructures, func(f Infrastructure) bool { return f.ID == id })
	if i < 0 {
		return o.invalid("constraints.order.infrastructure.invalid", "infrastructureId", id)
	}
	o.infra = &o.site.Infrastructures[i]
	j := slices.IndexFunc(o.infra.Ports, func(p Port) bool { return p.ID == port })
	if j < 0 {
		return o.invalid("constraints.order.port.invalid", "portId", port)
	}
	o.port = &o.infra.Ports[j]
	return nil
}

// additionalAllowed applies scenario 4: the qualification must offer it, and an additional copper
// pair requires all existing pairs to be in use.
func (o *order) additionalAllowed() error {
	if !o.additional() {
		return nil
	}
	freePair := slices.ContainsFunc(o.site.Infrastructures, func(f Infrastructure) bool {
		return !o.fiber() && slices.ContainsFunc(f.Ports, func(p Port) bool { return !p.inUse() })
	})
	if !o.site.AdditionalAllowed || freePair {
		return o.invalid("constraints.order.additional.infrastructure.not.allowed", "infrastructureId", nil)
	}
	return nil
}

func (o *order) additional() bool { return o.infra == nil && len(o.site.Infrastructures) > 0 }

// fiber reports whether the infrastructure is an NTD whose ports share its bandwidth.
func (o *order) fiber() bool { return o.site.TechnologyType == defaultTechnology }

// capacityLeft applies scenarios 2 and 3: the NTD must have the bandwidth, or be replaceable by one
// that has it, if no other NTD at the location does.
func (o *order) capacityLeft() error {
	if o.infra == nil || o.port.inUse() || !o.fiber() || o.infra.RemainingDown >= o.plan.SpeedDown {
		return nil
	}
	elsewhere := slices.ContainsFunc(o.site.Infrastructures, func(f Infrastructure) bool {
		return f.ID != o.infra.ID && f.RemainingDown >= o.plan.SpeedDown
	})
	if o.infra.ReplacementDown >= o.plan.SpeedDown && !elsewhere {
		return nil
	}
	return o.invalid("constraints.order.ntd.capacity.exceeded", "planName", o.plan.Name)
}

// transferValid applies scenarios 5 to 7.
func (o *order) transferValid() error {
	if o.port == nil {
		return o.noTransfer()
	}
	if !o.transfer() {
		return nil // a free port: the specification forbids neither field, so both are ignored
	}
	kind, avc := o.fields.text("transferType"), o.fields.text("avcIdForTransfer")
	switch {
	case kind == "":
		return argumentsInvalid(nullField("transferType"))
	case kind == serviceTransfer && avc == "":
		return argumentsInvalid(nullField("avcIdForTransfer"))
	case kind == connectOutstanding && avc != "":
		return refused(notRequired("constraints.avc.id.not.required", "avcIdForTransfer", avc))
	}
	return nil
}

// transfer reports whether the order takes over an in-use infrastructure (scenarios 5 and 9).
func (o *order) transfer() bool { return o.port != nil && o.port.inUse() }

// noTransfer applies scenario 7: neither field may be set for a first or additional infrastructure.
func (o *order) noTransfer() error {
	var given []subError
	if avc := o.fields.text("avcIdForTransfer"); avc != "" {
		given = append(given, notRequired("constraints.avc.id.not.required", "avcIdForTransfer", avc))
	}
	if kind := o.fields.text("transferType"); kind != "" {
		given = append(given, notRequired("constraints.transfer.type.not.required", "transferType", kind))
	}
	if given != nil {
		return refused(given...)
	}
	return nil
}

func notRequired(code, name, value string) subError {
	return subError{
		Code: code, Message: "must not be provided", Object: "CreateOrderCommand", Field: name, RejectedValue: value,
	}
}

func (o *order) invalid(code, name string, value any) error {
	return refused(subError{
		Code: code, Message: "The value is not available at the location",
		Object: "CreateOrderCommand", Field: name, RejectedValue: value,
	})
}

// place stores the order. An order with a wrong AVC is rejected later (scenario 6). An order on a
// port with a service of the same client ends that service first (scenario 10).
func (o *order) place() PlacedOrder {
	done := o.now.Add(o.sim.delay(OpOrderCreate))
	placed := PlacedOrder{
		ID: o.sim.nextID(), Client: o.client.Name, PlacedAt: o.now,
		CustomerReference: o.fields.text("customerReference"),
	}
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
	o.sim.orders[placed.ID] = placed
	if !placed.RejectedAt.IsZero() {
		o.announceRejection(placed)
	}
	return placed
}

// disconnect ends the client's service on a circuit, if there is one.
func (s *Simulator) disconnect(owner, avc string, how cancellation) {
	svc := s.services[s.serviceByAVC[avc]]
	if svc != nil && svc.Client == owner {
		svc.cancellation = how
		s.announceCancellation(svc)
	}
}
