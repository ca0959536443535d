// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The ledger of an order", func() {
	It("makes two active operators safe", func(ctx SpecContext) {
		w, first := fixture.Begin(ctx)
		second := fixture.Successor(ctx, w)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		for range 20 {
			for _, operator := range []*world.Process{second, first} {
				_, err := operator.ReconcileOrder(ctx, site)
				Expect(err).To(Or(BeNil(), Satisfy(apierrors.IsConflict)))
			}
			w.Clock.Advance(2 * time.Second)
		}
		Expect(fixture.SettleOrder(ctx, w, first)).To(BeFalse())
	})

	// A second operator reconciles in the middle of the first one's pass, at each of its effects.
	It("makes two operators safe at every point where they can interleave", func(ctx SpecContext) {
		points := 0
		for met := true; met; points++ {
			met = false
			w, first := fixture.Begin(ctx)
			second := fixture.Successor(ctx, w)
			Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
			begun := len(first.Seam.Effects())
			first.Seam.Fault = func(effect world.Effect) error {
				if effect.Number == begun+points+1 {
					met = true
					_, err := second.ReconcileOrder(ctx, site)
					Expect(err).To(Or(BeNil(), Satisfy(apierrors.IsConflict)))
				}
				return nil
			}
			_, err := first.ReconcileOrder(ctx, site)
			Expect(err).To(Or(BeNil(), Satisfy(apierrors.IsConflict)))
			_, err = second.ReconcileOrder(ctx, site)
			Expect(err).To(Or(BeNil(), Satisfy(apierrors.IsConflict)))
			first.DriveOrder(ctx, site)
			Expect(fixture.SettleOrder(ctx, w, second)).To(BeFalse(), "point %d", points)
		}
		Expect(points).To(BeNumerically(">", 4))
		AddReportEntry("points at which two operators met over an order", points-1)
	})

	It("has the intent: a conflict means no POST (R1)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		conflicts := 0
		process.Seam.Fault = func(effect world.Effect) error {
			if conflicts < 3 && strings.HasPrefix(effect.What, "create order-") {
				conflicts++
				return apierrors.NewAlreadyExists(schema.GroupResource{Resource: "requestledgers"}, site)
			}
			return nil
		}
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		for conflicts < 3 {
			result, err := process.ReconcileOrder(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			Expect(w.Ordered(fixture.Reference).Seen).To(BeZero())
			w.Clock.Advance(result.RequeueAfter)
		}
		process.DriveOrder(ctx, site)
		Expect(fixture.SettleOrder(ctx, w, process)).To(BeFalse())
	})

	It("is kept when it is deleted, and its order is completed", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		fault := simulator.Fault{Kind: simulator.FaultReset, Processed: true}
		Expect(w.Carrier.FailNext("POST OrderCreate", fault)).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		process.DriveOrder(ctx, site)
		Expect(w.Delete(ctx, fixture.LedgerOf(ctx, w))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(fixture.LedgerOf(ctx, w).DeletionTimestamp).NotTo(BeNil())
		Expect(fixture.SettleOrder(ctx, w, process)).To(BeTrue())
	})

	// tamper modifies a ledger whose order is placed, and lets another process reconcile.
	tamper := func(ctx SpecContext, do func(*world.World, *v1alpha1.ServiceOrder)) (*world.World, *world.Process) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		do(w, process.DriveOrder(ctx, site))
		late := fixture.Successor(ctx, w)
		late.DriveOrder(ctx, site)
		return w, late
	}

	It("that is deleted without its finalizer means a lost order, which waits for a person (R5)",
		func(ctx SpecContext) {
			w, late := tamper(ctx, func(w *world.World, _ *v1alpha1.ServiceOrder) { fixture.RemoveOrderLedger(ctx, w) })
			fixture.ExpectOrder(w.ReadOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonLedgerLost)
			Expect(fixture.SettleOrder(ctx, w, late)).To(BeTrue())
		})

	It("that is deleted without its finalizer is detected by the process that has read it (R6)",
		func(ctx SpecContext) {
			w, process := fixture.Begin(ctx)
			Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
			order := process.DriveOrder(ctx, site)
			fixture.RemoveOrderLedger(ctx, w)
			Expect(w.Delete(ctx, order)).To(Succeed())
			Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
			fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonLedgerLost)
			Expect(fixture.SettleOrder(ctx, w, process)).To(BeTrue())
		})

	It("that is restored from before the order is detected as lost (R5)", func(ctx SpecContext) {
		w, late := tamper(ctx, func(w *world.World, _ *v1alpha1.ServiceOrder) {
			older := fixture.LedgerOf(ctx, w)
			fixture.RemoveOrderLedger(ctx, w)
			older.ResourceVersion, older.Spec.Revision = "", 1
			refused := older.Spec.Last[0]
			older.Spec.Last, older.Spec.Ended = nil, nil
			refused.Phase = v1alpha1.PhaseRejected
			older.Put(refused)
			Expect(w.Create(ctx, older)).To(Succeed())
		})
		fixture.ExpectOrder(w.ReadOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonLedgerLost)
		Expect(fixture.SettleOrder(ctx, w, late)).To(BeTrue())
	})

	It("is kept without its object and status: a restore sends nothing and stalls nothing (R25)", func(ctx SpecContext) {
		w, late := tamper(ctx, func(w *world.World, order *v1alpha1.ServiceOrder) {
			Expect(w.Delete(ctx, order)).To(Succeed())
			Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		})
		Expect(fixture.SettleOrder(ctx, w, late)).To(BeFalse())
	})

	It("of a newer version is not written (R30)", func(ctx SpecContext) {
		w, late := tamper(ctx, func(w *world.World, _ *v1alpha1.ServiceOrder) {
			ledger := fixture.LedgerOf(ctx, w)
			ledger.Spec.Schema++
			Expect(w.Update(ctx, ledger)).To(Succeed())
		})
		order := late.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonLedgerUnreadable)
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})
})

var _ = It("An order that is accepted late shows how to resolve it (R15)", func(ctx SpecContext) {
	w, process := fixture.Begin(ctx)
	fault := simulator.Fault{Kind: simulator.FaultReset, Processed: true}
	Expect(w.Carrier.FailNext("POST OrderCreate", fault)).To(Succeed())
	Expect(w.Create(ctx, w.Order(site, fixture.Reference, fixture.OrderApproval(v1alpha1.ApprovalAlways)))).To(Succeed())
	pending := process.DriveOrder(ctx, site).Status.Pending
	w.AnnotateOrder(ctx, site, v1alpha1.AnnotationApprove, pending.Hash)
	attempt := process.DriveOrder(ctx, site).Status.Request.AttemptID
	w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, attempt+"=NotAccepted")
	fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)

	ledger := fixture.LedgerOf(ctx, w)
	late := *fixture.RecordedOrder(ctx, w)
	late.Location = "/api/connect/orders/" + fixture.AcceptedOrder(w)
	Expect(ledger.AcceptLate(late)).To(BeTrue())
	ledger.Spec.Revision++
	Expect(w.Update(ctx, ledger)).To(Succeed())

	order := process.DriveOrder(ctx, site)
	fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonLateAcceptance)
	Expect(fixture.OrderCondition(order, v1alpha1.ConditionReady).Message).To(ContainSubstring(attempt + "=Succeeded"))
	w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, attempt+"=Succeeded")
	order = process.DriveOrder(ctx, site)
	fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
	Expect(fmt.Sprint(order.Status.OrderID)).To(Equal(fixture.AcceptedOrder(w)))
	Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
})
