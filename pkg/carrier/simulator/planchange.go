package simulator

import (
	"cmp"
	"slices"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/problem"
)

// planChangeFields is the body of a plan change (spec §4).
func planChangeFields() []field {
	return []field{
		{name: serviceIDField, kind: number, required: true},
		{name: "planName", kind: text, required: true},
		{name: termField, kind: number, required: true},
		{name: "restorationSla", kind: text, since: 6}, // spec §9: 6 adds restorationSla
		{name: "ntdOption", kind: text},
		{name: contactNameField, kind: text},
		{name: contactPhoneField, kind: text},
		{name: contactEmailField, kind: text},
	}
}

func planChangeFamily() family {
	return family{
		operation: OpPlanChange,
		accept:    acceptPlanChange, effect: changePlan, result: showPlanChange,
		announce: announcePlanChange,
		failed:   "constraints.service.plan.change.status.in.error", object: "ServicePlanChangeRequest",
	}
}

// planChange is a plan change that is being checked.
type planChange struct {
	*exchange

	request *request
	plan    Plan
	offered bool // the carrier offers the plan on the service's technology
}

// acceptPlanChange checks a plan change. The first broken rule determines the response.
func acceptPlanChange(x *exchange, r *request) error {
	plan, known := x.sim.catalog.plans[x.fields.text("planName")]
	change := &planChange{exchange: x, request: r, plan: plan, offered: known && plan.suits(x.service.TechnologyType)}
	rules := []func(*planChange) error{
		(*planChange).sourceSupported,
		(*planChange).contactGiven,
		(*planChange).ntdGiven,
		(*planChange).planKnown,
		(*planChange).termOffered,
		(*planChange).slaOffered,
		(*planChange).ntdOffered,
	}
	for _, rule := range rules {
		if err := rule(change); err != nil {
			return err
		}
	}
	return x.requireModifiable()
}

// sourceSupported applies spec §9: version 8 added plan changes of the alternate source.
func (p *planChange) sourceSupported() error {
	if p.service.alternate() && p.version < lastVersion {
		return p.invalid("constraints.service.source.type.not.supported", "sourceType", p.service.SourceType)
	}
	return nil
}

// contactGiven applies spec §4: contacts are required when ntdOption is set, from version 8.
func (p *planChange) contactGiven() error {
	if !p.fields.has("ntdOption") || p.version < lastVersion {
		return nil
	}
	var missing []problem.SubError
	for _, name := range []string{contactNameField, contactPhoneField, contactEmailField} {
		if !p.fields.has(name) {
			missing = append(missing, nullField(name))
		}
	}
	if missing != nil {
		return problem.ArgumentsInvalid(missing...)
	}
	return nil
}

// ntdGiven applies spec §4: ntdOption is required for plans faster than 1000 MBit/s.
func (p *planChange) ntdGiven() error {
	const fast = 1000
	if p.offered && p.plan.SpeedDown > fast && !p.service.alternate() && !p.fields.has("ntdOption") {
		return problem.ArgumentsInvalid(nullField("ntdOption"))
	}
	return nil
}

// planKnown applies the rule of spec §7 for a plan name that is unavailable.
func (p *planChange) planKnown() error {
	switch {
	case p.offered && p.plan.Fails:
		p.request.Failure, p.request.ErrorDetail = statusInError, "The carrier has rejected the plan change"
	case !p.offered:
		return p.invalid("constraints.plan.change.plan.name.invalid", "planName", p.fields.text("planName"))
	}
	return nil
}

func (p *planChange) termOffered() error {
	if term := p.fields.number(termField); p.offered && !p.plan.hasTerm(term) {
		return p.invalid("constraints.plan.change.term.invalid", termField, term)
	}
	return nil
}

func (p *planChange) slaOffered() error {
	if name := p.fields.text("restorationSla"); name != "" && p.sim.catalog.slaNamed(name) == nil {
		return p.invalid("constraints.plan.change.restoration.sla.invalid", "restorationSla", name)
	}
	return nil
}

func (p *planChange) ntdOffered() error {
	name := p.fields.text("ntdOption")
	offered := slices.ContainsFunc(p.plan.NTDOptions, func(o NTDOption) bool { return o.Option == name })
	if name != "" && len(p.plan.NTDOptions) > 0 && !offered {
		return p.invalid("constraints.plan.change.ntd.option.invalid", "ntdOption", name)
	}
	return nil
}

func (p *planChange) invalid(code, name string, value any) error {
	return problem.Refused(problem.SubError{
		Code: code, Message: "The value is not available for the service",
		Object: "CreateServicePlanChangeRequestCommand", Field: name, RejectedValue: value,
	})
}

// changePlan is the effect of a completed plan change. If the request has no restoration SLA, the
// service keeps its current one.
func changePlan(svc *serviceState, r *request) {
	body := r.body()
	svc.Plans.set(r.DoneAt, planAndTerm{Name: body.text("planName"), Term: body.number(termField)})
	if sla := body.text("restorationSla"); sla != "" {
		svc.SLAs.set(r.DoneAt, sla)
	}
}

// showPlanChange returns the plan change resource of spec §2. Only a resource of the wholesale
// source has the NTD installation contact, null if there is none.
func showPlanChange(x *exchange, r *request) any {
	svc, body := x.sim.state.Services[r.ServiceID], r.body()
	plan := x.sim.catalog.plans[body.text("planName")]
	shown := r.shown(x, resource{"plan": x.sim.catalog.planInfo(svc, plan, body.number(termField)), "sla": nil})
	if sla := x.sim.catalog.slaNamed(svc.SLAs.at(r.DoneAt)); sla != nil {
		shown["sla"] = x.sim.catalog.sla(*sla)
	}
	if !svc.alternate() {
		contact := installationContact(svc, body)
		shown[contactNameField], shown[contactPhoneField] = orNull(contact.Name), orNull(contact.Phone)
		shown[contactEmailField] = orNull(contact.Email)
	}
	return shown
}

// installationContact applies spec §4: the contact details of the order are used if the request has
// none. This happens only below version 8.
func installationContact(svc *serviceState, body fields) Contact {
	if !body.has("ntdOption") {
		return Contact{}
	}
	return Contact{
		Name:  cmp.Or(body.text(contactNameField), svc.Contact.Name),
		Phone: cmp.Or(body.text(contactPhoneField), svc.Contact.Phone),
		Email: cmp.Or(body.text(contactEmailField), svc.Contact.Email),
	}
}

// announcePlanChange distinguishes the three uses of a plan change (spec §4): plan, restoration SLA
// or both. It must be called before the request takes effect.
func announcePlanChange(s *Simulator, svc *serviceState, r *request) []eventKind {
	body := r.body()
	wanted := planAndTerm{Name: body.text("planName"), Term: body.number(termField)}
	sla := body.text("restorationSla")
	newSLA := sla != "" && sla != svc.SLAs.at(r.SubmittedAt)
	var kinds []eventKind
	if wanted != svc.Plans.at(r.SubmittedAt) || !newSLA {
		kinds = append(kinds, r.eventFor(planChanged, planNotChanged))
		if s.options.Seed.Events.Deprecated {
			kinds = append(kinds, r.eventFor(serviceModified, serviceNotModified))
		}
	}
	if newSLA {
		kinds = append(kinds, r.eventFor(slaChanged, slaNotChanged))
	}
	return kinds
}
