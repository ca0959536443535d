// SPDX-License-Identifier: Apache-2.0

package requests_test

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// expectResolution expects that a resolution is recorded together with who set it.
func expectResolution(recorded *v1alpha1.Resolution, word string) {
	GinkgoHelper()
	Expect(recorded).NotTo(BeNil())
	Expect(recorded.Word).To(Equal(word))
	Expect(recorded.By).To(Equal("unknown (client kubectl-annotate)"))
	Expect(recorded.At.IsZero()).To(BeFalse())
}

// awaiting returns the hash with which the changes of a service can be approved.
func awaiting(service *v1alpha1.BroadbandService) string {
	GinkgoHelper()
	fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
	return service.Status.Pending.Hash
}

var _ = Describe("A person's resolution of an attempt", func() {
	It("is recorded with the client that set it (R27)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		attempt := unknownPlan(ctx, w, process, line)
		word := attempt.AttemptID + "=Abandoned"
		annotateWith(ctx, w, v1alpha1.AnnotationResolve+"="+word, "bbs/"+site)
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAbandoned)
		expectResolution(service.RequestOf(v1alpha1.OperationPlanChange).ResolvedBy, word)
		expectResolution(fixture.ServiceLedger(ctx, w, line).Spec.Ended[0].ResolvedBy, word)
	})

	It("is recorded without characters that nobody sees (R27)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		word := unknownPlan(ctx, w, process, line).AttemptID + "=Abandoned"
		w.Annotate(ctx, site, v1alpha1.AnnotationResolve, "\u200b"+word+"\n")
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAbandoned)
		Expect(fixture.ServiceLedger(ctx, w, line).Spec.Ended[0].ResolvedBy.Word).To(Equal(word))
	})

	It("is recorded like the client of an approval (R27)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithApproval(v1alpha1.ApprovalAlways)))).To(Succeed())
		hash := awaiting(process.Drive(ctx, site))
		annotateWith(ctx, w, v1alpha1.AnnotationApprove+"="+hash, "bbs/"+site)
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.History[0].ApprovedBy).To(Equal("unknown (client kubectl-annotate)"))
		Expect(fixture.ServiceLedger(ctx, w, line).Spec.Ended[0].ApprovedBy).To(Equal("unknown (client kubectl-annotate)"))
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("is recorded with the user, if the API server notes that (config/usernames)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		say := func(word, value, noted, user string) *v1alpha1.BroadbandService {
			annotateWith(ctx, w, word+"="+value, "bbs/"+site)
			annotateWith(ctx, w, noted+"="+user, "bbs/"+site)
			return process.Drive(ctx, site)
		}
		Expect(w.Carrier.FailNext("PlanChange", fixture.RefusedWith("constraints.some.rule", "planName"))).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithApproval(v1alpha1.ApprovalAlways)))).To(Succeed())

		hash := awaiting(process.Drive(ctx, site))
		service := say(v1alpha1.AnnotationApprove, hash, v1alpha1.AnnotationApprovedBy, "alice@example.com")
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonCarrierRejected)

		Expect(w.Carrier.FailNext("PlanChange", simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
		failed := service.RequestOf(v1alpha1.OperationPlanChange).AttemptID
		service = say(v1alpha1.AnnotationRetry, failed, v1alpha1.AnnotationRetriedBy, "bob@example.com")
		hash = awaiting(service)
		service = say(v1alpha1.AnnotationApprove, hash, v1alpha1.AnnotationApprovedBy, "carol@example.com")
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)

		lost := service.RequestOf(v1alpha1.OperationPlanChange).AttemptID
		service = say(v1alpha1.AnnotationResolve, lost+"=Succeeded", v1alpha1.AnnotationResolvedBy, "dave@example.com")
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.History).To(HaveExactElements(
			And(HaveField("ApprovedBy", "carol@example.com (claimed)"), HaveField("RetriedBy", "bob@example.com (claimed)"),
				HaveField("ResolvedBy", "dave@example.com (claimed)")),
			And(HaveField("ApprovedBy", "alice@example.com (claimed)"), HaveField("RetriedBy", ""),
				HaveField("ResolvedBy", ""))))
		Expect(w.Events.All()).To(ContainElement(ContainSubstring(
			", approved by carol@example.com (claimed), retried by bob@example.com (claimed), " +
				"resolved by dave@example.com (claimed) (attempt " + lost)))
	})

	It("has no effect when it has been removed (R27)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		attempt := unknownPlan(ctx, w, process, line)
		annotateWith(ctx, w, v1alpha1.AnnotationResolve+"="+attempt.AttemptID+"=NotAccepted", "bbs/"+site)
		process.Seam.Stale = w.Read(ctx, site) // still returned by a stale cache
		annotateWith(ctx, w, v1alpha1.AnnotationResolve+"-", "bbs/"+site)
		result, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(Equal(time.Second))
		process.Seam.Stale = nil
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("of an object that was created again is not recorded for the one before it (R27)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		word := unknownPlan(ctx, w, process, line).AttemptID + "=NotAccepted"
		annotateWith(ctx, w, v1alpha1.AnnotationResolve+"="+word, "bbs/"+site)
		process.Seam.Stale = w.Read(ctx, site) // still returned by a stale cache
		Expect(w.Delete(ctx, process.Seam.Stale.DeepCopy())).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, func(s *v1alpha1.BroadbandService) {
			s.Annotations = map[string]string{v1alpha1.AnnotationResolve: word}
		}))).To(Succeed())
		result, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(Equal(time.Second))
		Expect(fixture.ServiceLedger(ctx, w, line).Spec.Open).To(ConsistOf(HaveField("Phase", v1alpha1.PhaseOutcomeUnknown)))
	})

	It("has no effect on an object that is in conflict with the holder (R22)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		attempt := unknownPlan(ctx, w, process, line)
		Expect(w.Create(ctx, w.Service("other", line))).To(Succeed())
		for _, word := range []string{
			attempt.AttemptID + "=NotAccepted", resolveAll(w, "Succeeded"),
		} {
			annotateWith(ctx, w, v1alpha1.AnnotationResolve+"="+word, "bbs/other")
			other := process.Drive(ctx, "other")
			fixture.ExpectReady(other, metav1.ConditionFalse, v1alpha1.ReasonConflict)
			Expect(other.Status.Handled.Resolve).To(BeEmpty())
			fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		}
		ledger := fixture.ServiceLedger(ctx, w, line)
		Expect(ledger.Spec.Open).To(ConsistOf(HaveField("AttemptID", attempt.AttemptID)))
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("is accepted from any object of the ledger once that of the attempt is deleted (R22)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		attempt := unknownPlan(ctx, w, process, line)
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Expect(w.Create(ctx, w.Service("heir", line, func(s *v1alpha1.BroadbandService) {
			s.Annotations = map[string]string{v1alpha1.AnnotationResolve: attempt.AttemptID + "=Succeeded"}
		}))).To(Succeed())
		service := process.Drive(ctx, "heir")
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).AttemptID).To(Equal(attempt.AttemptID))
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).ResolvedBy.By).NotTo(BeEmpty())
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("is accepted from another order once that of the attempt is deleted (R22)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Carrier.FailNext("POST OrderCreate", simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		unknown := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(unknown, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(w.Delete(ctx, unknown)).To(Succeed())
		Expect(w.Create(ctx, w.Order("heir", fixture.Reference))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, "heir"), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		w.AnnotateOrder(ctx, "heir", v1alpha1.AnnotationResolve,
			fmt.Sprintf("%s=Accepted:4711", unknown.Status.Request.AttemptID))
		order := process.DriveOrder(ctx, "heir")
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(order.Status.OrderID).To(BeEquivalentTo("4711"))
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})
})
