package simulator

import (
	"cmp"
	"slices"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/problem"
)

// The two ways to take over an in-use infrastructure (spec §2).
const (
	serviceTransfer    = "SERVICE_TRANSFER"
	connectOutstanding = "CONNECT_OUTSTANDING"
)

// order is an order that is being checked.
type order struct {
	*exchange

	site  Qualification
	plan  Plan
	infra *Infrastructure // nil for the first or an additional one
	port  *Port           // nil for the first or an additional one
}

// orderRules returns the scenarios of spec §2 as checks. The first that fails refuses the order.
func orderRules() []func(*order) error {
	return []func(*order) error{
		(*order).qualified,
		(*order).planOffered,
		(*order).termOffered,
		(*order).slaOffered,
		(*order).infrastructureFound,
		(*order).additionalAllowed, // scenario 4
		(*order).capacityLeft,      // scenarios 2 and 3
		(*order).transferValid,     // scenarios 5 to 7
		(*order).furtherFieldsValid,
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

func (o *order) termOffered() error {
	if term := o.fields.number(termField); !o.plan.hasTerm(term) {
		return o.invalid("constraints.order.term.invalid", termField, term)
	}
	return nil
}

func (o *order) slaOffered() error {
	if name := o.fields.text("restorationSla"); name != "" && o.sim.catalog.slaNamed(name) == nil {
		return o.invalid("constraints.order.restoration.sla.invalid", "restorationSla", name)
	}
	return nil
}

// infrastructureFound finds the ordered infrastructure and port. Without infrastructureId, the
// order is for a first or an additional infrastructure.
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

// capacityLeft applies scenarios 2 and 3: the NTD must have enough bandwidth. If neither this NTD
// nor another one at the location has enough, this NTD must be replaceable by one that has.
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

// transferValid applies scenarios 5 to 7 of spec §3.
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
		return problem.ArgumentsInvalid(nullField("transferType"))
	case kind == serviceTransfer && avc == "":
		return problem.ArgumentsInvalid(nullField("avcIdForTransfer"))
	case kind == connectOutstanding && avc != "":
		return problem.Refused(notRequired("constraints.avc.id.not.required", "avcIdForTransfer", avc))
	}
	return nil
}

// transfer reports whether the order takes over an in-use infrastructure (scenarios 5 and 9).
func (o *order) transfer() bool { return o.port != nil && o.port.inUse() }

// noTransfer applies scenario 7: neither avcIdForTransfer nor transferType may be set for a first
// or additional infrastructure.
func (o *order) noTransfer() error {
	var given []problem.SubError
	if avc := o.fields.text("avcIdForTransfer"); avc != "" {
		given = append(given, notRequired("constraints.avc.id.not.required", "avcIdForTransfer", avc))
	}
	if kind := o.fields.text("transferType"); kind != "" {
		given = append(given, notRequired("constraints.transfer.type.not.required", "transferType", kind))
	}
	if given != nil {
		return problem.Refused(given...)
	}
	return nil
}

func notRequired(code, name, value string) problem.SubError {
	return problem.SubError{
		Code: code, Message: "must not be provided", Object: "CreateOrderCommand", Field: name, RejectedValue: value,
	}
}

func (o *order) invalid(code, name string, value any) error {
	return problem.Refused(problem.SubError{
		Code: code, Message: "The value is not available at the location",
		Object: "CreateOrderCommand", Field: name, RejectedValue: value,
	})
}
