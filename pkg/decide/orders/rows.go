// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// maxValue is the maximum length of a value in a row, as in the schema, in runes.
const maxValue = 300

// Rows returns the rows of an order's plan: a row for each value that the body of the order contains,
// and the scenario and the speed that belong to them. A person approves these rows, so a field that is
// added to [Body] needs one here.
func Rows(spec *v1alpha1.ServiceOrderSpec, remoteOrderID, speed string) []v1alpha1.Change {
	row := func(field, to string) v1alpha1.Change {
		return v1alpha1.Change{Operation: v1alpha1.OperationOrderCreate, Field: field, To: to}
	}
	rows := []v1alpha1.Change{
		row("order", spec.CustomerReference), row("scenario", string(spec.Scenario)),
		row("site", spec.Qualification.LocationID), row("planName", spec.PlanName), row("speed", speed),
		row("term", strconv.Itoa(int(spec.Term))), row("restorationSLA", spec.RestorationSLA),
		row("aggregationMethod", spec.AggregationMethod), row("ntdInstallation", spec.NTDInstallation),
		row("trafficClass", spec.TrafficClass), row("productType", spec.ProductType),
		row("infrastructure", infrastructureText(spec.Infrastructure)), row("vlan", vlanText(spec.VLAN)),
		row("transfer", transferText(spec.Transfer)), row("contact", contactOf(spec).Describe("spec.contact")),
		row("qualificationSearchID", spec.Qualification.QualificationSearchID),
		row("remoteQualificationSearchID", spec.Qualification.RemoteQualificationSearchID),
		row("remoteOrderID", remoteOrderID),
	}
	rows = slices.Concat(rows, extensionRows(spec))
	return slices.DeleteFunc(rows, func(row v1alpha1.Change) bool { return row.To == "" })
}

// contactOf returns where the contact of an order comes from.
func contactOf(spec *v1alpha1.ServiceOrderSpec) decide.ContactSource {
	source := decide.ContactSource{Inline: spec.Contact}
	if spec.ContactSecretRef != nil {
		source.Secret = spec.ContactSecretRef.Name
	}
	return source
}

func infrastructureText(infrastructure *v1alpha1.OrderedInfrastructure) string {
	switch {
	case infrastructure == nil:
		return ""
	case infrastructure.PortID == nil:
		return infrastructure.ID
	}
	return fmt.Sprintf("%s, port %d", infrastructure.ID, *infrastructure.PortID)
}

func vlanText(vlan *v1alpha1.VLAN) string {
	switch {
	case vlan == nil:
		return ""
	case vlan.ID == 0:
		return fmt.Sprintf("required %t", vlan.Required)
	}
	return fmt.Sprintf("required %t, id %d", vlan.Required, vlan.ID)
}

func transferText(transfer *v1alpha1.Transfer) string {
	if transfer == nil {
		return ""
	}
	return decide.JoinTexts(transfer.Type, transfer.AVCID)
}
