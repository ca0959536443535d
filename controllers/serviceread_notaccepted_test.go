// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// confirmed is an account whose carrier has confirmed that it lists what it has accepted.
func confirmed(account *v1alpha1.CarrierAccount) {
	account.Spec.ServiceRead.Modifications = v1alpha1.ModificationsListedFromAcceptance
}

// changes counts the POSTs of an operation since the service was declared.
func (s *describedSite) changes(operation simulator.Operation) int {
	_, posts := s.calls(operation)
	return posts
}

// endBeforeSending runs the process until it ends between the intent of a plan change and its POST.
func (s *describedSite) endBeforeSending(ctx SpecContext) {
	GinkgoHelper()
	s.process.Seam.EndsBefore = func(effect world.Effect) bool {
		return strings.HasPrefix(effect.What, "POST ") && strings.HasSuffix(effect.What, "/plan-changes/request")
	}
	for passes := 0; !s.process.Seam.Dead(); passes++ {
		Expect(passes).To(BeNumerically("<", 50))
		result, err := s.process.Reconcile(ctx, site)
		Expect(err == nil || s.process.Seam.Dead()).To(BeTrue(), "%v", err)
		s.Clock.Advance(result.RequeueAfter)
	}
	Expect(s.changes(simulator.OpPlanChange)).To(BeZero())
}

// approveSlow declares the slow plan and approves it at its price. It returns the approved hash.
func (s *describedSite) approveSlow(ctx SpecContext) string {
	GinkgoHelper()
	s.Edit(ctx, site, withPlan(world.PlanSlow, 12))
	service := s.pass(ctx, time.Minute)
	expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
	Expect(service.Status.Pending.Changes[0].MonthlyAfter).To(Equal(aud("45.00")))
	s.Annotate(ctx, site, v1alpha1.AnnotationApprove, service.Status.Pending.Hash)
	return service.Status.Pending.Hash
}

var _ = Describe("A request that was not accepted, where the carrier has confirmed its list", func() {
	It("is sent once under the same approval, after a crash between its intent and its POST", func(ctx SpecContext) {
		s := beginDescribed(ctx, described(), confirmed)
		s.declare(ctx)
		hash := s.approveSlow(ctx)
		s.endBeforeSending(ctx)
		quoted := s.changes(simulator.OpPlanOptions)
		s.restart()
		service := s.pass(ctx, 15*time.Minute)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(s.changes(simulator.OpPlanChange)).To(Equal(1))
		Expect(s.changes(simulator.OpPlanOptions)).To(Equal(quoted+1), "the price is read again")

		history := service.Status.History
		Expect([]v1alpha1.RequestPhase{history[0].Outcome, history[1].Outcome}).To(ConsistOf(
			v1alpha1.PhaseSucceeded, v1alpha1.PhaseNotAccepted))
		for _, ended := range serviceLedger(ctx, s.World, s.line).Spec.Ended {
			Expect(ended.ApprovedHash).To(Equal(hash))
			Expect(ended.EndedBy).To(BeElementOf(v1alpha1.EndedByProof, v1alpha1.EndedByCarrier))
		}
		Expect(s.Events.All()).To(ContainElement(And(
			HavePrefix("Warning OutcomeResolved"), ContainSubstring("PlanChange was not accepted"),
			ContainSubstring("the carrier's description of the service showed, at"),
		)))
		Expect(s.Events.All()).NotTo(ContainElement(ContainSubstring("OutcomeUnknown")))
	})

	It("waits for another approval if the price has changed since then", func(ctx SpecContext) {
		s := beginDescribed(ctx, described(), confirmed)
		s.declare(ctx)
		hash := s.approveSlow(ctx)
		s.endBeforeSending(ctx)
		dearer := &tamperingProxy{quotePath, `"45.00"`, `"46.00"`}
		s.process = s.Start(world.CrashPoint{}, dearer.wrap)
		service := s.pass(ctx, 15*time.Minute)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		Expect(service.Status.Pending.Hash).NotTo(Equal(hash))
		Expect(s.changes(simulator.OpPlanChange)).To(BeZero())
	})

	DescribeTable("is sent again within fifteen minutes", func(ctx SpecContext, change describedChange) {
		s := beginDescribed(ctx, described(), automatic, confirmed)
		s.declare(ctx)
		s.loseAnswer(change.operation, false)
		s.Edit(ctx, site, change.edit)
		expectReady(s.pass(ctx, 15*time.Minute), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(s.changes(change.operation)).To(Equal(2))
	}, eachDescribedChange())

	It("is not sent again by a description asked for within six minutes", func(ctx SpecContext) {
		s := beginDescribed(ctx, described(), automatic, confirmed)
		s.declare(ctx)
		s.loseAnswer(simulator.OpPlanChange, false)
		s.Edit(ctx, site, withPlan(world.PlanSlow, 12))
		read := s.described()
		service := s.pass(ctx, 6*time.Minute)
		Expect(s.described()).To(BeNumerically(">", read))
		Expect(service.OpenRequest().Phase).To(Equal(v1alpha1.PhaseSubmitting))
		Expect(s.changes(simulator.OpPlanChange)).To(Equal(1))
	})

	It("is not sent again if the carrier has confirmed nothing and does not list it", func(ctx SpecContext) {
		s := beginDescribed(ctx, described(), automatic)
		s.declare(ctx)
		s.Carrier.SetServiceReadLag(24 * time.Hour)
		s.loseAnswer(simulator.OpPlanChange, true)
		s.Edit(ctx, site, withPlan(world.PlanSlow, 12))
		expectReady(s.pass(ctx, 2*time.Hour), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(s.changes(simulator.OpPlanChange)).To(Equal(1))
	})

	It("is sent at most three times if what the carrier has confirmed is not true", func(ctx SpecContext) {
		s := beginDescribed(ctx, described(), automatic, confirmed)
		s.declare(ctx)
		s.Carrier.SetServiceReadLag(24 * time.Hour)
		for range 4 {
			s.loseAnswer(simulator.OpPlanChange, true)
		}
		s.Edit(ctx, site, withPlan(world.PlanSlow, 12))
		service := s.pass(ctx, 6*time.Hour)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(s.changes(simulator.OpPlanChange)).To(Equal(3))
		unaccepted := slices.DeleteFunc(slices.Clone(service.Status.History), func(one v1alpha1.FinishedRequest) bool {
			return one.Outcome != v1alpha1.PhaseNotAccepted
		})
		Expect(unaccepted).To(HaveLen(2))
	})
})
