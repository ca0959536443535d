// SPDX-License-Identifier: Apache-2.0

package requests_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// expectCarrier expects that the account shows whether its carrier answers.
func expectCarrier(
	ctx context.Context, w *world.World, process *world.Process, status metav1.ConditionStatus, message OmegaMatcher,
) {
	GinkgoHelper()
	_, err := process.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	carrier := meta.FindStatusCondition(w.ReadAccount(ctx).Status.Conditions, v1alpha1.ConditionCarrier)
	Expect(carrier).NotTo(BeNil())
	Expect(carrier.Status).To(Equal(status))
	Expect(carrier.Message).To(message)
}

var _ = Describe("An operator that is killed", func() {
	// scenario declares a change of the plan and SLA of a new service, in a process that ends at the
	// cut, if there is one.
	scenario := func(ctx context.Context, cut world.CrashPoint) (*world.World, *world.Process, int64) {
		w := world.New(ctx, fixture.Plane)
		w.Login(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithSLA(world.SLAFast)))).To(Succeed())
		process := w.Start(cut)
		if _, err := process.ReconcileAccount(ctx); err == nil {
			process.Drive(ctx, site)
		}
		return w, process, line
	}

	It("between any two effects loses no request and sends none twice", func(ctx SpecContext) {
		_, whole, _ := scenario(ctx, world.CrashPoint{})
		effects := whole.Seam.Effects()
		Expect(len(effects)).To(BeNumerically(">=", 12))
		unknown := 0
		for _, cut := range world.CrashPoints(effects) {
			By("killing it " + cut.String())
			w, _, line := scenario(ctx, cut)
			successor := w.Start(world.CrashPoint{})
			_, err := successor.ReconcileAccount(ctx)
			Expect(err).NotTo(HaveOccurred())
			service := successor.Drive(ctx, site)
			if world.Ready(service).Reason == v1alpha1.ReasonOutcomeUnknown {
				unknown++
				Expect(w.Posts(line)).To(BeNumerically("<=", 1))
				service = fixture.ExpectResolved(ctx, w, successor, line)
			}
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(w.Posts(line)).To(Equal(1))
		}
		AddReportEntry("kill points",
			fmt.Sprintf("%d kill points, %d of them ended OutcomeUnknown", len(world.CrashPoints(effects)), unknown))
	})
})

