// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"fmt"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An operator that is killed while it orders", func() {
	scenario := func(ctx SpecContext, cut world.CrashPoint) (*world.World, *world.Process) {
		w := world.New(ctx, fixture.Plane)
		w.Login(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		process := w.Start(cut)
		if _, err := process.ReconcileAccount(ctx); err == nil {
			process.DriveOrder(ctx, site)
		}
		return w, process
	}

	// every runs a scenario cut at each of its effects, before and after.
	every := func(ctx SpecContext, name string, then func(*world.World)) {
		GinkgoHelper()
		_, whole := scenario(ctx, world.CrashPoint{})
		effects, unknown := whole.Seam.Effects(), 0
		Expect(len(effects)).To(BeNumerically(">=", 6), "login, status, intent, POST, answer, status")
		for _, cut := range world.CrashPoints(effects) {
			By("killing it " + cut.String())
			w, _ := scenario(ctx, cut)
			then(w)
			if fixture.SettleOrder(ctx, w, fixture.Successor(ctx, w)) {
				unknown++
			}
		}
		AddReportEntry(name,
			fmt.Sprintf("%d kill points, %d of them ended OutcomeUnknown", len(world.CrashPoints(effects)), unknown))
	}

	It("between any two effects loses no order and sends none twice", func(ctx SpecContext) {
		every(ctx, "kill points of ordering", func(*world.World) {})
	})

	It("and the order is deleted and applied again, sends none twice", func(ctx SpecContext) {
		every(ctx, "kill points of ordering, deleted and applied again", func(w *world.World) {
			Expect(w.Delete(ctx, w.ReadOrder(ctx, site))).To(Succeed())
			Expect(fixture.Successor(ctx, w).DriveOrder(ctx, site)).To(BeNil())
			Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		})
	})

	It("and the status is lost, sends none twice", func(ctx SpecContext) {
		every(ctx, "kill points of ordering, status lost", func(w *world.World) {
			order := w.ReadOrder(ctx, site)
			order.Status = v1alpha1.ServiceOrderStatus{}
			Expect(w.Status().Update(ctx, order)).To(Succeed())
		})
	})

	It("and the object is changed meanwhile, sends none twice", func(ctx SpecContext) {
		every(ctx, "kill points of ordering, annotated meanwhile", func(w *world.World) {
			w.AnnotateOrder(ctx, site, "example.com/note", "changed")
		})
	})

	It("between any two effects of deleting and adopting loses none", func(ctx SpecContext) {
		points := 0
		for killed := true; killed; points++ {
			w, process := fixture.Begin(ctx)
			Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
			Expect(w.Delete(ctx, process.DriveOrder(ctx, site))).To(Succeed())
			dying := w.Start(world.CrashPoint{At: points/2 + 1, After: points%2 == 1})
			dying.DriveOrder(ctx, site)
			if !dying.Seam.Dead() {
				Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
				if _, err := dying.ReconcileAccount(ctx); err == nil {
					dying.DriveOrder(ctx, site)
				}
			} else {
				fixture.Successor(ctx, w).DriveOrder(ctx, site)
				Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
			}
			killed = dying.Seam.Dead()
			Expect(fixture.SettleOrder(ctx, w, fixture.Successor(ctx, w))).To(BeFalse(), "no resolution is needed")
		}
		Expect(points).To(BeNumerically(">=", 4))
		AddReportEntry("kill points of deleting and adopting an order", points-1)
	})

	It("between any two effects of resolving loses none", func(ctx SpecContext) {
		points := 0
		for killed := true; killed; points++ {
			w, process := fixture.Begin(ctx)
			Expect(w.Carrier.FailNext("POST OrderCreate", simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
			Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
			lost := process.DriveOrder(ctx, site).Status.Request.AttemptID
			w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, lost+"=NotAccepted")
			dying := w.Start(world.CrashPoint{At: points/2 + 1, After: points%2 == 1})
			if _, err := dying.ReconcileAccount(ctx); err == nil {
				dying.DriveOrder(ctx, site)
			}
			killed = dying.Seam.Dead()
			order := fixture.Successor(ctx, w).DriveOrder(ctx, site)
			Expect(w.Ordered(fixture.Reference).Seen).To(BeNumerically("<=", 2))
			if fixture.OrderCondition(order, v1alpha1.ConditionReady).Reason == v1alpha1.ReasonOutcomeUnknown {
				order = fixture.ExpectOrderResolved(ctx, w, fixture.Successor(ctx, w))
			}
			fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
			Expect(w.Ordered(fixture.Reference)).To(Equal(simulator.Count{Seen: 2, Processed: 1}))
		}
		AddReportEntry("kill points of resolving an order", points-1)
	})
})

