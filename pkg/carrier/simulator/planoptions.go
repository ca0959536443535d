package simulator

func planOptionsFamily() family {
	return family{
		operation: OpPlanOptions,
		result:    showPlanOptions, opaque: true,
		failed: "constraints.service.plan.change.options.status.in.error", object: "ServicePlanChangeOptionsRequest",
	}
}

// showPlanOptions returns the plan change options resource of spec §2: every plan that is available
// to the service, once per term, and every SLA.
func showPlanOptions(x *exchange, r *request) any {
	svc, offers := x.sim.state.Services[r.ServiceID], &x.sim.catalog
	plans, slas := []resource{}, make([]resource, 0, len(offers.slas))
	for _, name := range offers.order {
		plan := offers.plans[name]
		if !plan.suits(svc.TechnologyType) {
			continue
		}
		for _, term := range plan.terms() {
			plans = append(plans, offers.planInfo(svc, plan, term))
		}
	}
	for _, sla := range offers.slas {
		slas = append(slas, offers.sla(sla))
	}
	return resource{"plans": plans, "slas": slas}
}

// terms returns the terms in which the plan is listed. A plan that is available in any term is
// listed only once, with term 1.
func (p *Plan) terms() []int64 {
	if len(p.Terms) == 0 {
		return []int64{1}
	}
	return p.Terms
}
