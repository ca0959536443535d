// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

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
			order := &v1alpha1.ServiceOrder{Spec: v1alpha1.ServiceOrderSpec{RestorationSLA: test.asked}}
			request := &v1alpha1.Request{
				Operation: v1alpha1.OperationOrderCreate, APIVersion: 8, Phase: v1alpha1.PhaseSucceeded,
				Location: "/api/connect/orders/1",
			}
			orders.Accepted(order, request, []byte("{"+test.answer+"}"))
			order.Status.Request = request
			if got := services.OrderOf(order).RestorationSLA; got != test.asked {
				t.Errorf("the service is taken to have %q, want %q", got, test.asked)
			}
			if want := test.warning; want == "" && request.Warning != "" || want != "" && request.Warning != "the order "+want {
				t.Errorf("it warns %q, want %q", request.Warning, want)
			}
		})
	}
}
