// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"encoding/json"
	"strconv"

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

// addOrderFields adds the fields of the extension OrderFields.
func addOrderFields(request *carrier.OrderRequest, spec *v1alpha1.ServiceOrderSpec) {
	if pots := spec.POTS; pots != nil {
		request.POTSServiceOwner, request.POTSWaiver = &pots.ServiceOwner, pots.Waiver
	}
	request.QuoteName, request.NTDOption = spec.QuoteName, spec.NTDOption
	for _, field := range spec.ExtraFields {
		request.Extra = append(request.Extra, carrier.ExtraField{Name: field.Name, Value: scalar(field)})
	}
}

// scalar returns the value of an extra field as JSON.
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
