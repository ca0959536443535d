// SPDX-License-Identifier: Apache-2.0

package oneshots_test

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

var _ = Describe("A one-shot that names a BroadbandService", func() {
	naming := func(w *world.World) *v1alpha1.DiagnosticTest {
		return w.Test(fixture.Once, 0, func(t *v1alpha1.DiagnosticTest) {
			t.Spec.ServiceID, t.Spec.ServiceRef = "", &v1alpha1.ServiceReference{Name: site}
		})
	}

	It("waits for it, and uses its number", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, naming(w))).To(Succeed())
		object := fixture.Tests().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonServiceNotReady)
		Expect(fixture.ReadyOf(object).Message).To(ContainSubstring("does not exist"))

		By("a service that has no number yet")
		service := w.Service(site, 0, func(s *v1alpha1.BroadbandService) {
			s.Spec.ServiceID, s.Spec.OrderRef = "", &v1alpha1.OrderReference{Name: "order"}
		})
		Expect(w.Create(ctx, service)).To(Succeed())
		object = fixture.Tests().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonServiceNotReady)
		Expect(fixture.ReadyOf(object).Message).To(ContainSubstring("no service id yet"))
		Expect(fixture.Tests().Posts(w)).To(BeZero())

		By("a service that got its number")
		service.Status.ServiceID = v1alpha1.CarrierIDOf(line)
		Expect(w.Status().Update(ctx, service)).To(Succeed())
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(w.Carrier.Submissions(simulator.OpDiagnosticTest, line).Seen).To(Equal(1))
	})

	It("polls its test although the service was deleted meanwhile", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		service := w.Service(site, w.Line())
		Expect(w.Create(ctx, service)).To(Succeed())
		Expect(w.Create(ctx, naming(w))).To(Succeed())
		_, err := process.ReconcileOneShot(ctx, fixture.Tests().Shot())
		Expect(err).NotTo(HaveOccurred())
		Expect(w.Delete(ctx, service)).To(Succeed())
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	})

	It("runs once although the service is created again for another line (R24)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		first, second := w.Line(), w.Line()
		service := w.Service(site, first)
		Expect(w.Create(ctx, service)).To(Succeed())
		Expect(w.Create(ctx, naming(w))).To(Succeed())
		for fixture.Tests().Posts(w) == 0 {
			_, err := process.ReconcileOneShot(ctx, fixture.Tests().Shot())
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(w.Delete(ctx, service)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, second))).To(Succeed())
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(w.Carrier.Submissions(simulator.OpDiagnosticTest, first).Seen).To(Equal(1))
		Expect(w.Carrier.Submissions(simulator.OpDiagnosticTest, second).Seen).To(BeZero())
	})

	It("of another account is not sent", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Service(site, w.Line(), func(s *v1alpha1.BroadbandService) {
			s.Spec.AccountRef.Name = "other"
		}))).To(Succeed())
		Expect(w.Create(ctx, naming(w))).To(Succeed())
		object := fixture.Tests().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonInvalid)
		Expect(fixture.ReadyOf(object).Message).To(ContainSubstring("belongs to CarrierAccount other"))
		Expect(fixture.Tests().Posts(w)).To(BeZero())
	})

	It("that the account does not list is not sent, with the message for one that does not exist", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.ServiceIDs = []v1alpha1.CarrierID{"1"} })
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		Expect(w.Create(ctx, naming(w))).To(Succeed())
		object := fixture.Tests().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonNotFoundOrForbidden)
		Expect(fixture.ReadyOf(object).Message).To(HavePrefix("the carrier does not let this account see service"))
		Expect(w.Create(ctx, fixture.Queries().Build(w, w.Line()))).To(Succeed())
		fixture.Queries().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonNotFoundOrForbidden)
		Expect(fixture.Tests().Posts(w) + fixture.Queries().Posts(w)).To(BeZero())
	})
})

