// SPDX-License-Identifier: Apache-2.0

package requests_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The old object was edited, so that its generation differs from that of the new one.
var _ = It("A change that a new object has taken over, and that then fails, is not sent again for it (R24)",
	func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.Suspended(true)))).To(Succeed())
		process.Drive(ctx, site)
		w.Edit(ctx, site, func(s *v1alpha1.BroadbandService) {
			fixture.Suspended(false)(s)
			fixture.WithPlan(world.PlanFails, 12)(s)
		})
		before := fixture.DriveUntilAccepted(ctx, w, process).OpenRequest()
		Expect(before.Generation).To(Equal(int64(2)))
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Expect(process.Drive(ctx, site)).To(BeNil())

		Expect(w.Create(ctx, w.Service(site, line, fixture.WithPlan(world.PlanFails, 12)))).To(Succeed())
		_, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		taken := fixture.ServiceLedger(ctx, w, line).Spec
		Expect(taken.Open).To(ConsistOf(And(HaveField("AttemptID", before.AttemptID),
			HaveField("UID", string(w.Read(ctx, site).UID)), HaveField("Generation", int64(1)))))

		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonPlanChangeFailed)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).AttemptID).To(Equal(before.AttemptID))
		Expect(w.Posts(line)).To(Equal(1))
	})

var _ = It("A change that a person has abandoned is not sent for a new object, unless retry asks for it (R25)",
	func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		attempt := unknownPlan(ctx, w, process, line)
		w.Annotate(ctx, site, v1alpha1.AnnotationResolve, attempt.AttemptID+"=Abandoned")
		process.Drive(ctx, site)
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Expect(process.Drive(ctx, site)).To(BeNil())

		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAbandoned)
		Expect(w.Posts(line)).To(Equal(1))

		w.Annotate(ctx, site, v1alpha1.AnnotationRetry, attempt.AttemptID)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(2))
	})
