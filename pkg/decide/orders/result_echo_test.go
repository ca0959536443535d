// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// transfer is an order that takes over port 2 of an NTD.
func transfer() *v1alpha1.ServiceOrder {
	port := int64(2)
	return &v1alpha1.ServiceOrder{Spec: v1alpha1.ServiceOrderSpec{
		Scenario: v1alpha1.ScenarioInUse, CustomerReference: "shop-1", PlanName: "Fast", Term: 12, TrafficClass: "tc4",
		Qualification:   v1alpha1.QualificationIDs{LocationID: "LOC1"},
		NTDInstallation: "wholesale-no-action", AggregationMethod: "L2TP",
		Infrastructure: &v1alpha1.OrderedInfrastructure{ID: "NTD1", PortID: &port},
		Transfer:       &v1alpha1.Transfer{Type: "SERVICE_TRANSFER", AVCID: "AVC1"},
		VLAN:           &v1alpha1.VLAN{Required: true, ID: 100},
	}}
}

const asOrdered = `{"id":1,"bandwidthProfile":{"planName":"Fast"},"aggregationMethod":"L2TP","customerRef":"shop-1",` +
	`"locId":"LOC1","orderType":"transfer","installationType":"wholesale-no-action","trafficClass":"TC4",` +
	`"infrastructure":{"id":"NTD1","portId":"2"},"transferType":"SERVICE_TRANSFER","avcIdForTransfer":"AVC1","vlanId":100}`

// answered is an order of which the carrier has returned the given body.
func answered(order *v1alpha1.ServiceOrder, body string) *v1alpha1.Request {
	request := &v1alpha1.Request{
		Operation: v1alpha1.OperationOrderCreate, AttemptID: "a-1", APIVersion: 8, Phase: v1alpha1.PhaseSucceeded,
		EndedBy: v1alpha1.EndedByCarrier, Location: "/api/connect/orders/1",
		BodyHash: decide.BodyHash(orders.Body(&transfer().Spec, "", v1alpha1.Contact{})),
		Target:   v1alpha1.RequestTarget{Plan: "Fast", Term: 12, AggregationMethod: "L2TP"},
	}
	orders.Accepted(order, request, []byte(body))
	return request
}

// Each field that the carrier's order repeats is compared with the request. A field that it leaves out
// says nothing.
func TestAnAcceptedOrderThatShowsAnotherValueIsReported(t *testing.T) {
	t.Parallel()
	if request := answered(transfer(), asOrdered); request.Error != nil {
		t.Errorf("as ordered: %+v", request.Error)
	}
	if request := answered(transfer(), `{"id":1}`); request.Error != nil {
		t.Errorf("without details: %+v", request.Error)
	}
	for from, test := range map[string]struct{ to, says string }{
		`"planName":"Fast"`: {
			`"planName":"Slow"`, `plan "Slow" instead of "Fast"`,
		},
		`"aggregationMethod":"L2TP"`: {
			`"aggregationMethod":"ETHERNET"`, `aggregation method "ETHERNET" instead of "L2TP"`,
		},
		`"customerRef":"shop-1"`: {
			`"customerRef":"shop-2"`, `customer reference "shop-2" instead of "shop-1"`,
		},
		`"locId":"LOC1"`: {
			`"locId":"LOC2"`, `location "LOC2" instead of "LOC1"`,
		},
		`"orderType":"transfer"`: {
			`"orderType":"new"`, `order type "new" instead of "transfer"`,
		},
		`"installationType":"wholesale-no-action"`: {
			`"installationType":"wholesale-tech"`, `installation "wholesale-tech" instead`,
		},
		`"trafficClass":"TC4"`: {
			`"trafficClass":"TC2"`, `traffic class "TC2" instead of "tc4"`,
		},
		`"infrastructure":{"id":"NTD1"`: {
			`"infrastructure":{"id":"NTD2"`, `infrastructure "NTD2" instead of "NTD1"`,
		},
		`"portId":"2"`: {
			`"portId":"3"`, `port "3" instead of "2"`,
		},
		`"transferType":"SERVICE_TRANSFER"`: {
			`"transferType":"CONNECT_OUTSTANDING"`, `transfer type "CONNECT_OUTSTANDING"`,
		},
		`"avcIdForTransfer":"AVC1"`: {
			`"avcIdForTransfer":"AVC2"`, `AVC id for the transfer "AVC2" instead of "AVC1"`,
		},
		`"vlanId":100`: {
			`"vlanId":200`, `VLAN "200" instead of "100"`,
		},
	} {
		body := strings.Replace(asOrdered, from, test.to, 1)
		if body == asOrdered {
			t.Fatalf("%s is not in the order", from)
		}
		request := answered(transfer(), body)
		if !decide.ResultDiffers(request) || !strings.Contains(request.Error.Message, test.says) {
			t.Errorf("%s: %+v, want %s", test.to, request.Error, test.says)
		}
	}
}

// An order that was edited while it was being sent is compared only with what its request recorded.
func TestAnEditedOrderIsComparedWithItsRequest(t *testing.T) {
	t.Parallel()
	edited := transfer()
	edited.Spec.PlanName, edited.Spec.Qualification.LocationID = "Slow", "LOC2"
	if request := answered(edited, asOrdered); request.Error != nil {
		t.Errorf("%+v", request.Error)
	}
}

// An accepted order with another value is not Ready until a person confirms it. It is not sent again.
func TestAnOrderWithAnotherValueWaitsForAPerson(t *testing.T) {
	t.Parallel()
	for annotation, reason := range map[string]string{
		"":                v1alpha1.ReasonResultDiffers,
		"a-1=NotAccepted": v1alpha1.ReasonResultDiffers,
		"a-2=Succeeded":   v1alpha1.ReasonResultDiffers,
		"a-1=Succeeded":   v1alpha1.ReasonSubmitted,
	} {
		order := transfer()
		order.Name, order.Namespace, order.UID = "order", "shop", "u-1"
		if annotation != "" {
			order.Annotations = map[string]string{v1alpha1.AnnotationResolve: annotation}
		}
		order.Status.Request = answered(order, strings.Replace(asOrdered, `"LOC1"`, `"LOC2"`, 1))
		in := orders.Input{Input: decidetest.Input(order), Order: order}
		orders.Confirm(&in)
		decision := orders.Decide(in)
		if _, rests := decision.Step.(decide.Rest); !rests || decision.Verdict.Reason != reason {
			t.Errorf("%q: %+v", annotation, decision)
		}
		const says = "the carrier accepted the order as order 1, but the carrier's result shows " +
			`location "LOC2" instead of "LOC1"`
		if !strings.Contains(decision.Verdict.Message, says) {
			t.Errorf("%q: %s", annotation, decision.Verdict.Message)
		}
		delete(order.Annotations, v1alpha1.AnnotationResolve)
		if again := orders.Decide(in).Verdict.Reason; again != reason {
			t.Errorf("%q, and then removed: %s", annotation, again)
		}
	}
}
