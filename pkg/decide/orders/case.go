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

// orderCase is an order together with the qualification that it is based on.
type orderCase struct {
	*v1alpha1.ServiceOrderSpec

	q     *carrier.Qualification
	infra *carrier.Infrastructure // the infrastructure that the order names; nil if none
	port  *carrier.NTDPort        // its port, if it is an NTD; nil if none
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
	if port := spec.Infrastructure.PortID; o.infra != nil && o.infra.NTD != nil && port != nil {
		ports := o.infra.NTD.Ports
		isNamed := func(p carrier.NTDPort) bool { return p.PortID == strconv.FormatInt(*port, 10) }
		if i := slices.IndexFunc(ports, isNamed); i >= 0 {
			o.port = &ports[i]
		}
	}
	return o
}

// place returns the name of the port or pair, whether it is in use, and whether that is known.
func (o *orderCase) place() (name string, used, known bool) {
	switch {
	case o.port != nil:
		name = fmt.Sprintf("port %s of NTD %q", decide.Bounded(o.port.PortID, maxWord), o.Infrastructure.ID)
		return name, o.port.InUse(), o.port.InUse() || o.port.Status == carrier.PortFree
	case o.infra.CopperPair != nil:
		pair := o.infra.CopperPair
		status := "pair " + cmp.Or(pair.CopperPairStatus, "of unknown status")
		name = fmt.Sprintf("copper pair %q (%s)", o.Infrastructure.ID,
			decide.Bounded(cmp.Or(pair.ServiceStatus, status), maxWord))
		return name, pair.InUse(), pair.ServiceStatus != "" || pair.CopperPairStatus != ""
	}
	return "", false, false
}

// ntd returns the NTD that the order names, or an empty one if it is unknown.
func (o *orderCase) ntd() *carrier.NTD {
	if o.infra == nil || o.infra.NTD == nil {
		return &carrier.NTD{}
	}
	return o.infra.NTD
}

// installsNTD reports whether a new NTD is installed at the site for the order.
func (o *orderCase) installsNTD() bool {
	return o.Scenario == v1alpha1.ScenarioReplaceNTD || o.Scenario == v1alpha1.ScenarioFirst ||
		o.Scenario == v1alpha1.ScenarioAdditional && !o.hasOnlyCopper()
}

// hasOnlyCopper reports whether all infrastructure at the site is copper. Additional infrastructure
// is then a copper pair, which has no NTD.
func (o *orderCase) hasOnlyCopper() bool {
	isOther := func(i carrier.Infrastructure) bool { return i.CopperPair == nil }
	return len(o.q.Infrastructures) > 0 && !slices.ContainsFunc(o.q.Infrastructures, isOther)
}

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

func (o *orderCase) isPlan(plan carrier.QualifiedPlan) bool { return plan.Name == o.PlanName }

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

// mostNames is the maximum number of names in a message.
const mostNames = 10

func (o *orderCase) slaOffered() string {
	offered := o.q.RestorationSLAs
	named := func(sla carrier.QualifiedSLA) bool { return sla.SLA == o.RestorationSLA }
	if o.RestorationSLA == "" || len(offered) == 0 || slices.ContainsFunc(offered, named) {
		return ""
	}
	return fmt.Sprintf("restorationSLA %q is not offered at this site: use one of %s", o.RestorationSLA,
		namesOf(offered, func(sla carrier.QualifiedSLA) string { return sla.SLA }))
}

func (o *orderCase) installationOffered() string {
	options := o.installations()
	if len(options) == 0 || o.installation() != nil {
		return ""
	}
	return fmt.Sprintf("ntdInstallation %s is not offered with scenario %s: use one of %s", o.NTDInstallation, o.Scenario,
		namesOf(options, func(option carrier.InstallationOption) string { return string(option.Option) }))
}

func (o *orderCase) installations() []carrier.InstallationOption {
	switch {
	case o.Scenario == v1alpha1.ScenarioReplaceNTD:
		return o.ntd().ReplacementInstallationOptions
	case o.infra != nil:
		return o.infra.InstallationOptions
	case o.Infrastructure != nil:
		return nil
	}
	return o.q.InstallationOptions
}

func (o *orderCase) installation() *carrier.InstallationOption {
	options := o.installations()
	for i := range options {
		if string(options[i].Option) == o.NTDInstallation {
			return &options[i]
		}
	}
	return nil
}

// circuitMatches says why an AVC id cannot be right, if the qualification shows it. The carrier
// would accept the order, and reject it later (spec §2, order scenario 6).
func (o *orderCase) circuitMatches() string {
	if o.Transfer == nil || o.Transfer.AVCID == "" || o.Transfer.AVCID != o.q.AVCID || o.infra == nil {
		return "" // the qualification was not made for this circuit
	}
	var match *bool
	switch {
	case o.port != nil:
		match = o.port.AVCIDMatch
	case o.infra.CopperPair != nil:
		match = o.infra.CopperPair.AVCIDMatch
	}
	if match == nil || *match {
		return ""
	}
	place, _, _ := o.place()
	return fmt.Sprintf("transfer.avcID %s is not the circuit of %s: correct the id, "+
		"or use type CONNECT_OUTSTANDING without avcID", o.Transfer.AVCID, place)
}

func (o *orderCase) installedIDs() string {
	return namesOf(o.q.Infrastructures, func(i carrier.Infrastructure) string { return i.InfrastructureID })
}

// namesOf lists a limited number of names, each once.
func namesOf[T any](all []T, name func(T) string) string {
	names := decide.NamesOf(all, name)
	if len(names) > mostNames {
		names = append(names[:mostNames], "…")
	}
	return strings.Join(names, ", ")
}
