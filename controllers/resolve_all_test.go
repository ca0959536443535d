// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"net/http"
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
	expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
	return service.OpenRequest()
}

var _ = Describe("One resolution of all unknown outcomes (R27)", func() {
	const kinds = "broadbandservices,serviceorders"

	It("resolves a fleet whose ledgers are lost, and nothing is sent", func(ctx SpecContext) {
		w, process := begin(ctx)
		names := []string{"site-1", "site-2", "site-3"}
		lines := map[string]int64{}
		for _, name := range names {
			lines[name] = w.Line()
			Expect(w.Create(ctx, w.Service(name, lines[name]))).To(Succeed())
			expectReady(process.Drive(ctx, name), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		}
		Expect(w.Create(ctx, w.Order(site, reference))).To(Succeed())
		expectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		for _, name := range names {
			removeLedger(ctx, w, serviceLedger(ctx, w, lines[name]))
		}
		removeOrderLedger(ctx, w)
		process = successor(ctx, w)
		for _, name := range names {
			expectReady(process.Drive(ctx, name), metav1.ConditionFalse, v1alpha1.ReasonLedgerLost)
		}
		expectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonLedgerLost)
		posts := carrierPosts(w)
		Expect(posts).To(Equal(4))

		word := resolveAll(w, "Succeeded")
		annotateWith(ctx, w, v1alpha1.AnnotationResolve+"="+word, kinds, "--all")
		for _, name := range names {
			service := process.Drive(ctx, name)
			expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(service.Status.Handled.Resolve).To(Equal(word))
			expectResolution(serviceLedger(ctx, w, lines[name]).Spec.Ended[0].ResolvedBy, word)
			expectResolution(service.RequestOf(v1alpha1.OperationPlanChange).ResolvedBy, word)
		}
		order := process.DriveOrder(ctx, site)
		expectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(order.Status.Handled.Resolve).To(Equal(word))
		expectResolution(order.Status.Request.ResolvedBy, word)
		Expect(carrierPosts(w)).To(Equal(posts))
	})

	It("resolves nothing that becomes unknown later", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		unknownPlan(ctx, w, process, line)
		word := resolveAll(w, "Succeeded")
		annotateWith(ctx, w, v1alpha1.AnnotationResolve+"="+word, kinds, "--all")
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)

		By("losing another response while the annotation and its handled value are set")
		Expect(w.Carrier.FailNext("POST PlanChange", simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
		w.Edit(ctx, site, withPlan(world.PlanCheap, 12))
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(world.Ready(service).Message).To(ContainSubstring(`is now "%s", which does not resolve this attempt`, word))
		service.Status.Handled.Resolve = ""
		Expect(w.Status().Update(ctx, service)).To(Succeed())
		service = process.Drive(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(service.Status.Handled.Resolve).To(Equal(word), "it was seen")
		Expect(w.Posts(line)).To(Equal(2))
	})

	It("is refused as NotAccepted, and with a time in the future", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		unknownPlan(ctx, w, process, line)
		future := "all@" + w.Clock.Now().Add(time.Hour).Format(time.RFC3339) + "=Succeeded"
		for _, word := range []string{resolveAll(w, "NotAccepted"), future} {
			annotateWith(ctx, w, v1alpha1.AnnotationResolve+"="+word, kinds, "--all")
			service := process.Drive(ctx, site)
			expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
			Expect(service.Status.Handled.Resolve).To(BeEmpty())
			Expect(service.Status.Handled.IgnoredResolve).To(Equal(word))
			Expect(w.Events.All()).To(ContainElement(And(HavePrefix(annotationUnused),
				ContainSubstring(`is now "%s", which does not resolve this attempt`, word))))
		}
		w.Clock.Advance(2 * time.Hour)
		expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(w.Posts(line)).To(Equal(1))
	})
})

