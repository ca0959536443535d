// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// device is an NTD that an order may get, with its fees.
type device struct {
	name string
	fees []v1alpha1.OrderFee
}

// devices returns the NTDs that the order can get: those of the qualification that the plan
// allows and the order asks for. The carrier chooses one of them. It returns false if neither the
// qualification nor the plan lists any.
func (o *orderCase) devices() ([]device, bool) {
	possible, known := o.possibleDevices()
	if o.NTDOption != "" {
		possible = slices.DeleteFunc(possible, func(d device) bool { return d.name != o.NTDOption })
	}
	return possible, known
}

// possibleDevices returns the NTDs that both the qualification and the plan allow. A fee is
// unknown if the two state it differently.
func (o *orderCase) possibleDevices() ([]device, bool) {
	listed, allowed := o.listedDevices(), o.planDevices()
	switch {
	case len(listed) == 0:
		return allowed, len(allowed) > 0
	case len(allowed) == 0:
		return listed, true
	}
	var both []device
	for _, one := range listed {
		if i := deviceNamed(allowed, one.name); i >= 0 {
			both = append(both, device{name: one.name, fees: withFees(one.fees, allowed[i].fees)})
		}
	}
	return both, true
}

func (o *orderCase) listedDevices() []device {
	var ntds []carrier.QualifiedNTD
	switch {
	case o.Scenario == v1alpha1.ScenarioReplaceNTD:
		ntds = o.q.ReplacementNTDs
	case o.installsNTD():
		ntds = o.q.GenerationTwoNTDs
	}
	devices := make([]device, len(ntds))
	for i := range ntds {
		devices[i] = device{name: ntds[i].Name, fees: feeItems(carrier.FeeNTDInstallation, ntds[i].Fees)}
	}
	return devices
}

// planDevices returns the NTDs that the ordered plan allows, by the plan lists of the scenario.
func (o *orderCase) planDevices() []device {
	var devices []device
	for _, plan := range o.offers() {
		if !o.isPlan(plan) {
			continue
		}
		for i := range plan.NTDOptions {
			option := &plan.NTDOptions[i]
			var fees []v1alpha1.OrderFee
			if option.Fee != nil {
				fees = feeItems(carrier.FeeNTDInstallation, carrier.Fees{*option.Fee})
			}
			if at := deviceNamed(devices, option.Option); at >= 0 {
				devices[at].fees = withFees(devices[at].fees, fees)
				continue
			}
			devices = append(devices, device{name: option.Option, fees: fees})
		}
	}
	return devices
}

func (o *orderCase) deviceAvailable() string {
	devices, known := o.devices()
	if !known || len(devices) > 0 {
		return ""
	}
	if possible, _ := o.possibleDevices(); len(possible) > 0 {
		return fmt.Sprintf("ntdOption %s is not available at this site with plan %q: use one of %s",
			o.NTDOption, o.PlanName, deviceNames(possible))
	}
	return fmt.Sprintf("plan %q allows no device that this site can get: it allows %s, and the site can get %s. "+
		"Order another plan, or have the site qualified again", o.PlanName, deviceNames(o.planDevices()),
		deviceNames(o.listedDevices()))
}

func deviceNamed(devices []device, name string) int {
	return slices.IndexFunc(devices, func(d device) bool { return d.name == name })
}

func deviceNames(devices []device) string {
	return namesOf(devices, func(d device) string { return decide.Bounded(d.name, maxWord) })
}

// feesOfAny returns the fees for these NTDs, one of which the carrier will choose. A fee that
// differs between them is unknown and has no amounts.
func feesOfAny(devices []device) []v1alpha1.OrderFee {
	var items []v1alpha1.OrderFee
	for _, one := range devices {
		for _, fee := range one.fees {
			differs := func(other device) bool {
				return !equality.Semantic.DeepEqual(feeNamed(other.fees, fee.Name), fee)
			}
			if slices.ContainsFunc(devices, differs) {
				fee = v1alpha1.OrderFee{Name: fee.Name}
			}
			items = withFees(items, []v1alpha1.OrderFee{fee})
		}
	}
	return items
}

// deviceFees returns the fees of the port or pair, or of the installed NTD. An order that
// replaces an NTD may name one of its ports.
func (o *orderCase) deviceFees() []v1alpha1.OrderFee {
	switch {
	case o.installsNTD():
		devices, _ := o.devices()
		return feesOfAny(devices)
	case o.port != nil:
		return feeItems(carrier.FeeNTDInstallation, o.port.Fees)
	case o.infra != nil && o.infra.CopperPair != nil:
		return feeItems(carrier.FeeNTDInstallation, o.infra.CopperPair.Fees)
	}
	return nil
}