var _ = Describe("A POST whose response is lost", func() {
	lost := func(fault simulator.Fault) func(SpecContext) {
		return func(ctx SpecContext) {
			w, process := fixture.Begin(ctx)
			line := w.Line()
			Expect(w.Carrier.FailNext("POST PlanChange", fault)).To(Succeed())
			Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())

			service := process.Drive(ctx, site)

			Expect(w.Posts(line)).To(Equal(1))
			if fault.Processed {
				fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
				Expect(service.Status.Carrier.Plan.Source).To(Equal(v1alpha1.SourceHealth))
				return
			}
			fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
			Expect(world.Ready(service).Message).To(ContainSubstring(v1alpha1.AnnotationResolve))
			fixture.ExpectReady(fixture.ExpectResolved(ctx, w, process, line), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(w.Carrier.Submissions(simulator.OpPlanChange, line).Processed).To(Equal(1))
		}
	}

	It("by a 502 after it was processed is proven by health",
		lost(simulator.Fault{Kind: simulator.FaultStatus, Status: 502, Processed: true}))
	It("by a 502 before it was processed is unknown",
		lost(simulator.Fault{Kind: simulator.FaultStatus, Status: 502}))
	It("by a gateway's page is unknown",
		lost(simulator.Fault{Kind: simulator.FaultPage, Status: 503}))
	It("by a reset after it was processed is proven by health",
		lost(simulator.Fault{Kind: simulator.FaultReset, Processed: true}))
	It("by a reset before it was processed is unknown",
		lost(simulator.Fault{Kind: simulator.FaultReset}))
	It("because the response has no Location is proven by health",
		lost(simulator.Fault{Kind: simulator.FaultNoLocation, Processed: true}))
	It("because it was redirected is unknown, and the redirect is not followed",
		lost(simulator.Fault{Kind: simulator.FaultRedirect}))

	It("by a timeout after it was processed is proven by health", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		process.Seam.LoseResponse = func(effect world.Effect) error {
			if strings.HasSuffix(effect.What, "plan-changes/request") {
				return os.ErrDeadlineExceeded
			}
			return nil
		}
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())

		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Carrier.Plan.Source).To(Equal(v1alpha1.SourceHealth))
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("is settled by each resolution", func(ctx SpecContext) {
		for word, want := range map[string]string{
			"NotAccepted": v1alpha1.ReasonInSync,
			"Succeeded":   v1alpha1.ReasonInSync,
			"Abandoned":   v1alpha1.ReasonAbandoned,
		} {
			w, process := fixture.Begin(ctx)
			line := w.Line()
			Expect(w.Carrier.FailNext("POST PlanChange", simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
			Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
			service := process.Drive(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)

			w.Annotate(ctx, site, v1alpha1.AnnotationResolve, service.OpenRequest().AttemptID+"="+word)
			service = process.Drive(ctx, site)
			Expect(world.Ready(service).Reason).To(Equal(want), word)
			posts := map[string]int{"NotAccepted": 2, "Succeeded": 1, "Abandoned": 1}[word]
			Expect(w.Posts(line)).To(Equal(posts), word)
		}
	})

	It("is not settled by a resolution of another attempt, or by an invalid one", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Carrier.FailNext("POST PlanChange", simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		attempt := process.Drive(ctx, site).OpenRequest().AttemptID
		for _, word := range []string{
			"other=NotAccepted", attempt, attempt + "=Maybe", attempt + "=Accepted:", attempt + "=Accepted:../1",
		} {
			w.Annotate(ctx, site, v1alpha1.AnnotationResolve, word)
			fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		}
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("blocks later changes until it is settled", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Carrier.FailNext("POST PlanChange", simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		attempt := process.Drive(ctx, site).OpenRequest().AttemptID
		w.Edit(ctx, site, fixture.WithPlan(world.PlanFast, 24))
		w.Annotate(ctx, site, v1alpha1.AnnotationRetry, attempt)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("blocks the account's other chargeable requests until the carrier answers a read", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		first, second := w.Line(), w.Line()
		Expect(w.Create(ctx, w.Service("second", second, func(s *v1alpha1.BroadbandService) {
			s.Spec.TrustDeclared = []v1alpha1.TrustedAspect{v1alpha1.TrustPlan, v1alpha1.TrustRestorationSLA}
			s.Spec.RestorationSLA = world.SLAStd
		}))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, "second"), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Carrier.FailNext("POST PlanChange", simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, first))).To(Succeed())
		for w.Posts(first) == 0 {
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(result.RequeueAfter)
		}
		w.Edit(ctx, "second", func(s *v1alpha1.BroadbandService) { s.Spec.RestorationSLA = world.SLAFast })
		lostAt := w.Clock.Now()

		By("probing at growing intervals")
		away := simulator.Fault{Kind: simulator.FaultStatus, Status: 503, Times: 1000}
		Expect(w.Carrier.FailNext("GET CancellationRead", away)).To(Succeed())
		for w.Clock.Now().Before(lostAt.Add(10 * time.Minute)) {
			result, err := process.Reconcile(ctx, "second")
			Expect(err).NotTo(HaveOccurred())
			Expect(result.RequeueAfter).To(BeNumerically("<=", 30*time.Second))
			w.Clock.Advance(result.RequeueAfter)
		}
		ready := world.Ready(w.Read(ctx, "second"))
		Expect(ready.Reason).To(Equal(v1alpha1.ReasonBreakerOpen))
		Expect(ready.Message).To(And(
			HavePrefix("the response to PlanChange for bbs/site was lost at "), ContainSubstring("503"),
			HaveSuffix("chargeable requests wait until it does; the read is repeated at least every 30 s")))
		Expect(1000-w.Carrier.Armed()).To(BeNumerically("~", 600/30+5, 2), "free reads in ten minutes")
		Expect(w.Posts(second)).To(BeZero())
		expectCarrier(ctx, w, process, metav1.ConditionFalse, And(
			ContainSubstring("PlanChange for bbs/site"), ContainSubstring("503"), ContainSubstring("; it last answered at 20")))

		By("answering again")
		w.Carrier.Disarm()
		fixture.ExpectReady(process.Drive(ctx, "second"), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectCarrier(ctx, w, process, metav1.ConditionTrue, Equal("the carrier answers"))
	})
})

var _ = Describe("A POST that did not reach the carrier", func() {
	unsent := func(fault simulator.Fault) func(SpecContext) {
		return func(ctx SpecContext) {
			w, process := fixture.Begin(ctx)
			line := w.Line()
			Expect(w.Carrier.FailNext("POST PlanChange", fault)).To(Succeed())
			Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
			service := process.Drive(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(service.RequestOf(v1alpha1.OperationPlanChange).Attempt).To(Equal(int32(2)))
			Expect(w.Carrier.Submissions(simulator.OpPlanChange, line).Processed).To(Equal(1))
		}
	}

	It("is sent again with a new token after a 401",
		unsent(simulator.Fault{Kind: simulator.FaultStatus, Status: 401}))
	It("is sent again after Retry-After of a 429",
		unsent(simulator.Fault{Kind: simulator.FaultStatus, Status: 429, RetryAfter: "120"}))

	It("is sent again when the carrier could not be reached", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		refused := 0
		process.Seam.Fault = func(effect world.Effect) error {
			if refused < 3 && strings.HasSuffix(effect.What, "plan-changes/request") {
				refused++
				return syscall.ECONNREFUSED
			}
			return nil
		}
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).Attempt).To(Equal(int32(4)))
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("is tried again ten minutes after a 404, and not sooner", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Carrier.FailNext("POST PlanChange", simulator.Fault{Kind: simulator.FaultStatus, Status: 404})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		for w.Posts(line) == 0 {
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(result.RequeueAfter)
		}
		fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonNotFoundOrForbidden)
		refusedAt := w.Read(ctx, site).RequestOf(v1alpha1.OperationPlanChange).FinishedAt
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		again := service.Status.History[0].SubmittedAt
		Expect(again.Sub(refusedAt.Time)).To(BeNumerically(">=", 10*time.Minute))
	})
})
