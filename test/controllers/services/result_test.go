// SPDX-License-Identifier: Apache-2.0

package services_test

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

// conversionPath is where the results of aggregation conversions are.
const conversionPath = "/aggregation-conversions/requests/"

var _ = Describe("The status in a result", func() {
	const completed, inErrorRetry = `"status":"COMPLETED"`, `"status":"IN_ERROR_RETRY"`

	DescribeTable("that reports a failure is not a success", func(ctx SpecContext, status string) {
		d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalAutomatic))
		*d.forger = tamperingProxy{conversionPath, completed, `"status":"` + status + `"`}
		service := d.declare(ctx, fixture.WithEthernet)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonCarrierRejected)
		Expect(fixture.Condition(service, v1alpha1.ConditionStalled).Status).To(Equal(metav1.ConditionTrue))
		Expect(world.Ready(service).Message).To(ContainSubstring(
			"the carrier answered 200, but the status of the request is " + status))
		Expect(service.Status.Carrier.AggregationMethod).To(BeNil())
		Expect(d.sent()).To(HaveLen(1))
	},
		Entry(nil, "FAILED"),
		Entry(nil, "REJECTED"),
	)

	DescribeTable("that says that the request is in progress is polled again, and nothing is known from it",
		func(ctx SpecContext, status string) {
			d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalAutomatic))
			*d.forger = tamperingProxy{conversionPath, completed, `"status":"` + status + `"`}
			d.Edit(ctx, site, fixture.WithEthernet)
			service := d.Read(ctx, site)
			for world.Ready(service).Reason != v1alpha1.ReasonOverdue {
				result, err := d.process.Reconcile(ctx, site)
				Expect(err).NotTo(HaveOccurred())
				d.Clock.Advance(result.RequeueAfter)
				service = d.Read(ctx, site)
			}
			Expect(service.Status.Carrier.AggregationMethod).To(BeNil())
			*d.forger = tamperingProxy{}
			fixture.ExpectReady(d.drive(ctx), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(d.sent()).To(HaveLen(1))
		},
		Entry(nil, "IN_PROGRESS"),
		Entry(nil, "OPEN"),
	)

	It("that reports a fixable error is polled until the carrier continues", func(ctx SpecContext) {
		d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalAutomatic))
		*d.forger = tamperingProxy{conversionPath, completed, inErrorRetry}
		d.Edit(ctx, site, fixture.WithEthernet)
		service := d.Read(ctx, site)
		for world.Ready(service).Reason != v1alpha1.ReasonCarrierHold {
			result, err := d.process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			d.Clock.Advance(result.RequeueAfter)
			service = d.Read(ctx, site)
		}
		Expect(world.Ready(service).Message).To(ContainSubstring("IN_ERROR_RETRY"))
		*d.forger = tamperingProxy{}
		d.Clock.Advance(fixture.Horizon)
		fixture.ExpectReady(d.drive(ctx), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(HaveLen(1))
	})
})

// healthPath is where the results of health requests are.
const healthPath = "/services/health/requests/"

var _ = Describe("The status of a health reading", func() {
	It("that says that it failed shows no plan, and the plan is read again", func(ctx SpecContext) {
		w, _ := fixture.Begin(ctx)
		forger := &tamperingProxy{healthPath, `"status":"COMPLETED"`, `"status":"FAILED"`}
		process := w.Start(world.CrashPoint{}, forger.wrap)
		line := w.Line(fixture.OnFast)
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithPlan(world.PlanFast, 12)))).To(Succeed())
		service := w.Read(ctx, site)
		for !strings.Contains(world.Ready(service).Message, "the status of the request is FAILED") {
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(result.RequeueAfter)
			service = w.Read(ctx, site)
		}
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonPlanUnknown)
		Expect(service.Status.Health).To(BeNil())
		*forger = tamperingProxy{}
		w.Clock.Advance(fixture.Horizon)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(BeZero())
	})

	It("that says that it failed ends a HealthCheck as failed", func(ctx SpecContext) {
		w, _ := fixture.Begin(ctx)
		forger := &tamperingProxy{healthPath, `"status":"COMPLETED"`, `"status":"FAILED"`}
		process := w.Start(world.CrashPoint{}, forger.wrap)
		Expect(w.Create(ctx, fixture.Checks().Build(w, w.Line()))).To(Succeed())
		object := fixture.Checks().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonCarrierRejected)
		Expect(fixture.ReadyOf(object).Message).To(ContainSubstring("the status of the request is FAILED"))
		Expect(fixture.HealthOf(object).CurrentCondition).To(BeNil())
	})
})

