// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The claim of an order", func() {
	It("makes two active operators safe", func(ctx SpecContext) {
		w, first := begin(ctx)
		second := successor(ctx, w)
		Expect(w.Create(ctx, w.Order(site, reference))).To(Succeed())
		for range 20 {
			for _, operator := range []*world.Process{second, first} {
				_, err := operator.LookAtOrder(ctx, site)
				Expect(err).To(Or(BeNil(), Satisfy(apierrors.IsConflict)))
			}
			w.Clock.Advance(2 * time.Second)
		}
		Expect(settled(ctx, w, first)).To(BeFalse())
	})

	// interleaved lets a second operator take passes in the middle of the first one's, at
	// each of its effects.
	It("makes two operators safe at every point where one can overtake the other", func(ctx SpecContext) {
		points := 0
		for met := true; met; points++ {
			met = false
			w, first := begin(ctx)
			second := successor(ctx, w)
			Expect(w.Create(ctx, w.Order(site, reference))).To(Succeed())
			begun := len(first.Seam.Effects())
			first.Seam.Fault = func(effect world.Effect) error {
				if effect.Number == begun+points+1 {
					met = true
					_, err := second.LookAtOrder(ctx, site)
					Expect(err).To(Or(BeNil(), Satisfy(apierrors.IsConflict)))
				}
				return nil
			}
			_, err := first.LookAtOrder(ctx, site)
			Expect(err).To(Or(BeNil(), Satisfy(apierrors.IsConflict)))
			_, err = second.LookAtOrder(ctx, site)
			Expect(err).To(Or(BeNil(), Satisfy(apierrors.IsConflict)))
			first.DriveOrder(ctx, site)
			Expect(settled(ctx, w, second)).To(BeFalse(), "point %d", points)
		}
		Expect(points).To(BeNumerically(">", 4))
		AddReportEntry("points at which two operators met over an order", points-1)
	})

	It("comes before the intent: a conflict on either means no POST", func(ctx SpecContext) {
		for _, what := range []string{"create broadband-order", "update status"} {
			w, process := begin(ctx)
			conflicts := 0
			process.Seam.Fault = func(effect world.Effect) error {
				if conflicts < 3 && strings.HasPrefix(effect.What, what) {
					conflicts++
					return apierrors.NewConflict(schema.GroupResource{Resource: "serviceorders"}, site, nil)
				}
				return nil
			}
			Expect(w.Create(ctx, w.Order(site, reference))).To(Succeed())
			for conflicts < 3 {
				result, err := process.LookAtOrder(ctx, site)
				Expect(err).NotTo(HaveOccurred())
				Expect(w.Ordered(reference).Seen).To(BeZero())
				w.Clock.Advance(result.RequeueAfter)
			}
			process.DriveOrder(ctx, site)
			Expect(settled(ctx, w, process)).To(BeFalse())
		}
	})

	It("is put back when somebody deletes it, while the order is open", func(ctx SpecContext) {
		w, process := begin(ctx)
		fault := simulator.Fault{Kind: simulator.FaultReset, Processed: true}
		Expect(w.Carrier.FailNext("POST OrderCreate", fault)).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, reference))).To(Succeed())
		process.DriveOrder(ctx, site)
		Expect(w.Delete(ctx, claimOf(ctx, w))).To(Succeed())
		expectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(claimOf(ctx, w)).NotTo(BeNil())
		Expect(settled(ctx, w, process)).To(BeTrue())
	})

	It("that is gone together with the status leaves a lost order", func(ctx SpecContext) {
		w, process := begin(ctx)
		Expect(w.Create(ctx, w.Order(site, reference))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		order.Status = v1alpha1.ServiceOrderStatus{}
		Expect(w.Status().Update(ctx, order)).To(Succeed())
		Expect(w.Delete(ctx, claimOf(ctx, w))).To(Succeed())
		late := successor(ctx, w)
		order = late.DriveOrder(ctx, site)
		expectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonStatusLost)
		Expect(settled(ctx, w, late)).To(BeTrue())
	})

	It("is not read as free when it cannot be read", func(ctx SpecContext) {
		w, process := begin(ctx)
		Expect(w.Create(ctx, w.Order(site, reference))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		claim := claimOf(ctx, w)
		claim.Data["request"] = "{}"
		Expect(w.Update(ctx, claim)).To(Succeed())
		Expect(w.Delete(ctx, order)).To(Succeed())
		_, err := process.LookAtOrder(ctx, site)
		Expect(err).To(MatchError(ContainSubstring("cannot be read")))
		Expect(w.Ordered(reference).Seen).To(Equal(1))
	})
})
