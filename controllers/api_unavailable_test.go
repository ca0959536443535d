// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An API server that becomes unavailable right after a POST", func() {
	It("loses no response: the order's number is recorded when it is back", func(ctx SpecContext) {
		w, process := begin(ctx)
		unavailableAfter(process, ordersPath, 4)
		Expect(w.Create(ctx, w.Order(site, reference))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		expectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(order.Status.OrderID).NotTo(BeZero())
		Expect(w.Ordered(reference).Seen).To(Equal(1))
	})

	It("loses no response: a change keeps its Location and is polled", func(ctx SpecContext) {
		w, process := begin(ctx)
		unavailableAfter(process, "/api/connect/services/plan-changes/request", 4)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).Location).NotTo(BeEmpty())
		Expect(w.Posts(line)).To(Equal(1))
	})
})
