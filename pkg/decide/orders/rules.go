// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Refusals returns why the qualification does not allow an order, by the order scenarios of spec
// §2, and what to do; nothing if it allows the order. Facts missing from a qualification do not
// lead to a refusal: the carrier decides.
func Refusals(spec *v1alpha1.ServiceOrderSpec, q *carrier.Qualification) []string {
	o := caseOf(spec, q)
	if why := o.sameQualification(); len(why) > 0 {
		return why // the other checks would be about another site
	}
	var why []string
	for _, rule := range []func() string{
		o.infrastructureFits, o.planOffered, o.deviceAvailable, o.capacityLeft, o.additionalAllowed, o.replacementNeeded,
		o.methodAllowed, o.slaOffered, o.installationOffered, o.circuitMatches, o.waiverGiven,
	} {
		if words := rule(); words != "" {
			why = append(why, words)
		}
	}
	return why
}

func (o *orderCase) sameQualification() []string {
	var why []string
	declared := o.Qualification
	for _, id := range []struct{ name, declared, found string }{
		{"qualificationSearchID", declared.QualificationSearchID, o.q.QualificationSearchID},
		{"locationID", declared.LocationID, o.q.LocationID},
		{
			"remoteQualificationSearchID", declared.RemoteQualificationSearchID,
			cmp.Or(o.q.RemoteQualificationSearchID, declared.RemoteQualificationSearchID),
		},
	} {
		if id.declared != id.found {
			why = append(why, fmt.Sprintf("spec.qualification.%s is %q, but the qualification result is for %q: "+
				"reference the result of the declared qualification",
				id.name, id.declared, decide.Bounded(id.found, decide.MaxNameText)))
		}
	}
	if o.RemoteOrderID != "" && o.q.OrderID != "" && o.RemoteOrderID != o.q.OrderID {
		why = append(why, fmt.Sprintf("spec.remoteOrderID is %q, but the orderId of the qualification result is %q: "+
			"omit spec.remoteOrderID, or reference the result with that orderId",
			o.RemoteOrderID, decide.Bounded(o.q.OrderID, decide.MaxNameText)))
	}
	return why
}

// infrastructureFits checks the scenario against what is installed: scenarios 1, 2, 4, 5 and 9.
func (o *orderCase) infrastructureFits() string {
	installed := len(o.q.Infrastructures)
	switch {
	case o.Scenario == v1alpha1.ScenarioFirst && installed > 0:
		return fmt.Sprintf("FirstInfrastructure is for a site without infrastructure, but this site has %d (%s): use one of "+
			"them (FreeInfrastructure, InUseTransfer), or AdditionalInfrastructure", installed, o.installedIDs())
	case o.Scenario == v1alpha1.ScenarioAdditional && installed == 0:
		return "AdditionalInfrastructure is for a site that already has infrastructure, but this site has none: " +
			"use FirstInfrastructure"
	case o.Infrastructure == nil:
		return ""
	case o.infra == nil:
		return fmt.Sprintf("the site has no infrastructure %q (installed: %s): correct spec.infrastructure.id",
			o.Infrastructure.ID, cmp.Or(o.installedIDs(), "none"))
	case o.Scenario == v1alpha1.ScenarioReplaceNTD && o.infra.NTD == nil:
		return fmt.Sprintf("ReplaceNTD requires an NTD, but %q is not an NTD", o.Infrastructure.ID)
	case o.Scenario == v1alpha1.ScenarioReplaceNTD:
		return ""
	}
	return o.placeFits()
}

