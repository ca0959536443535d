// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// impairment is the health of an impaired line in a status.
func impairment() v1alpha1.HealthCheckStatus {
	return v1alpha1.HealthCheckStatus{
		CurrentCondition: &v1alpha1.HealthCondition{
			Code: "C7", Status: "Red", AlertMessage: "Loss of signal", Summary: "The line is down",
		},
		NextAction: &v1alpha1.HealthNextAction{Code: "N3", Description: "Check the cable"},
		Indicator:  &v1alpha1.HealthIndicator{Connectivity: "Red", Performance: "Grey", Stability: "Amber"},
		HealthCategories: []v1alpha1.HealthCategory{
			{Type: "Dropouts", Items: []v1alpha1.HealthItem{
				{Type: "Dropouts", ID: "LAST_DAY", Status: "Red", Value: "12", Unit: "Count"},
				{Type: "Dropouts", ID: "LAST_WEEK"},
			}},
			{Type: "Outage"},
		},
		HRIID: "HRI7",
	}
}

var _ = Describe("A health check", func() {
	DescribeTable("shows the whole result at each API version, and sends one request",
		func(ctx SpecContext, version int32, families v1alpha1.FamilyVersions, used int) {
			w, process := fixture.Begin(ctx, fixture.AtVersion(version, families))
			line := w.Line(fixture.Impaired)
			Expect(w.Create(ctx, fixture.Checks().Build(w, line))).To(Succeed())
			object := fixture.Checks().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			Expect(fixture.HealthOf(object)).To(Equal(impairment()))
			Expect(fixture.ReadyOf(object).Message).To(Equal("Health is done: Red: connectivity Red, performance Grey, " +
				"stability Amber; alert: Loss of signal; next: Check the cable"))
			check, _ := world.Fetch(ctx, w, fixture.Once, &v1alpha1.HealthCheck{})
			Expect(check.Status.LastRefreshedOn).To(MatchRegexp(`^2026-03-02T[0-9:]+(Z|[+-][0-9]{2}:[0-9]{2})$`))
			Expect(check.Status.RequestedOn).NotTo(BeEmpty())
			Expect(check.Status.Plan).To(Equal(world.PlanSlow))
			Expect(check.Status.TechnologyType).To(Equal("FTTP"))
			Expect(check.Finalizers).To(BeEmpty())
			Expect(fixture.VersionsOf(w, simulator.OpHealth)).To(Equal([]string{
				fmt.Sprintf("GET at %d", used), fmt.Sprintf("POST at %d", used),
			}))
			Expect(w.Carrier.Submissions(simulator.OpHealth, line).Seen).To(Equal(1))
			Expect(fixture.CountEffects(process, "update status of "+fixture.Once)).To(Equal(2), "accepted, terminal")
		},
		Entry("8", int32(8), v1alpha1.FamilyVersions(""), 8),
		Entry("6", int32(6), v1alpha1.FamilyVersionsStrict, 6),
		Entry("5, whose fields have other names", int32(5), v1alpha1.FamilyVersionsStrict, 5),
		Entry("4, which does not have health, by using 5", int32(4), v1alpha1.FamilyVersionsLeast, 5),
		Entry("1, which does not have health, by using 5", int32(1), v1alpha1.FamilyVersions(""), 5),
	)

	It("is not sent at version 4 if the account is Strict, and sent once it has another", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, fixture.StrictlyAt(4))
		Expect(w.Create(ctx, fixture.Checks().Build(w, w.Line()))).To(Succeed())
		object := fixture.Checks().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonUnsupportedByAPIVersion)
		Expect(fixture.ReadyOf(object).Message).To(ContainSubstring("familyVersions"))
		Expect(fixture.Checks().Posts(w)).To(BeZero())
		fixture.EditAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.APIVersion = 5 })
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		fixture.Checks().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(fixture.Checks().Posts(w)).To(Equal(1))
	})

	It("is limited if the carrier measured more than fits", func(ctx SpecContext) {
		items := `{"type":"t","id":"first","value":"` + strings.Repeat("9", 300) + `"}` +
			strings.Repeat(`,{"type":"t","id":"i","status":"Green","unit":"Count","value":"9"}`, 150)
		categories := `{"type":"Dropouts","items":[` + items + `]}` + strings.Repeat(`,{"type":"Ncd"}`, 60)
		w, process := fixture.Begin(ctx)
		Expect(w.Carrier.FailNext("GET Health", simulator.Fault{
			Kind: simulator.FaultBody, Status: 200,
			Body: `{"currentCondition":{"summary":"` + strings.Repeat("x", 3000) + `"},"healthCategories":[` + categories + `]}`,
		})).To(Succeed())
		Expect(w.Create(ctx, fixture.Checks().Build(w, w.Line()))).To(Succeed())
		fixture.Checks().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		check, _ := world.Fetch(ctx, w, fixture.Once, &v1alpha1.HealthCheck{})
		Expect(check.Status.CurrentCondition.Summary).To(HaveLen(1024))
		Expect(check.Status.HealthCategories).To(HaveLen(50))
		Expect(check.Status.HealthCategories[0].Items).To(HaveLen(100))
		Expect(check.Status.HealthCategories[0].Items[0].Value).To(HaveLen(256))
		Expect(check.Status.Truncated).To(BeTrue())
		Expect(fixture.Checks().Posts(w)).To(Equal(1))
	})

	It("is refused with the carrier's code, and runs again when a person asks", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(func(line *simulator.Service) { line.Health.Fails = true })
		Expect(w.Create(ctx, fixture.Checks().Build(w, line))).To(Succeed())
		object := fixture.Checks().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonCarrierRejected)
		Expect(fixture.ReadyOf(object).Message).To(HavePrefix("constraints.service.health.request.status.in.error"))
		Expect(fixture.ReadyOf(object).Message).To(ContainSubstring("create another object"))
		Expect(fixture.HealthOf(object)).To(Equal(v1alpha1.HealthCheckStatus{}))
		w.Clock.Advance(fixture.Horizon)
		fixture.Checks().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonCarrierRejected)
		Expect(fixture.Checks().Posts(w)).To(Equal(1), "it is not sent again automatically")

		By("asking for another attempt once the carrier can measure")
		Expect(w.Carrier.SetHealth(line, simulator.Health{})).To(Succeed())
		fixture.Checks().Annotate(ctx, w, v1alpha1.AnnotationRetry, fixture.Checks().Request(ctx, w).AttemptID)
		object = fixture.Checks().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(fixture.HealthOf(object).CurrentCondition.Status).To(Equal("Green"))
		Expect(fixture.Checks().Posts(w)).To(Equal(2))
	})

	It("has a result that is one request of its own, beside that of the service", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.OnFast, fixture.Impaired)
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		check := w.Check(fixture.Once, 0, func(c *v1alpha1.HealthCheck) {
			c.Spec.ServiceID, c.Spec.ServiceRef = "", &v1alpha1.ServiceReference{Name: site}
		})
		Expect(w.Create(ctx, check)).To(Succeed())
		object := fixture.Checks().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(fixture.HealthOf(object)).To(Equal(impairment()))
		Expect(w.Carrier.Submissions(simulator.OpHealth, line).Seen).To(Equal(2), "that of the service, and its own")
	})
})
