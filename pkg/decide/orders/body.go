// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// remoteOrderIDOf returns the orderId of the qualification, either declared or from its result.
func remoteOrderIDOf(in *Input) string {
	if in.Order.Spec.RemoteOrderID != "" || in.Qualification == nil {
		return in.Order.Spec.RemoteOrderID
	}
	return decide.Bounded(in.Qualification.OrderID, decide.MaxNameText)
}

// Body returns the body of an order, with the orderId of its qualification.
func Body(spec *v1alpha1.ServiceOrderSpec, remoteOrderID string, to v1alpha1.Contact) []byte {
	request := carrier.OrderRequest{
		PlanName: spec.PlanName, Term: int(spec.Term), TrafficClass: spec.TrafficClass,
		RemoteQualificationSearchID: spec.Qualification.RemoteQualificationSearchID,
		QualificationSearchID:       spec.Qualification.QualificationSearchID,
		LocationID:                  spec.Qualification.LocationID,
		RemoteOrderID:               remoteOrderID, ProductType: spec.ProductType, RestorationSLA: spec.RestorationSLA,
		ContactName: to.Name, ContactPhone: to.Phone, ContactEmail: to.Email,
		NTDInstallation: carrier.NTDInstallation(spec.NTDInstallation), CustomerReference: spec.CustomerReference,
		AggregationMethod: carrier.AggregationMethod(spec.AggregationMethod),
	}
	if infrastructure := spec.Infrastructure; infrastructure != nil {
		request.InfrastructureID, request.PortID = carrier.InfrastructureID(infrastructure.ID), infrastructure.PortID
	}
	if vlan := spec.VLAN; vlan != nil {
		request.RequireVLAN, request.VLANID = &vlan.Required, vlan.ID
	}
	if transfer := spec.Transfer; transfer != nil {
		request.AVCIDForTransfer, request.TransferType = transfer.AVCID, carrier.TransferType(transfer.Type)
	}
	addOrderFields(&request, spec)
	return request.Body()
}

func addOrderFields(request *carrier.OrderRequest, spec *v1alpha1.ServiceOrderSpec) {
	if pots := spec.POTS; pots != nil {
		request.POTSServiceOwner, request.POTSWaiver = &pots.ServiceOwner, pots.Waiver
	}
	request.QuoteName, request.NTDOption = spec.QuoteName, spec.NTDOption
	for _, field := range spec.ExtraFields {
		request.Extra = append(request.Extra, carrier.ExtraField{Name: field.Name, Value: scalar(field)})
	}
}

func scalar(field v1alpha1.ExtraField) string {
	switch {
	case field.Number != nil:
		return *field.Number // the schema allows only numbers
	case field.Flag != nil:
		return strconv.FormatBool(*field.Flag)
	case field.Text == nil:
		return "null"
	}
	quoted, err := json.Marshal(*field.Text)
	if err != nil {
		return "null" // every text can be marshaled
	}
	return string(quoted)
}

// maxValue is the maximum length of a value in a row, as in the schema, in runes.
const maxValue = 300

// Rows returns the rows of an order's plan: a row for each value that the body of the order contains,
// and the scenario and the speed that belong to them. A person approves these rows, so a field that is
// added to [Body] needs one here.
func Rows(spec *v1alpha1.ServiceOrderSpec, remoteOrderID, speed string) []v1alpha1.Change {
	var transfer v1alpha1.Transfer
	if spec.Transfer != nil {
		transfer = *spec.Transfer
	}
	rows := []v1alpha1.Change{
		row("order", spec.CustomerReference), row("scenario", string(spec.Scenario)),
		row("site", spec.Qualification.LocationID), row("planName", spec.PlanName), row("speed", speed),
		row("term", strconv.Itoa(int(spec.Term))), row("restorationSLA", spec.RestorationSLA),
		row("aggregationMethod", spec.AggregationMethod), row("ntdInstallation", spec.NTDInstallation),
		row("trafficClass", spec.TrafficClass), row("productType", spec.ProductType),
		row("infrastructure", infrastructureText(spec.Infrastructure)), row("vlan", vlanText(spec.VLAN)),
		row("transfer", decide.JoinTexts(transfer.Type, transfer.AVCID)),
		row("contact", contactOf(spec).Describe("spec.contact")),
		row("qualificationSearchID", spec.Qualification.QualificationSearchID),
		row("remoteQualificationSearchID", spec.Qualification.RemoteQualificationSearchID),
		row("remoteOrderID", remoteOrderID),
	}
	return withoutEmpty(slices.Concat(rows, extensionRows(spec)))
}

func row(field, to string) v1alpha1.Change {
	return v1alpha1.Change{Operation: v1alpha1.OperationOrderCreate, Field: field, To: to}
}

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

func withoutEmpty(rows []v1alpha1.Change) []v1alpha1.Change {
	return slices.DeleteFunc(rows, func(row v1alpha1.Change) bool { return row.To == "" })
}

// extensionRows returns the rows of an order's plan for the given fields of the extension OrderFields.
func extensionRows(spec *v1alpha1.ServiceOrderSpec) []v1alpha1.Change {
	var rows []v1alpha1.Change
	if pots := spec.POTS; pots != nil {
		rows = append(rows, row("pots", fmt.Sprintf("serviceOwner %t, waiver %t", pots.ServiceOwner, waives(pots))))
	}
	rows = append(rows, row("quoteName", spec.QuoteName), row("ntdOption", spec.NTDOption))
	for _, field := range spec.ExtraFields {
		rows = append(rows, row("extraFields", field.Name+" "+scalar(field)))
	}
	rows = withoutEmpty(rows)
	for i := range rows {
		rows[i].To = decide.Bounded(rows[i].To, maxValue)
	}
	return rows
}

func waives(pots *v1alpha1.POTS) bool { return pots.Waiver != nil && *pots.Waiver }

// fieldsNeedExtension refuses an order with fields that the specification does not have, unless
// the account has the extension OrderFields. The carrier could ignore such a field, and the
// result would then differ from the declared order.
func fieldsNeedExtension(in *Input) *decide.Decision {
	given := decide.NamesOf(extensionRows(&in.Order.Spec), func(row v1alpha1.Change) string { return "spec." + row.Field })
	if len(given) == 0 || in.Account.Object.Extends(v1alpha1.ExtensionOrderFields) {
		return nil
	}
	return decide.RestStuck(v1alpha1.ReasonOrderNotPossible, fmt.Sprintf(
		"%s needs the extension %s, which CarrierAccount %s does not have. Nothing was sent: if the carrier has these "+
			"fields, add %[2]s to spec.extensions of the account; otherwise remove them from the order",
		strings.Join(given, ", "), v1alpha1.ExtensionOrderFields, in.Account.Object.Name))
}

// waiverGiven says that the telephone service has to be waived if the line's number does not match.
func (o *orderCase) waiverGiven() string {
	if o.POTS == nil || waives(o.POTS) || o.infra == nil || o.infra.CopperPair == nil {
		return ""
	}
	if matches := o.infra.CopperPair.POTSInterconnectMatch; matches == nil || *matches {
		return ""
	}
	return fmt.Sprintf("the number (FNN) does not match that of copper pair %q: set spec.pots.waiver: true, "+
		"or order on another pair", o.Infrastructure.ID)
}
