// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// shapes are possible values of a control annotation. Admission does not check annotations.
func shapes() []TableEntry {
	return []TableEntry{
		Entry("nothing", ""),
		Entry("300 characters", strings.Repeat("x", 300)),
		Entry("60 kB", strings.Repeat("é", 30<<10)),
		Entry("lines", "a\r\nb\x00c\tX: y"),
		Entry("colors and directions", "\x1b[31mred\u202e\u2028"),
		Entry("a word for no attempt", "=Accepted:1"),
		Entry("a path for a request id", "a-1=Accepted:../../orders/2"),
		Entry("a template", "{{ .Secret }}${HOME}$(id)"),
		Entry("another hash", "p0123456789abcdef"),
	}
}

// controls sets every control annotation to one value.
func controls(value string) map[string]string {
	return map[string]string{
		v1alpha1.AnnotationReconcile: value, v1alpha1.AnnotationApprove: value,
		v1alpha1.AnnotationRetry: value, v1alpha1.AnnotationResolve: value,
	}
}

// stamped is the present time in the format of a retry annotation.
func stamped(w *world.World) string { return w.Clock.Now().UTC().Format(time.RFC3339) }

// saying annotates an object before it is created.
func saying(value string) (edit, orderEdit) {
	return func(s *v1alpha1.BroadbandService) { s.Annotations = controls(value) },
		func(o *v1alpha1.ServiceOrder) { o.Annotations = controls(value) }
}

// The numbers are those of docs/security-cases.md.

var _ = DescribeTable("Control annotations that hold anything at all keep nothing from being sent once (60)",
	func(ctx SpecContext, value string) {
		w, process := begin(ctx)
		line := w.Line()
		service, order := saying(value)
		Expect(w.Create(ctx, w.Service(site, line, service))).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, reference, order))).To(Succeed())
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Posts(line)).To(Equal(1))
		Expect(w.Ordered(reference).Seen).To(Equal(1))
	}, shapes())

var _ = DescribeTable("Control annotations that hold anything at all approve nothing (60)",
	func(ctx SpecContext, value string) {
		w, process := begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = v1alpha1.ApprovalAlways })
		line := w.Line()
		service, order := saying(value)
		Expect(w.Create(ctx, w.Service(site, line, service))).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, reference, order))).To(Succeed())
		expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		expectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		Expect(w.Posts(line)).To(BeZero())
		Expect(w.Ordered(reference).Seen).To(BeZero())
	}, shapes())

var _ = DescribeTable("Control annotations that hold anything at all resolve nothing (60)",
	func(ctx SpecContext, value string) {
		w, process := begin(ctx)
		line := w.Line()
		for _, call := range []string{"POST AggregationConversion", "POST OrderCreate"} {
			Expect(w.Carrier.FailNext(call, simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
		}
		service, order := saying(value)
		Expect(w.Create(ctx, w.Service(site, line, aggregated("ETHERNET"), service))).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, reference, order))).To(Succeed())
		expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		expectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(w.Carrier.Submissions(simulator.OpAggregationConversion, line).Seen).To(Equal(1))
		Expect(w.Ordered(reference).Seen).To(Equal(1))
	}, shapes())
