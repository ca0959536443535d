// SPDX-License-Identifier: Apache-2.0

package requests_test

import (
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = DescribeTable("A Location under another status is polled before a person is asked",
	func(ctx SpecContext, status int) {
		w, process := fixture.Begin(ctx)
		Expect(w.Carrier.FailNext("POST AggregationConversion",
			simulator.Fault{Kind: simulator.FaultAlter, Status: status})).To(Succeed())
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithEthernet, fixture.WithoutPlan))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Carrier.Submissions(simulator.OpAggregationConversion, line)).To(
			Equal(simulator.Count{Seen: 1, Processed: 1}))
		Expect(strings.Join(w.Events.All(), "\n")).NotTo(ContainSubstring(v1alpha1.ReasonOutcomeUnknown))
	},
	Entry("with 200", 200),
	Entry("with 202", 202),
	Entry("with 500", 500),
	Entry("with 502", 502),
)

var _ = Describe("A Location that shows no request", func() {
	It("is polled a limited number of times, and then named to a person", func(ctx SpecContext) {
		const nobodys = "/api/connect/services/aggregation-conversions/requests/987654321"
		w, process := fixture.Begin(ctx)
		Expect(w.Carrier.FailNext("POST AggregationConversion",
			simulator.Fault{Kind: simulator.FaultAlter, Status: 202, Location: nobodys})).To(Succeed())
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithEthernet, fixture.WithoutPlan))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(world.Ready(service).Message).To(ContainSubstring(nobodys))
		Expect(service.RequestOf(v1alpha1.OperationAggregationConversion).Candidate).To(Equal(nobodys))
		polls := 0
		for _, call := range w.Carrier.Calls() {
			if call.Method == http.MethodGet && call.Operation == simulator.OpAggregationConversion {
				polls++
			}
		}
		Expect(polls).To(Equal(12))
		Expect(w.Carrier.Submissions(simulator.OpAggregationConversion, line).Seen).To(Equal(1))
	})

	It("is named at once for an order, which cannot be polled", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Carrier.FailNext("POST OrderCreate",
			simulator.Fault{Kind: simulator.FaultAlter, Status: 202})).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(fixture.OrderCondition(order, v1alpha1.ConditionReady).Message).To(MatchRegexp(`/api/connect/orders/\d+`))
		Expect(w.Ordered(fixture.Reference)).To(Equal(simulator.Count{Seen: 1, Processed: 1}))
	})
})

var _ = It("A Location of an earlier attempt is not that of a new one", func(ctx SpecContext) {
	w, process := fixture.Begin(ctx)
	line := w.Line()
	Expect(w.Create(ctx, w.Service(site, line, fixture.WithEthernet, fixture.WithoutPlan))).To(Succeed())
	service := process.Drive(ctx, site)
	fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
	first := service.RequestOf(v1alpha1.OperationAggregationConversion)
	Expect(w.Carrier.FailNext("POST AggregationConversion",
		simulator.Fault{Kind: simulator.FaultLocation, Location: first.Location})).To(Succeed())
	w.Edit(ctx, site, func(s *v1alpha1.BroadbandService) { s.Spec.AggregationMethod = "L2TP" })
	service = process.Drive(ctx, site)
	fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
	Expect(world.Ready(service).Message).To(ContainSubstring("is the Location of attempt " + first.AttemptID))
	Expect(service.RequestOf(v1alpha1.OperationAggregationConversion).Location).To(BeEmpty())
	Expect(w.Carrier.Submissions(simulator.OpAggregationConversion, line).Seen).To(Equal(2))
})
