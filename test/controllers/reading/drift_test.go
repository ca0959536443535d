// SPDX-License-Identifier: Apache-2.0

package reading_test

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A plan that the carrier moved away from", func() {
	It("is compared with the first health reading after our own change", func(ctx SpecContext) {
		s := settleHourlyReads(ctx)
		service := s.Read(ctx, site)
		plan := service.Status.Carrier.Plan
		Expect(plan.Value).To(Equal(world.PlanFast), "what we sent")
		Expect(plan.Source).To(Equal(v1alpha1.SourceChangeResult))
		Expect(fixture.Condition(service, v1alpha1.ConditionPlanSynced).Message).To(ContainSubstring(fixture.PlanInHealth))
		Expect(s.Posts(s.line)).To(Equal(1))
	})

	It("is compared with the first health reading if we changed nothing", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.OnFast)
		Expect(w.Create(ctx, w.Service(site, line, fixture.ReadEvery("1h")))).To(Succeed())
		expectNoDrift(process.Drive(ctx, site))
		s := &settledSite{World: w, process: process, line: line}
		expectDrift(s.move(ctx, world.PlanSlow), world.PlanFast, world.PlanSlow)
		expectNoDrift(s.move(ctx, world.PlanFast))
		Expect(w.Posts(line)).To(BeZero())
	})

	It("is reported and not corrected, until the carrier is back", func(ctx SpecContext) {
		s := settleHourlyReads(ctx)
		expectDrift(s.move(ctx, world.PlanSlow), fixture.PlanInHealth, world.PlanSlow)

		By("moving to a third plan")
		service := s.move(ctx, world.PlanGiga)
		expectDrift(service, fixture.PlanInHealth, world.PlanGiga)
		Expect(service.Status.Carrier.Plan.Source).To(Equal(v1alpha1.SourceHealth))
		Expect(service.Status.Pending).To(BeNil())

		By("moving back")
		service = s.move(ctx, fixture.PlanInHealth)
		expectNoDrift(service)
		plan := service.Status.Carrier.Plan
		Expect([]string{plan.Value, plan.AsHealth}).To(Equal([]string{world.PlanFast, fixture.PlanInHealth}))
		Expect(plan.Source).To(Equal(v1alpha1.SourceChangeResult))
		Expect(s.Posts(s.line)).To(Equal(1))
	})

	It("is what drift is compared with once the spec has accepted it", func(ctx SpecContext) {
		s := settleHourlyReads(ctx)
		expectDrift(s.move(ctx, world.PlanSlow), fixture.PlanInHealth, world.PlanSlow)
		s.Edit(ctx, site, fixture.ReadEvery("9000h"))
		s.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
		expectNoDrift(s.process.Drive(ctx, site))

		By("moving back at the carrier before health is read again")
		Expect(s.Carrier.SetPlan(s.line, fixture.PlanInHealth)).To(Succeed())
		s.reconcile(ctx, "now")

		Expect(s.Posts(s.line)).To(Equal(1), "nothing is sent for what the carrier did")
		expectDrift(s.Read(ctx, site), world.PlanSlow, fixture.PlanInHealth)
	})

	It("is the same for a new process", func(ctx SpecContext) {
		s := settleHourlyReads(ctx)
		before := s.move(ctx, world.PlanSlow)
		health := s.Carrier.Submissions(simulator.OpHealth, s.line).Seen

		s.process = s.Start(world.CrashPoint{})
		_, err := s.process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.process.Seam.Effects()).To(HaveExactElements(
			HaveField("What", HaveSuffix("/token")), HaveField("What", HaveSuffix("/reclaims/requests/1")),
		), "a start costs a login, and no other call and no write")
		service := s.pass(ctx, 5*time.Hour)

		expectDrift(service, fixture.PlanInHealth, world.PlanSlow)
		Expect(service.ResourceVersion).To(Equal(before.ResourceVersion))
		Expect(s.Carrier.Submissions(simulator.OpHealth, s.line).Seen).To(Equal(health + 5))
		expectNoDrift(s.move(ctx, fixture.PlanInHealth))
		Expect(s.Posts(s.line)).To(Equal(1))
	})
})

// correcting lets the operator change a drifted plan back.
func correcting(service *v1alpha1.BroadbandService) { service.Spec.DriftPolicy = v1alpha1.DriftCorrect }

