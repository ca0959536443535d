// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// onFast puts a line on the plan that world.Service declares, so that there is no change.
func onFast(service *simulator.Service) {
	withSameHealthRecord(service)
	service.Plan = world.PlanFast
}

// callCounts counts the calls to the carrier, except those of logins and the polls of a health
// request.
type callCounts struct{ health, cancellation, disruptions, others int }

func callsSince(w *world.World, calls int) callCounts {
	var counts callCounts
	for _, call := range w.Carrier.Calls()[calls:] {
		switch of := call.Operation; {
		case isLogin(call), of == simulator.OpHealth && call.Method == http.MethodGet:
		case of == simulator.OpHealth:
			counts.health++
		case of == simulator.OpCancellationRead:
			counts.cancellation++
		case of == simulator.OpDisruptions:
			counts.disruptions++
		default:
			counts.others++
		}
	}
	return counts
}

func withIntervals(health, cancellation, disruptions v1alpha1.Duration) edit {
	return func(service *v1alpha1.BroadbandService) {
		service.Spec.Observe = v1alpha1.Observe{
			HealthInterval: health, CancellationInterval: cancellation, DisruptionsInterval: disruptions,
		}
	}
}

// withTrustedMethod declares an aggregation method that is taken as true, and no plan.
func withTrustedMethod(service *v1alpha1.BroadbandService) {
	aggregated("L2TP")(service)
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
	edits       []edit
	first, then callCounts
}

