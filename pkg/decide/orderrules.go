// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// orderCase is an order together with the qualification that it is based on.
type orderCase struct {
	*v1alpha1.ServiceOrderSpec

	q     *carrier.Qualification
	infra *carrier.Infrastructure // the one that the order names; nil if none
	port  *carrier.NTDPort        // its port, if it is an NTD; nil if none
}

// OrderRefusals returns why the qualification does not allow an order, by the order scenarios of
// specification section 2, and what to do; nothing if it does. Facts that are missing in a
// qualification are not counted against the order: the carrier decides.
func OrderRefusals(spec *v1alpha1.ServiceOrderSpec, q *carrier.Qualification) []string {
	o := caseOf(spec, q)
	if why := o.sameQualification(); len(why) > 0 {
		return why // the other checks would be made against another site
	}
	var why []string
	for _, rule := range []func() string{
		o.infrastructureFits, o.planOffered, o.capacityLeft, o.additionalAllowed, o.replacementNeeded,
		o.methodAllowed, o.slaOffered, o.installationOffered, o.circuitMatches,
	} {
		if words := rule(); words != "" {
			why = append(why, words)
		}
	}
	return why
}

func caseOf(spec *v1alpha1.ServiceOrderSpec, q *carrier.Qualification) *orderCase {
	o := &orderCase{ServiceOrderSpec: spec, q: q}
	if spec.Infrastructure == nil {
		return o
	}
	for i := range q.Infrastructures {
		if q.Infrastructures[i].InfrastructureID == spec.Infrastructure.ID {
			o.infra = &q.Infrastructures[i]
		}
	}
	if o.infra == nil || o.infra.NTD == nil {
		return o
	}
	for i := range o.infra.NTD.Ports {
		if o.infra.NTD.Ports[i].PortID == strconv.FormatInt(spec.Infrastructure.PortID, 10) {
			o.port = &o.infra.NTD.Ports[i]
		}
	}
	return o
}

// sameQualification checks that the result is the one that the order names.
func (o *orderCase) sameQualification() []string {
	var why []string
	declared := o.Qualification
	for _, id := range []struct{ name, declared, found string }{
		{"qualificationSearchID", declared.QualificationSearchID, o.q.QualificationSearchID},
		{"locationID", string(declared.LocationID), o.q.LocationID},
		{
			"remoteQualificationSearchID", declared.RemoteQualificationSearchID,
			orElse(o.q.RemoteQualificationSearchID, declared.RemoteQualificationSearchID),
		},
	} {
		if id.declared != id.found {
			why = append(why, fmt.Sprintf("spec.qualification.%s is %q and the result is of %q: name the result of this one",
				id.name, id.declared, bounded(id.found, maxNameText)))
		}
	}
	if o.RemoteOrderID != "" && o.q.OrderID != "" && o.RemoteOrderID != o.q.OrderID {
		why = append(why, fmt.Sprintf("spec.remoteOrderID is %q and the orderId of the result is %q: leave it out, or name "+
			"the result of that one", o.RemoteOrderID, bounded(o.q.OrderID, maxNameText)))
	}
	return why
}

// infrastructureFits checks the scenario against what is installed: scenarios 1, 2, 4, 5 and 9.
func (o *orderCase) infrastructureFits() string {
	installed := len(o.q.Infrastructures)
	switch {
	case o.Scenario == v1alpha1.ScenarioFirst && installed > 0:
		return fmt.Sprintf("FirstInfrastructure is for a site without any, and %d are there (%s): use one of them "+
			"(FreeInfrastructure, InUseTransfer), or AdditionalInfrastructure", installed, o.installedIDs())
	case o.Scenario == v1alpha1.ScenarioAdditional && installed == 0:
		return "AdditionalInfrastructure is for a site that has one, and none is there: use FirstInfrastructure"
	case o.Infrastructure == nil:
		return ""
	case o.infra == nil:
		return fmt.Sprintf("there is no infrastructure %q at the site: it has %s",
			o.Infrastructure.ID, orElse(o.installedIDs(), "none"))
	case o.Scenario == v1alpha1.ScenarioReplaceNTD && o.infra.NTD == nil:
		return fmt.Sprintf("ReplaceNTD is for an NTD, and %q is none", o.Infrastructure.ID)
	case o.Scenario == v1alpha1.ScenarioReplaceNTD:
		return ""
	}
	return o.placeFits()
}

