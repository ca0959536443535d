// SPDX-License-Identifier: Apache-2.0

package reading_test

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func withIntervals(health, cancellation, disruptions v1alpha1.Duration) fixture.Edit {
	return func(service *v1alpha1.BroadbandService) {
		service.Spec.Observe = v1alpha1.Observe{
			HealthInterval: health, CancellationInterval: cancellation, DisruptionsInterval: disruptions,
		}
	}
}

// withTrustedMethod declares an aggregation method that is taken as true, and no plan.
func withTrustedMethod(service *v1alpha1.BroadbandService) {
	fixture.Aggregated("L2TP")(service)
	service.Spec.TrustDeclared = []v1alpha1.TrustedAspect{v1alpha1.TrustAggregationMethod}
}

// withTrustedSLA declares a restoration SLA that is taken as true, and nothing else.
func withTrustedSLA(service *v1alpha1.BroadbandService) {
	service.Spec.Plan, service.Spec.RestorationSLA = nil, world.SLAStd
	service.Spec.TrustDeclared = []v1alpha1.TrustedAspect{v1alpha1.TrustRestorationSLA}
}

// week is a service that is in sync, the calls that its first reconciliation needs, and those of
// seven days after the first day.
type week struct {
	account     func(*v1alpha1.CarrierAccount)
	edits       []fixture.Edit
	first, then fixture.CallCounts
}