var _ = DescribeTable("A quiet week of a service",
	func(ctx SpecContext, scenario week) {
		const day = 24 * time.Hour
		for _, life := range []time.Duration{7 * day, time.Hour} {
			By(fmt.Sprintf("running processes of %s after the first day", life))
			w, process := begin(ctx, orNoop(scenario.account))
			Expect(w.Create(ctx, w.Service(site, w.Line(onFast), scenario.edits...))).To(Succeed())
			calls := len(w.Carrier.Calls())
			elapse(ctx, w, process, time.Minute)
			Expect(callsSince(w, calls)).To(Equal(scenario.first))
			elapse(ctx, w, process, day) // which may have one slot less, shortly after the first reading
			known := w.Read(ctx, site)
			expectReady(known, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			calls = len(w.Carrier.Calls())
			for range 7 * day / life {
				elapse(ctx, w, process, life)
				process = w.Start(world.CrashPoint{})
			}
			Expect(callsSince(w, calls)).To(Equal(scenario.then))
			Expect(tokenChecks(w, 0)).To(Equal(int(7*day/life)), "one for each process")
			Expect(w.Read(ctx, site).ResourceVersion).To(Equal(known.ResourceVersion), "nothing is written")
		}
	},
	Entry("takes one health request and one read of the cancellation a day", week{
		edits: []edit{withIntervals("", "", "")},
		first: callCounts{health: 1, cancellation: 1}, then: callCounts{health: 7, cancellation: 7},
	}),
	Entry("that declares its cancellation takes a read of it every six hours", week{
		edits: []edit{withIntervals("", "", ""), withoutEnd},
		first: callCounts{health: 1, cancellation: 1}, then: callCounts{health: 7, cancellation: 28},
	}),
	Entry("takes what its own intervals require", week{
		edits: []edit{withIntervals("12h", "42h", "6h"), withoutEnd},
		first: callCounts{health: 1, cancellation: 1, disruptions: 1},
		then:  callCounts{health: 14, cancellation: 4, disruptions: 28},
	}),
	Entry("that declares no plan takes no health request at first", week{
		edits: []edit{withIntervals("", "", ""), withTrustedMethod},
		first: callCounts{cancellation: 1}, then: callCounts{health: 7, cancellation: 7},
	}),
	Entry("whose readings are off takes the first read of the plan that it declares", week{
		edits: []edit{withIntervals("0", "0", "0")},
		first: callCounts{health: 1},
	}),
	Entry("whose readings are off takes the first read of the plan for the SLA that it declares", week{
		edits: []edit{withIntervals("0", "0", "0"), withTrustedSLA},
		first: callCounts{health: 1},
	}),
	Entry("whose readings are off takes the first read of the cancellation that it declares", week{
		edits: []edit{withIntervals("0", "0", "0"), withTrustedMethod, withoutEnd},
		first: callCounts{cancellation: 1},
	}),
	Entry("whose readings are off and which declares nothing that can be read takes one read", week{
		edits: []edit{withIntervals("0", "0", "0"), withTrustedMethod},
		first: callCounts{cancellation: 1},
	}),
	Entry("at API version 4, strictly, takes no health request, which that version does not have", week{
		account: strictlyAt(4),
		edits:   []edit{withIntervals("", "", ""), withTrustedMethod},
		first:   callCounts{cancellation: 1}, then: callCounts{cancellation: 7},
	}),
)

var _ = DescribeTable("The reconcile annotation",
	func(ctx SpecContext, intervals edit, want callCounts) {
		s := reconciledOnce(ctx, withSameHealthRecord, intervals)
		calls := len(s.Carrier.Calls())
		service := s.reconcile(ctx, "now")
		Expect(callsSince(s.World, calls)).To(Equal(want))
		Expect(s.pass(ctx, time.Hour).ResourceVersion).To(Equal(service.ResourceVersion))
		Expect(callsSince(s.World, calls)).To(Equal(want), "once")
		calls = len(s.Carrier.Calls())
		s.reconcile(ctx, "again")
		Expect(callsSince(s.World, calls)).To(Equal(want))
	},
	Entry("causes all readings", withIntervals("9000h", "9000h", "9000h"),
		callCounts{health: 1, cancellation: 1, disruptions: 1}),
	Entry("causes no reading that is switched off", withIntervals("0", "9000h", "0"), callCounts{cancellation: 1}),
	Entry("is handled if all readings are switched off", withIntervals("0", "0", "0"), callCounts{}),
)

var _ = Describe("A known value", func() {
	It("is read again before a change, and nothing else is (R7)", func(ctx SpecContext) {
		s := reconciledOnce(ctx, withSameHealthRecord, withoutEnd)
		calls := len(s.Carrier.Calls())
		s.Edit(ctx, site, withPlan(world.PlanSlow, 12))
		expectReady(s.process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		counts := callsSince(s.World, calls)
		Expect(counts).To(Equal(callCounts{health: 1, others: counts.others}), "nothing else but the plan change")
		Expect(s.Posts(s.line)).To(Equal(1))
	})

	It("is kept while health readings fail", func(ctx SpecContext) {
		s := reconciledOnce(ctx, withSameHealthRecord, withIntervals("1h", "0", "0"))
		before, calls := s.Read(ctx, site), len(s.Carrier.Calls())
		Expect(s.Carrier.SetHealth(s.line, simulator.Health{Fails: true})).To(Succeed())
		Expect(s.pass(ctx, 10*time.Hour).ResourceVersion).To(Equal(before.ResourceVersion))
		Expect(callsSince(s.World, calls)).To(Equal(callCounts{health: 5}), "after 1, 2, 3, 5 and 9 hours")
	})
})

func ofCancellation(counts callCounts) int { return counts.cancellation }

func ofDisruptions(counts callCounts) int { return counts.disruptions }

// No service becomes Ready until a read has shown it at the carrier.
var _ = DescribeTable("A service whose cancellation the carrier refuses to show is Ready once health has shown it",
	func(ctx SpecContext, refusal simulator.Fault, declared edit, reason string) {
		w, process := begin(ctx)
		line := w.Line(withSameHealthRecord)
		refusal.Times = 10_000
		Expect(w.Carrier.FailNext("GET CancellationRead", refusal)).To(Succeed())
		Expect(w.Carrier.SetHealth(line, simulator.Health{Fails: true})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, withoutPlan, declared))).To(Succeed())
		elapse(ctx, w, process, time.Minute)
		service := w.Read(ctx, site)
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonCarrierUnavailable)
		Expect(world.Ready(service).Message).To(ContainSubstring("the service's health could not be read"))

		Expect(w.Carrier.SetHealth(line, simulator.Health{})).To(Succeed())
		elapse(ctx, w, process, time.Hour)
		service = w.Read(ctx, site)
		expectReady(service, metav1.ConditionTrue, reason)
		Expect(service.Status.Health).NotTo(BeNil())
	},
	Entry("with a 422", answerStatus(422), orNoop[*v1alpha1.BroadbandService](nil), v1alpha1.ReasonInSync),
	Entry("with a page that is no JSON", simulator.Fault{Kind: simulator.FaultBody, Status: 200, Body: "<html>"},
		orNoop[*v1alpha1.BroadbandService](nil), v1alpha1.ReasonInSync),
	Entry("with a 422, while it is only observed", answerStatus(422), func(s *v1alpha1.BroadbandService) {
		s.Spec.ManagementPolicy, s.Spec.AggregationMethod = v1alpha1.ManagementObserve, "ETHERNET"
	}, v1alpha1.ReasonObserving),
)