// placeFits: a free port or pair is used, one in use is taken over.
func (o *orderCase) placeFits() string {
	if o.infra.NTD != nil && o.port == nil {
		return fmt.Sprintf("NTD %q has no port %d: set spec.infrastructure.portID to one of %s",
			o.Infrastructure.ID, o.Infrastructure.PortID, o.portIDs())
	}
	place, used, known := o.place()
	switch {
	case !known:
		return "" // another kind, or a status that the specification does not name
	case o.Scenario == v1alpha1.ScenarioFree && used:
		return place + " is in use: use scenario InUseTransfer, with transfer, or a free one"
	case o.Scenario == v1alpha1.ScenarioInUse && !used:
		return place + " is not in use: use scenario FreeInfrastructure, without transfer"
	}
	return ""
}

// place names the port or pair, and returns whether it is in use and whether that is known.
func (o *orderCase) place() (name string, used, known bool) {
	switch {
	case o.port != nil:
		name = fmt.Sprintf("port %s of NTD %q", bounded(o.port.PortID, maxWord), o.Infrastructure.ID)
		return name, o.port.InUse(), o.port.InUse() || o.port.Status == carrier.PortFree
	case o.infra.CopperPair != nil:
		pair := o.infra.CopperPair
		name = fmt.Sprintf("copper pair %q (%s)", o.Infrastructure.ID,
			bounded(orElse(pair.ServiceStatus, "pair "+orElse(pair.CopperPairStatus, "of unknown status")), maxWord))
		return name, pair.InUse(), pair.ServiceStatus != "" || pair.CopperPairStatus != ""
	}
	return "", false, false
}

// planOffered checks the plan: each scenario has its own list of plans. An NTD that does not list
// the plan cannot carry it.
func (o *orderCase) planOffered() string {
	offers := o.offers()
	if len(offers) == 0 || slices.ContainsFunc(offers, o.isPlan) {
		return ""
	}
	if plan := o.plan(); plan != nil && o.infra != nil && o.infra.NTD != nil && o.Scenario != v1alpha1.ScenarioReplaceNTD {
		const fast = 1000
		if speed, whole := mbit(plan.SpeedDown); whole && speed > fast {
			return fmt.Sprintf("plan %q is faster than %d MBit/s, and NTD %q (%s) cannot carry it: "+
				"use ReplaceNTD or AdditionalInfrastructure", o.PlanName, fast, o.Infrastructure.ID,
				bounded(strings.TrimSpace(o.infra.NTD.NTDType+" "+o.infra.NTD.NTDVersion), maxWord))
		}
	}
	return fmt.Sprintf("plan %q is not offered with scenario %s: it can be one of %s",
		o.PlanName, o.Scenario, planNames(offers))
}

func (o *orderCase) isPlan(plan carrier.QualifiedPlan) bool { return plan.Name == o.PlanName }

// offers returns the plans of the scenario.
func (o *orderCase) offers() []carrier.QualifiedPlan {
	ntd := o.ntd()
	switch {
	case o.Scenario == v1alpha1.ScenarioReplaceNTD:
		return ntd.ReplacementPlans
	case o.Infrastructure != nil && len(ntd.Plans) > 0:
		return ntd.Plans
	}
	return o.siteOffers()
}

// ntd returns the NTD that the order names, or an empty one if it is unknown.
func (o *orderCase) ntd() *carrier.NTD {
	if o.infra == nil || o.infra.NTD == nil {
		return &carrier.NTD{}
	}
	return o.infra.NTD
}

// siteOffers returns the plans that are available at the site with a new installation.
func (o *orderCase) siteOffers() []carrier.QualifiedPlan {
	offers := slices.Concat(o.q.FirstOrAdditionalPlans, o.q.GenerationOnePlans, o.q.GenerationTwoPlans)
	for _, product := range o.q.AvailableProducts {
		for _, option := range product.PlanOptions {
			offers = append(offers, carrier.QualifiedPlan{
				Name: option.PlanName, SpeedDown: option.SpeedDown, SpeedUp: option.SpeedUp,
			})
		}
	}
	return offers
}

// plan returns the ordered plan, from any of the lists.
func (o *orderCase) plan() *carrier.QualifiedPlan {
	offers := o.siteOffers()
	for i := range o.q.Infrastructures {
		if ntd := o.q.Infrastructures[i].NTD; ntd != nil {
			offers = slices.Concat(offers, ntd.Plans, ntd.ReplacementPlans)
		}
	}
	if i := slices.IndexFunc(offers, o.isPlan); i >= 0 {
		return &offers[i]
	}
	return nil
}

