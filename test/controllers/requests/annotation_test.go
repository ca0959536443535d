// SPDX-License-Identifier: Apache-2.0

package requests_test

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// annotationValues are possible values of a control annotation. Admission does not check
// annotations.
func annotationValues() []TableEntry {
	return []TableEntry{
		Entry("nothing", ""),
		Entry("300 characters", strings.Repeat("x", 300)),
		Entry("60 kB", strings.Repeat("é", 30<<10)),
		Entry("lines", "a\r\nb\x00c\tX: y"),
		Entry("colors and directions", "\x1b[31mred\u202e\u2028"),
		Entry("a resolution of no attempt", "=Accepted:1"),
		Entry("a path for a request id", "a-1=Accepted:../../orders/2"),
		Entry("a template", "{{ .Secret }}${HOME}$(id)"),
		Entry("another hash", "p0123456789abcdef"),
	}
}

// controlAnnotations sets every control annotation to one value.
func controlAnnotations(value string) map[string]string {
	return map[string]string{
		v1alpha1.AnnotationReconcile: value, v1alpha1.AnnotationApprove: value,
		v1alpha1.AnnotationRetry: value, v1alpha1.AnnotationResolve: value,
	}
}

// withControlAnnotations annotates an object before it is created.
func withControlAnnotations(value string) (fixture.Edit, fixture.OrderEdit) {
	return func(s *v1alpha1.BroadbandService) { s.Annotations = controlAnnotations(value) },
		func(o *v1alpha1.ServiceOrder) { o.Annotations = controlAnnotations(value) }
}

// The numbers are those of docs/security-cases.md.

var _ = DescribeTable("Control annotations with arbitrary content do not prevent a request from being sent once (60)",
	func(ctx SpecContext, value string) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		service, order := withControlAnnotations(value)
		Expect(w.Create(ctx, w.Service(site, line, service))).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, order))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Posts(line)).To(Equal(1))
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	}, annotationValues())

var _ = DescribeTable("Control annotations with arbitrary content approve nothing (60)",
	func(ctx SpecContext, value string) {
		w, process := fixture.Begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = v1alpha1.ApprovalAlways })
		line := w.Line()
		service, order := withControlAnnotations(value)
		Expect(w.Create(ctx, w.Service(site, line, service))).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, order))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		Expect(w.Posts(line)).To(BeZero())
		Expect(w.Ordered(fixture.Reference).Seen).To(BeZero())
	}, annotationValues())

var _ = DescribeTable("Control annotations with arbitrary content resolve nothing (60)",
	func(ctx SpecContext, value string) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		for _, call := range []string{"POST AggregationConversion", "POST OrderCreate"} {
			Expect(w.Carrier.FailNext(call, simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
		}
		service, order := withControlAnnotations(value)
		Expect(w.Create(ctx, w.Service(site, line, fixture.Aggregated("ETHERNET"), service))).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, order))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(w.Carrier.Submissions(simulator.OpAggregationConversion, line).Seen).To(Equal(1))
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	}, annotationValues())
