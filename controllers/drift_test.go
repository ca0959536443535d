// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// inHealth is how health spells world.PlanFast in these tests; it is sold under another name.
const inHealth = "HOME FAST (100/20)"

// settledSite is a service that our own change has moved to world.PlanFast.
type settledSite struct {
	*world.World

	process *world.Process
	line    int64
}

// bringInSync moves a service to world.PlanFast by a change, the only POST so far. Nothing has been
// read since.
func bringInSync(ctx SpecContext, edits ...edit) *settledSite {
	GinkgoHelper()
	w, process := begin(ctx)
	line := w.Line(oneRecord)
	Expect(w.Create(ctx, w.Service(site, line, edits...))).To(Succeed())
	service := process.Drive(ctx, site)
	expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
	Expect(service.Status.Carrier.Plan.AsHealth).To(BeEmpty())
	Expect(w.Posts(line)).To(Equal(1))
	return &settledSite{World: w, process: process, line: line}
}

// oneRecord makes every health request find the same health record, so that nothing about the line
// is new.
func oneRecord(service *simulator.Service) { service.Health.HRIID = "HRI000000000001" }

// move changes the plan of the service at the carrier, and returns the service as the operator
// shows it within the interval.
func (s *settledSite) move(ctx SpecContext, plan string) *v1alpha1.BroadbandService {
	GinkgoHelper()
	Expect(s.Carrier.SetPlan(s.line, plan)).To(Succeed())
	return s.pass(ctx, time.Hour+time.Minute)
}

func (s *settledSite) pass(ctx SpecContext, span time.Duration) *v1alpha1.BroadbandService {
	GinkgoHelper()
	elapse(ctx, s.World, s.process, span)
	return s.Read(ctx, site)
}

