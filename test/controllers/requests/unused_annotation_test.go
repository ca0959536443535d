// SPDX-License-Identifier: Apache-2.0

package requests_test

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const annotationUnused = "Warning AnnotationUnused "

var _ = DescribeTable("An annotation without effect is reported by one Event and in the message of Ready",
	func(ctx SpecContext, annotation, why string) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)

		w.Annotate(ctx, site, annotation, "p1")
		service := process.Drive(ctx, site)
		message := `the annotation ` + annotation + ` is "p1", but ` + why
		Expect(world.Ready(service).Message).To(HaveSuffix("; " + message))
		Expect(w.Events.All()).To(ContainElement(annotationUnused + message))
		events := len(w.Events.All())
		fixture.ReconcileFor(ctx, w, process, time.Hour)
		process = w.Start(world.CrashPoint{})
		process.Drive(ctx, site)
		Expect(w.Events.All()).To(HaveLen(events), "and no more while it stays, nor by another process")

		w.Annotate(ctx, site, annotation, "")
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(world.Ready(process.Drive(ctx, site)).Message).NotTo(ContainSubstring("annotation"))
	},
	Entry("approve", v1alpha1.AnnotationApprove, "approves nothing: no change is waiting for approval"),
	Entry("trust", v1alpha1.AnnotationTrust, "trusts nothing: no unknown value awaits a decision"),
	Entry("retry", v1alpha1.AnnotationRetry, "retries nothing: no request has failed"),
)

var _ = It("A resolve annotation that resolves nothing is not echoed, and reported once", func(ctx SpecContext) {
	w, process := fixture.Begin(ctx)
	Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
	fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	const word = "0f8fad5b-d9cb-469f-a165-70867728950e=NotAccepted"
	w.Annotate(ctx, site, v1alpha1.AnnotationResolve, word)
	service := process.Drive(ctx, site)
	const message = `the annotation wholesale.broadband/resolve is "` + word +
		`", but resolves nothing: it names no attempt that can be resolved`
	fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
	Expect(world.Ready(service).Message).To(HaveSuffix("; " + message))
	Expect(service.Status.Handled.Resolve).To(BeEmpty())
	Expect(service.Status.Handled.IgnoredResolve).To(Equal(word))
	Expect(w.Events.All()).To(ContainElement(annotationUnused + message))
	events := len(w.Events.All())
	fixture.ReconcileFor(ctx, w, process, time.Hour)
	w.Start(world.CrashPoint{}).Drive(ctx, site)
	Expect(w.Events.All()).To(HaveLen(events), "and no more while it stays, nor by another process")
	Expect(w.Read(ctx, site).ResourceVersion).To(Equal(service.ResourceVersion), "no write while it stays")

	w.Annotate(ctx, site, v1alpha1.AnnotationResolve, "")
	service = process.Drive(ctx, site)
	Expect(world.Ready(service).Message).NotTo(ContainSubstring("annotation"))
	Expect(service.Status.Handled.IgnoredResolve).To(BeEmpty())
})

var _ = DescribeTable("An annotation that does not fit an object that is not Ready is reported by one Event",
	func(ctx SpecContext, create func(ctx SpecContext, w *world.World), annotation, message string) {
		w, process := fixture.Begin(ctx)
		create(ctx, w)
		process.Drive(ctx, site)
		w.Annotate(ctx, site, annotation, "p1")
		service := process.Drive(ctx, site)
		Expect(world.Ready(service).Status).To(Equal(metav1.ConditionFalse))
		Expect(world.Ready(service).Message).To(ContainSubstring(message))
		Expect(w.Events.All()).To(ContainElement(HavePrefix(annotationUnused + message)))
		events := len(w.Events.All())
		fixture.ReconcileFor(ctx, w, process, time.Hour)
		w.Start(world.CrashPoint{}).Drive(ctx, site)
		Expect(w.Events.All()).To(HaveLen(events), "and no more while it stays, nor by another process")
		Expect(w.Read(ctx, site).ResourceVersion).To(Equal(service.ResourceVersion), "no write while it stays")
	},
	Entry("approve", func(ctx SpecContext, w *world.World) {
		Expect(w.Create(ctx, w.Service(site, w.Line(), fixture.WithApproval(v1alpha1.ApprovalOnCost)))).To(Succeed())
	}, v1alpha1.AnnotationApprove, "the approval p1 is for another plan of changes, or for another price"),
	Entry("trust", func(ctx SpecContext, w *world.World) {
		Expect(w.Create(ctx, w.Service(site, w.Line(), fixture.Aggregated("ETHERNET"), func(s *v1alpha1.BroadbandService) {
			s.Spec.UnknownValues = v1alpha1.UnknownAsk
		}))).To(Succeed())
	}, v1alpha1.AnnotationTrust, "the annotation trust=p1 is for another plan of changes"),
	Entry("retry", func(ctx SpecContext, w *world.World) {
		Expect(w.Carrier.FailNext("POST PlanChange", fixture.RefusedWith("constraints.some.rule", "planName"))).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
	}, v1alpha1.AnnotationRetry, `the annotation wholesale.broadband/retry is now "p1", which is neither the id`),
)
