// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"errors"
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

// statusWrites counts the writes of the status of the object under test.
func statusWrites(process *world.Process) int {
	writes := 0
	for _, effect := range process.Seam.Effects() {
		if effect.What == "update status of "+site {
			writes++
		}
	}
	return writes
}

var _ = Describe("An API server that refuses", func() {
	// lookOften reconciles as a work queue would after errors, and allows no error but Forbidden.
	lookOften := func(w *world.World, look func() error) {
		for range 20 {
			err := look()
			Expect(err).To(Or(BeNil(), Satisfy(apierrors.IsForbidden)))
			w.Clock.Advance(20 * time.Second)
		}
	}

	It("the ledger of a service is reported in the status, once, and nothing is sent (R18)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		process.Seam.Fault = failEffect("create service-", errQuota)
		lookOften(w, func() error { _, err := process.Reconcile(ctx, site); return err })

		service := w.Read(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAPIServerRefused)
		Expect(world.Ready(service).Message).To(And(
			ContainSubstring("exceeded quota: few, limited: 3"), ContainSubstring("Raise the quota")))
		Expect(service.Status.Requests).To(BeEmpty(), "what is not recorded is not shown")
		Expect(w.Posts(line)).To(BeZero())
		before := statusWrites(process)
		lookOften(w, func() error { _, err := process.Reconcile(ctx, site); return err })
		Expect(statusWrites(process)).To(Equal(before), "the same is not written at each try")

		process.Seam.Fault = nil
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("the ledger of an order is reported in the status, once, and nothing is sent (R18)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		process.Seam.Fault = failEffect("create order-", errQuota)
		begun := statusWrites(process)
		lookOften(w, func() error { _, err := process.ReconcileOrder(ctx, site); return err })

		fixture.ExpectOrder(w.ReadOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAPIServerRefused)
		Expect(w.Ordered(fixture.Reference).Seen).To(BeZero())
		Expect(statusWrites(process) - begun).To(Equal(1))

		process.Seam.Fault = nil
		process.DriveOrder(ctx, site)
		Expect(fixture.SettleOrder(ctx, w, process)).To(BeFalse())
	})

	It("with a different message each time does not cause a write each time (R18)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		tries := 0
		process.Seam.Fault = func(effect world.Effect) error {
			if !strings.HasPrefix(effect.What, "create order-") {
				return nil
			}
			tries++
			return apierrors.NewForbidden(schema.GroupResource{Resource: "requestledgers"}, "ledger",
				errors.New("denied by a webhook, request "+strings.Repeat("x", tries)))
		}
		lookOften(w, func() error { _, err := process.ReconcileOrder(ctx, site); return err })
		Expect(tries).To(Equal(20))
		Expect(statusWrites(process)).To(Equal(1))
		w.Clock.Advance(10 * time.Minute)
		_, err := process.ReconcileOrder(ctx, site)
		Expect(err).To(Satisfy(apierrors.IsForbidden))
		Expect(statusWrites(process)).To(Equal(2))
	})

	It("the qualification result of an order is reported in the status (R18)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, func(order *v1alpha1.ServiceOrder) {
			order.Spec.QualificationResultRef = &v1alpha1.ConfigMapKeyReference{Name: "result", Key: "json"}
		}))).To(Succeed())
		refusals := 0
		process.Seam.FailRead = func() error {
			if refusals++; refusals > 1 { // the object itself can be read
				return nil
			}
			return apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "result", errors.New("no role"))
		}
		_, err := process.ReconcileOrder(ctx, site)
		Expect(err).To(Satisfy(apierrors.IsForbidden))
		order := w.ReadOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonAPIServerRefused)
		Expect(fixture.OrderCondition(order, v1alpha1.ConditionReady).Message).To(ContainSubstring("no role"))
		Expect(w.Ordered(fixture.Reference).Seen).To(BeZero())
	})

	It("the intent of a diagnostic test is reported in the status, which shows no request (R18)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Test(site, line))).To(Succeed())
		refusals := 0
		process.Seam.Fault = func(effect world.Effect) error {
			if refusals > 0 || effect.What != "update status of "+site {
				return nil
			}
			refusals++
			return errQuota
		}
		_, err := process.ReconcileOneShot(ctx, world.OneShot{Kind: "DiagnosticTest", Name: site})
		Expect(err).To(Satisfy(apierrors.IsForbidden))
		test, _ := world.Fetch(ctx, w, site, &v1alpha1.DiagnosticTest{})
		Expect(fixture.ReadyOf(test).Reason).To(Equal(v1alpha1.ReasonAPIServerRefused))
		Expect(test.Status.Request).To(BeNil())
		Expect(w.Events.All()).To(ContainElement(HavePrefix("Warning StatusRefused ")))
	})

	It("the ledger of a deleted test is reported in the status, which says why it stays (R18)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Test(site, line))).To(Succeed())
		shot := world.OneShot{Kind: "DiagnosticTest", Name: site}
		_, err := process.ReconcileOneShot(ctx, shot)
		Expect(err).NotTo(HaveOccurred())
		fixture.RemoveLedger(ctx, w, fixture.TestsLedger(ctx, w, line))
		test, _ := world.Fetch(ctx, w, site, &v1alpha1.DiagnosticTest{})
		Expect(w.Delete(ctx, test)).To(Succeed())
		reads := 0
		process.Seam.FailRead = func() error {
			if reads++; reads > 1 { // the object itself can be read
				return nil
			}
			return apierrors.NewForbidden(schema.GroupResource{Resource: "requestledgers"}, "ledger", errors.New("no role"))
		}
		_, err = process.ReconcileOneShot(ctx, shot)
		Expect(err).To(Satisfy(apierrors.IsForbidden))
		test, _ = world.Fetch(ctx, w, site, &v1alpha1.DiagnosticTest{})
		Expect(fixture.ReadyOf(test).Reason).To(Equal(v1alpha1.ReasonAPIServerRefused))
		Expect(fixture.ReadyOf(test).Message).To(ContainSubstring("no role"))
	})

	It("with timeouts, conflicts or unavailability is not reported (R18)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		answers := []error{
			apierrors.NewTimeoutError("slow", 1), apierrors.NewServiceUnavailable("starting"),
			apierrors.NewConflict(schema.GroupResource{}, site, errors.New("newer")), errors.New("connection refused"),
		}
		for _, answer := range answers {
			process.Seam.Fault = failEffect("create order-", answer)
			_, err := process.ReconcileOrder(ctx, site)
			Expect(err).To(Or(BeNil(), MatchError(answer)))
			w.Clock.Advance(time.Second)
		}
		Expect(w.ReadOrder(ctx, site).Status.Conditions).To(BeEmpty())
		Expect(w.Events.All()).NotTo(ContainElement(HavePrefix("Warning StatusRefused ")))
	})

	It("the carrier's own text in a status still gets the rest of the status written (R18)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		test := w.Test(site, w.Line())
		Expect(w.Create(ctx, test)).To(Succeed())
		shot := world.OneShot{Kind: "DiagnosticTest", Name: site}
		for w.Carrier.Submissions(simulator.OpDiagnosticTest, 0).Processed == 0 {
			Expect(process.ReconcileOneShot(ctx, shot)).Error().NotTo(HaveOccurred())
		}
		w.Clock.Advance(fixture.Horizon)                 // the next poll returns the result
		test.Status.PutResult([]byte(`{"loss": 1e400}`)) // no float64
		refusal := w.Status().Update(ctx, test)
		Expect(refusal).To(MatchError(ContainSubstring("1e400")), "the API server refuses it")
		process.Seam.Fault = func(effect world.Effect) (err error) {
			if effect.What == "update status of "+site {
				err, refusal = refusal, nil
			}
			return err
		}
		Expect(process.DriveOneShot(ctx, shot)).To(BeTrue())

		test, _ = world.Fetch(ctx, w, site, &v1alpha1.DiagnosticTest{})
		Expect(test.Status.TestID).NotTo(BeEmpty())
		Expect(test.Status.Result).To(BeNil())
		Expect(test.Status.Truncated).To(BeTrue())
		Expect(w.Events.All()).To(ContainElement(And(HavePrefix("Warning StatusCut "), ContainSubstring("1e400"))))
	})
})