var _ = DescribeTable("A quiet week of a service",
	func(ctx SpecContext, scenario week) {
		const day = 24 * time.Hour
		for _, life := range []time.Duration{7 * day, time.Hour} {
			By(fmt.Sprintf("running processes of %s after the first day", life))
			w, process := fixture.Begin(ctx, fixture.OrNoop(scenario.account))
			Expect(w.Create(ctx, w.Service(site, w.Line(fixture.OnFast), scenario.edits...))).To(Succeed())
			calls := len(w.Carrier.Calls())
			fixture.Elapse(ctx, w, process, time.Minute)
			Expect(fixture.CallsSince(w, calls)).To(Equal(scenario.first))
			fixture.Elapse(ctx, w, process, day) // which may have one slot less, shortly after the first reading
			known := w.Read(ctx, site)
			fixture.ExpectReady(known, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			calls = len(w.Carrier.Calls())
			for range 7 * day / life {
				fixture.Elapse(ctx, w, process, life)
				process = w.Start(world.CrashPoint{})
			}
			Expect(fixture.CallsSince(w, calls)).To(Equal(scenario.then))
			Expect(fixture.TokenChecks(w, 0)).To(Equal(int(7*day/life)), "one for each process")
			Expect(w.Read(ctx, site).ResourceVersion).To(Equal(known.ResourceVersion), "nothing is written")
		}
	},
	Entry("takes one health request and one read of the cancellation a day", week{
		edits: []fixture.Edit{withIntervals("", "", "")},
		first: fixture.CallCounts{Health: 1, Cancellation: 1}, then: fixture.CallCounts{Health: 7, Cancellation: 7},
	}),
	Entry("that declares its cancellation takes a read of it every six hours", week{
		edits: []fixture.Edit{withIntervals("", "", ""), fixture.WithoutEnd},
		first: fixture.CallCounts{Health: 1, Cancellation: 1}, then: fixture.CallCounts{Health: 7, Cancellation: 28},
	}),
	Entry("takes what its own intervals require", week{
		edits: []fixture.Edit{withIntervals("12h", "42h", "6h"), fixture.WithoutEnd},
		first: fixture.CallCounts{Health: 1, Cancellation: 1, Disruptions: 1},
		then:  fixture.CallCounts{Health: 14, Cancellation: 4, Disruptions: 28},
	}),
	Entry("that declares no plan takes no health request at first", week{
		edits: []fixture.Edit{withIntervals("", "", ""), withTrustedMethod},
		first: fixture.CallCounts{Cancellation: 1}, then: fixture.CallCounts{Health: 7, Cancellation: 7},
	}),
	Entry("whose readings are off takes the first read of the plan that it declares", week{
		edits: []fixture.Edit{withIntervals("0", "0", "0")},
		first: fixture.CallCounts{Health: 1},
	}),
	Entry("whose readings are off takes the first read of the plan for the SLA that it declares", week{
		edits: []fixture.Edit{withIntervals("0", "0", "0"), withTrustedSLA},
		first: fixture.CallCounts{Health: 1},
	}),
	Entry("whose readings are off takes the first read of the cancellation that it declares", week{
		edits: []fixture.Edit{withIntervals("0", "0", "0"), withTrustedMethod, fixture.WithoutEnd},
		first: fixture.CallCounts{Cancellation: 1},
	}),
	Entry("whose readings are off and which declares nothing that can be read takes one read", week{
		edits: []fixture.Edit{withIntervals("0", "0", "0"), withTrustedMethod},
		first: fixture.CallCounts{Cancellation: 1},
	}),
	Entry("at API version 4, strictly, takes no health request, which that version does not have", week{
		account: fixture.StrictlyAt(4),
		edits:   []fixture.Edit{withIntervals("", "", ""), withTrustedMethod},
		first:   fixture.CallCounts{Cancellation: 1}, then: fixture.CallCounts{Cancellation: 7},
	}),
)

var _ = DescribeTable("The reconcile annotation",
	func(ctx SpecContext, intervals fixture.Edit, want fixture.CallCounts) {
		s := reconciledOnce(ctx, fixture.WithSameHealthRecord, intervals)
		calls := len(s.Carrier.Calls())
		service := s.reconcile(ctx, "now")
		Expect(fixture.CallsSince(s.World, calls)).To(Equal(want))
		Expect(s.pass(ctx, time.Hour).ResourceVersion).To(Equal(service.ResourceVersion))
		Expect(fixture.CallsSince(s.World, calls)).To(Equal(want), "once")
		calls = len(s.Carrier.Calls())
		s.reconcile(ctx, "again")
		Expect(fixture.CallsSince(s.World, calls)).To(Equal(want))
	},
	Entry("causes all readings", withIntervals("9000h", "9000h", "9000h"),
		fixture.CallCounts{Health: 1, Cancellation: 1, Disruptions: 1}),
	Entry("causes no reading that is switched off", withIntervals("0", "9000h", "0"), fixture.CallCounts{Cancellation: 1}),
	Entry("is handled if all readings are switched off", withIntervals("0", "0", "0"), fixture.CallCounts{}),
)

var _ = Describe("A known value", func() {
	It("is read again before a change, and nothing else is (R7)", func(ctx SpecContext) {
		s := reconciledOnce(ctx, fixture.WithSameHealthRecord, fixture.WithoutEnd)
		calls := len(s.Carrier.Calls())
		s.Edit(ctx, site, fixture.WithPlan(world.PlanSlow, 12))
		fixture.ExpectReady(s.process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		counts := fixture.CallsSince(s.World, calls)
		Expect(counts).To(Equal(fixture.CallCounts{Health: 1, Others: counts.Others}), "nothing else but the plan change")
		Expect(s.Posts(s.line)).To(Equal(1))
	})

	It("is kept while health readings fail", func(ctx SpecContext) {
		s := reconciledOnce(ctx, fixture.WithSameHealthRecord, withIntervals("1h", "0", "0"))
		before, calls := s.Read(ctx, site), len(s.Carrier.Calls())
		Expect(s.Carrier.SetHealth(s.line, simulator.Health{Fails: true})).To(Succeed())
		Expect(s.pass(ctx, 10*time.Hour).ResourceVersion).To(Equal(before.ResourceVersion))
		Expect(fixture.CallsSince(s.World, calls)).To(Equal(fixture.CallCounts{Health: 5}), "after 1, 2, 3, 5 and 9 hours")
	})
})

func ofCancellation(counts fixture.CallCounts) int { return counts.Cancellation }

func ofDisruptions(counts fixture.CallCounts) int { return counts.Disruptions }

// No service becomes Ready until a read has shown it at the carrier.
var _ = DescribeTable("A service whose cancellation the carrier refuses to show is Ready once health has shown it",
	func(ctx SpecContext, refusal simulator.Fault, declared fixture.Edit, reason string) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithSameHealthRecord)
		refusal.Times = 10_000
		Expect(w.Carrier.FailNext("GET CancellationRead", refusal)).To(Succeed())
		Expect(w.Carrier.SetHealth(line, simulator.Health{Fails: true})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutPlan, declared))).To(Succeed())
		fixture.Elapse(ctx, w, process, time.Minute)
		service := w.Read(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonCarrierUnavailable)
		Expect(world.Ready(service).Message).To(ContainSubstring("the service's health could not be read"))

		Expect(w.Carrier.SetHealth(line, simulator.Health{})).To(Succeed())
		fixture.Elapse(ctx, w, process, time.Hour)
		service = w.Read(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, reason)
		Expect(service.Status.Health).NotTo(BeNil())
	},
	Entry("with a 422", fixture.AnswerStatus(422), fixture.OrNoop[*v1alpha1.BroadbandService](nil), v1alpha1.ReasonInSync),
	Entry("with a page that is no JSON", simulator.Fault{Kind: simulator.FaultBody, Status: 200, Body: "<html>"},
		fixture.OrNoop[*v1alpha1.BroadbandService](nil), v1alpha1.ReasonInSync),
	Entry("with a 422, while it is only observed", fixture.AnswerStatus(422), func(s *v1alpha1.BroadbandService) {
		s.Spec.ManagementPolicy, s.Spec.AggregationMethod = v1alpha1.ManagementObserve, "ETHERNET"
	}, v1alpha1.ReasonObserving),
)

