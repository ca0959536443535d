// SPDX-License-Identifier: Apache-2.0

package requests_test

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

// M7 of the review: a user requests a retry because a request looks stuck, and the request fails
// later.
var _ = Describe("A retry of an attempt that has not ended", func() {
	It("does not repeat a test that fails later; one that is set after the failure does (R21)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Carrier.FailNext("DiagnosticTest", simulator.Fault{Kind: simulator.FaultEndInError})).To(Succeed())
		Expect(w.Create(ctx, w.Test(fixture.Once, w.Line()))).To(Succeed())
		_, err := process.ReconcileOneShot(ctx, fixture.Tests().Shot())
		Expect(err).NotTo(HaveOccurred())
		early := fixture.Tests().Request(ctx, w).AttemptID
		fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationRetry, early)
		failed := fixture.ReadyOf(fixture.Tests().Drive(ctx, w, process, metav1.ConditionFalse,
			v1alpha1.ReasonDiagnosticTestFailed))
		Expect(fixture.Tests().Posts(w)).To(Equal(1))
		Expect(failed.Message).NotTo(ContainSubstring("retry="+early), "it is handled already, and has no effect")

		w.Clock.Advance(time.Minute)
		fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationRetry, w.Clock.Now().Format(time.RFC3339))
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(fixture.Tests().Posts(w)).To(Equal(2))
	})

	DescribeTable("sends nothing once a person abandons the attempt (R21)",
		func(ctx SpecContext, retry func(*world.World, *v1alpha1.Request) string) {
			w, process := fixture.Begin(ctx)
			line := w.Line()
			attempt := unknownPlan(ctx, w, process, line)
			w.Clock.Advance(time.Minute)
			w.Annotate(ctx, site, v1alpha1.AnnotationRetry, retry(w, attempt))
			fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
			w.Clock.Advance(time.Minute)
			w.Annotate(ctx, site, v1alpha1.AnnotationResolve, attempt.AttemptID+"=Abandoned")
			process.Drive(ctx, site)
			Expect(w.Posts(line)).To(Equal(1))
			abandoned := w.Read(ctx, site).RequestOf(v1alpha1.OperationPlanChange)
			Expect(abandoned.Phase).To(Equal(v1alpha1.PhaseAbandoned))
			Expect(abandoned.FinishedAt.Time).To(BeTemporally("~", w.Clock.Now(), time.Minute), "it ended only now")

			By("retrying it after its end")
			w.Clock.Advance(time.Minute)
			w.Annotate(ctx, site, v1alpha1.AnnotationRetry, w.Clock.Now().Format(time.RFC3339))
			process.Drive(ctx, site)
			Expect(w.Posts(line)).To(Equal(2))
		},
		Entry("if it names the attempt", func(_ *world.World, attempt *v1alpha1.Request) string { return attempt.AttemptID }),
		Entry("if it is a time after its outcome became unknown", func(w *world.World, _ *v1alpha1.Request) string {
			return w.Clock.Now().Format(time.RFC3339)
		}),
	)
})
