// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// dropFromLedger replaces everything that a ledger of tests has with ten tests of other objects.
func dropFromLedger(ctx SpecContext, w *world.World, line int64) {
	GinkgoHelper()
	ledger := fixture.TestsLedger(ctx, w, line)
	Expect(ledger.Spec.Ended).NotTo(BeEmpty())
	one := ledger.Spec.Ended[0]
	ledger.Spec.Ended, ledger.Spec.Last = nil, nil
	for i := range 10 {
		one.AttemptID, one.UID = fmt.Sprintf("later-%d", i), fmt.Sprintf("other-%d", i)
		ledger.Spec.Ended = append(ledger.Spec.Ended, one)
	}
	ledger.Spec.Revision++
	ledger.Spec.Sequence += 10
	Expect(w.Update(ctx, ledger)).To(Succeed())
}

var _ = Describe("A test that later tests of the service have replaced in their ledger", func() {
	It("counts as abandoned if it was not accepted, and blocks no other test (R14)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = v1alpha1.ApprovalAlways })
		line := w.Line()
		Expect(w.Carrier.FailNext("POST DiagnosticTest", simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
		Expect(w.Create(ctx, fixture.Tests().Build(w, line))).To(Succeed())
		approve := func() {
			test, _ := world.Fetch(ctx, w, fixture.Once, &v1alpha1.DiagnosticTest{})
			fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationApprove, test.Status.Pending.Hash)
		}
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		approve()
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		attempt := fixture.Tests().Request(ctx, w).AttemptID
		fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationResolve, attempt+"=NotAccepted")
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)

		dropFromLedger(ctx, w, line)
		ready := fixture.ReadyOf(fixture.Tests().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonAbandoned))
		Expect(ready.Message).To(And(ContainSubstring("ten newer attempts"), ContainSubstring("retry="+attempt)))
		Expect(fixture.TestsLedger(ctx, w, line).Spec.Open).To(BeEmpty())
		fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationRetry, attempt)
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		approve()
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(w.Carrier.Submissions(simulator.OpDiagnosticTest, line).Processed).To(Equal(1))
	})

	It("keeps its line although its BroadbandService is now another one", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		first, second := w.Line(), w.Line()
		service := w.Service(site, first, fixture.Suspended(true))
		Expect(w.Create(ctx, service)).To(Succeed())
		Expect(w.Carrier.FailNext("DiagnosticTest", simulator.Fault{Kind: simulator.FaultEndInError})).To(Succeed())
		Expect(w.Create(ctx, w.Test(fixture.Once, 0, func(t *v1alpha1.DiagnosticTest) {
			t.Spec.ServiceID, t.Spec.ServiceRef = "", &v1alpha1.ServiceReference{Name: site}
		}))).To(Succeed())
		fixture.Tests().Until(ctx, w, process, v1alpha1.ReasonDiagnosticTestFailed)
		Expect(w.Delete(ctx, service)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, second, fixture.Suspended(true)))).To(Succeed())
		dropFromLedger(ctx, w, first)
		fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationRetry, fixture.Tests().Request(ctx, w).AttemptID)
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(w.Carrier.Submissions(simulator.OpDiagnosticTest, first).Seen).To(Equal(2))
		Expect(w.Carrier.Submissions(simulator.OpDiagnosticTest, second).Seen).To(BeZero())
	})
})
