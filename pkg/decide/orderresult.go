// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// The maximum lengths of the texts of an order's status, as in its schema.
const (
	maxWord     = 64
	maxNameText = 200
	maxAddress  = 512
)

// OrderAccepted records the carrier's answer to an order: "for an order the body's id will do", and
// so will that of the Location. The fees that were shown before are compared with those that are
// charged.
func OrderAccepted(order *v1alpha1.ServiceOrder, request *v1alpha1.Request, body []byte) {
	OrderNamed(order, request)
	taken, err := carrier.DecodeOrder(body)
	if err != nil || taken.ID != 0 && order.Status.OrderID != "" && taken.ID != order.Status.OrderID.Number() {
		return // it is accepted, but its details are unknown
	}
	shown, charged := order.Status.Fees, ChargedFees(taken)
	status := &order.Status
	status.OrderType, status.CarrierStatus = bounded(string(taken.OrderType), maxWord), bounded(taken.Status, maxWord)
	status.AggregationMethod = bounded(string(taken.AggregationMethod), maxWord)
	status.PlanName = bounded(taken.BandwidthProfile.PlanName, maxNameText)
	status.RestorationSLA = order.Spec.RestorationSLA
	status.InstallationType = bounded(string(taken.InstallationType), maxWord)
	status.TechnologyType, status.Region = bounded(taken.TechnologyType, maxWord), bounded(taken.Region, maxNameText)
	status.Cancellable, status.NFAS = taken.IsCancellable, taken.IsNFAS
	status.AVCID, status.VLANID = bounded(taken.AVCID, maxWord), taken.VLANID
	status.POI, status.POIName = bounded(taken.POI, maxWord), bounded(taken.POIName, maxNameText)
	status.Address = bounded(taken.Address.FormattedAddress, maxAddress)
	status.ServiceID = cmp.Or(v1alpha1.CarrierIDOf(taken.ServiceID), status.ServiceID)
	status.Fees = charged
	request.CarrierStatus = status.CarrierStatus
	other := slaDifference(order.Spec.RestorationSLA, taken)
	request.Warning = bounded(joined(feeDifference(shown, charged), other), maxMessage)
}

// slaDifference reports that the answer to an order names a different SLA than was requested; "" if
// it does not. The requested SLA of an accepted order counts as known: "eSla: order SLA" (spec §7)
// may mean something else.
func slaDifference(asked string, taken carrier.Order) string {
	if asked == "" {
		return ""
	}
	named := []string{taken.ESLA}
	for _, fee := range taken.AdditionalFees {
		if fee.Fee != nil {
			named = append(named, fee.Fee.Attributes["sla"])
		}
	}
	for _, name := range named {
		if name != "" && !sameName(name, asked) {
			return fmt.Sprintf("the order asked for the restoration SLA %q, and the carrier's answer names %q", asked, name)
		}
	}
	return ""
}

// joined joins texts and omits empty ones.
func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// OrderNamed records the order's number from the Location.
func OrderNamed(order *v1alpha1.ServiceOrder, request *v1alpha1.Request) {
	handle, err := carrier.ParseLocation(carrier.OrderCreate, int(request.APIVersion), request.Location)
	if err != nil {
		return // a resolution as succeeded names no number
	}
	number, whole := carrier.Number(handle.ID).Int()
	if !whole {
		return
	}
	id := v1alpha1.CarrierIDOf(number)
	if known := order.Status.OrderID; known != "" && known != id { // the known facts belong to another order
		order.Status.OrderFacts, order.Status.Address = v1alpha1.OrderFacts{}, ""
	}
	order.Status.OrderID = id
}

// ShowOrder updates the status fields other than the conditions from a decision.
func ShowOrder(in *OrderInput, pending *v1alpha1.Pending) {
	status := &in.Order.Status
	free := status.Request == nil || Freed(status.Request.Phase)
	if free {
		*status = v1alpha1.ServiceOrderStatus{
			TaskStatus: status.TaskStatus, OrderFacts: v1alpha1.OrderFacts{Fees: PreviewFees(in)}, Ledger: status.Ledger,
		}
		if in.Qualification != nil {
			status.Address = bounded(in.Qualification.AddressDetails.FormattedAddress, maxAddress)
		}
	}
	status.Frozen = !free && orderDiffers(in) == nil // an order that the carrier rejected can be corrected
	status.Pending = pending
	status.ServiceID = cmp.Or(in.Order.Spec.ServiceID, status.ServiceID)
}

// OrderOf returns what a service takes over from the order that created it. It is empty until the
// carrier has accepted the order, even if spec.serviceID is set.
func OrderOf(order *v1alpha1.ServiceOrder) *Order {
	known, request := &Order{}, order.Status.Request
	if request == nil || request.Phase != v1alpha1.PhaseSucceeded {
		return known
	}
	known.Accepted = true
	known.ServiceID = cmp.Or(order.Spec.ServiceID, order.Status.ServiceID)
	known.Plan, known.Term = order.Status.PlanName, order.Spec.Term
	known.RestorationSLA, known.AggregationMethod = order.Status.RestorationSLA, order.Status.AggregationMethod
	known.AVCID = order.Status.AVCID
	return known
}

func refusalWords(why []string) string {
	return bounded("the qualification does not let this order be made: "+strings.Join(why, "; "), maxMessage)
}