var _ = DescribeTable("A request in progress that names an error is held by the carrier, whatever its operation",
	func(ctx SpecContext, body, message string) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)
		body = fmt.Sprintf(body, fixture.AcceptedPlanChange(w, line), line)
		Expect(w.Carrier.FailNext("GET PlanChange", simulator.Fault{
			Kind: simulator.FaultBody, Status: 202, Body: body,
		})).To(Succeed())
		_, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		w.Clock.Advance(30 * 1e9)
		_, err = process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		held := w.Read(ctx, site)
		fixture.ExpectReady(held, metav1.ConditionFalse, v1alpha1.ReasonCarrierHold)
		Expect(world.Ready(held).Message).To(ContainSubstring(message))
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	},
	Entry("by a status that begins with IN_ERROR", `{"id":%s,"serviceId":%d,"status":"IN_ERROR_RETRY"}`, "IN_ERROR_RETRY"),
	Entry("by a status that is longer than a status shows", `{"id":%s,"serviceId":%d,"status":"IN_ERROR_`+
		strings.Repeat("X", 100)+`"}`, "IN_ERROR_XXX"),
	Entry("by an errorDetail", `{"id":%s,"serviceId":%d,"status":"IN_PROGRESS","errorDetail":"no port is free"}`,
		"no port is free"),
)

// planPath is where the results of plan changes are.
const planPath = resultPath

// anotherResult is a result of the carrier that differs from what was requested.
type anotherResult struct {
	path, from, to string
	message        string
	known          func(*v1alpha1.CarrierState) *v1alpha1.KnownValue
	value          string // that is known
}

// everything declares a plan, its SLA, and the aggregation method.
var everything = both(both(fixture.WithPlan(world.PlanFast, 12), fixture.WithSLA(world.SLAFast)), fixture.WithEthernet)

// expectAnotherResult expects a service that waits for a person because of a result.
func expectAnotherResult(service *v1alpha1.BroadbandService, message string) {
	GinkgoHelper()
	fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonResultDiffers)
	Expect(fixture.Condition(service, v1alpha1.ConditionStalled).Status).To(Equal(metav1.ConditionTrue))
	Expect(world.Ready(service).Message).To(ContainSubstring(message))
}

