// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The memory of a sent request", func() {
	It("survives that the object is deleted and applied again while the request is in flight", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		before := inFlight(ctx, w, process).OpenRequest()

		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Expect(process.Drive(ctx, site)).To(BeNil(), "the object goes, and nobody is called")
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		service := process.Drive(ctx, site)

		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).AttemptID).To(Equal(before.AttemptID))
		Expect(w.Posts(line)).To(Equal(1))
		Expect(serviceLedger(ctx, w, line).Spec.Holder.UID).To(Equal(string(service.UID)))
	})

	It("survives a kill at every effect of deleting and adopting", func(ctx SpecContext) {
		points := 0
		for dead := true; dead; points++ {
			dead = deleteAndApply(ctx, world.Cut{At: points/2 + 1, After: points%2 == 1})
		}
		Expect(points).To(BeNumerically(">", 10))
		AddReportEntry("kill points of deleting and adopting", points-1)
	})

	It("is adopted although the object came before its account and trusts what is declared", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		leaveInFlight(ctx, w, process)
		account := w.Account()
		Expect(w.Get(ctx, client.ObjectKeyFromObject(account), account)).To(Succeed())
		Expect(w.Delete(ctx, account)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, func(s *v1alpha1.BroadbandService) {
			s.Spec.AggregationMethod = "L2TP"
			s.Spec.TrustDeclared = []v1alpha1.TrustedAspect{v1alpha1.TrustAggregationMethod}
		}))).To(Succeed())
		expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAccountNotReady)

		Expect(w.Create(ctx, w.Account())).To(Succeed())
		_, err := process.LookAtAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("is not rewritten by a pass over a copy from before the answer", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		var intent *v1alpha1.BroadbandService
		process.Seam.Lose = func(effect world.Effect) error {
			if strings.HasSuffix(effect.What, "plan-changes/request") {
				intent = w.Read(ctx, site) // still returned by a stale cache
			}
			return nil
		}
		inFlight(ctx, w, process)
		process.Seam.Stale = intent
		_, err := process.Look(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		process.Seam.Stale = nil
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).Attempt).To(Equal(int32(1)))
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("outlives that the status is emptied", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, aggregated("ETHERNET")))).To(Succeed())
		before := process.Drive(ctx, site)
		service := before.DeepCopy()
		service.Status = v1alpha1.BroadbandServiceStatus{}
		Expect(w.Status().Update(ctx, service)).To(Succeed())

		service = w.Start(world.Cut{}).Drive(ctx, site)

		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Requests).To(Equal(before.Status.Requests))
		Expect(service.Status.History).To(Equal(before.Status.History))
		Expect(service.Status.Carrier.AggregationMethod).To(Equal(before.Status.Carrier.AggregationMethod))
		Expect(w.Carrier.Submissions(simulator.OpAggregationConversion, line).Seen).To(Equal(1))
	})

	It("is known to be lost when the ledger is, and then nothing is sent", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		inFlight(ctx, w, process)
		forceLedgerAway(ctx, w, serviceLedger(ctx, w, line))

		service := w.Start(world.Cut{}).Drive(ctx, site)

		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonLedgerLost)
		Expect(w.Posts(line)).To(Equal(1))
		expectReady(expectResolved(ctx, w, w.Start(world.Cut{}), line), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	DescribeTable("that is lost covers every operation, whatever a person then says of it",
		func(ctx SpecContext, word, reason string) {
			w, process := begin(ctx)
			line := w.Line()
			Expect(w.Create(ctx, w.Service(site, line, aggregated("ETHERNET")))).To(Succeed())
			inFlight(ctx, w, process)
			forceLedgerAway(ctx, w, serviceLedger(ctx, w, line))
			successor := w.Start(world.Cut{})
			service := successor.Drive(ctx, site)
			expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonLedgerLost)
			w.Annotate(ctx, site, v1alpha1.AnnotationResolve, service.OpenRequest().AttemptID+"="+word)
			Expect(world.Ready(successor.Drive(ctx, site)).Reason).To(Equal(reason))
			Expect(w.Carrier.Submissions(simulator.OpAggregationConversion, line).Seen).To(Equal(1))
		},
		Entry("given up", "Abandoned", v1alpha1.ReasonCarrierRejected),
		Entry("said to have succeeded", "Succeeded", v1alpha1.ReasonInSync),
	)

	It("belongs to the carrier it was sent to", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		inFlight(ctx, w, process)
		recreateAccount(ctx, w, process, movedURL(w))
		expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonConflict)
		recreateAccount(ctx, w, process, w.URL)
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("is written before the POST: a conflict on the intent means no POST", func(ctx SpecContext) {
		w, process := begin(ctx)
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
			result, err := process.Look(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			Expect(w.Posts(line)).To(BeZero())
			w.Clock.Advance(result.RequeueAfter)
		}
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("makes two active operators safe", func(ctx SpecContext) {
		w, first := begin(ctx)
		second := w.Start(world.Cut{})
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		for range 60 {
			for _, operator := range []*world.Process{first, second} {
				_, err := operator.Look(ctx, site)
				Expect(err).To(Or(BeNil(), Satisfy(apierrors.IsConflict)), "one of the two may lose a race")
			}
			w.Clock.Advance(2 * time.Second)
		}
		expectReady(first.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("outlives a carrier that forgets the request", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		inFlight(ctx, w, process)
		w.Carrier.Forget()
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Carrier.Plan.Source).To(Equal(v1alpha1.SourceHealth))
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).Phase).To(Equal(v1alpha1.PhaseSucceeded))
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("of another carrier is not adopted", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		leaveInFlight(ctx, w, process)
		recreateAccount(ctx, w, process, movedURL(w))
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("is kept of nothing that was not asked for", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(func(s *simulator.Service) { s.Plan = world.PlanFast })
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Finalizers).To(BeEmpty())
		Expect(serviceLedger(ctx, w, line)).To(BeNil())
	})
})

