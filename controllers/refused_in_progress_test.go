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

// Codes of requests that are refused because another client's request is in progress.
const (
	planInProgress  = "constraints.service.plan.change.request.in.progress"
	otherInProgress = "constraints.service.modification.in.progress"
)

var _ = Describe("A plan change that is refused because another is in progress", func() {
	It("is sent again five minutes later, and does not count as a repeat", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Carrier.FailNext("POST PlanChange", refusedFor("serviceId", planInProgress, otherInProgress))).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		elapse(ctx, w, process, 4*time.Minute)
		service := w.Read(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonChangeInProgress)
		expectAspect(service, v1alpha1.ConditionReconciling, metav1.ConditionTrue, v1alpha1.ReasonChangeInProgress)
		Expect(world.Ready(service).Message).To(And(HavePrefix(planInProgress), ContainSubstring("retried automatically")))
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(2))
		Expect(w.Read(ctx, site).RequestOf(v1alpha1.OperationPlanChange).Repeats).To(BeZero())
	})

	It("waits for a person if there is another error, too", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		refusal := refusedFor("serviceId", planInProgress, "constraints.plan.change.plan.name.invalid")
		Expect(w.Carrier.FailNext("POST PlanChange", refusal)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonPlanNameInvalid)
		expectAspect(service, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonPlanNameInvalid)
		Expect(world.Ready(service).Message).To(ContainSubstring("also " + planInProgress))
	})
})