// elapse lets a time pass, with one pass over the service at its start and those that the operator
// asks for.
func elapse(ctx SpecContext, w *world.World, process *world.Process, span time.Duration) {
	GinkgoHelper()
	for end := w.Clock.Now().Add(span); ; {
		result, err := process.Look(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		rest := end.Sub(w.Clock.Now())
		if result.RequeueAfter == 0 || result.RequeueAfter > rest {
			w.Clock.Advance(rest)
			return
		}
		w.Clock.Advance(result.RequeueAfter)
	}
}

// readEvery sets the interval of health requests.
func readEvery(interval v1alpha1.Duration) edit {
	return func(service *v1alpha1.BroadbandService) { service.Spec.Observe.HealthInterval = interval }
}

// learn settles a service whose plan health spells in its own way, and which is read every hour,
// the first time included.
func learn(ctx SpecContext, edits ...edit) *settledSite {
	GinkgoHelper()
	s := bringInSync(ctx, edits...)
	s.Edit(ctx, site, readEvery("1h"))
	service := s.move(ctx, inHealth)
	Expect(service.Status.Carrier.Plan.AsHealth).To(Equal(inHealth))
	expectNoDrift(service)
	return s
}

// looked is a service that is in sync and has been reconciled once.
func looked(ctx SpecContext, line func(*simulator.Service), edits ...edit) *settledSite {
	GinkgoHelper()
	w, process := begin(ctx)
	s := &settledSite{World: w, process: process, line: w.Line(onFast, line)}
	Expect(w.Create(ctx, w.Service(site, s.line, edits...))).To(Succeed())
	expectReady(s.pass(ctx, time.Minute), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	return s
}

// reconcile asks for a reconciliation now, and returns its result.
func (s *settledSite) reconcile(ctx SpecContext, word string) *v1alpha1.BroadbandService {
	GinkgoHelper()
	s.Annotate(ctx, site, v1alpha1.AnnotationReconcile, word)
	service := s.pass(ctx, time.Minute)
	Expect(service.Status.Handled.Reconcile).To(Equal(word))
	return service
}

func expectNoDrift(service *v1alpha1.BroadbandService) {
	GinkgoHelper()
	expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
	Expect(condition(service, v1alpha1.ConditionDrifted)).To(BeZero())
	Expect(condition(service, v1alpha1.ConditionPlanSynced).Status).To(Equal(metav1.ConditionTrue))
}

func expectDrift(service *v1alpha1.BroadbandService, from, to string) {
	GinkgoHelper()
	expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonDrifted)
	drifted, synced := condition(service, v1alpha1.ConditionDrifted), condition(service, v1alpha1.ConditionPlanSynced)
	Expect(drifted.Status).To(Equal(metav1.ConditionTrue))
	Expect(drifted.Message).To(ContainSubstring(`plan.name "` + from + `" → "` + to + `"`))
	Expect(synced.Status).To(Equal(metav1.ConditionFalse))
	Expect(synced.Reason).To(Equal(v1alpha1.ReasonDrifted))
	Expect(synced.Message).To(And(ContainSubstring(from), ContainSubstring(to)))
	plan := service.Status.Carrier.Plan
	Expect([]string{plan.Value, plan.AsHealth}).To(Equal([]string{to, from}))
}

var _ = Describe("A plan that the carrier moved away from", func() {
	It("is measured against what health says first after our own success", func(ctx SpecContext) {
		s := learn(ctx)
		service := s.Read(ctx, site)
		plan := service.Status.Carrier.Plan
		Expect(plan.Value).To(Equal(world.PlanFast), "what we sent")
		Expect(plan.Source).To(Equal(v1alpha1.SourceChangeResult))
		Expect(condition(service, v1alpha1.ConditionPlanSynced).Message).To(ContainSubstring(inHealth))
		Expect(s.Posts(s.line)).To(Equal(1))
	})

	It("is measured against what health said at first sight, where no change was ours", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(onFast)
		Expect(w.Create(ctx, w.Service(site, line, readEvery("1h")))).To(Succeed())
		expectNoDrift(process.Drive(ctx, site))
		s := &settledSite{World: w, process: process, line: line}
		expectDrift(s.move(ctx, world.PlanSlow), world.PlanFast, world.PlanSlow)
		expectNoDrift(s.move(ctx, world.PlanFast))
		Expect(w.Posts(line)).To(BeZero())
	})

	It("is reported and left alone, until the carrier is back", func(ctx SpecContext) {
		s := learn(ctx)
		expectDrift(s.move(ctx, world.PlanSlow), inHealth, world.PlanSlow)

		By("going on to a third plan")
		service := s.move(ctx, world.PlanGiga)
		expectDrift(service, inHealth, world.PlanGiga)
		Expect(service.Status.Carrier.Plan.Source).To(Equal(v1alpha1.SourceHealth))
		Expect(service.Status.Pending).To(BeNil())

		By("coming back")
		service = s.move(ctx, inHealth)
		expectNoDrift(service)
		plan := service.Status.Carrier.Plan
		Expect([]string{plan.Value, plan.AsHealth}).To(Equal([]string{world.PlanFast, inHealth}))
		Expect(plan.Source).To(Equal(v1alpha1.SourceChangeResult))
		Expect(s.Posts(s.line)).To(Equal(1))
	})

	It("is what drift is measured against once the spec has accepted it", func(ctx SpecContext) {
		s := learn(ctx)
		expectDrift(s.move(ctx, world.PlanSlow), inHealth, world.PlanSlow)
		s.Edit(ctx, site, readEvery("9000h"))
		s.Edit(ctx, site, withPlan(world.PlanSlow, 12))
		expectNoDrift(s.process.Drive(ctx, site))

		By("going back at the carrier before health is read again")
		Expect(s.Carrier.SetPlan(s.line, inHealth)).To(Succeed())
		s.reconcile(ctx, "now")

		Expect(s.Posts(s.line)).To(Equal(1), "nothing is sent for what the carrier did")
		expectDrift(s.Read(ctx, site), world.PlanSlow, inHealth)
	})

	It("is the same to a process that starts anew", func(ctx SpecContext) {
		s := learn(ctx)
		before := s.move(ctx, world.PlanSlow)
		health := s.Carrier.Submissions(simulator.OpHealth, s.line).Seen

		s.process = s.Start(world.Cut{})
		_, err := s.process.Look(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.process.Seam.Effects()).To(BeEmpty(), "a start costs no call and no write")
		service := s.pass(ctx, 5*time.Hour)

		expectDrift(service, inHealth, world.PlanSlow)
		Expect(service.ResourceVersion).To(Equal(before.ResourceVersion))
		Expect(s.Carrier.Submissions(simulator.OpHealth, s.line).Seen).To(Equal(health + 5))
		expectNoDrift(s.move(ctx, inHealth))
		Expect(s.Posts(s.line)).To(Equal(1))
	})
})

// correcting lets the operator change a drifted plan back.
func correcting(service *v1alpha1.BroadbandService) { service.Spec.DriftPolicy = v1alpha1.DriftCorrect }

