// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"fmt"
	"math"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The numbers are those of docs/security-cases.md.

var _ = DescribeTable("A service id that no float64 can hold is kept to its last digit (53)",
	func(ctx SpecContext, id int64) {
		w, process := fixture.Begin(ctx)
		line := w.Line(func(s *simulator.Service) { s.ID = id })
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.ServiceID).To(Equal(v1alpha1.CarrierIDOf(id)))
		Expect(w.Posted("/api/connect/services/plan-changes/request")).
			To(ConsistOf(ContainSubstring(fmt.Sprintf(`"serviceId":%d,`, id))))
		Expect(w.Posts(id)).To(Equal(1))
	},
	Entry("2^53+1", int64(1<<53+1)),
	Entry("2^63-1", int64(math.MaxInt64)),
)

var _ = It("Names as long as Kubernetes allows are hashed in derived names (61)", func(ctx SpecContext) {
	w, process := fixture.Begin(ctx)
	line := w.Line()
	longest, label := strings.Repeat("n", 253), strings.Repeat("n", 63)
	longReference := strings.Repeat("r", 200)
	Expect(w.Create(ctx, w.Service(longest, line))).To(Succeed())
	Expect(w.Create(ctx, w.Order(longest, longReference))).To(Succeed())
	fixture.ExpectOrder(process.DriveOrder(ctx, longest), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
	for w.Posts(line) == 0 {
		result, err := process.Reconcile(ctx, longest)
		Expect(err).NotTo(HaveOccurred())
		w.Clock.Advance(result.RequeueAfter)
	}

	By("deleting both, which leaves their ledgers")
	Expect(w.Delete(ctx, w.Read(ctx, longest))).To(Succeed())
	Expect(process.Drive(ctx, longest)).To(BeNil())
	Expect(w.Delete(ctx, w.ReadOrder(ctx, longest))).To(Succeed())
	Expect(len(fixture.ServiceLedger(ctx, w, line).Name)).To(BeNumerically("<=", len(label)))

	By("applying both again")
	Expect(w.Create(ctx, w.Service(longest, line))).To(Succeed())
	Expect(w.Create(ctx, w.Order(longest, longReference))).To(Succeed())
	fixture.ExpectReady(process.Drive(ctx, longest), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	fixture.ExpectOrder(process.DriveOrder(ctx, longest), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
	Expect(w.Posts(line)).To(Equal(1))
	Expect(w.Ordered(longReference).Seen).To(Equal(1))
})