// deleteAndApply deletes a service whose request is in progress and applies it again, with a
// process that ends at the cut and one that takes over. It reports whether the process ended at
// all.
func deleteAndApply(ctx SpecContext, cut world.Cut) bool {
	GinkgoHelper()
	w, process := begin(ctx)
	line := w.Line()
	Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
	inFlight(ctx, w, process)
	Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
	dying := w.Start(cut)
	dying.Drive(ctx, site)
	w.Start(world.Cut{}).Drive(ctx, site)
	Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
	if !dying.Seam.Dead() {
		dying.Drive(ctx, site)
	}
	service := w.Start(world.Cut{}).Drive(ctx, site)
	expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
	Expect(w.Posts(line)).To(Equal(1))
	return dying.Seam.Dead()
}

// serviceLedger returns the ledger of a service, or nil.
func serviceLedger(ctx SpecContext, w *world.World, line int64) *v1alpha1.RequestLedger {
	GinkgoHelper()
	name := operate.LedgerName(&v1alpha1.RequestLedgerSpec{
		Identity: w.Namespace, Service: &v1alpha1.LedgerService{ID: v1alpha1.CarrierIDOf(line)},
	})
	ledger := &v1alpha1.RequestLedger{}
	err := w.Get(ctx, client.ObjectKey{Name: name}, ledger)
	Expect(client.IgnoreNotFound(err)).To(Succeed())
	if err != nil {
		return nil
	}
	return ledger
}

// changeOnRecord returns the complete newest plan change from the ledger of a service.
func changeOnRecord(ctx SpecContext, w *world.World, service *v1alpha1.BroadbandService) *v1alpha1.Request {
	GinkgoHelper()
	ledger := &v1alpha1.RequestLedger{}
	Expect(w.Get(ctx, client.ObjectKey{Name: service.Status.Ledger.Name}, ledger)).To(Succeed())
	attempt := ledger.RequestOf(v1alpha1.OperationPlanChange)
	Expect(attempt).NotTo(BeNil())
	return attempt
}
