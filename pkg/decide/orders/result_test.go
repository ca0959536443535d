// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// accepted is an order with the carrier's response.
func accepted(response string) *v1alpha1.ServiceOrder {
	order := &v1alpha1.ServiceOrder{}
	request := &v1alpha1.Request{
		Operation: v1alpha1.OperationOrderCreate, APIVersion: 8, Phase: v1alpha1.PhaseSucceeded,
		Location: "/api/connect/orders/1",
	}
	orders.Accepted(order, request, []byte(response))
	return order
}

func TestAnAcceptedOrderShowsWhereItIsInstalledAndWhen(t *testing.T) {
	t.Parallel()
	order := accepted(`{"id":1,"transferType":"CONNECT_OUTSTANDING",
		"infrastructure":{"id":"NTD1","portId":0,"productId":"PRI1"},
		"appointments":[{"id":"APT1", "start":1.50,"siteContact":{"name":"Jo"},"by":[{"contactPhone":"04"}]},"tomorrow"]}`)
	want := v1alpha1.ServiceOrderStatus{OrderFacts: v1alpha1.OrderFacts{
		OrderID: "1", TransferType: "CONNECT_OUTSTANDING",
		Infrastructure: &v1alpha1.OrderInfrastructure{ID: "NTD1", PortID: "0", ProductID: "PRI1"},
	}, Appointments: []string{`{"by":[{}],"id":"APT1","start":1.50}`, `"tomorrow"`}}
	want.Fees = order.Status.Fees
	if diff := cmp.Diff(want, order.Status); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAppointmentsOfAnOrderAreBounded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		response string
		want     int
	}{
		"too many":          {strings.Repeat(`{"id":1},`, 11) + `{}`, 10},
		"too long together": {strings.Repeat(`"`+strings.Repeat("x", 4000)+`",`, 3) + `{}`, 2},
	} {
		order := accepted(`{"id":1,"appointments":[` + c.response + `]}`)
		if got := len(order.Status.Appointments); got != c.want || !order.Status.Truncated {
			t.Errorf("%s: %d appointments, truncated %t; want %d", name, got, order.Status.Truncated, c.want)
		}
	}
}

func TestAnAcceptedOrderHasTheRequestedSLA(t *testing.T) {
	t.Parallel()
	const differs = `asked for the restoration SLA "Enhanced-8", but the carrier's response names "Standard"`
	const fee = `"additionalFees":[{"addOnTypeName":"SLA","fee":{"attributes":{"sla":"Standard"}}}]`
	for name, test := range map[string]struct{ asked, answer, warning string }{
		"the same":            {"Enhanced-8", `"eSla":"Enhanced-8"`, ""},
		"not in the response": {"Enhanced-8", `"id":1`, ""},
		"not requested":       {"", `"eSla":"Standard"`, ""},
		"another":             {"Enhanced-8", `"eSla":"Standard"`, differs},
		"another in a fee":    {"Enhanced-8", fee, differs},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			order := &v1alpha1.ServiceOrder{}
			request := &v1alpha1.Request{
				Operation: v1alpha1.OperationOrderCreate, APIVersion: 8, Phase: v1alpha1.PhaseSucceeded,
				Location: "/api/connect/orders/1", Target: v1alpha1.RequestTarget{RestorationSLA: test.asked},
			}
			orders.Accepted(order, request, []byte("{"+test.answer+"}"))
			order.Status.Request = request
			if got := services.OrderOf(order, order.AccountName()).RestorationSLA; got != test.asked {
				t.Errorf("the service is taken to have %q, want %q", got, test.asked)
			}
			if want := test.warning; want == "" && request.Warning != "" || want != "" && request.Warning != "the order "+want {
				t.Errorf("it warns %q, want %q", request.Warning, want)
			}
		})
	}
}

// The spec may be edited while the order is being sent. An order that stands for a lost ledger has no
// target, so nobody knows what was ordered.
func TestAServiceTakesOverWhatWasSent(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]v1alpha1.RequestTarget{
		"the order was sent":       {Term: 24, RestorationSLA: "Enhanced-8"},
		"its ledger has been lost": {},
	} {
		order := &v1alpha1.ServiceOrder{Spec: v1alpha1.ServiceOrderSpec{Term: 12, RestorationSLA: "Standard"}}
		order.Status.Request = &v1alpha1.Request{
			Operation: v1alpha1.OperationOrderCreate, APIVersion: 8, Phase: v1alpha1.PhaseSucceeded,
			Location: "/api/connect/orders/1", Target: sent,
		}
		orders.Accepted(order, order.Status.Request, []byte(`{"id":1,"bandwidthProfile":{"planName":"Fast"}}`))
		got := services.OrderOf(order, order.AccountName())
		if got.Plan != "Fast" || got.Term != sent.Term || got.RestorationSLA != sent.RestorationSLA {
			t.Errorf("%s: the service has %+v", name, got)
		}
	}
}
