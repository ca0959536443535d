// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The ledger of a sent request", func() {
	It("is kept when the object is deleted and applied again while the request is in progress", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		before := fixture.DriveUntilAccepted(ctx, w, process).OpenRequest()

		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Expect(process.Drive(ctx, site)).To(BeNil(), "the object is removed without a call")
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).AttemptID).To(Equal(before.AttemptID))
		Expect(w.Posts(line)).To(Equal(1))
		Expect(fixture.ServiceLedger(ctx, w, line).Spec.Holder.UID).To(Equal(string(service.UID)))
	})

	It("is kept if the operator is killed at any effect of deleting and adopting", func(ctx SpecContext) {
		points := 0
		for killed := true; killed; points++ {
			killed = deleteAndApply(ctx, world.CrashPoint{At: points/2 + 1, After: points%2 == 1})
		}
		Expect(points).To(BeNumerically(">", 10))
		AddReportEntry("kill points of deleting and adopting", points-1)
	})

	It("is adopted by an object that is created before its account and trusts its values", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.DeleteInProgress(ctx, w, process)
		account := w.Account()
		Expect(w.Get(ctx, client.ObjectKeyFromObject(account), account)).To(Succeed())
		Expect(w.Delete(ctx, account)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, func(s *v1alpha1.BroadbandService) {
			s.Spec.AggregationMethod = "L2TP"
			s.Spec.TrustDeclared = []v1alpha1.TrustedAspect{v1alpha1.TrustAggregationMethod}
		}))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAccountNotReady)

		Expect(w.Create(ctx, w.Account())).To(Succeed())
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("is not overwritten by a pass over a copy from before the response", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		var intent *v1alpha1.BroadbandService
		process.Seam.LoseResponse = func(effect world.Effect) error {
			if strings.HasSuffix(effect.What, "plan-changes/request") {
				intent = w.Read(ctx, site) // still returned by a stale cache
			}
			return nil
		}
		fixture.DriveUntilAccepted(ctx, w, process)
		process.Seam.Stale = intent
		_, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		process.Seam.Stale = nil
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).Attempt).To(Equal(int32(1)))
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("is kept when the status is cleared", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.Aggregated("ETHERNET")))).To(Succeed())
		before := process.Drive(ctx, site)
		service := before.DeepCopy()
		service.Status = v1alpha1.BroadbandServiceStatus{}
		Expect(w.Status().Update(ctx, service)).To(Succeed())

		service = w.Start(world.CrashPoint{}).Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Requests).To(Equal(before.Status.Requests))
		Expect(service.Status.History).To(Equal(before.Status.History))
		Expect(service.Status.Carrier.AggregationMethod).To(Equal(before.Status.Carrier.AggregationMethod))
		Expect(w.Carrier.Submissions(simulator.OpAggregationConversion, line).Seen).To(Equal(1))
	})

	It("is reported as lost when it is deleted, and then nothing is sent", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)
		fixture.RemoveLedger(ctx, w, fixture.ServiceLedger(ctx, w, line))

		service := w.Start(world.CrashPoint{}).Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonLedgerLost)
		Expect(w.Posts(line)).To(Equal(1))
		fixture.ExpectReady(fixture.ExpectResolved(ctx, w, w.Start(world.CrashPoint{}), line), metav1.ConditionTrue,
			v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	DescribeTable("that is lost blocks every operation, whatever the resolution",
		func(ctx SpecContext, word, reason string) {
			w, process := fixture.Begin(ctx)
			line := w.Line()
			Expect(w.Create(ctx, w.Service(site, line, fixture.Aggregated("ETHERNET")))).To(Succeed())
			fixture.DriveUntilAccepted(ctx, w, process)
			fixture.RemoveLedger(ctx, w, fixture.ServiceLedger(ctx, w, line))
			successor := w.Start(world.CrashPoint{})
			service := successor.Drive(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonLedgerLost)
			w.Annotate(ctx, site, v1alpha1.AnnotationResolve, service.OpenRequest().AttemptID+"="+word)
			Expect(world.Ready(successor.Drive(ctx, site)).Reason).To(Equal(reason))
			Expect(w.Carrier.Submissions(simulator.OpAggregationConversion, line).Seen).To(Equal(1))
		},
		Entry("abandoned", "Abandoned", v1alpha1.ReasonAbandoned),
		Entry("resolved as succeeded", "Succeeded", v1alpha1.ReasonInSync),
	)

	It("belongs to the login that sent the request", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)
		fixture.RecreateAccount(ctx, w, process, fixture.MovedURL(w))
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonConflict)
		fixture.RecreateAccount(ctx, w, process, w.URL)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("is written before the POST: a conflict on the intent means no POST", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		conflicts := 0
		process.Seam.Fault = func(effect world.Effect) error {
			if w.Posts(line) == 0 && strings.HasPrefix(effect.What, "create service-") && conflicts < 3 {
				conflicts++
				return apierrors.NewConflict(schema.GroupResource{Resource: "requestledgers"}, site, nil)
			}
			return nil
		}
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		for conflicts < 3 {
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			Expect(w.Posts(line)).To(BeZero())
			w.Clock.Advance(result.RequeueAfter)
		}
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("makes two active operators safe", func(ctx SpecContext) {
		w, first := fixture.Begin(ctx)
		second := w.Start(world.CrashPoint{})
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		for range 60 {
			for _, operator := range []*world.Process{first, second} {
				_, err := operator.Reconcile(ctx, site)
				Expect(err).To(Or(BeNil(), Satisfy(apierrors.IsConflict)), "one of the two may lose a race")
			}
			w.Clock.Advance(2 * time.Second)
		}
		fixture.ExpectReady(first.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("is kept if the carrier forgets the request", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)
		w.Carrier.Forget()
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Carrier.Plan.Source).To(Equal(v1alpha1.SourceHealth))
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).Phase).To(Equal(v1alpha1.PhaseSucceeded))
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("is not written for requests that were not sent", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(func(s *simulator.Service) { s.Plan = world.PlanFast })
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Finalizers).To(BeEmpty())
		Expect(fixture.ServiceLedger(ctx, w, line)).To(BeNil())
	})
})

// deleteAndApply deletes a service whose request is in progress and applies it again, with a
// process that ends at the cut and one that takes over. It reports whether the process ended at
// all.
func deleteAndApply(ctx SpecContext, cut world.CrashPoint) bool {
	GinkgoHelper()
	w, process := fixture.Begin(ctx)
	line := w.Line()
	Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
	fixture.DriveUntilAccepted(ctx, w, process)
	Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
	dying := w.Start(cut)
	dying.Drive(ctx, site)
	w.Start(world.CrashPoint{}).Drive(ctx, site)
	Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
	if !dying.Seam.Dead() {
		dying.Drive(ctx, site)
	}
	service := w.Start(world.CrashPoint{}).Drive(ctx, site)
	fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
	Expect(w.Posts(line)).To(Equal(1))
	return dying.Seam.Dead()
}
