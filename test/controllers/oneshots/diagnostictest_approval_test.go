// SPDX-License-Identifier: Apache-2.0

package oneshots_test

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

var _ = Describe("A diagnostic test that has to be approved", func() {
	// shown is the test once it shows the plan that waits for approval.
	shown := func(ctx SpecContext, w *world.World) *v1alpha1.DiagnosticTest {
		GinkgoHelper()
		test, found := world.Fetch(ctx, w, fixture.Once, &v1alpha1.DiagnosticTest{})
		Expect(found).To(BeTrue())
		return test
	}
	// created is a test in its own world, with the approval policies of its account and its own.
	created := func(ctx SpecContext, account, own v1alpha1.Approval) (*world.World, *world.Process) {
		GinkgoHelper()
		w, process := fixture.Begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = account })
		test := w.Test(fixture.Once, w.Line())
		test.Spec.Approval = own
		Expect(w.Create(ctx, test)).To(Succeed())
		return w, process
	}
	reconciled := func(ctx SpecContext, w *world.World, process *world.Process) *v1alpha1.DiagnosticTest {
		GinkgoHelper()
		ready := fixture.ReadyOf(fixture.Tests().Drive(ctx, w, process, metav1.ConditionFalse,
			v1alpha1.ReasonAwaitingApproval))
		test := shown(ctx, w)
		Expect(ready.Message).To(And(
			ContainSubstring(`testType "port-reset"`), ContainSubstring("annotate --overwrite dtest "+fixture.Once),
			ContainSubstring(v1alpha1.AnnotationApprove+"="+test.Status.Pending.Hash)))
		Expect(world.Condition(test.Status.Conditions, v1alpha1.ConditionApprovalRequired).Status).
			To(Equal(metav1.ConditionTrue))
		return test
	}

	DescribeTable("is sent once a person approves it, and nothing else is (R22)",
		func(ctx SpecContext, account, own v1alpha1.Approval) {
			w, process := created(ctx, account, own)
			hash := reconciled(ctx, w, process).Status.Pending.Hash
			fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationApprove, "p0123456789abcdef0123456789abcdef")
			reconciled(ctx, w, process)
			Expect(fixture.Tests().Posts(w)).To(BeZero())

			fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationApprove, hash)
			fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			Expect(fixture.Tests().Posts(w)).To(Equal(1))
			done := shown(ctx, w)
			Expect(done.Status.Pending).To(BeNil())
			Expect(done.Status.Request.ApprovedHash).To(Equal(hash))
			Expect(done.Status.Handled.Approve).To(Equal(hash))
			Expect(fixture.TestsLedger(ctx, w, done.Spec.ServiceID.Number()).Spec.Ended[0].ApprovedHash).To(Equal(hash))
			Expect(done.Status.Conditions).NotTo(ContainElement(HaveField("Type", v1alpha1.ConditionApprovalRequired)))
		},
		Entry("if its account requires approval", v1alpha1.ApprovalAlways, v1alpha1.Approval("")),
		Entry("if the test requires approval", v1alpha1.ApprovalAutomatic, v1alpha1.ApprovalAlways),
		Entry("if its account requires approval and the test does not", v1alpha1.ApprovalAlways, v1alpha1.ApprovalAutomatic),
	)

	DescribeTable("is sent without approval if none is required",
		func(ctx SpecContext, account, own v1alpha1.Approval) {
			w, process := created(ctx, account, own)
			fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		},
		Entry("Automatic", v1alpha1.ApprovalAutomatic, v1alpha1.Approval("")),
		Entry("OnCost: the carrier quotes no price for a test", v1alpha1.ApprovalOnCost, v1alpha1.ApprovalOnCost),
	)

	It("is not sent again by the approval of the first attempt (R11, R22)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = v1alpha1.ApprovalAlways })
		Expect(w.Carrier.FailNext("DiagnosticTest", simulator.Fault{Kind: simulator.FaultEndInError})).To(Succeed())
		Expect(w.Create(ctx, w.Test(fixture.Once, w.Line()))).To(Succeed())
		fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationApprove, reconciled(ctx, w, process).Status.Pending.Hash)
		fixture.Tests().Until(ctx, w, process, v1alpha1.ReasonDiagnosticTestFailed)
		fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationRetry, fixture.Tests().Request(ctx, w).AttemptID)
		hash := reconciled(ctx, w, process).Status.Pending.Hash
		Expect(fixture.Tests().Posts(w)).To(Equal(1))
		fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationApprove, hash)
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(fixture.Tests().Posts(w)).To(Equal(2))
	})

	It("keeps its approval if it did not reach the carrier, and accepts no older one (R11)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = v1alpha1.ApprovalAlways })
		Expect(w.Carrier.FailNext("DiagnosticTest", simulator.Fault{Kind: simulator.FaultEndInError})).To(Succeed())
		Expect(w.Create(ctx, w.Test(fixture.Once, w.Line()))).To(Succeed())
		first := reconciled(ctx, w, process).Status.Pending.Hash
		fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationApprove, first)
		fixture.Tests().Until(ctx, w, process, v1alpha1.ReasonDiagnosticTestFailed)
		fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationRetry, fixture.Tests().Request(ctx, w).AttemptID)
		second := reconciled(ctx, w, process).Status.Pending.Hash
		Expect(second).NotTo(Equal(first))

		tooMany := simulator.Fault{Kind: simulator.FaultStatus, Status: http.StatusTooManyRequests}
		Expect(w.Carrier.FailNext("POST DiagnosticTest", tooMany)).To(Succeed())
		fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationApprove, second)
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(shown(ctx, w).Status.Request.ApprovedHash).To(Equal(second))
	})

	It("is not sent again by deleting and creating it, whatever approval is (R22)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = v1alpha1.ApprovalAutomatic })
		w.Clock.Advance(w.ReadAccount(ctx).CreationTimestamp.Sub(w.Clock.Now())) // to that of the API server
		line := w.Line()
		Expect(w.Create(ctx, w.Test(fixture.Once, line))).To(Succeed())
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		attempt := fixture.Tests().Request(ctx, w).AttemptID
		for range 12 { // as a GitOps tool that replaces it by force at each sync
			Expect(w.Delete(ctx, shown(ctx, w))).To(Succeed())
			Expect(process.DriveOneShot(ctx, world.OneShot{Kind: "DiagnosticTest", Name: fixture.Once})).To(BeTrue())
			Expect(w.Create(ctx, w.Test(fixture.Once, line))).To(Succeed())
			reconciled(ctx, w, process)
			w.Clock.Advance(3 * time.Minute)
		}
		ready := world.Condition(shown(ctx, w).Status.Conditions, v1alpha1.ConditionReady)
		Expect(ready.Message).To(ContainSubstring("attempt " + attempt))
		Expect(fixture.Tests().Posts(w)).To(Equal(1))

		By("creating another test, which asks nobody")
		Expect(w.Create(ctx, w.Test("another", line, func(t *v1alpha1.DiagnosticTest) { t.Spec.TestType = "loopback" }))).
			To(Succeed())
		Expect(process.DriveOneShot(ctx, world.OneShot{Kind: "DiagnosticTest", Name: "another"})).To(BeTrue())
		Expect(fixture.Tests().Posts(w)).To(Equal(2))

		fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationApprove, shown(ctx, w).Status.Pending.Hash)
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(fixture.Tests().Posts(w)).To(Equal(3))
	})
})
