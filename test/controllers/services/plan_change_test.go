// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A plan that differs from the carrier's", func() {
	It("is changed by exactly one request and ends Ready", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())

		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
		Expect(service.Status.Carrier.Plan.Value).To(Equal(world.PlanFast))
		Expect(service.Status.Carrier.Plan.Source).To(Equal(v1alpha1.SourceChangeResult))
		Expect(service.Status.InFlight).To(BeNil())
		Expect(service.Status.Pending).To(BeNil())
		Expect(service.Status.History).To(HaveExactElements(
			HaveField("Change", HavePrefix(`plan.name "Home 50/20" → "Home 100/20"`))))
		By("showing in the status only what a person can use")
		whole := fixture.RecordedPlanChange(ctx, w, service)
		Expect(*whole).To(And(HaveField("Sender", Not(BeEmpty())), HaveField("BodyHash", Not(BeEmpty())),
			HaveField("Login", w.Account().Login()), HaveField("Before.Plan", world.PlanSlow)))
		Expect(service.Status.Requests).To(HaveExactElements(Equal(v1alpha1.Request{
			Operation: whole.Operation, Attempt: 1, AttemptID: whole.AttemptID, Phase: v1alpha1.PhaseSucceeded,
			Location: whole.Location,
		})))
		sold, _ := w.Carrier.Service(line)
		Expect(sold.Plan).To(Equal(world.PlanFast))
	})

	It("is sent together with a restoration SLA in one request", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithSLA(world.SLAFast)))).To(Succeed())

		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
		Expect(service.Status.Carrier.RestorationSLA.Value).To(Equal(world.SLAFast))
	})

	It("is ignored when only its spelling differs", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithPlan("home  50/20", 12)))).To(Succeed())

		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(BeZero())
		Expect(fixture.Condition(service, v1alpha1.ConditionPlanSynced).Message).To(ContainSubstring(world.PlanSlow))
	})

	It("shows the carrier's sub-error code when it is refused, and is not sent again", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithPlan("No Such Plan", 12)))).To(Succeed())

		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonPlanNameInvalid)
		Expect(world.Ready(service).Message).To(HavePrefix("constraints.plan.change.plan.name.invalid"))
		Expect(service.Status.LastError.Code).To(Equal("constraints.plan.change.plan.name.invalid"))
		reported := service.Status.LastError.CarrierTime
		Expect(time.Parse(time.RFC3339, reported)).To(BeTemporally("~", w.Clock.Now(), time.Hour), "the carrier's time")
		recorded := fixture.ServiceLedger(ctx, w, line).RequestOf(v1alpha1.OperationPlanChange)
		Expect(recorded.Error.CarrierTime).To(Equal(reported))
		w.Clock.Advance(fixture.Horizon)
		process.Drive(ctx, site)
		Expect(w.Posts(line)).To(Equal(1))

		By("correcting the spec")
		w.Edit(ctx, site, fixture.WithPlan(world.PlanFast, 12))
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(2))
	})

	It("shows the code of a request that the carrier accepted and then failed, and can be retried", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Carrier.FailNext("PlanChange", simulator.Fault{Kind: simulator.FaultEndInError})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())

		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonPlanChangeFailed)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).Phase).To(Equal(v1alpha1.PhaseFailed))
		failed := service.RequestOf(v1alpha1.OperationPlanChange).AttemptID
		Expect(world.Ready(service).Message).To(HaveSuffix("or, to retry it unchanged, run: kubectl -n " + w.Namespace +
			" annotate --overwrite bbs site 'wholesale.broadband/retry=" + failed + "'"))
		w.Annotate(ctx, site, v1alpha1.AnnotationRetry, failed)
		service = process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Handled.Retry).To(Equal(failed))
		Expect(fixture.RecordedPlanChange(ctx, w, service).Retry).To(Equal(failed))
		Expect(w.Posts(line)).To(Equal(2))
	})

	It("is retried once for a time after its failure, and not for an earlier time (R21)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		fault := simulator.Fault{Kind: simulator.FaultEndInError, Times: 3}
		Expect(w.Carrier.FailNext("PlanChange", fault)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		process.Drive(ctx, site)
		for _, asked := range []string{"again", "2026-03-01T09:00:00Z", "2027-03-01T09:00:00Z", "some other attempt"} {
			w.Annotate(ctx, site, v1alpha1.AnnotationRetry, asked)
			service := process.Drive(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonPlanChangeFailed)
			Expect(world.Ready(service).Message).To(ContainSubstring(
				`(the annotation wholesale.broadband/retry is now "` + asked + `", which `))
			Expect(w.Posts(line)).To(Equal(1), asked)
		}
		w.Clock.Advance(time.Minute)
		asked := fixture.RetryTime(w)
		w.Annotate(ctx, site, v1alpha1.AnnotationRetry, asked)
		for range 2 {
			service := process.Drive(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonPlanChangeFailed)
			Expect(fixture.RecordedPlanChange(ctx, w, service).Retry).To(Equal(asked))
			Expect(w.Posts(line)).To(Equal(2))
			w.Clock.Advance(fixture.Horizon)
		}
	})

	It("does not use up a retry that was requested before it was sent (R21)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Carrier.FailNext("PlanChange", simulator.Fault{Kind: simulator.FaultEndInError})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		w.Annotate(ctx, site, v1alpha1.AnnotationRetry, fixture.RetryTime(w))

		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonPlanChangeFailed)
		Expect(service.Status.Handled.Retry).To(BeEmpty())
		w.Clock.Advance(fixture.Horizon)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonPlanChangeFailed)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("that is edited while a request runs leads to one further request, for the newest spec", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)

		for range 5 {
			w.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
			w.Edit(ctx, site, fixture.WithPlan(world.PlanFast, 24))
			_, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
		}
		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(2))
		Expect(service.Status.Carrier.Term.Value).To(Equal("24"))
	})
})