var _ = Describe("A one-shot with ttlAfterFinished", func() {
	const ttl = 30 * time.Minute
	brief := func(w *world.World, edits ...func(*v1alpha1.DiagnosticTest)) *v1alpha1.DiagnosticTest {
		expires := func(t *v1alpha1.DiagnosticTest) { t.Spec.TTLAfterFinished = "30m" }
		return w.Test(fixture.Once, w.Line(), append(edits, expires)...)
	}

	It("is deleted that long after it has finished, without a call", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, brief(w))).To(Succeed())
		finished := fixture.Tests().Until(ctx, w, process, v1alpha1.ReasonCompleted).
			Record().RequestOf(v1alpha1.OperationDiagnosticTest).FinishedAt
		calls := len(w.Carrier.Calls())
		process.DriveOneShot(ctx, fixture.Tests().Shot())
		process.DriveOneShot(ctx, fixture.Tests().Shot()) // the deletion is an event
		Expect(fixture.Tests().Read(ctx, w)).To(BeNil())
		Expect(w.Clock.Now()).To(BeTemporally("~", finished.Add(ttl), time.Second))
		Expect(fixture.CountEffects(process, "delete "+fixture.Once)).To(Equal(1))
		Expect(w.Carrier.Calls()).To(HaveLen(calls))
		Expect(w.Events.All()).NotTo(ContainElement(ContainSubstring("RequestContinues")))
	})

	It("is deleted at that time by any process, failed or not", func(ctx SpecContext) {
		for _, s := range []fixture.OneShot{fixture.Quotes(), fixture.Queries(), fixture.Checks()} {
			w, process := fixture.Begin(ctx)
			failure := simulator.Fault{Kind: simulator.FaultEndInError}
			Expect(w.Carrier.FailNext("POST "+string(s.Operation), failure)).To(Succeed())
			object := s.Build(w, w.Line())
			switch object := object.(type) {
			case *v1alpha1.FibreBuildQuote:
				object.Spec.TTLAfterFinished = "30m"
			case *v1alpha1.PlanOptionsQuery:
				object.Spec.TTLAfterFinished = "30m"
			case *v1alpha1.HealthCheck:
				object.Spec.TTLAfterFinished = "30m"
			}
			Expect(w.Create(ctx, object)).To(Succeed())
			for s.Request(ctx, w) == nil || !s.Request(ctx, w).Phase.Ended() {
				result, err := process.ReconcileOneShot(ctx, s.Shot())
				Expect(err).NotTo(HaveOccurred())
				w.Clock.Advance(result.RequeueAfter)
				if s.Read(ctx, w) == nil {
					break
				}
			}
			calls := len(w.Carrier.Calls())
			w.Start(world.CrashPoint{}).DriveOneShot(ctx, s.Shot())
			Expect(s.Read(ctx, w)).To(BeNil())
			Expect(w.Carrier.Calls()).To(HaveLen(calls))
		}
	})

	It("is kept while its outcome is unknown", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Carrier.FailNext("POST DiagnosticTest", fixture.AnswerStatus(502))).To(Succeed())
		Expect(w.Create(ctx, brief(w))).To(Succeed())
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		w.Clock.Advance(fixture.Horizon)
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
	})

	It("is not deleted because of an outdated copy", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, brief(w))).To(Succeed())
		fixture.Tests().Until(ctx, w, process, v1alpha1.ReasonCompleted)
		w.Clock.Advance(ttl)
		process.Seam.Fault = func(effect world.Effect) error {
			if effect.What == "delete "+fixture.Once && fixture.CountEffects(process, "delete") == 1 {
				fixture.Tests().Annotate(ctx, w, "example.com/note", "edited just now")
			}
			return nil
		}
		_, err := process.ReconcileOneShot(ctx, fixture.Tests().Shot())
		Expect(err).NotTo(HaveOccurred())
		kept := fixture.Tests().Read(ctx, w)
		Expect(kept).NotTo(BeNil())
		Expect(kept.GetDeletionTimestamp()).To(BeNil())
		process.DriveOneShot(ctx, fixture.Tests().Shot())
		process.DriveOneShot(ctx, fixture.Tests().Shot()) // the deletion is an event
		Expect(fixture.Tests().Read(ctx, w)).To(BeNil())
	})
})
