// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"cmp"
	"strconv"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// stated returns what an order asks for beside what the carrier's response shows (spec §2,
// order). If the spec was edited while the order was being sent, only what the request has
// recorded is compared.
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

// statedOfPlace returns the location, the infrastructure and what is taken over there. An NTD that is
// replaced has another id afterwards.
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

// orderTypeOf returns the type that an order has by the order scenarios; "" if they do not say: a
// telephone service on a copper pair can make the order a transfer (scenario 9).
func orderTypeOf(spec *v1alpha1.ServiceOrderSpec) carrier.OrderType {
	switch {
	case spec.Transfer != nil:
		return carrier.OrderTransfer
	case spec.Scenario == v1alpha1.ScenarioFirst:
		return carrier.OrderNew
	}
	return ""
}
