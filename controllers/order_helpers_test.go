// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const (
	reference  = "SITE-014"
	ordersPath = "/api/connect/orders/create"
)

type orderEdit = func(*v1alpha1.ServiceOrder)

// expectOrder expects the Ready condition of an order to have a status and a reason.
func expectOrder(order *v1alpha1.ServiceOrder, status metav1.ConditionStatus, reason string) {
	GinkgoHelper()
	Expect(order).NotTo(BeNil())
	ready := orderCondition(order, v1alpha1.ConditionReady)
	Expect(string(ready.Status)+"/"+ready.Reason).To(Equal(string(status)+"/"+reason), ready.Message)
}

func orderCondition(order *v1alpha1.ServiceOrder, conditionType string) metav1.Condition {
	return world.Condition(order.Status.Conditions, conditionType)
}

// expectShown expects that an order shows an attempt of its ledger, as far as a status can.
func expectShown(order *v1alpha1.ServiceOrder, attempt *v1alpha1.Request) {
	GinkgoHelper()
	wanted := &v1alpha1.ServiceOrder{}
	wanted.Status.Request = attempt
	wanted.Shorten()
	Expect(order.Status.Request).To(Equal(wanted.Status.Request))
}

func orderApproval(policy v1alpha1.Approval) orderEdit {
	return func(o *v1alpha1.ServiceOrder) { o.Spec.Approval = policy }
}

// acceptedOrder is the ID of the order that the carrier accepted.
func acceptedOrder(w *world.World) string {
	for _, call := range w.Carrier.Calls() {
		if call.Operation == simulator.OpOrderCreate && call.Subject == reference && call.Accepted {
			return call.RequestID
		}
	}
	return ""
}

// settleOrder drives an order until it is settled, with a person's resolution if needed, and
// expects that the carrier has it exactly once. It reports whether a resolution was needed.
func settleOrder(ctx SpecContext, w *world.World, process *world.Process) bool {
	GinkgoHelper()
	order := process.DriveOrder(ctx, site)
	Expect(w.Ordered(reference).Seen).To(BeNumerically("<=", 1))
	ready := orderCondition(order, v1alpha1.ConditionReady)
	needed := ready.Reason == v1alpha1.ReasonOutcomeUnknown || ready.Reason == v1alpha1.ReasonLedgerLost
	if needed {
		order = expectOrderResolved(ctx, w, process)
	}
	expectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
	Expect(fmt.Sprint(order.Status.OrderID)).To(Equal(acceptedOrder(w)))
	Expect(w.Ordered(reference)).To(Equal(simulator.Count{Seen: 1, Processed: 1}))
	expectShown(order, recordedOrder(ctx, w))
	Expect(ledgerOf(ctx, w).Spec.Holder.UID).To(Equal(string(order.UID)))
	return needed
}

// expectOrderResolved resolves an unknown outcome truthfully, as a person would after asking the
// carrier.
func expectOrderResolved(ctx SpecContext, w *world.World, process *world.Process) *v1alpha1.ServiceOrder {
	GinkgoHelper()
	open := w.ReadOrder(ctx, site).Status.Request
	Expect(open.Phase).To(Equal(v1alpha1.PhaseOutcomeUnknown))
	word := "NotAccepted"
	if id := acceptedOrder(w); id != "" {
		word = "Accepted:" + id
	}
	w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, open.AttemptID+"="+word)
	order := process.DriveOrder(ctx, site)
	Expect(order.Status.Handled.Resolve).To(Equal(open.AttemptID + "=" + word))
	return order
}
