// SPDX-License-Identifier: Apache-2.0

package reading_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// W1 of the review: a service that was in sync in the sandbox was immediately assumed to be in sync
// in production.
var _ = DescribeTable("The state of an unchanged service at one carrier is not assumed at another",
	func(ctx SpecContext, another func(SpecContext, *world.World, *world.Process), restarts bool) {
		w, process := fixture.Begin(ctx)
		line := w.Line(func(s *simulator.Service) { s.Plan = world.PlanFast })
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(*service.Status.Carrier).To(And(
			HaveField("Login", w.Account().Login()), HaveField("TechnologyType", "FTTP")))
		Expect(fixture.ServiceLedger(ctx, w, line)).To(BeNil(), "nothing was sent")

		another(ctx, w, process)
		Expect(w.Carrier.SetPlan(line, world.PlanSlow)).To(Succeed())
		if restarts {
			process = w.Start(world.CrashPoint{})
			_, err := process.ReconcileAccount(ctx)
			Expect(err).NotTo(HaveOccurred())
		}
		_, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		service = w.Read(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonProgressing)
		Expect(*service.Status.Carrier).To(And(HaveField("Plan", BeNil()), HaveField("TechnologyType", BeEmpty())))
		Expect(w.Posts(line)).To(BeZero())

		service = process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.RecordedPlanChange(ctx, w, service).Before.Plan).To(Equal(world.PlanSlow))
		account := w.Account()
		Expect(w.Get(ctx, client.ObjectKeyFromObject(account), account)).To(Succeed())
		Expect(service.Status.Carrier.Login).To(Equal(account.Login()))
		Expect(w.Posts(line)).To(Equal(1))
	},
	Entry("by the same process", atAnotherURL, false),
	Entry("by another process", atAnotherURL, true),
)

func atAnotherURL(ctx SpecContext, w *world.World, process *world.Process) {
	GinkgoHelper()
	fixture.RecreateAccount(ctx, w, process, fixture.MovedURL(w))
}

// A plan that was read from one carrier within the last ten minutes is not evidence about another
// carrier, even if the object itself has not changed since.
var _ = It("A plan change approved at one carrier is not sent at another based on the reading of the first (R7)",
	func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		always := func(s *v1alpha1.BroadbandService) { s.Spec.Approval = v1alpha1.ApprovalAlways }
		Expect(w.Create(ctx, w.Service(site, line, always))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		w.Annotate(ctx, site, v1alpha1.AnnotationApprove, service.Status.Pending.Hash)
		fixture.RecreateAccount(ctx, w, process, fixture.MovedURL(w))
		Expect(w.Carrier.SetPlan(line, world.PlanFast)).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(BeZero(), "it has the plan there")
	})