var _ = DescribeTable("A first reading that fails is repeated",
	func(ctx SpecContext, operation simulator.Operation, count func(callCounts) int, fault simulator.Fault) {
		w, process := begin(ctx)
		line := w.Line(onFast)
		fault.Times = 10_000
		Expect(w.Carrier.FailNext(string(operation), fault)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line, withIntervals("9000h", "9000h", "9000h")))).To(Succeed())
		elapse(ctx, w, process, time.Minute)
		before := w.Read(ctx, site)
		expectReady(before, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		elapse(ctx, w, process, 10*time.Hour)
		Expect(w.Read(ctx, site).ResourceVersion).To(Equal(before.ResourceVersion), "a failed look is no news")
		Expect(count(callsSince(w, 0))).To(And(BeNumerically(">=", 10), BeNumerically("<=", 16)))

		w.Carrier.Disarm()
		s := &settledSite{World: w, process: process, line: line}
		service := s.reconcile(ctx, "mended")
		Expect(service.Status.Carrier.Cancellation).NotTo(BeNil())
		Expect(service.Status.Disruptions).NotTo(BeNil())
	},
	Entry("at growing intervals when the cancellation answers 502",
		simulator.OpCancellationRead, ofCancellation, answerStatus(502)),
	Entry("at growing intervals when the network cuts off the response about the cancellation",
		simulator.OpCancellationRead, ofCancellation, simulator.Fault{Kind: simulator.FaultCutBody}),
	Entry("at growing intervals when disruptions answer 502",
		simulator.OpDisruptions, ofDisruptions, answerStatus(502)),
)

var _ = Describe("Healthy", func() {
	DescribeTable("follows the color of the line",
		func(ctx SpecContext, color string, status metav1.ConditionStatus, reason string) {
			s := reconciledOnce(ctx, withSameHealthRecord)
			Expect(condition(s.Read(ctx, site), v1alpha1.ConditionHealthy).Status).To(Equal(metav1.ConditionTrue))
			found := simulator.Health{
				Status: color, AlertMessage: "Loss of signal", NextAction: simulator.NextAction{Description: "Check the cable"},
				Connectivity: color, Performance: "Grey", Stability: "Amber", HRIID: "HRI7",
			}
			Expect(s.Carrier.SetHealth(s.line, found)).To(Succeed())
			seen := s.Clock.Now()
			service := s.reconcile(ctx, color)
			expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			healthy := condition(service, v1alpha1.ConditionHealthy)
			Expect([]string{string(healthy.Status), healthy.Reason}).To(Equal([]string{string(status), reason}))
			Expect(healthy.Message).To(And(ContainSubstring("Loss of signal"), ContainSubstring("Check the cable")))
			Expect(service.Status.Health.Since.Time).To(BeTemporally("~", seen, time.Minute))
			service.Status.Health.Since = metav1.Time{}
			Expect(*service.Status.Health).To(Equal(v1alpha1.HealthStatus{
				Summary: color, Connectivity: color, Performance: "Grey", Stability: "Amber",
				Alert: "Loss of signal", NextAction: "Check the cable", HRIID: "HRI7",
			}))
		},
		Entry("Green", "Green", metav1.ConditionTrue, v1alpha1.ReasonHealthGood),
		Entry("Grey", "Grey", metav1.ConditionUnknown, v1alpha1.ReasonHealthNotRated),
		Entry("Red", "Red", metav1.ConditionFalse, v1alpha1.ReasonHealthImpaired),
	)

	It("causes no write while only the number of the health record is new", func(ctx SpecContext) {
		s := reconciledOnce(ctx, func(line *simulator.Service) { line.Health.HRIID = "" }, readEvery("24h"))
		before := s.Read(ctx, site)
		after := s.pass(ctx, 7*24*time.Hour)
		Expect(after.Status.Health.Since).To(Equal(before.Status.Health.Since), "when this view was first seen")
		Expect(after.ResourceVersion).To(Equal(before.ResourceVersion))
	})
})
