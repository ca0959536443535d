// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Accepted records the carrier's response to an order. The order's id may come from the body or
// from the Location. The fees shown before are compared with the charged fees. The ordered values
// come from the request, because the spec may have been edited meanwhile. If the write that
// follows fails, Accepted is called again.
func Accepted(order *v1alpha1.ServiceOrder, request *v1alpha1.Request, body []byte) {
	Named(order, request)
	taken, err := carrier.DecodeOrder(body)
	if err != nil || taken.ID != 0 && order.Status.OrderID != "" && taken.ID != order.Status.OrderID.Number() {
		return // the order is accepted, but its details are unknown
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
		for key, one := range value {
			if strings.Contains(strings.ToLower(key), "contact") {
				delete(value, key)
				continue
			}
			value[key] = withoutContacts(one)
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

// learnFacts updates the facts about an order.
func learnFacts(facts *v1alpha1.OrderFacts, found *carrier.Order) {
	words := []struct {
		known *string
		read  string
		limit int
	}{
		{&facts.OrderType, string(found.OrderType), maxWord},
		{&facts.CarrierStatus, found.Status, maxWord},
		{&facts.AggregationMethod, string(found.AggregationMethod), maxWord},
		{&facts.PlanName, found.BandwidthProfile.PlanName, decide.MaxNameText},
		{&facts.InstallationType, string(found.InstallationType), maxWord},
		{&facts.TechnologyType, found.TechnologyType, maxWord},
		{&facts.Region, found.Region, decide.MaxNameText},
		{&facts.AVCID, found.AVCID, maxWord},
		{&facts.POI, found.POI, maxWord},
		{&facts.POIName, found.POIName, decide.MaxNameText},
		{&facts.TransferType, string(found.TransferType), maxWord},
	}
	for _, word := range words {
		*word.known = cmp.Or(decide.Bounded(word.read, word.limit), *word.known)
	}
	if found.ServiceID > 0 {
		facts.ServiceID = v1alpha1.CarrierIDOf(found.ServiceID)
	}
	if found.VLANID != 0 {
		facts.VLANID = found.VLANID
	}
	if infra := found.Infrastructure; infra != nil {
		facts.Infrastructure = &v1alpha1.OrderInfrastructure{
			ID: decide.Bounded(infra.ID, maxWord), PortID: decide.Bounded(infra.PortID, maxWord),
			ProductID: decide.Bounded(infra.ProductID, maxWord),
		}
	}
	if found.Fee != nil && (facts.Fees == nil || facts.Fees.Source != feesFromOrder) {
		facts.Fees = chargedFees(*found)
	}
	facts.Cancellable, facts.NFAS = found.IsCancellable, found.IsNFAS
}

// Confirm applies the resolution of an accepted order as succeeded. A rejection is removed from
// the status, and the values that the carrier shows count as right even if others were requested.
// The ledger keeps the order as succeeded throughout.
func Confirm(in *Input) {
	request, status := requestOf(in), &in.Order.Status
	if request == nil || request.Phase != v1alpha1.PhaseSucceeded ||
		status.Rejection == nil && !decide.ResultDiffers(request) {
		return
	}
	value := decide.ResolveAnnotation(&in.Input)
	resolved, _ := decide.ParseResolution(value)
	if decide.ResolutionNames(&in.Input, request.AttemptID) && resolved.Outcome == decide.ResolvedSucceeded {
		status.Rejection, status.Handled.Resolve = nil, value
	}
}

// isConfirmed reports whether a person has confirmed an order as the carrier shows it.
func isConfirmed(in *Input, request *v1alpha1.Request) bool {
	said, _ := decide.ParseResolution(in.Order.Status.Handled.Resolve)
	return said.AttemptID == request.AttemptID && said.Outcome == decide.ResolvedSucceeded
}

// stated pairs the values that an order requests with those in the carrier's response (spec §2,
// order). If the spec was edited while the order was being sent, only the values recorded in the
// request are compared.
func stated(order *v1alpha1.ServiceOrder, request *v1alpha1.Request, taken *carrier.Order) []decide.Stated {
	spec, asked := &order.Spec, request.Target
	recorded := append(make([]decide.Stated, 0, 16),
		decide.Stated{What: "plan", Asked: asked.Plan, Shown: taken.BandwidthProfile.PlanName},
		decide.Stated{What: "aggregation method", Asked: asked.AggregationMethod, Shown: string(taken.AggregationMethod)},
	)
	remoteOrderID := cmp.Or(spec.RemoteOrderID, asked.RemoteOrderID)
	if request.BodyHash != decide.BodyHash(Body(spec, remoteOrderID, v1alpha1.Contact{})) {
		return recorded
	}
	return append(append(recorded, statedOfPlace(spec, taken)...),
		decide.Stated{What: "customer reference", Asked: spec.CustomerReference, Shown: taken.CustomerRef},
		decide.Stated{What: "order type", Asked: string(orderTypeOf(spec)), Shown: string(taken.OrderType)},
		decide.Stated{What: "installation", Asked: spec.NTDInstallation, Shown: string(taken.InstallationType)},
		decide.Stated{What: "traffic class", Asked: spec.TrafficClass, Shown: taken.TrafficClass},
	)
}

// statedOfPlace returns the location, the infrastructure and what is taken over there. An NTD that
// is replaced has another id afterwards.
func statedOfPlace(spec *v1alpha1.ServiceOrderSpec, taken *carrier.Order) []decide.Stated {
	values := []decide.Stated{{What: "location", Asked: spec.Qualification.LocationID, Shown: taken.LocationID}}
	if place, found := spec.Infrastructure, taken.Infrastructure; place != nil && found != nil &&
		spec.Scenario != v1alpha1.ScenarioReplaceNTD {
		values = append(values, decide.Stated{What: "infrastructure", Asked: place.ID, Shown: found.ID})
		if place.PortID != nil {
			values = append(values, decide.Stated{What: "port", Asked: numberText(*place.PortID), Shown: found.PortID})
		}
	}
	if spec.Transfer != nil {
		values = append(values,
			decide.Stated{What: "transfer type", Asked: spec.Transfer.Type, Shown: string(taken.TransferType)},
			decide.Stated{What: "AVC id for the transfer", Asked: spec.Transfer.AVCID, Shown: taken.AVCIDForTransfer})
	}
	if spec.VLAN != nil && spec.VLAN.ID != 0 && taken.VLANID != 0 {
		values = append(values, decide.Stated{What: "VLAN", Asked: numberText(spec.VLAN.ID), Shown: numberText(taken.VLANID)})
	}
	return values
}

func numberText(number int64) string { return strconv.FormatInt(number, 10) }

// orderTypeOf returns the type of an order according to the order scenarios; "" if they do not
// determine it: a telephone service on a copper pair can make the order a transfer (scenario 9).
func orderTypeOf(spec *v1alpha1.ServiceOrderSpec) carrier.OrderType {
	switch {
	case spec.Transfer != nil:
		return carrier.OrderTransfer
	case spec.Scenario == v1alpha1.ScenarioFirst:
		return carrier.OrderNew
	}
	return ""
}
