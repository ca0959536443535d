// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// site is the BroadbandService of a test.
const site = "site"

// begin creates a world with a ready account and a process.
func begin(ctx context.Context, edits ...func(*v1alpha1.CarrierAccount)) (*world.World, *world.Process) {
	GinkgoHelper()
	w := world.New(ctx, plane)
	w.Login(ctx, edits...)
	process := w.Start(world.Cut{})
	_, err := process.LookAtAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	return w, process
}

// expectReady expects the Ready condition of a service to have a status and a reason.
func expectReady(service *v1alpha1.BroadbandService, status metav1.ConditionStatus, reason string) {
	GinkgoHelper()
	ready := world.Ready(service)
	Expect(string(ready.Status)+"/"+ready.Reason).To(Equal(string(status)+"/"+reason), ready.Message)
}

func condition(service *v1alpha1.BroadbandService, conditionType string) metav1.Condition {
	return world.Condition(service.Status.Conditions, conditionType)
}

var _ = Describe("A plan that differs from the carrier's", func() {
	It("is changed by exactly one request and ends Ready", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())

		service := process.Drive(ctx, site)

		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
		Expect(service.Status.Carrier.Plan.Value).To(Equal(world.PlanFast))
		Expect(service.Status.Carrier.Plan.Source).To(Equal(v1alpha1.SourceChangeResult))
		Expect(service.Status.InFlight).To(BeNil())
		Expect(service.Status.Pending).To(BeNil())
		Expect(service.Status.History).To(HaveExactElements(
			HaveField("Change", HavePrefix(`plan.name "Home 50/20" → "Home 100/20"`))))
		By("showing what a person can use, and leaving the rest to the ledger")
		whole := changeOnRecord(ctx, w, service)
		Expect(*whole).To(And(HaveField("Sender", Not(BeEmpty())), HaveField("BodyHash", Not(BeEmpty())),
			HaveField("BaseURL", Not(BeEmpty())), HaveField("Before.Plan", world.PlanSlow)))
		Expect(service.Status.Requests).To(HaveExactElements(Equal(v1alpha1.Request{
			Operation: whole.Operation, Attempt: 1, AttemptID: whole.AttemptID, Generation: 1, Target: whole.Target,
			Plan: whole.Plan, Phase: v1alpha1.PhaseSucceeded, Location: whole.Location, SubmittedAt: whole.SubmittedAt,
			FinishedAt: whole.FinishedAt, EndedBy: v1alpha1.EndedByCarrier, CarrierStatus: whole.CarrierStatus,
		})))
		Expect(w.Carrier.Violations()).To(BeEmpty())
		sold, _ := w.Carrier.Service(line)
		Expect(sold.Plan).To(Equal(world.PlanFast))
	})

	It("goes together with a restoration SLA in one request", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, withSLA(world.SLAFast)))).To(Succeed())

		service := process.Drive(ctx, site)

		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
		Expect(service.Status.Carrier.RestorationSLA.Value).To(Equal(world.SLAFast))
	})

	It("is left alone when only its spelling differs", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, withPlan(" home  50/20", 12)))).To(Succeed())

		service := process.Drive(ctx, site)

		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(BeZero())
		Expect(condition(service, v1alpha1.ConditionPlanSynced).Message).To(ContainSubstring(world.PlanSlow))
	})

	It("shows the carrier's sub-error code when it is refused, and is not sent again", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, withPlan("No Such Plan", 12)))).To(Succeed())

		service := process.Drive(ctx, site)

		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonPlanNameInvalid)
		Expect(world.Ready(service).Message).To(HavePrefix("constraints.plan.change.plan.name.invalid"))
		Expect(service.Status.LastError.Code).To(Equal("constraints.plan.change.plan.name.invalid"))
		w.Clock.Advance(horizon)
		process.Drive(ctx, site)
		Expect(w.Posts(line)).To(Equal(1))

		By("mending the spec")
		w.Edit(ctx, site, withPlan(world.PlanFast, 12))
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(2))
	})

	It("shows the code of a request that the carrier took and then failed, and retries on demand", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Carrier.FailNext("PlanChange", simulator.Fault{Kind: simulator.FaultEndInError})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())

		service := process.Drive(ctx, site)

		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonPlanChangeFailed)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).Phase).To(Equal(v1alpha1.PhaseFailed))
		failed := service.RequestOf(v1alpha1.OperationPlanChange).AttemptID
		Expect(world.Ready(service).Message).To(HaveSuffix("or to try the same again: kubectl -n " + w.Namespace +
			" annotate --overwrite bbs site 'wholesale.broadband/retry=" + failed + "'"))
		w.Annotate(ctx, site, v1alpha1.AnnotationRetry, failed)
		service = process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Handled.Retry).To(Equal(failed))
		Expect(changeOnRecord(ctx, w, service).Retry).To(Equal(failed))
		Expect(w.Posts(line)).To(Equal(2))
	})

	It("is retried once for a time after it failed, and not for one before (R21)", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		fault := simulator.Fault{Kind: simulator.FaultEndInError, Times: 3}
		Expect(w.Carrier.FailNext("PlanChange", fault)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		process.Drive(ctx, site)
		for _, asked := range []string{"again", "2026-03-01T09:00:00Z", "2027-03-01T09:00:00Z", "some other attempt"} {
			w.Annotate(ctx, site, v1alpha1.AnnotationRetry, asked)
			service := process.Drive(ctx, site)
			expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonPlanChangeFailed)
			Expect(world.Ready(service).Message).To(ContainSubstring(
				`(now wholesale.broadband/retry is "` + asked + `", which `))
			Expect(w.Posts(line)).To(Equal(1), asked)
		}
		w.Clock.Advance(time.Minute)
		asked := stamped(w)
		w.Annotate(ctx, site, v1alpha1.AnnotationRetry, asked)
		for range 2 {
			service := process.Drive(ctx, site)
			expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonPlanChangeFailed)
			Expect(changeOnRecord(ctx, w, service).Retry).To(Equal(asked))
			Expect(w.Posts(line)).To(Equal(2))
			w.Clock.Advance(horizon)
		}
	})

	It("does not use up a retry that somebody asked for before it was sent (R21)", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Carrier.FailNext("PlanChange", simulator.Fault{Kind: simulator.FaultEndInError})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		w.Annotate(ctx, site, v1alpha1.AnnotationRetry, stamped(w))

		service := process.Drive(ctx, site)

		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonPlanChangeFailed)
		Expect(service.Status.Handled.Retry).To(BeEmpty())
		w.Clock.Advance(horizon)
		expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonPlanChangeFailed)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("that is edited while a request runs leads to one further request, for the newest spec", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		inFlight(ctx, w, process)

		for range 5 {
			w.Edit(ctx, site, withPlan(world.PlanSlow, 12))
			w.Edit(ctx, site, withPlan(world.PlanFast, 24))
			_, err := process.Look(ctx, site)
			Expect(err).NotTo(HaveOccurred())
		}
		service := process.Drive(ctx, site)

		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(2))
		Expect(service.Status.Carrier.Term.Value).To(Equal("24"))
	})
})

// inFlight drives a service until the carrier has accepted a request for it.
func inFlight(ctx context.Context, w *world.World, process *world.Process) *v1alpha1.BroadbandService {
	GinkgoHelper()
	for range 50 {
		result, err := process.Look(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		service := w.Read(ctx, site)
		if service.Status.InFlight != nil && service.Status.InFlight.Location != "" {
			return service
		}
		w.Clock.Advance(result.RequeueAfter)
	}
	Fail("no request was ever in flight")
	return nil
}

// leaveInFlight drives a service until a request is in progress, and then deletes it.
func leaveInFlight(ctx context.Context, w *world.World, process *world.Process) {
	GinkgoHelper()
	inFlight(ctx, w, process)
	Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
	process.Drive(ctx, site)
}

func withSLA(name string) func(*v1alpha1.BroadbandService) {
	return func(service *v1alpha1.BroadbandService) { service.Spec.RestorationSLA = name }
}

func withPlan(name string, term int32) func(*v1alpha1.BroadbandService) {
	return func(service *v1alpha1.BroadbandService) { service.Spec.Plan = &v1alpha1.Plan{Name: name, Term: term} }
}
