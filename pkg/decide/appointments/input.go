// SPDX-License-Identifier: Apache-2.0

package appointments

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Input is the complete input of a decision about one appointment-request.
type Input struct {
	decide.Input

	Appointment *v1alpha1.AppointmentRequest // the subject
	Order       *v1alpha1.ServiceOrder       // the order that orderRef names; nil if there is none
}

// CancelsOnDelete reports whether deletion cancels the appointment-request. An object that was not
// defaulted is treated according to the default of the schema.
func CancelsOnDelete(a *v1alpha1.AppointmentRequest) bool {
	return a.Spec.DeletionPolicy != v1alpha1.DeletionKeep
}

// OrderNumber is the carrier's number for the order; "" while it is unknown.
func OrderNumber(a *v1alpha1.AppointmentRequest, order *v1alpha1.ServiceOrder) v1alpha1.CarrierID {
	if a.Spec.OrderID == "" && order != nil {
		return order.Status.OrderID
	}
	return a.Spec.OrderID
}