// capacityLeft: "for FTTP the order is rejected if the NTD lacks capacity" (scenario 2).
func (o *orderCase) capacityLeft() string {
	if o.Scenario != v1alpha1.ScenarioFree || o.infra == nil || o.infra.NTD == nil || !o.fibre() {
		return ""
	}
	plan, ntd := o.plan(), o.infra.NTD
	if plan == nil || carries(ntd, plan) || len(ntd.Plans) > 0 && !slices.ContainsFunc(ntd.Plans, o.isPlan) {
		return "" // a plan that the NTD does not list is reported by planOffered
	}
	return fmt.Sprintf("NTD %q has %s down and %s up left, and plan %q needs %s and %s: "+
		"order a slower plan, or use ReplaceNTD or AdditionalInfrastructure", o.Infrastructure.ID,
		ntd.RemainingDownstreamBandwidth.String(), ntd.RemainingUpstreamBandwidth.String(),
		o.PlanName, plan.SpeedDown.String(), plan.SpeedUp.String())
}

func (o *orderCase) fibre() bool {
	const fibre = "FTTP"
	return strings.EqualFold(o.q.TechnologyType, fibre) || strings.EqualFold(o.q.AccessTechnology, fibre)
}

// carries reports whether an NTD has the bandwidth for a plan. An unknown bandwidth is sufficient.
func carries(ntd *carrier.NTD, plan *carrier.QualifiedPlan) bool {
	return enough(ntd.RemainingDownstreamBandwidth, plan.SpeedDown) && enough(ntd.RemainingUpstreamBandwidth, plan.SpeedUp)
}

func enough(left, needed carrier.Speed) bool {
	have, haveKnown := mbit(left)
	need, needKnown := mbit(needed)
	return !haveKnown || !needKnown || have >= need
}

// mbit returns a speed in whole MBit/s; false if it is unknown or in another unit.
func mbit(speed carrier.Speed) (int64, bool) {
	if unit := strings.ToLower(speed.Unit); unit != "" && unit != "mbit/s" && unit != "mbps" {
		return 0, false
	}
	whole, _, _ := strings.Cut(string(speed.Speed), ".")
	return carrier.Number(whole).Int()
}

// additionalAllowed: "allowed only when infrastructureInstallationOptions is populated. An
// additional NTD can always be ordered; an additional copper pair only when all existing
// pairs are in use" (scenario 4).
func (o *orderCase) additionalAllowed() string {
	if o.Scenario != v1alpha1.ScenarioAdditional {
		return ""
	}
	if len(o.q.InstallationOptions) == 0 {
		return "AdditionalInfrastructure is not offered at this site (no infrastructureInstallationOptions): " +
			"use what is installed"
	}
	for i := range o.q.Infrastructures {
		if pair := o.q.Infrastructures[i].CopperPair; pair != nil && !pair.InUse() {
			return fmt.Sprintf("an additional copper pair can be ordered only when all are in use, and %q is not: "+
				"use it with scenario FreeInfrastructure", bounded(o.q.Infrastructures[i].InfrastructureID, maxNameText))
		}
	}
	return ""
}

// replacementNeeded: "only plans that do not fit another NTD at the location [...] can be chosen"
// (scenario 3). A free port fits a plan that its NTD lists and can carry.
func (o *orderCase) replacementNeeded() string {
	plan := o.plan()
	if o.Scenario != v1alpha1.ScenarioReplaceNTD || plan == nil {
		return ""
	}
	for i := range o.q.Infrastructures {
		other := &o.q.Infrastructures[i]
		if other.NTD == nil || other == o.infra {
			continue
		}
		if !slices.ContainsFunc(other.NTD.Plans, o.isPlan) || !carries(other.NTD, plan) {
			continue
		}
		if slices.ContainsFunc(other.NTD.Ports, func(p carrier.NTDPort) bool { return p.Status == carrier.PortFree }) {
			return fmt.Sprintf("plan %q fits NTD %q, which has a free port: use that one with scenario FreeInfrastructure",
				o.PlanName, bounded(other.InfrastructureID, maxNameText))
		}
	}
	return ""
}

func (o *orderCase) methodAllowed() string {
	allowed := o.q.AllowedAggregationMethods
	if len(allowed) == 0 || slices.Contains(allowed, o.AggregationMethod) {
		return ""
	}
	return fmt.Sprintf("aggregationMethod %s is not allowed at this site: it can be %s",
		o.AggregationMethod, bounded(strings.Join(allowed, " or "), maxNameText))
}
