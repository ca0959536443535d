// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Accepted records the carrier's response to an order. The order's id may come from the body or
// from the Location. The fees that were shown before are compared with those that are charged. What
// was ordered is in the request: the spec may have been edited meanwhile. If the write that follows
// fails, Accepted is called again.
func Accepted(order *v1alpha1.ServiceOrder, request *v1alpha1.Request, body []byte) {
	Named(order, request)
	taken, err := carrier.DecodeOrder(body)
	if err != nil || taken.ID != 0 && order.Status.OrderID != "" && taken.ID != order.Status.OrderID.Number() {
		return // it is accepted, but its details are unknown
	}
	status := &order.Status
	facts := v1alpha1.OrderFacts{
		OrderID: status.OrderID, ServiceID: status.ServiceID, RestorationSLA: request.Target.RestorationSLA,
	}
	learnFacts(&facts, &taken)
	facts.Fees = chargedFees(taken)
	status.OrderFacts = facts
	status.Address = decide.Bounded(taken.Address.FormattedAddress, maxAddress)
	status.Appointments, status.Truncated = appointmentsOf(taken.Appointments)
	request.CarrierStatus = status.CarrierStatus
	decide.CompareResult(request, stated(order, request, &taken))
	other := slaDifference(request.Target.RestorationSLA, taken)
	fees := feeDifference(request.Changes(), status.Fees.Items)
	request.Warning = decide.Bounded(decide.JoinTexts(fees, other), decide.MaxMessage)
}

func infrastructureOf(found *carrier.OrderedInfra) *v1alpha1.OrderInfrastructure {
	if found == nil {
		return nil
	}
	return &v1alpha1.OrderInfrastructure{
		ID: decide.Bounded(found.ID, maxWord), PortID: decide.Bounded(found.PortID, maxWord),
		ProductID: decide.Bounded(found.ProductID, maxWord),
	}
}

// The limits for the appointments of an order.
const (
	maxAppointments     = 10
	maxAppointmentBytes = 8 << 10
)

// appointmentsOf returns the JSON texts of appointments, and true if some were left out.
func appointmentsOf(found []json.RawMessage) ([]string, bool) {
	texts := make([]string, 0, len(found))
	for _, one := range found {
		text, err := json.Marshal(withoutContacts(decide.FreeForm(one)))
		if err == nil {
			texts = append(texts, string(text))
		}
	}
	left := maxAppointmentBytes
	return decide.Fitting(texts, maxAppointments, &left)
}

// withoutContacts drops the contact details from a value: the carrier repeats personal data, and a
// status must not show it.
func withoutContacts(value any) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = withoutContacts(value[i])
		}
	case map[string]any:
		for key, held := range value {
			if strings.Contains(strings.ToLower(key), "contact") {
				delete(value, key)
				continue
			}
			value[key] = withoutContacts(held)
		}
	}
	return value
}

// slaDifference reports that the response to an order names a different SLA than was requested; ""
// if it does not. The requested SLA of an accepted order counts as known all the same, because eSla
// is the SLA of the order (spec §2), which may mean something else.
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
		if name != "" && !decide.SameName(name, asked) {
			return fmt.Sprintf("the order asked for the restoration SLA %q, but the carrier's response names %q", asked, name)
		}
	}
	return ""
}

// Named records the order's number from the Location.
func Named(order *v1alpha1.ServiceOrder, request *v1alpha1.Request) {
	handle, err := decide.HandleOf(request)
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
		order.Status.Appointments, order.Status.Truncated = nil, false
	}
	order.Status.OrderID = id
}

// Show updates the status fields other than the conditions from a decision.
func Show(in *Input, pending *v1alpha1.Pending) {
	status := &in.Order.Status
	free := status.Request == nil || decide.MayOrderAgain(status.Request.Phase)
	if free {
		*status = v1alpha1.ServiceOrderStatus{
			TaskStatus: status.TaskStatus, OrderFacts: v1alpha1.OrderFacts{Fees: PreviewFees(in)}, Ledger: status.Ledger,
		}
		if in.Qualification != nil {
			status.Address = decide.Bounded(in.Qualification.AddressDetails.FormattedAddress, maxAddress)
		}
	}
	status.Frozen = !free && differsFromSent(in) == nil // an order that the carrier rejected can be corrected
	status.Pending = pending
	status.ServiceID = cmp.Or(in.Order.Spec.ServiceID, status.ServiceID)
}
