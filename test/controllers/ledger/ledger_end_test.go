// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// ledgersIn returns the ledgers of a world's login that are about a service or an order.
func ledgersIn(ctx SpecContext, w *world.World) (all []v1alpha1.RequestLedger) {
	GinkgoHelper()
	var list v1alpha1.RequestLedgerList
	Expect(w.List(ctx, &list)).To(Succeed())
	for _, ledger := range list.Items {
		if ledger.Spec.Login == w.Account().Login() && ledger.Spec.Account == nil {
			all = append(all, ledger)
		}
	}
	return all
}

// bytesOf returns how many bytes an object takes as JSON, which is how etcd stores it.
func bytesOf(object client.Object) int {
	GinkgoHelper()
	text, err := json.Marshal(object)
	Expect(err).NotTo(HaveOccurred())
	return len(text)
}

// remove deletes an object, and lets its last pass run.
func remove(ctx SpecContext, w *world.World, object client.Object, last func()) {
	GinkgoHelper()
	Expect(w.Delete(ctx, object)).To(Succeed())
	last()
}

var _ = Describe("The ledger of what ended long ago", func() {
	const justLonger = decide.LedgerKeptWhole + time.Hour

	It("of an order shrinks, and the order is not sent again", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		ordered := process.DriveOrder(ctx, site)
		whole := fixture.LedgerOf(ctx, w)
		w.Clock.Advance(justLonger)
		Expect(process.ShrinkLedgers(ctx)).To(Succeed())
		Expect(fixture.LedgerOf(ctx, w).Spec).To(Equal(whole.Spec), "the order still exists")

		remove(ctx, w, ordered, func() { process.DriveOrder(ctx, site) })
		Expect(process.ShrinkLedgers(ctx)).To(Succeed())
		small := fixture.LedgerOf(ctx, w)
		Expect(small.Spec.Ended).To(BeEmpty())
		Expect(bytesOf(small)).To(BeNumerically("<", bytesOf(whole)))
		Expect(process.ShrinkLedgers(ctx)).To(Succeed())
		Expect(fixture.LedgerOf(ctx, w).ResourceVersion).To(Equal(small.ResourceVersion), "once")

		process = fixture.Successor(ctx, w)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		again := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(again, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(again.Status.OrderID).To(Equal(ordered.Status.OrderID))
		Expect(w.Ordered(fixture.Reference)).To(Equal(simulator.Count{Seen: 1, Processed: 1}))
	})

	It("of an order that was restored from a backup still shows that it has lost something", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		refused := simulator.Fault{Kind: simulator.FaultStatus, Status: 422}
		Expect(w.Carrier.FailNext("POST OrderCreate", refused)).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		backup := fixture.LedgerOf(ctx, w)
		w.Clock.Advance(justLonger)
		remove(ctx, w, order, func() { process.DriveOrder(ctx, site) })
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		order = process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		remove(ctx, w, order, func() { process.DriveOrder(ctx, site) })
		fixture.RemoveOrderLedger(ctx, w)
		backup.ResourceVersion, backup.UID = "", ""
		Expect(w.Create(ctx, backup)).To(Succeed())

		Expect(process.ShrinkLedgers(ctx)).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonLedgerLost)
		Expect(w.Ordered(fixture.Reference).Processed).To(Equal(1))
	})

	It("of a service shrinks, and what is known of it is not requested again", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithSLA(world.SLAFast)))).To(Succeed())
		process.Drive(ctx, site)
		sent := w.Posts(line)
		w.Clock.Advance(justLonger)
		remove(ctx, w, w.Read(ctx, site), func() { process.Drive(ctx, site) })
		Expect(process.ShrinkLedgers(ctx)).To(Succeed())
		Expect(ledgersIn(ctx, w)[0].Spec.Ended).To(BeEmpty())
		process = fixture.Successor(ctx, w)
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithSLA(world.SLAFast)))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(sent))
	})

	It("of a service shrinks, and a cancellation that was moved since is shown as drift", func(ctx SpecContext) {
		w, process, line := fixture.SettledService(ctx,
			fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate), fixture.WithoutPlan,
			fixture.EndOn(fixture.WantedDate))
		service := w.Read(ctx, site)
		w.Clock.Advance(justLonger)
		fixture.MoveAtCarrier(w, line, fixture.StateRequested, fixture.OtherDate)
		remove(ctx, w, service, func() { process.Drive(ctx, site) })
		Expect(process.ShrinkLedgers(ctx)).To(Succeed())
		process = fixture.Successor(ctx, w)
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate)))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonDrifted)
		Expect(fixture.Alterations(w, line)).To(Equal(1))
	})

	It("of a service shrinks, and what a person resolved stays", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		fault := simulator.Fault{Kind: simulator.FaultStatus, Status: 500, Processed: true}
		Expect(w.Carrier.FailNext("POST AggregationConversion", fault)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, fixture.Aggregated("ETHERNET")))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		w.Clock.Advance(justLonger)
		Expect(process.ShrinkLedgers(ctx)).To(Succeed())
		open := ledgersIn(ctx, w)
		Expect(open).To(HaveLen(1))
		Expect(open[0].Spec.Open).NotTo(BeEmpty(), "a request whose outcome is unknown")

		attempt := service.OpenRequests()[0].AttemptID
		w.Edit(ctx, site, func(s *v1alpha1.BroadbandService) {
			s.Annotations = map[string]string{v1alpha1.AnnotationResolve: attempt + "=Succeeded"}
		})
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		remove(ctx, w, w.Read(ctx, site), func() { process.Drive(ctx, site) })
		Expect(process.ShrinkLedgers(ctx)).To(Succeed())
		Expect(ledgersIn(ctx, w)[0].Spec.Ended).NotTo(BeEmpty(), "it was resolved a moment ago")
		w.Clock.Advance(justLonger)
		Expect(process.ShrinkLedgers(ctx)).To(Succeed())

		small := ledgersIn(ctx, w)[0]
		Expect(small.Spec.Ended).To(BeEmpty())
		last := small.ReachedLast(v1alpha1.OperationAggregationConversion)
		Expect(last.AttemptID).To(Equal(attempt))
		Expect(last.ResolvedBy.Word).To(Equal(attempt + "=Succeeded"))
		AddReportEntry(fmt.Sprintf("%d bytes, %d before", bytesOf(&small), bytesOf(&open[0])))
	})
})