var _ = Describe("A plan that is to be corrected", func() {
	sentAt := func(service *v1alpha1.BroadbandService) time.Time {
		return service.Status.History[0].SubmittedAt.Time
	}

	It("is changed back by one request, and not again before 24 hours have passed", func(ctx SpecContext) {
		s := settleHourlyReads(ctx, correcting)
		s.pass(ctx, 25*time.Hour)
		service := s.move(ctx, world.PlanSlow)
		expectNoDrift(service)
		Expect(s.Posts(s.line)).To(Equal(2))
		Expect(fixture.Recorded(ctx, service, v1alpha1.OperationPlanChange).Target.Plan).To(Equal(world.PlanFast))
		Expect(service.Status.Carrier.Plan.Value).To(Equal(world.PlanFast))
		first := sentAt(service)

		By("moving away again within 24 hours")
		s.pass(ctx, 2*time.Hour)
		expectDrift(s.move(ctx, world.PlanSlow), world.PlanFast, world.PlanSlow)
		s.pass(ctx, first.Add(24*time.Hour-time.Minute).Sub(s.Clock.Now()))
		Expect(s.Posts(s.line)).To(Equal(2))
		service = s.pass(ctx, time.Hour+2*time.Minute)
		expectNoDrift(service)
		Expect(s.Posts(s.line)).To(Equal(3))
		Expect(sentAt(service).Sub(first)).To(BeNumerically(">=", 24*time.Hour))
	})

	It("is changed back when the 24 hours are over, and not at the next health reading", func(ctx SpecContext) {
		s := bringInSync(ctx, correcting)
		reconcileBy := func(word string) *v1alpha1.BroadbandService {
			s.Clock.Advance(time.Minute)
			s.Annotate(ctx, site, v1alpha1.AnnotationReconcile, word)
			return s.process.Drive(ctx, site)
		}
		Expect(reconcileBy("learn").Status.Carrier.Plan.AsHealth).To(Equal(world.PlanFast))
		Expect(s.Carrier.SetPlan(s.line, world.PlanSlow)).To(Succeed())
		service := reconcileBy("see")
		expectDrift(service, world.PlanFast, world.PlanSlow)
		first := sentAt(service)

		service = s.pass(ctx, first.Add(25*time.Hour).Sub(s.Clock.Now()))

		Expect(s.Posts(s.line)).To(Equal(2))
		expectNoDrift(service)
		Expect(sentAt(service).Sub(first)).To(BeNumerically("~", 24*time.Hour, time.Minute))
	})
})

// amendment is an edit of the spec while the plan has drifted to world.PlanSlow.
type amendment struct {
	edit  fixture.Edit
	posts int // further requests
	sold  string
	check func(context.Context, *v1alpha1.BroadbandService)
}

var _ = DescribeTable("A spec that is edited while its plan has drifted",
	func(ctx SpecContext, scenario amendment) {
		s := settleHourlyReads(ctx)
		expectDrift(s.move(ctx, world.PlanSlow), fixture.PlanInHealth, world.PlanSlow)

		s.Edit(ctx, site, scenario.edit)
		service := s.process.Drive(ctx, site)

		expectNoDrift(service)
		Expect(service.Status.Carrier.Plan.Value).To(Equal(scenario.sold))
		sold, _ := s.Carrier.Service(s.line)
		Expect(sold.Plan).To(Equal(scenario.sold))
		Expect(s.Posts(s.line)).To(Equal(1 + scenario.posts))
		if scenario.check != nil {
			scenario.check(ctx, service)
		}

		By("reading it again")
		service = s.pass(ctx, 3*time.Hour)
		expectNoDrift(service)
		Expect(service.Status.Carrier.Plan.AsHealth).To(Equal(scenario.sold))
		Expect(s.Posts(s.line)).To(Equal(1 + scenario.posts))
	},
	Entry("to the carrier's plan sends nothing", amendment{
		edit: fixture.WithPlan(world.PlanSlow, 12), sold: world.PlanSlow,
	}),
	Entry("to a third plan sends that", amendment{
		edit: func(s *v1alpha1.BroadbandService) {
			s.Spec.Plan.Name, s.Spec.Plan.NTDOption = world.PlanGiga, "4_PORT_RESIDENTIAL"
			s.Spec.Plan.Contact = &v1alpha1.Contact{Name: "Jo", Phone: "0400 000 000", Email: "jo@example.com"}
		},
		posts: 1, sold: world.PlanGiga,
	}),
	Entry("in its restoration SLA sends the declared plan with the SLA", amendment{
		edit: fixture.WithSLA(world.SLAFast), posts: 1, sold: world.PlanFast,
		check: func(ctx context.Context, service *v1alpha1.BroadbandService) {
			Expect(fixture.Recorded(ctx, service, v1alpha1.OperationPlanChange).Target.Plan).To(Equal(world.PlanFast))
			Expect(service.Status.Carrier.RestorationSLA.Value).To(Equal(world.SLAFast))
		},
	}),
	Entry("in its term sends the declared plan with the term", amendment{
		edit: fixture.WithPlan(world.PlanFast, 24), posts: 1, sold: world.PlanFast,
		check: func(_ context.Context, service *v1alpha1.BroadbandService) {
			Expect(service.Status.Carrier.Term.Value).To(Equal("24"))
		},
	}),
)

var _ = DescribeTable("A carrier that spells the plan differently every day causes no chargeable change",
	func(ctx SpecContext, other string, policy fixture.Edit, drifted int) {
		s := bringInSync(ctx, policy)
		s.Edit(ctx, site, fixture.ReadEvery("24h"))
		s.pass(ctx, 6*time.Hour) // a slot so shortly after a reading is skipped
		readBefore := s.Carrier.Submissions(simulator.OpHealth, s.line).Seen
		seen := 0
		for day := range 30 {
			spelling := []string{world.PlanFast, other}[day%2]
			Expect(s.Carrier.SetPlan(s.line, spelling)).To(Succeed())
			service := s.pass(ctx, 24*time.Hour)
			switch world.Ready(service).Reason {
			case v1alpha1.ReasonDrifted:
				fixture.ExpectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)
				seen++
			default:
				expectNoDrift(service)
			}
		}
		Expect(s.Posts(s.line)).To(Equal(1), "the change that settled it")
		Expect(s.Carrier.Submissions(simulator.OpHealth, s.line).Seen-readBefore).To(Equal(30), "one a day")
		Expect(seen).To(Equal(drifted), "every other day")
	},
	Entry("where drift is reported", fixture.PlanInHealth, fixture.OrNoop[*v1alpha1.BroadbandService](nil), 15),
	Entry("where drift is corrected and only case and spaces differ", "HOME  100/20", correcting, 0),
)
