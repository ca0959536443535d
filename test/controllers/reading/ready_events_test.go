// SPDX-License-Identifier: Apache-2.0

package reading_test

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Each change of the reason of Ready has an Event, of its own or of its request,", func() {
	It("which is a Warning for drift that is only reported", func(ctx SpecContext) {
		s := settleHourlyReads(ctx)
		expectDrift(s.move(ctx, world.PlanSlow), fixture.PlanInHealth, world.PlanSlow)
		Expect(s.Events.All()).To(ContainElements(
			HavePrefix("Normal ServicePlanChanged "),
			And(HavePrefix("Warning Drifted "), ContainSubstring("set driftPolicy: Correct"))))
		told := len(s.Events.All())
		s.pass(ctx, 5*time.Hour)
		Expect(s.Events.All()).To(HaveLen(told), "and no more while it lasts")
	})

	It("also when the change waits for an approval", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = v1alpha1.ApprovalAlways })
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		Expect(w.Events.All()).To(ContainElement(And(
			HavePrefix("Normal AwaitingApproval "), ContainSubstring("approve with: kubectl"))))
	})
})
