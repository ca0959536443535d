// SPDX-License-Identifier: Apache-2.0

package account_test

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

// A request that did not reach the carrier is sent again after a pause, which begins when the
// attempt ended. According to the recorded time, the attempt will end in a week.
var _ = It("An attempt that ended in the future, by the clock that wrote it, is sent again after its pause (R19)",
	func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Carrier.FailNext("POST PlanChange", simulator.Fault{Kind: simulator.FaultStatus, Status: 429})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		ledger := fixture.ServiceLedger(ctx, w, line)
		for ; ledger == nil || len(ledger.Spec.Last) == 0; ledger = fixture.ServiceLedger(ctx, w, line) {
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(min(result.RequeueAfter, time.Second))
		}
		Expect(ledger.Spec.Last[0].Phase).To(Equal(v1alpha1.PhaseNotProcessed))
		ledger.Spec.Last[0].FinishedAt = metav1.NewTime(w.Clock.Now().Add(7 * 24 * time.Hour).Truncate(time.Second))
		ledger.Spec.Revision++
		Expect(w.Update(ctx, ledger)).To(Succeed())

		began, successor := w.Clock.Now(), w.Start(world.CrashPoint{})
		_, err := successor.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		fixture.ExpectReady(successor.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Clock.Now().Sub(began)).To(BeNumerically("<", 10*time.Minute))
		Expect(w.Carrier.Submissions(simulator.OpPlanChange, line).Processed).To(Equal(1))
		Expect(w.Events.All()).To(ContainElement(And(
			HavePrefix("Warning TimeInFuture "), ContainSubstring("is treated as the present"))))
	})

// An account that is not Ready is checked again after the time that it has not been, up to 5 seconds.
var _ = It("An account that has not been Ready since a time in the future is not checked every second (R19)",
	func(ctx SpecContext) {
		w := world.New(ctx, fixture.Plane)
		Expect(w.Create(ctx, w.Account())).To(Succeed()) // without its Secret
		process := w.Start(world.CrashPoint{})
		Expect(fixture.ReconcileAccount(ctx, w, process).Status).To(Equal(metav1.ConditionFalse))
		account := w.ReadAccount(ctx)
		for i := range account.Status.Conditions {
			account.Status.Conditions[i].LastTransitionTime = metav1.NewTime(w.Clock.Now().Add(24 * time.Hour))
		}
		Expect(w.Status().Update(ctx, account)).To(Succeed())
		result, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(Equal(5 * time.Second))
	})