var _ = DescribeTable("A first reading that fails is repeated",
	func(ctx SpecContext, operation simulator.Operation, count func(fixture.CallCounts) int, fault simulator.Fault) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.OnFast)
		fault.Times = 10_000
		Expect(w.Carrier.FailNext(string(operation), fault)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, withIntervals("9000h", "9000h", "9000h")))).To(Succeed())
		fixture.Elapse(ctx, w, process, time.Minute)
		before := w.Read(ctx, site)
		fixture.ExpectReady(before, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		fixture.Elapse(ctx, w, process, 10*time.Hour)
		Expect(w.Read(ctx, site).ResourceVersion).To(Equal(before.ResourceVersion), "a failed look is no news")
		Expect(count(fixture.CallsSince(w, 0))).To(And(BeNumerically(">=", 10), BeNumerically("<=", 16)))

		w.Carrier.Disarm()
		s := &settledSite{World: w, process: process, line: line}
		service := s.reconcile(ctx, "mended")
		Expect(service.Status.Carrier.Cancellation).NotTo(BeNil())
		Expect(service.Status.Disruptions).NotTo(BeNil())
	},
	Entry("at growing intervals when the cancellation answers 502",
		simulator.OpCancellationRead, ofCancellation, fixture.AnswerStatus(502)),
	Entry("at growing intervals when the network cuts off the response about the cancellation",
		simulator.OpCancellationRead, ofCancellation, simulator.Fault{Kind: simulator.FaultCutBody}),
	Entry("at growing intervals when disruptions answer 502",
		simulator.OpDisruptions, ofDisruptions, fixture.AnswerStatus(502)),
)

var _ = Describe("Healthy", func() {
	DescribeTable("follows the color of the line",
		func(ctx SpecContext, color string, status metav1.ConditionStatus, reason string) {
			s := reconciledOnce(ctx, fixture.WithSameHealthRecord)
			Expect(fixture.Condition(s.Read(ctx, site), v1alpha1.ConditionHealthy).Status).To(Equal(metav1.ConditionTrue))
			found := simulator.Health{
				Status: color, AlertMessage: "Loss of signal", NextAction: simulator.NextAction{Description: "Check the cable"},
				Connectivity: color, Performance: "Grey", Stability: "Amber", HRIID: "HRI7",
			}
			Expect(s.Carrier.SetHealth(s.line, found)).To(Succeed())
			seen := s.Clock.Now()
			service := s.reconcile(ctx, color)
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			healthy := fixture.Condition(service, v1alpha1.ConditionHealthy)
			Expect([]string{string(healthy.Status), healthy.Reason}).To(Equal([]string{string(status), reason}))
			Expect(healthy.Message).To(And(ContainSubstring("Loss of signal"), ContainSubstring("Check the cable")))
			Expect(service.Status.Health.Since.Time).To(BeTemporally("~", seen, time.Minute))
			service.Status.Health.Since = metav1.Time{}
			Expect(*service.Status.Health).To(Equal(v1alpha1.HealthStatus{
				Summary:         color,
				HealthIndicator: v1alpha1.HealthIndicator{Connectivity: color, Performance: "Grey", Stability: "Amber"},
				Alert:           "Loss of signal", NextAction: "Check the cable", HRIID: "HRI7",
			}))
		},
		Entry("Green", "Green", metav1.ConditionTrue, v1alpha1.ReasonHealthGood),
		Entry("Grey", "Grey", metav1.ConditionUnknown, v1alpha1.ReasonHealthNotRated),
		Entry("Red", "Red", metav1.ConditionFalse, v1alpha1.ReasonHealthImpaired),
	)

	It("causes no write while only the number of the health record is new", func(ctx SpecContext) {
		s := reconciledOnce(ctx, func(line *simulator.Service) { line.Health.HRIID = "" }, fixture.ReadEvery("24h"))
		before := s.Read(ctx, site)
		after := s.pass(ctx, 7*24*time.Hour)
		Expect(after.Status.Health.Since).To(Equal(before.Status.Health.Since), "when this view was first seen")
		Expect(after.ResourceVersion).To(Equal(before.ResourceVersion))
	})
})
