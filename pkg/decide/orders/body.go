// SPDX-License-Identifier: Apache-2.0

package orders

import (
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
		request.InfrastructureID, request.PortID = infrastructure.ID, infrastructure.PortID
	}
	if vlan := spec.VLAN; vlan != nil {
		request.RequireVLAN, request.VLANID = &vlan.Required, vlan.ID
	}
	if transfer := spec.Transfer; transfer != nil {
		request.AVCIDForTransfer, request.TransferType = transfer.AVCID, carrier.TransferType(transfer.Type)
	}
	return request.Body()
}
