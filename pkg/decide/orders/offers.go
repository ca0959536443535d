// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

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

// installationOffered checks ntdInstallation against the options, if there are any.
func (o *orderCase) installationOffered() string {
	options := o.installations()
	if len(options) == 0 || o.installation() != nil {
		return ""
	}
	return fmt.Sprintf("ntdInstallation %s is not offered with scenario %s: use one of %s", o.NTDInstallation, o.Scenario,
		namesOf(options, func(option carrier.InstallationOption) string { return string(option.Option) }))
}

// installations returns the installation options of the scenario.
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

// installation returns the option that the order asks for; nil if it is not offered.
func (o *orderCase) installation() *carrier.InstallationOption {
	options := o.installations()
	for i := range options {
		if string(options[i].Option) == o.NTDInstallation {
			return &options[i]
		}
	}
	return nil
}

// circuitMatches says why an AVC id cannot be right, if the qualification shows that. The carrier
// would take the order, and reject it later (spec §2, order scenario 6).
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