var _ = Describe("A plan that is to be corrected", func() {
	sentAt := func(service *v1alpha1.BroadbandService) time.Time {
		return service.RequestOf(v1alpha1.OperationPlanChange).SubmittedAt.Time
	}

	It("is changed back by one request, and not again before 24 hours have passed", func(ctx SpecContext) {
		s := learn(ctx, correcting)
		s.pass(ctx, 25*time.Hour)
		service := s.move(ctx, world.PlanSlow)
		expectNoDrift(service)
		Expect(s.Posts(s.line)).To(Equal(2))
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).Target.Plan).To(Equal(world.PlanFast))
		Expect(service.Status.Carrier.Plan.Value).To(Equal(world.PlanFast))
		first := sentAt(service)

		By("moving away again within the day")
		s.pass(ctx, 2*time.Hour)
		expectDrift(s.move(ctx, world.PlanSlow), world.PlanFast, world.PlanSlow)
		s.pass(ctx, first.Add(24*time.Hour-time.Minute).Sub(s.Clock.Now()))
		Expect(s.Posts(s.line)).To(Equal(2))
		service = s.pass(ctx, time.Hour+2*time.Minute)
		expectNoDrift(service)
		Expect(s.Posts(s.line)).To(Equal(3))
		Expect(sentAt(service).Sub(first)).To(BeNumerically(">=", 24*time.Hour))
	})

	It("is changed back when the 24 hours are over, and not when health happens to be read next", func(ctx SpecContext) {
		s := bringInSync(ctx, correcting)
		look := func(word string) *v1alpha1.BroadbandService {
			s.Clock.Advance(time.Minute)
			s.Annotate(ctx, site, v1alpha1.AnnotationReconcile, word)
			return s.process.Drive(ctx, site)
		}
		Expect(look("learn").Status.Carrier.Plan.AsHealth).To(Equal(world.PlanFast))
		Expect(s.Carrier.SetPlan(s.line, world.PlanSlow)).To(Succeed())
		service := look("see")
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
	edit  edit
	posts int // further requests
	sold  string
	check func(*v1alpha1.BroadbandService)
}

var _ = DescribeTable("A spec that is edited while its plan has drifted",
	func(ctx SpecContext, story amendment) {
		s := learn(ctx)
		expectDrift(s.move(ctx, world.PlanSlow), inHealth, world.PlanSlow)

		s.Edit(ctx, site, story.edit)
		service := s.process.Drive(ctx, site)

		expectNoDrift(service)
		Expect(service.Status.Carrier.Plan.Value).To(Equal(story.sold))
		sold, _ := s.Carrier.Service(s.line)
		Expect(sold.Plan).To(Equal(story.sold))
		Expect(s.Posts(s.line)).To(Equal(1 + story.posts))
		orNothing(story.check)(service)

		By("reading it again")
		service = s.pass(ctx, 3*time.Hour)
		expectNoDrift(service)
		Expect(service.Status.Carrier.Plan.AsHealth).To(Equal(story.sold))
		Expect(s.Posts(s.line)).To(Equal(1 + story.posts))
	},
	Entry("to what the carrier has sends nothing", amendment{
		edit: withPlan(world.PlanSlow, 12), sold: world.PlanSlow,
	}),
	Entry("to a third plan changes to that", amendment{
		edit: func(s *v1alpha1.BroadbandService) {
			s.Spec.Plan.Name, s.Spec.Plan.NTDOption = world.PlanGiga, "4_PORT_RESIDENTIAL"
			s.Spec.Plan.Contact = &v1alpha1.Contact{Name: "Jo", Phone: "0400 000 000", Email: "jo@example.com"}
		},
		posts: 1, sold: world.PlanGiga,
	}),
	Entry("in its restoration SLA sends the declared plan with that", amendment{
		edit: withSLA(world.SLAFast), posts: 1, sold: world.PlanFast,
		check: func(service *v1alpha1.BroadbandService) {
			Expect(service.RequestOf(v1alpha1.OperationPlanChange).Target.Plan).To(Equal(world.PlanFast))
			Expect(service.Status.Carrier.RestorationSLA.Value).To(Equal(world.SLAFast))
		},
	}),
	Entry("in its term sends the declared plan with that", amendment{
		edit: withPlan(world.PlanFast, 24), posts: 1, sold: world.PlanFast,
		check: func(service *v1alpha1.BroadbandService) {
			Expect(service.Status.Carrier.Term.Value).To(Equal("24"))
		},
	}),
)

var _ = DescribeTable("A carrier that spells the plan in another way every day causes no paid change",
	func(ctx SpecContext, other string, policy edit, drifted int) {
		s := bringInSync(ctx, policy)
		s.Edit(ctx, site, readEvery("24h"))
		seen := 0
		for day := range 30 {
			spelling := []string{world.PlanFast, other}[day%2]
			Expect(s.Carrier.SetPlan(s.line, spelling)).To(Succeed())
			service := s.pass(ctx, 24*time.Hour)
			switch world.Ready(service).Reason {
			case v1alpha1.ReasonDrifted:
				expectAspect(service, v1alpha1.ConditionDrifted, metav1.ConditionTrue, v1alpha1.ReasonDrifted)
				seen++
			default:
				expectNoDrift(service)
			}
		}
		Expect(s.Posts(s.line)).To(Equal(1), "the change that settled it")
		Expect(s.Carrier.Submissions(simulator.OpHealth, s.line).Seen).To(Equal(1+30), "first sight, and once a day")
		Expect(seen).To(Equal(drifted), "every other day")
	},
	Entry("where drift is reported", inHealth, orNothing[*v1alpha1.BroadbandService](nil), 15),
	Entry("where drift is corrected and only case and spaces differ", "HOME  100/20", correcting, 0),
)
