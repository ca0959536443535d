// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// impaired gives a line poor health, which the carrier reports in detail.
func impaired(line *simulator.Service) {
	red, count, drops := "Red", "Count", "12"
	line.Health = simulator.Health{
		Code: "C7", Status: "Red", AlertMessage: "Loss of signal", Summary: "The line is down",
		NextAction:   simulator.NextAction{Code: "N3", Description: "Check the cable"},
		Connectivity: "Red", Performance: "Grey", Stability: "Amber", HRIID: "HRI7",
		Categories: []simulator.HealthCategory{
			{Type: "Dropouts", Items: []simulator.HealthItem{
				{Type: "Dropouts", ID: "LAST_DAY", Status: &red, Unit: &count, Value: &drops},
				{Type: "Dropouts", ID: "LAST_WEEK"},
			}},
			{Type: "Outage", Items: []simulator.HealthItem{}},
		},
	}
}

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

// healthOf returns what the status of a check says of the line's health.
func healthOf(object pass.Subject) v1alpha1.HealthCheckStatus {
	GinkgoHelper()
	check, is := object.(*v1alpha1.HealthCheck)
	Expect(is).To(BeTrue())
	found := check.Status
	return v1alpha1.HealthCheckStatus{
		CurrentCondition: found.CurrentCondition, NextAction: found.NextAction, Indicator: found.Indicator,
		HealthCategories: found.HealthCategories, HRIID: found.HRIID, Truncated: found.Truncated,
	}
}

var _ = Describe("A health check", func() {
	DescribeTable("shows the whole result at each API version, and sends one request",
		func(ctx SpecContext, version int32, families v1alpha1.FamilyVersions, used int) {
			w, process := begin(ctx, atVersion(version, families))
			line := w.Line(impaired)
			Expect(w.Create(ctx, checks().build(w, line))).To(Succeed())
			object := checks().drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			Expect(healthOf(object)).To(Equal(impairment()))
			Expect(readyOf(object).Message).To(Equal("Health is done: Red: connectivity Red, performance Grey, " +
				"stability Amber; alert: Loss of signal; next: Check the cable"))
			check, _ := world.Fetch(ctx, w, once, &v1alpha1.HealthCheck{})
			Expect(check.Status.LastRefreshedOn).To(MatchRegexp(`^2026-03-02T[0-9:]+(Z|[+-][0-9]{2}:[0-9]{2})$`))
			Expect(check.Status.RequestedOn).NotTo(BeEmpty())
			Expect(check.Status.Plan).To(Equal(world.PlanSlow))
			Expect(check.Status.TechnologyType).To(Equal("FTTP"))
			Expect(check.Finalizers).To(BeEmpty())
			Expect(versionsOf(w, simulator.OpHealth)).To(Equal([]string{
				fmt.Sprintf("GET at %d", used), fmt.Sprintf("POST at %d", used),
			}))
			Expect(w.Carrier.Submissions(simulator.OpHealth, line).Seen).To(Equal(1))
			Expect(countEffects(process, "update status of "+once)).To(Equal(2), "accepted, terminal")
		},
		Entry("8", int32(8), v1alpha1.FamilyVersions(""), 8),
		Entry("6", int32(6), v1alpha1.FamilyVersionsStrict, 6),
		Entry("5, whose fields have other names", int32(5), v1alpha1.FamilyVersionsStrict, 5),
		Entry("4, which does not have health, by using 5", int32(4), v1alpha1.FamilyVersionsLeast, 5),
		Entry("1, which does not have health, by using 5", int32(1), v1alpha1.FamilyVersions(""), 5),
	)

	It("is not sent at version 4 if the account is Strict, and sent once it has another", func(ctx SpecContext) {
		w, process := begin(ctx, strictlyAt(4))
		Expect(w.Create(ctx, checks().build(w, w.Line()))).To(Succeed())
		object := checks().drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonUnsupportedByAPIVersion)
		Expect(readyOf(object).Message).To(ContainSubstring("familyVersions"))
		Expect(checks().posts(w)).To(BeZero())
		editAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.APIVersion = 5 })
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		checks().drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(checks().posts(w)).To(Equal(1))
	})

	It("is limited if the carrier measured more than fits", func(ctx SpecContext) {
		items := `{"type":"t","id":"first","value":"` + strings.Repeat("9", 300) + `"}` +
			strings.Repeat(`,{"type":"t","id":"i","status":"Green","unit":"Count","value":"9"}`, 150)
		categories := `{"type":"Dropouts","items":[` + items + `]}` + strings.Repeat(`,{"type":"Ncd"}`, 60)
		w, process := begin(ctx)
		Expect(w.Carrier.FailNext("GET Health", simulator.Fault{
			Kind: simulator.FaultBody, Status: 200,
			Body: `{"currentCondition":{"summary":"` + strings.Repeat("x", 3000) + `"},"healthCategories":[` + categories + `]}`,
		})).To(Succeed())
		Expect(w.Create(ctx, checks().build(w, w.Line()))).To(Succeed())
		checks().drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		check, _ := world.Fetch(ctx, w, once, &v1alpha1.HealthCheck{})
		Expect(check.Status.CurrentCondition.Summary).To(HaveLen(1024))
		Expect(check.Status.HealthCategories).To(HaveLen(50))
		Expect(check.Status.HealthCategories[0].Items).To(HaveLen(100))
		Expect(check.Status.HealthCategories[0].Items[0].Value).To(HaveLen(256))
		Expect(check.Status.Truncated).To(BeTrue())
		Expect(checks().posts(w)).To(Equal(1))
	})

	It("is refused with the carrier's code, and runs again when a person asks", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(func(line *simulator.Service) { line.Health.Fails = true })
		Expect(w.Create(ctx, checks().build(w, line))).To(Succeed())
		object := checks().drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonCarrierRejected)
		Expect(readyOf(object).Message).To(HavePrefix("constraints.service.health.request.status.in.error"))
		Expect(readyOf(object).Message).To(ContainSubstring("create another object"))
		Expect(healthOf(object)).To(Equal(v1alpha1.HealthCheckStatus{}))
		w.Clock.Advance(horizon)
		checks().drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonCarrierRejected)
		Expect(checks().posts(w)).To(Equal(1), "it is not sent again automatically")

		By("asking for another attempt once the carrier can measure")
		Expect(w.Carrier.SetHealth(line, simulator.Health{})).To(Succeed())
		checks().annotate(ctx, w, v1alpha1.AnnotationRetry, checks().request(ctx, w).AttemptID)
		object = checks().drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(healthOf(object).CurrentCondition.Status).To(Equal("Green"))
		Expect(checks().posts(w)).To(Equal(2))
	})

	It("has a result that is one request of its own, beside that of the service", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(onFast, impaired)
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		check := w.Check(once, 0, func(c *v1alpha1.HealthCheck) {
			c.Spec.ServiceID, c.Spec.ServiceRef = "", &v1alpha1.ServiceReference{Name: site}
		})
		Expect(w.Create(ctx, check)).To(Succeed())
		object := checks().drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(healthOf(object)).To(Equal(impairment()))
		Expect(w.Carrier.Submissions(simulator.OpHealth, line).Seen).To(Equal(2), "that of the service, and its own")
	})
})
