// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const annotationUnused = "Warning AnnotationUnused "

var _ = DescribeTable("An annotation without effect is reported by one Event and in the message of Ready",
	func(ctx SpecContext, annotation, why string) {
		w, process := begin(ctx)
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)

		w.Annotate(ctx, site, annotation, "p1")
		service := process.Drive(ctx, site)
		message := `the annotation ` + annotation + ` is "p1", but ` + why
		Expect(world.Ready(service).Message).To(HaveSuffix("; " + message))
		Expect(w.Events.All()).To(ContainElement(annotationUnused + message))
		events := len(w.Events.All())
		reconcileFor(ctx, w, process, time.Hour)
		process = w.Start(world.CrashPoint{})
		process.Drive(ctx, site)
		Expect(w.Events.All()).To(HaveLen(events), "and no more while it stays, nor by another process")

		w.Annotate(ctx, site, annotation, "")
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(world.Ready(process.Drive(ctx, site)).Message).NotTo(ContainSubstring("annotation"))
	},
	Entry("approve", v1alpha1.AnnotationApprove, "approves nothing: no change is waiting for approval"),
	Entry("trust", v1alpha1.AnnotationTrust, "trusts nothing: no unknown value is shown"),
	Entry("retry", v1alpha1.AnnotationRetry, "retries nothing: no request has failed"),
)

var _ = It("A resolve annotation that resolves nothing is reported by one Event", func(ctx SpecContext) {
	w, process := begin(ctx)
	Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
	expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	w.Annotate(ctx, site, v1alpha1.AnnotationResolve, "0f8fad5b-d9cb-469f-a165-70867728950e=NotAccepted")
	process.Drive(ctx, site)
	Expect(w.Events.All()).To(ContainElement(And(
		HavePrefix(annotationUnused), HaveSuffix("resolves nothing: it names no attempt that can be resolved"))))
	events := len(w.Events.All())
	w.Start(world.CrashPoint{}).Drive(ctx, site)
	Expect(w.Events.All()).To(HaveLen(events), "and no more while it stays, nor by another process")
})
