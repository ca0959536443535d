// SPDX-License-Identifier: Apache-2.0

package reading_test

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

// outdated is a time after which a reading is out of date.
const outdated = 11 * time.Minute

func onSlow(service *simulator.Service) { service.Plan = world.PlanSlow }

func readAndChanged() []simulator.Operation {
	return []simulator.Operation{simulator.OpHealth, simulator.OpPlanChange}
}

var _ = Describe("A plan change is based on a plan that was read for it", func() {
	It("which takes no additional call for a new service (R7)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		s := &settledSite{World: w, process: process, line: w.Line(fixture.WithSameHealthRecord)}
		Expect(w.Create(ctx, w.Service(site, s.line))).To(Succeed())
		service, posts := s.drive(ctx)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(posts).To(Equal(readAndChanged()))
	})

	It("which takes one health request for a service that was in sync (R7)", func(ctx SpecContext) {
		s := reconciledOnce(ctx, fixture.WithSameHealthRecord)
		s.pass(ctx, outdated)
		s.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
		service, posts := s.drive(ctx)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(posts).To(Equal(readAndChanged()))
		Expect(fixture.RecordedPlanChange(ctx, s.World, service).Before.Plan).To(Equal(world.PlanFast))
	})

	It("which is read although the last reading is from a clock that was ahead (R19)", func(ctx SpecContext) {
		s := reconciledOnce(ctx, fixture.WithSameHealthRecord)
		service := s.Read(ctx, site)
		service.Status.Carrier.Plan.Since = metav1.NewTime(s.Clock.Now().Add(7 * 24 * time.Hour))
		Expect(s.Status().Update(ctx, service)).To(Succeed())
		s.restart()
		s.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
		began := s.Clock.Now()
		service, posts := s.drive(ctx)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(posts).To(Equal(readAndChanged()))
		Expect(s.Clock.Now()).To(BeTemporally("<", began.Add(time.Hour)), "nothing waits for that clock")
	})

	It("which is also read for a restoration SLA (R7)", func(ctx SpecContext) {
		s := reconciledOnce(ctx, fixture.WithSameHealthRecord)
		s.Edit(ctx, site, fixture.WithSLA(world.SLAFast))
		service, posts := s.drive(ctx)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(posts).To(Equal(readAndChanged()))
	})

	It("which is read again after another modification has ended (R7)", func(ctx SpecContext) {
		s := reconciledOnce(ctx, fixture.WithSameHealthRecord)
		Expect(s.Carrier.FailNext("PlanChange", simulator.Fault{Kind: simulator.FaultEndInError})).To(Succeed())
		s.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
		service, posts := s.drive(ctx)
		Expect(posts).To(Equal(readAndChanged()))
		s.Annotate(ctx, site, v1alpha1.AnnotationRetry, service.RequestOf(v1alpha1.OperationPlanChange).AttemptID)
		service, posts = s.drive(ctx)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(posts).To(Equal(readAndChanged()))
	})

	DescribeTable("which is read when the change is approved, and not while it waits for approval (R7)",
		func(ctx SpecContext, waited time.Duration, reads []simulator.Operation) {
			w, process := fixture.Begin(ctx)
			s := &settledSite{World: w, process: process, line: w.Line(fixture.WithSameHealthRecord)}
			Expect(w.Create(ctx, w.Service(site, s.line, fixture.WithApproval(v1alpha1.ApprovalAlways)))).To(Succeed())
			service, _ := s.drive(ctx)
			fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)

			from := len(s.Carrier.Calls())
			s.pass(ctx, waited)
			Expect(s.postsSince(from)).To(BeEmpty())
			s.Annotate(ctx, site, v1alpha1.AnnotationApprove, service.Status.Pending.Hash)
			service, posts := s.drive(ctx)
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(posts).To(Equal(reads))
		},
		Entry("soon after it was read", 5*time.Minute,
			[]simulator.Operation{simulator.OpPlanOptions, simulator.OpPlanChange}),
		Entry("hours after it was read", 3*time.Hour,
			[]simulator.Operation{simulator.OpPlanOptions, simulator.OpHealth, simulator.OpPlanChange}),
	)

	It("unless the API version cannot read it: then the last successful change counts (R7)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, fixture.StrictlyAt(4))
		s := &settledSite{World: w, process: process, line: w.Line(fixture.OnFast)}
		Expect(w.Create(ctx, w.Service(site, s.line, func(service *v1alpha1.BroadbandService) {
			service.Spec.TrustDeclared = []v1alpha1.TrustedAspect{v1alpha1.TrustPlan}
		}))).To(Succeed())
		s.drive(ctx)
		for _, plan := range []string{world.PlanSlow, world.PlanFast} {
			s.pass(ctx, outdated)
			s.Edit(ctx, site, fixture.WithPlan(plan, 12))
			service, posts := s.drive(ctx)
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(posts).To(ConsistOf(simulator.OpPlanChange))
		}
	})
})

