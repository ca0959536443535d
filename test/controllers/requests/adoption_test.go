// SPDX-License-Identifier: Apache-2.0

package requests_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = DescribeTable("A ledger that cannot be taken over at once is taken over later, and nothing is sent twice",
	func(ctx SpecContext, effect string) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		before := fixture.DriveUntilAccepted(ctx, w, process).OpenRequest()
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		process.Drive(ctx, site)
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		process.Seam.Fault = fixture.ConflictOnce(effect)

		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).AttemptID).To(Equal(before.AttemptID))
		Expect(w.Posts(line)).To(Equal(1))
	},
	Entry("when its status meets a conflict", "update status"),
	Entry("when the ledger meets a conflict", "update service-"),
)

var _ = Describe("An object that is applied again under approval OnCost", func() {
	It("tracks the request that it takes over, and needs no approval for it", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.Aggregated("ETHERNET")))).To(Succeed())
		fixture.DeleteInProgress(ctx, w, process)
		asking := func(s *v1alpha1.BroadbandService) { s.Spec.Approval = v1alpha1.ApprovalOnCost }
		Expect(w.Create(ctx, w.Service(site, line, fixture.Aggregated("ETHERNET"), asking))).To(Succeed())

		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Carrier.AggregationMethod.Value).To(Equal("ETHERNET"))
	})
})
