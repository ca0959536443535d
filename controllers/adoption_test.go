// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// conflictOnce fails the first effect whose name has this prefix, with a conflict.
func conflictOnce(effect string) func(world.Effect) error {
	met := false
	return func(happening world.Effect) error {
		if met || !strings.HasPrefix(happening.What, effect) {
			return nil
		}
		met = true
		resource := schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: "broadbandservices"}
		return apierrors.NewConflict(resource, site, nil)
	}
}

var _ = DescribeTable("A ledger that cannot be taken over at once is taken over later, and nothing is sent twice",
	func(ctx SpecContext, effect string) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		before := inFlight(ctx, w, process).OpenRequest()
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		process.Drive(ctx, site)
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		process.Seam.Fault = conflictOnce(effect)

		service := process.Drive(ctx, site)

		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).AttemptID).To(Equal(before.AttemptID))
		Expect(w.Posts(line)).To(Equal(1))
	},
	Entry("when its status meets a conflict", "update status"),
	Entry("when the ledger meets a conflict", "update service-"),
)

var _ = Describe("An object that is applied again under approval OnCost", func() {
	It("follows what it takes over, and asks for no approval of it", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, aggregated("ETHERNET")))).To(Succeed())
		leaveInFlight(ctx, w, process)
		asking := func(s *v1alpha1.BroadbandService) { s.Spec.Approval = v1alpha1.ApprovalOnCost }
		Expect(w.Create(ctx, w.Service(site, line, aggregated("ETHERNET"), asking))).To(Succeed())

		service := process.Drive(ctx, site)

		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Carrier.AggregationMethod.Value).To(Equal("ETHERNET"))
	})
})