var _ = Describe("A carrier that has moved its address (R4)", func() {
	It("is polled there once a person confirms that it is the same", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		attempt := driveUntilAccepted(ctx, w, process).OpenRequest()
		recreateAccount(ctx, w, process, movedURL(w))
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(world.Ready(service).Message).To(HaveSuffix("=SameCarrier'"))

		word := sameCarrier(ctx, w)
		annotateWith(ctx, w, v1alpha1.AnnotationResolve+"="+word, "bbs/"+site)
		_, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		ledger := serviceLedger(ctx, w, line)
		Expect(ledger.Spec.BaseURL).To(Equal(movedURL(w)))
		expectResolution(ledger.Spec.Moved, word)

		service = process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Handled.Resolve).To(Equal(word))
		done := recordedPlanChange(ctx, w, service)
		Expect(done.AttemptID).To(Equal(attempt.AttemptID))
		Expect(done.BaseURL).To(Equal(movedURL(w)))
		Expect(done.EndedBy).To(Equal(v1alpha1.EndedByCarrier))
		Expect(w.Posts(line)).To(Equal(1))

		By("moving the account again while the annotation is set and its handled value is cleared")
		service.Status.Handled.Resolve = ""
		Expect(w.Status().Update(ctx, service)).To(Succeed())
		w.Clock.Advance(time.Minute)
		recreateAccount(ctx, w, process, w.URL)
		service = process.Drive(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(service.Status.Handled.Resolve).To(BeEmpty())
		Expect(service.Status.Handled.IgnoredResolve).To(Equal(word))
		Expect(w.Events.All()).To(ContainElement(And(HavePrefix(annotationUnused),
			ContainSubstring(`is now "%s", which does not move the ledger`, word))))
		Expect(serviceLedger(ctx, w, line).Spec.BaseURL).To(Equal(movedURL(w)))
	})

	It("receives the resolution of an order that was sent before", func(ctx SpecContext) {
		w, process := begin(ctx)
		Expect(w.Carrier.FailNext("POST OrderCreate", simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, reference))).To(Succeed())
		unknown := process.DriveOrder(ctx, site)
		expectOrder(unknown, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		recreateAccount(ctx, w, process, movedURL(w))
		held := process.DriveOrder(ctx, site)
		expectOrder(held, metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(orderCondition(held, v1alpha1.ConditionReady).Message).To(HaveSuffix("=SameCarrier'"))

		annotateWith(ctx, w, v1alpha1.AnnotationResolve+"="+sameCarrier(ctx, w), "sorder/"+site)
		expectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(ledgerOf(ctx, w).Spec.Open).To(ConsistOf(HaveField("BaseURL", movedURL(w))))

		annotateWith(ctx, w, v1alpha1.AnnotationResolve+"="+resolveAll(w, "Succeeded"), "sorder/"+site)
		expectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Ordered(reference).Seen).To(Equal(1))
	})

	It("is accepted for a new object of the service", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		driveUntilAccepted(ctx, w, process)
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		recreateAccount(ctx, w, process, movedURL(w))
		Expect(w.Create(ctx, w.Service("heir", line))).To(Succeed())
		expectReady(process.Drive(ctx, "heir"), metav1.ConditionFalse, v1alpha1.ReasonConflict)
		annotateWith(ctx, w, v1alpha1.AnnotationResolve+"="+sameCarrier(ctx, w), "bbs/heir")
		expectReady(process.Drive(ctx, "heir"), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("takes along what its identity has spent", func(ctx SpecContext) {
		w, process := begin(ctx, limited(1))
		sameCarrier(ctx, w) // from here on, the world's clock is not behind the machine's
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		recreateAccount(ctx, w, process, movedURL(w))
		line := w.Line()
		Expect(w.Create(ctx, w.Service("new", line))).To(Succeed())
		held := process.Drive(ctx, "new")
		expectReady(held, metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(world.Ready(held).Message).To(And(
			ContainSubstring("need different values of spec.identity"), HaveSuffix("=SameCarrier'")))
		Expect(w.Posts(line)).To(BeZero())

		word := sameCarrier(ctx, w)
		annotateWith(ctx, w, v1alpha1.AnnotationResolve+"="+word, "bbs", "--all")
		beside := successor(ctx, w)
		process.Seam.FailRead = func() error { // another process moves the ledger while this one reads
			process.Seam.FailRead = nil
			_, err := beside.Reconcile(ctx, site)
			return err
		}
		_, err := process.Reconcile(ctx, "new")
		Expect(err).NotTo(HaveOccurred())
		identity := identityLedger(ctx, w, w.Namespace)
		Expect(slices.DeleteFunc(w.Events.All(), func(event string) bool {
			return !strings.HasPrefix(event, "Normal CarrierMoved") || !strings.Contains(event, identity.Name)
		})).To(HaveLen(1), "it is moved once")
		Expect(identity.Spec.BaseURL).To(Equal(movedURL(w)))
		expectResolution(identity.Spec.Moved, word)
		Expect(identity.Spec.Account.Reservations).To(HaveLen(1))
		expectReady(reconcileTwenty(ctx, w, process, "new"), metav1.ConditionFalse, v1alpha1.ReasonChargeLimit)
		Expect(w.Posts(line)).To(BeZero())
		for _, name := range []string{"new", site} {
			service := process.Drive(ctx, name)
			expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(service.Status.Handled.Resolve).To(Equal(word))
		}
		Expect(w.Posts(line)).To(Equal(1))

		By("moving the account back while the annotations are set")
		w.Clock.Advance(time.Hour)
		recreateAccount(ctx, w, process, w.URL)
		Expect(w.Create(ctx, w.Service("newest", w.Line()))).To(Succeed())
		expectReady(process.Drive(ctx, "newest"), metav1.ConditionFalse, v1alpha1.ReasonConflict)
		expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(identityLedger(ctx, w, w.Namespace).Spec.BaseURL).To(Equal(movedURL(w)))
	})

	It("is tracked there for a diagnostic test in progress", func(ctx SpecContext) {
		w, process := begin(ctx, limited(2))
		line := w.Line()
		named := world.OneShot{Kind: "DiagnosticTest", Name: "test"}
		Expect(w.Create(ctx, w.Test(named.Name, line))).To(Succeed())
		_, err := process.ReconcileOneShot(ctx, named)
		Expect(err).NotTo(HaveOccurred())
		Expect(testsLedger(ctx, w, line).Spec.Open).To(HaveLen(1))
		recreateAccount(ctx, w, process, movedURL(w))
		Expect(process.DriveOneShot(ctx, named)).To(BeTrue())
		test, _ := world.Fetch(ctx, w, named.Name, &v1alpha1.DiagnosticTest{})
		Expect(readyOf(test).Reason).To(Equal(v1alpha1.ReasonConflict))

		annotateWith(ctx, w, v1alpha1.AnnotationResolve+"="+sameCarrier(ctx, w), "dtest/"+named.Name)
		Expect(process.DriveOneShot(ctx, named)).To(BeTrue())
		test, _ = world.Fetch(ctx, w, named.Name, &v1alpha1.DiagnosticTest{})
		Expect(readyOf(test).Status).To(Equal(metav1.ConditionTrue), readyOf(test).Message)
		Expect(tests().posts(w)).To(Equal(1))
		Expect(identityLedger(ctx, w, w.Namespace).Spec.BaseURL).To(Equal(movedURL(w)))
	})

	It("is accepted for a new test of a service", func(ctx SpecContext) {
		w, process := begin(ctx)
		s, line := tests(), w.Line()
		Expect(w.Create(ctx, s.build(w, line))).To(Succeed())
		s.drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(w.Delete(ctx, s.read(ctx, w))).To(Succeed())
		process.DriveOneShot(ctx, s.shot())
		Expect(s.read(ctx, w)).To(BeNil())
		recreateAccount(ctx, w, process, movedURL(w))
		Expect(w.Create(ctx, s.build(w, line))).To(Succeed())
		held := s.drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(readyOf(held).Message).To(ContainSubstring("of the tests of service %d belongs to the carrier at", line))
		s.annotate(ctx, w, v1alpha1.AnnotationResolve, sameCarrier(ctx, w))
		s.drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(s.posts(w)).To(Equal(2))
	})
})