var _ = Describe("A plan that the carrier has already", func() {
	It("is not ordered if another client has changed to it (R7)", func(ctx SpecContext) {
		s := reconciledOnce(ctx, fixture.WithSameHealthRecord)
		Expect(s.Carrier.SetPlan(s.line, world.PlanSlow)).To(Succeed())
		s.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
		service, posts := s.drive(ctx)
		expectNoDrift(service)
		Expect(posts).To(ConsistOf(simulator.OpHealth))
	})

	It("is not ordered if another client has changed to it after a change of ours (R7)", func(ctx SpecContext) {
		s := bringInSync(ctx)
		Expect(s.Carrier.SetPlan(s.line, world.PlanSlow)).To(Succeed())
		s.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
		service, posts := s.drive(ctx)
		expectNoDrift(service)
		Expect(posts).To(ConsistOf(simulator.OpHealth))
		Expect(service.Status.Carrier.Plan.Source).To(Equal(v1alpha1.SourceHealth))
	})

	It("is not ordered if health spells it as after our own change to it (R7)", func(ctx SpecContext) {
		s := settleHourlyReads(ctx)
		s.Edit(ctx, site, fixture.ReadEvery("9000h"))
		Expect(s.Carrier.SetPlan(s.line, world.PlanSlow)).To(Succeed())
		s.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
		service, posts := s.drive(ctx)
		expectNoDrift(service)
		Expect(posts).To(ConsistOf(simulator.OpHealth))

		Expect(s.Carrier.SetPlan(s.line, fixture.PlanInHealth)).To(Succeed())
		s.Edit(ctx, site, fixture.WithPlan(world.PlanFast, 12))
		service, posts = s.drive(ctx)
		expectNoDrift(service)
		Expect(posts).To(ConsistOf(simulator.OpHealth))
		Expect(service.Status.Carrier.Plan).To(HaveValue(And(
			HaveField("Value", world.PlanFast), HaveField("AsHealth", fixture.PlanInHealth))))
	})

	DescribeTable("is not ordered again if an older status is restored (R7)",
		func(ctx SpecContext, change func(*settledSite), later bool) {
			s := reconciledOnce(ctx, onSlow, fixture.WithPlan(world.PlanSlow, 12))
			older := s.Read(ctx, site).Status
			change(s)
			s.Edit(ctx, site, fixture.WithPlan(world.PlanFast, 12))
			service, _ := s.drive(ctx)
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)

			s.restoreStatus(ctx, older)
			posts := s.Posts(s.line)
			if later {
				s.restart()
			}
			service, _ = s.drive(ctx)
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(service.Status.Carrier.Plan.Value).To(Equal(world.PlanFast))
			Expect(s.Posts(s.line)).To(Equal(posts))
		},
		Entry("by us", func(*settledSite) {}, false),
		Entry("by us, and the process is another", func(*settledSite) {}, true),
		Entry("by another client", byHand, false),
		Entry("by another client, and the process is another", byHand, true),
	)

	It("is not ordered again if objects and ledgers are restored from a backup (R7)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		s := []*settledSite{
			{World: w, process: process, line: w.Line(fixture.WithSameHealthRecord)},
			{World: w, process: process, line: w.Line(fixture.WithSameHealthRecord)},
		}
		names := []string{"one", "other"}
		backup := make([]backup, len(s))
		for i, of := range s {
			Expect(w.Create(ctx, w.Service(names[i], of.line))).To(Succeed())
			fixture.ExpectReady(process.Drive(ctx, names[i]), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			backup[i] = backUp(ctx, w, names[i], of.line)
			w.Edit(ctx, names[i], fixture.WithPlan(world.PlanSlow, 12))
			fixture.ExpectReady(process.Drive(ctx, names[i]), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(w.Posts(of.line)).To(Equal(2))
		}

		By("losing everything, and restoring it: the manifests are newer than the backup")
		for i, of := range s {
			backup[i].restore(ctx, w, of.line, fixture.WithPlan(world.PlanSlow, 12))
		}
		process = w.Start(world.CrashPoint{})
		for i, of := range s {
			from := len(w.Carrier.Calls())
			fixture.ExpectReady(process.Drive(ctx, names[i]), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(of.postsSince(from)).To(ConsistOf(simulator.OpHealth))
		}
	})
})

// byHand changes the plan at the carrier, as its staff would.
func byHand(s *settledSite) { Expect(s.Carrier.SetPlan(s.line, world.PlanFast)).To(Succeed()) }

// backup is a backup of an object and its ledger.
type backup struct {
	service *v1alpha1.BroadbandService
	ledger  *v1alpha1.RequestLedger
}

func backUp(ctx SpecContext, w *world.World, name string, line int64) backup {
	GinkgoHelper()
	saved := backup{w.Read(ctx, name), fixture.ServiceLedger(ctx, w, line)}
	Expect(saved.ledger).NotTo(BeNil())
	return saved
}

// restore replaces the current state by a backup.
func (b backup) restore(ctx SpecContext, w *world.World, line int64, manifest fixture.Edit) {
	GinkgoHelper()
	Expect(w.Delete(ctx, w.Read(ctx, b.service.Name))).To(Succeed())
	fixture.RemoveLedger(ctx, w, fixture.ServiceLedger(ctx, w, line))
	service, status := b.service, b.service.Status
	service.UID, service.ResourceVersion, service.Generation = "", "", 0
	manifest(service)
	Expect(w.Create(ctx, service)).To(Succeed())
	service.Status = status
	Expect(w.Status().Update(ctx, service)).To(Succeed())
	b.ledger.UID, b.ledger.ResourceVersion, b.ledger.Generation = "", "", 0
	Expect(w.Create(ctx, b.ledger)).To(Succeed())
}

var _ = It("A plan that has drifted when it is read for a change is reported, and nothing is sent (R7)",
	func(ctx SpecContext) {
		s := settleHourlyReads(ctx)
		s.Edit(ctx, site, fixture.ReadEvery("9000h"))
		Expect(s.Carrier.SetPlan(s.line, world.PlanSlow)).To(Succeed())
		s.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
		service, _ := s.drive(ctx)
		expectNoDrift(service)

		Expect(s.Carrier.SetPlan(s.line, world.PlanCheap)).To(Succeed())
		s.Edit(ctx, site, fixture.WithPlan(world.PlanFast, 12)) // the plan that our own change had set
		service, posts := s.drive(ctx)
		Expect(posts).To(ConsistOf(simulator.OpHealth))
		expectDrift(service, world.PlanSlow, world.PlanCheap)
	})
