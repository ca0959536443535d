// SPDX-License-Identifier: Apache-2.0

package requests_test

import (
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// resolveAll is a resolution of everything that is unknown now.
func resolveAll(w *world.World, word string) string {
	w.Clock.Advance(time.Second) // recorded times are whole seconds
	return "all@" + w.Clock.Now().Format(time.RFC3339) + "=" + word
}

// carrierPosts counts the POSTs that change something at the carrier, without those that only read.
func carrierPosts(w *world.World) int {
	count := 0
	for _, call := range w.Carrier.Calls() {
		if call.Method == http.MethodPost && call.Operation != simulator.OpHealth && call.Operation != simulator.OpToken {
			count++
		}
	}
	return count
}

// unknownPlan loses the response to the plan change of a service for good.
func unknownPlan(ctx SpecContext, w *world.World, process *world.Process, line int64) *v1alpha1.Request {
	GinkgoHelper()
	Expect(w.Carrier.FailNext("POST PlanChange", simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
	Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
	service := process.Drive(ctx, site)
	fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
	return service.OpenRequest()
}

var _ = Describe("One resolution of all unknown outcomes (R27)", func() {
	const kinds = "broadbandservices,serviceorders"

	It("resolves a fleet whose ledgers are lost, and nothing is sent", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		names := []string{"site-1", "site-2", "site-3"}
		lines := map[string]int64{}
		for _, name := range names {
			lines[name] = w.Line()
			Expect(w.Create(ctx, w.Service(name, lines[name]))).To(Succeed())
			fixture.ExpectReady(process.Drive(ctx, name), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		}
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		for _, name := range names {
			fixture.RemoveLedger(ctx, w, fixture.ServiceLedger(ctx, w, lines[name]))
		}
		fixture.RemoveOrderLedger(ctx, w)
		process = fixture.Successor(ctx, w)
		for _, name := range names {
			fixture.ExpectReady(process.Drive(ctx, name), metav1.ConditionFalse, v1alpha1.ReasonLedgerLost)
		}
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonLedgerLost)
		posts := carrierPosts(w)
		Expect(posts).To(Equal(4))

		word := resolveAll(w, "Succeeded")
		annotateWith(ctx, w, v1alpha1.AnnotationResolve+"="+word, kinds, "--all")
		for _, name := range names {
			service := process.Drive(ctx, name)
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(service.Status.Handled.Resolve).To(Equal(word))
			expectResolution(fixture.ServiceLedger(ctx, w, lines[name]).Spec.Ended[0].ResolvedBy, word)
			expectResolution(service.RequestOf(v1alpha1.OperationPlanChange).ResolvedBy, word)
		}
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(order.Status.Handled.Resolve).To(Equal(word))
		expectResolution(order.Status.Request.ResolvedBy, word)
		Expect(carrierPosts(w)).To(Equal(posts))
	})

	It("resolves nothing that becomes unknown later", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		unknownPlan(ctx, w, process, line)
		word := resolveAll(w, "Succeeded")
		annotateWith(ctx, w, v1alpha1.AnnotationResolve+"="+word, kinds, "--all")
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)

		By("losing another response while the annotation and its handled value are set")
		Expect(w.Carrier.FailNext("POST PlanChange", simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
		w.Edit(ctx, site, fixture.WithPlan(world.PlanCheap, 12))
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(world.Ready(service).Message).To(ContainSubstring(`is now "%s", which does not resolve this attempt`, word))
		service.Status.Handled.Resolve = ""
		Expect(w.Status().Update(ctx, service)).To(Succeed())
		service = process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(service.Status.Handled.Resolve).To(Equal(word), "it was seen")
		Expect(w.Posts(line)).To(Equal(2))
	})

	It("is refused as NotAccepted, and with a time in the future", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		unknownPlan(ctx, w, process, line)
		future := "all@" + w.Clock.Now().Add(time.Hour).Format(time.RFC3339) + "=Succeeded"
		for _, word := range []string{resolveAll(w, "NotAccepted"), future} {
			annotateWith(ctx, w, v1alpha1.AnnotationResolve+"="+word, kinds, "--all")
			service := process.Drive(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
			Expect(service.Status.Handled.Resolve).To(BeEmpty())
			Expect(service.Status.Handled.IgnoredResolve).To(Equal(word))
			Expect(w.Events.All()).To(ContainElement(And(HavePrefix(annotationUnused),
				ContainSubstring(`is now "%s", which does not resolve this attempt`, word))))
		}
		w.Clock.Advance(2 * time.Hour)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(w.Posts(line)).To(Equal(1))
	})
})