var _ = Describe("The result of a change", func() {
	DescribeTable("that differs from the request is recorded, and nothing is sent again",
		func(ctx SpecContext, shown anotherResult) {
			d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalAutomatic))
			*d.forger = tamperingProxy{shown.path, shown.from, shown.to}
			service := d.declare(ctx, everything)
			expectAnotherResult(service, shown.message)
			known := shown.known(service.Status.Carrier)
			Expect(known.Value + " by " + string(known.Source)).To(Equal(shown.value + " by ChangeResult"))
			Expect(d.Events.All()).To(ContainElement(And(
				HavePrefix("Warning ResultDiffers "), ContainSubstring(shown.message))))
			d.Clock.Advance(fixture.Horizon)
			expectAnotherResult(d.drive(ctx), shown.message)
			Expect(d.sent()).To(HaveLen(2), "the plan change and the conversion")
		},
		Entry("another plan", anotherResult{
			planPath, `"plan":"Home 100/20"`, `"plan":"Home 40/10"`, `plan "Home 40/10" instead of "Home 100/20"`,
			func(c *v1alpha1.CarrierState) *v1alpha1.KnownValue { return c.Plan }, "Home 40/10",
		}),
		Entry("another term", anotherResult{
			planPath, `"term":"12"`, `"term":"24 months"`, `term "24" instead of "12"`,
			func(c *v1alpha1.CarrierState) *v1alpha1.KnownValue { return c.Term }, "24",
		}),
		Entry("another SLA", anotherResult{
			planPath, `"sla":"Enhanced-8"`, `"sla":"Standard"`, `restoration SLA "Standard" instead of "Enhanced-8"`,
			func(c *v1alpha1.CarrierState) *v1alpha1.KnownValue { return c.RestorationSLA }, "Standard",
		}),
		Entry("another aggregation method", anotherResult{
			conversionPath, `"convertTo":"ETHERNET"`, `"convertTo":"L2TP"`, `aggregation method "L2TP" instead of "ETHERNET"`,
			func(c *v1alpha1.CarrierState) *v1alpha1.KnownValue { return c.AggregationMethod }, "L2TP",
		}),
	)

	It("that differs from the request is not sent again for a newer spec, only for a retry", func(ctx SpecContext) {
		d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalAutomatic))
		*d.forger = tamperingProxy{conversionPath, `"convertTo":"ETHERNET"`, `"convertTo":"L2TP"`}
		expectAnotherResult(d.declare(ctx, fixture.WithEthernet), "aggregation method")
		newer := d.declare(ctx, func(s *v1alpha1.BroadbandService) { s.Spec.DriftPolicy = v1alpha1.DriftCorrect })
		expectAnotherResult(newer, "aggregation method")
		Expect(d.sent()).To(HaveLen(1))

		By("a person requests it once more")
		*d.forger = tamperingProxy{}
		d.Annotate(ctx, site, v1alpha1.AnnotationRetry, newer.RequestOf(v1alpha1.OperationAggregationConversion).AttemptID)
		fixture.ExpectReady(d.drive(ctx), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(HaveLen(2))
	})

	DescribeTable("in another spelling can be trusted, unless the carrier offers that name",
		func(ctx SpecContext, name string, trusted bool) {
			d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalAutomatic))
			*d.forger = tamperingProxy{planPath, `"plan":"Home 100/20"`, `"plan":"` + name + `"`}
			service := d.declare(ctx, fixture.WithPlan(world.PlanFast, 12))
			expectAnotherResult(service, fmt.Sprintf("plan %q instead of %q", name, world.PlanFast))
			Expect(d.quotes()).To(BeZero())
			attempt := service.RequestOf(v1alpha1.OperationPlanChange).AttemptID
			Expect(world.Ready(service).Message).To(ContainSubstring(v1alpha1.AnnotationTrust + "=" + attempt))

			d.Annotate(ctx, site, v1alpha1.AnnotationTrust, attempt)
			service = d.drive(ctx)
			Expect(d.quotes()).To(Equal(1))
			if !trusted {
				expectAnotherResult(service, "use that name for something else")
				return
			}
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(service.Status.Carrier.Plan).To(HaveValue(And(
				HaveField("Value", world.PlanFast), HaveField("Source", v1alpha1.SourceDeclared))))

			By("another edit of the spec")
			service = d.declare(ctx, func(s *v1alpha1.BroadbandService) { s.Spec.DriftPolicy = v1alpha1.DriftCorrect })
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(d.sent()).To(HaveLen(1))
		},
		Entry("which it does not", "Home 100/20 (FTTP)", true),
		Entry("which it does", world.PlanNFAS, false),
	)

	It("has the SLA of a service whose SLA was not known", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Carrier.RestorationSLA).To(HaveValue(And(
			HaveField("Value", world.SLAStd), HaveField("Source", v1alpha1.SourceChangeResult))))
	})
})

