// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"strings"

	"github.com/go-logr/logr/funcr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The log", func() {
	It("has one line when a request is sent, and one when it has ended", func(ctx SpecContext) {
		d := newPricedService(ctx, withApproval(v1alpha1.ApprovalOnCost))
		hash := expectAwaiting(d.declare(ctx, withPlan(world.PlanFast, 12)))
		d.Annotate(ctx, site, v1alpha1.AnnotationApprove, hash)
		var lines []string
		logger := funcr.New(func(_, line string) { lines = append(lines, line) }, funcr.Options{})

		service := d.process.Drive(log.IntoContext(ctx, logger), site)

		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		attempt := service.RequestOf(v1alpha1.OperationPlanChange).AttemptID
		about := `"operation"="PlanChange" "attempt"="` + attempt + `"`
		changed := `"changes"="plan.name \"Home 50/20\" → \"Home 100/20\" (one-time 0.00 AUD, ` +
			`monthly 45.00 AUD → 58.00 AUD)" "approved"="` + hash + `"`
		var found []string
		for _, line := range lines {
			if strings.Contains(line, about) {
				Expect(line).To(ContainSubstring(changed))
				found = append(found, line)
			}
		}
		Expect(found).To(HaveExactElements(
			And(ContainSubstring("a request is sent"), ContainSubstring(`"phase"="Submitting"`)),
			And(ContainSubstring("a request has ended"), ContainSubstring(`"phase"="Succeeded"`))))
		Expect(d.Events.All()).To(ContainElement(ContainSubstring(
			`PlanChange succeeded: plan.name "Home 50/20" → "Home 100/20"`)))
	})
})