var _ = Describe("An order whose response is lost", func() {
	lose := func(ctx SpecContext, fault simulator.Fault) (*world.World, *world.Process, *v1alpha1.ServiceOrder) {
		w, process := fixture.Begin(ctx)
		Expect(w.Carrier.FailNext("POST OrderCreate", fault)).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(order.Status.Frozen).To(BeTrue())
		Expect(fixture.OrderCondition(order, v1alpha1.ConditionSubmitted).Status).To(Equal(metav1.ConditionUnknown))
		Expect(fixture.RecordedOrder(ctx, w).Phase).To(Equal(v1alpha1.PhaseOutcomeUnknown))
		w.Clock.Advance(fixture.Horizon)
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
		return w, process, order
	}

	DescribeTable("waits for a person to resolve it",
		func(ctx SpecContext, fault simulator.Fault) {
			w, process, _ := lose(ctx, fault)
			fixture.ExpectOrder(fixture.ExpectOrderResolved(ctx, w, process), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
			Expect(w.Ordered(fixture.Reference).Processed).To(Equal(1))
		},
		Entry("after a reset", simulator.Fault{Kind: simulator.FaultReset}),
		Entry("after a reset, once processed", simulator.Fault{Kind: simulator.FaultReset, Processed: true}),
		Entry("after a 502", simulator.Fault{Kind: simulator.FaultStatus, Status: 502}),
		Entry("after a 502, once processed", simulator.Fault{Kind: simulator.FaultStatus, Status: 502, Processed: true}),
		Entry("after a gateway's page", simulator.Fault{Kind: simulator.FaultPage, Status: 503, Processed: true}),
		Entry("after a redirect", simulator.Fault{Kind: simulator.FaultRedirect}),
	)

	DescribeTable("is settled by each resolution",
		func(ctx SpecContext, word, reason string, frozen bool, posts int) {
			w, process, order := lose(ctx, simulator.Fault{Kind: simulator.FaultReset})
			w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, order.Status.Request.AttemptID+"="+word)
			order = process.DriveOrder(ctx, site)
			Expect(fixture.OrderCondition(order, v1alpha1.ConditionReady).Reason).To(Equal(reason))
			Expect(order.Status.Frozen).To(Equal(frozen))
			Expect(w.Ordered(fixture.Reference).Seen).To(Equal(posts))
			if word == "Accepted:4711" {
				Expect(order.Status.OrderID).To(BeEquivalentTo("4711"))
			}
		},
		Entry("accepted, as an order", "Accepted:4711", v1alpha1.ReasonSubmitted, true, 1),
		Entry("not accepted", "NotAccepted", v1alpha1.ReasonSubmitted, true, 2),
		Entry("succeeded", "Succeeded", v1alpha1.ReasonSubmitted, true, 1),
		Entry("abandoned", "Abandoned", v1alpha1.ReasonAbandoned, true, 1),
	)

	It("is not settled by a resolution of another attempt, or by an invalid one", func(ctx SpecContext) {
		w, process, order := lose(ctx, simulator.Fault{Kind: simulator.FaultReset})
		attempt := order.Status.Request.AttemptID
		for _, word := range []string{
			"other=NotAccepted", attempt, attempt + "=Maybe", attempt + "=Accepted:", attempt + "=Accepted:x",
		} {
			w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, word)
			fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		}
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})

	It("and that is abandoned has used up its customerReference, for every object", func(ctx SpecContext) {
		w, process, order := lose(ctx, simulator.Fault{Kind: simulator.FaultReset})
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, order.Status.Request.AttemptID+"=Abandoned")
		process.DriveOrder(ctx, site)
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationRetry, order.Status.Request.AttemptID)
		Expect(process.DriveOrder(ctx, site)).NotTo(BeNil())
		Expect(w.Delete(ctx, w.ReadOrder(ctx, site))).To(Succeed())
		Expect(process.DriveOrder(ctx, site)).To(BeNil())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		order = process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonAbandoned)
		Expect(fixture.OrderCondition(order, v1alpha1.ConditionReady).Message).To(ContainSubstring("cannot be used again"))
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})

	It("is also unknown for an object that is applied again", func(ctx SpecContext) {
		w, process, order := lose(ctx, simulator.Fault{Kind: simulator.FaultReset, Processed: true})
		Expect(w.Delete(ctx, order)).To(Succeed())
		Expect(process.DriveOrder(ctx, site)).To(BeNil())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		Expect(fixture.SettleOrder(ctx, w, fixture.Successor(ctx, w))).To(BeTrue())
	})

	It("by a timeout is unknown", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		process.Seam.LoseResponse = func(effect world.Effect) error {
			if strings.HasSuffix(effect.What, "orders/create") {
				return os.ErrDeadlineExceeded
			}
			return nil
		}
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		Expect(fixture.SettleOrder(ctx, w, process)).To(BeTrue())
	})

	It("but whose id is in the body needs no resolution", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		fault := simulator.Fault{Kind: simulator.FaultNoLocation, Processed: true}
		Expect(w.Carrier.FailNext("POST OrderCreate", fault)).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		Expect(fixture.SettleOrder(ctx, w, process)).To(BeFalse())
	})
})