var _ = Describe("The carrier's response to an order", func() {
	It("with another value than ordered is reported until a person confirms it", func(ctx SpecContext) {
		w, _ := fixture.Begin(ctx)
		forger := &tamperingProxy{fixture.OrdersPath, `"aggregationMethod":"L2TP"`, `"aggregationMethod":"ETHERNET"`}
		process := w.Start(world.CrashPoint{}, forger.wrap)
		Expect(w.Create(ctx, w.Order(fixture.OrderName, fixture.Reference))).To(Succeed())
		taken := process.DriveOrder(ctx, fixture.OrderName)
		fixture.ExpectOrder(taken, metav1.ConditionFalse, v1alpha1.ReasonResultDiffers)
		const says = `the carrier's result shows aggregation method "ETHERNET" instead of "L2TP"`
		Expect(fixture.OrderCondition(taken, v1alpha1.ConditionReady).Message).To(ContainSubstring(says))
		Expect(fixture.OrderCondition(taken, v1alpha1.ConditionSubmitted).Status).To(Equal(metav1.ConditionTrue))
		Expect(w.Events.All()).To(ContainElement(And(HavePrefix("Warning ResultDiffers "), ContainSubstring(says))))

		w.AnnotateOrder(ctx, fixture.OrderName, v1alpha1.AnnotationResolve, taken.Status.Request.AttemptID+"=Succeeded")
		fixture.ExpectOrder(process.DriveOrder(ctx, fixture.OrderName), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})
})

var _ = Describe("The SLA in the response to an order", func() {
	It("that is not the requested one is a Warning, and the service has the requested one", func(ctx SpecContext) {
		w, _ := fixture.Begin(ctx)
		forger := &tamperingProxy{fixture.OrdersPath, `"eSla":"Enhanced-8"`, `"eSla":"Standard"`}
		process := w.Start(world.CrashPoint{}, forger.wrap)
		Expect(w.Create(ctx, w.Order(fixture.OrderName, fixture.Reference, func(o *v1alpha1.ServiceOrder) {
			o.Spec.RestorationSLA = world.SLAFast
		}))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, fixture.OrderName), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		const warning = `the order asked for the restoration SLA "Enhanced-8", but the carrier's response names "Standard"`
		Expect(w.Events.All()).To(ContainElement(And(HavePrefix("Warning ResultDiffers "), ContainSubstring(warning))))

		line := w.Line(fixture.OnFast)
		w.EditOrder(ctx, fixture.OrderName, func(o *v1alpha1.ServiceOrder) { o.Spec.ServiceID = v1alpha1.CarrierIDOf(line) })
		process.DriveOrder(ctx, fixture.OrderName)
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithSLA(world.SLAFast), fixture.FromOrder))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Carrier.RestorationSLA).To(HaveValue(And(
			HaveField("Value", world.SLAFast), HaveField("Source", v1alpha1.SourceOrder))))
		Expect(w.Posts(line)).To(BeZero())
	})
})

var _ = DescribeTable("A requestDate that is a date-time is a day in the account's time zone",
	func(ctx SpecContext, zone, requestDate string) {
		w, _ := fixture.Begin(ctx, func(account *v1alpha1.CarrierAccount) { account.Spec.TimeZone = zone })
		forger := &tamperingProxy{
			"/service-cancellations/requests/",
			`"requestDate":"` + fixture.PendingDate + `"`, `"requestDate":"` + requestDate + `"`,
		}
		process := w.Start(world.CrashPoint{}, forger.wrap)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, fixture.EndOn(fixture.PendingDate)))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Carrier.Cancellation.PendingDate).To(Equal(fixture.PendingDate))
		Expect(fixture.Alterations(w, line)).To(BeZero())
	},
	Entry("in UTC", "", fixture.PendingDate+"T00:00:00Z"),
	Entry("in Sydney, where it is the day after that in UTC", "Australia/Sydney", "2026-06-29T14:00:00Z"),
	Entry("with an offset", "Australia/Sydney", fixture.PendingDate+"T09:30:00+10:00"),
)