// placeFits checks the port or pair: FreeInfrastructure needs a free one, and InUseTransfer needs
// one in use.
func (o *orderCase) placeFits() string {
	if o.infra.NTD != nil && o.port == nil {
		missing := "the order names no port of NTD %q"
		if port := o.Infrastructure.PortID; port != nil {
			missing = fmt.Sprintf("NTD %%q has no port %d", *port)
		}
		ports := namesOf(o.infra.NTD.Ports, func(p carrier.NTDPort) string { return p.PortID })
		return fmt.Sprintf(missing+" (its ports: %s): correct spec.infrastructure.portID",
			o.Infrastructure.ID, cmp.Or(ports, "none"))
	}
	place, used, known := o.place()
	switch {
	case !known:
		return "" // another kind, or a status that the specification does not name
	case o.Scenario == v1alpha1.ScenarioFree && used:
		return place + " is in use: use scenario InUseTransfer with transfer, or choose a port or pair that is free"
	case o.Scenario == v1alpha1.ScenarioInUse && !used:
		return place + " is not in use: use scenario FreeInfrastructure without transfer"
	}
	return ""
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
			return fmt.Sprintf("plan %q is faster than %d MBit/s, which NTD %q (%s) cannot carry: "+
				"use ReplaceNTD or AdditionalInfrastructure", o.PlanName, fast, o.Infrastructure.ID,
				decide.Bounded(strings.TrimSpace(o.infra.NTD.NTDType+" "+o.infra.NTD.NTDVersion), maxWord))
		}
	}
	names := namesOf(offers, func(plan carrier.QualifiedPlan) string { return strconv.Quote(plan.Name) })
	return fmt.Sprintf("plan %q is not offered with scenario %s: use one of %s", o.PlanName, o.Scenario, names)
}

// capacityLeft says why the NTD of an FTTP order cannot carry the plan, which the carrier would
// reject (spec §2, order scenario 2).
func (o *orderCase) capacityLeft() string {
	const fibre = "FTTP"
	isFibre := strings.EqualFold(o.q.TechnologyType, fibre) || strings.EqualFold(o.q.AccessTechnology, fibre)
	if o.Scenario != v1alpha1.ScenarioFree || o.infra == nil || o.infra.NTD == nil || !isFibre {
		return ""
	}
	plan, ntd := o.plan(), o.infra.NTD
	if plan == nil || carries(ntd, plan) || len(ntd.Plans) > 0 && !slices.ContainsFunc(ntd.Plans, o.isPlan) {
		return "" // a plan that the NTD does not list is reported by planOffered
	}
	return fmt.Sprintf("NTD %q has only %s down and %s up left, but plan %q needs %s and %s: "+
		"order a slower plan, or use ReplaceNTD or AdditionalInfrastructure", o.Infrastructure.ID,
		ntd.RemainingDownstreamBandwidth.String(), ntd.RemainingUpstreamBandwidth.String(),
		o.PlanName, plan.SpeedDown.String(), plan.SpeedUp.String())
}

// carries reports whether an NTD has the bandwidth for a plan. An unknown bandwidth counts as
// sufficient.
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

// additionalAllowed says why an additional infrastructure cannot be ordered: the qualification has
// no option to install one, or it is a copper pair and another one is free (spec §2, order scenario
// 4).
func (o *orderCase) additionalAllowed() string {
	if o.Scenario != v1alpha1.ScenarioAdditional {
		return ""
	}
	if len(o.q.InstallationOptions) == 0 {
		return "AdditionalInfrastructure is not offered at this site (no infrastructureInstallationOptions): " +
			"use the installed infrastructure"
	}
	for i := range o.q.Infrastructures {
		if pair := o.q.Infrastructures[i].CopperPair; pair != nil && !pair.InUse() {
			return fmt.Sprintf("an additional copper pair can be ordered only if all existing pairs are in use, but %q is not: "+
				"use that pair with scenario FreeInfrastructure",
				decide.Bounded(o.q.Infrastructures[i].InfrastructureID, decide.MaxNameText))
		}
	}
	return ""
}

// replacementNeeded says why an NTD cannot be replaced: another NTD of the location can carry the
// plan (spec §2, order scenario 3). A free port fits a plan that its NTD lists and can carry.
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
			return fmt.Sprintf("plan %q fits NTD %q, which has a free port: use that NTD with scenario FreeInfrastructure",
				o.PlanName, decide.Bounded(other.InfrastructureID, decide.MaxNameText))
		}
	}
	return ""
}

func (o *orderCase) methodAllowed() string {
	allowed := o.q.AllowedAggregationMethods
	if len(allowed) == 0 || slices.Contains(allowed, o.AggregationMethod) {
		return ""
	}
	return fmt.Sprintf("aggregationMethod %s is not allowed at this site: use %s",
		o.AggregationMethod, decide.Bounded(strings.Join(allowed, " or "), decide.MaxNameText))
}
