// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// withServiceID sets the service's number in the spec.
func withServiceID(line int64) fixture.Edit {
	return func(service *v1alpha1.BroadbandService) {
		service.Spec.ServiceID, service.Spec.OrderRef = v1alpha1.CarrierIDOf(line), nil
	}
}

// withOrderedValues declares the values of fixture.DeliveredOrder.
func withOrderedValues(service *v1alpha1.BroadbandService) {
	fixture.WithPlan(world.PlanSlow, 12)(service)
	service.Spec.RestorationSLA, service.Spec.AggregationMethod = world.SLAStd, "L2TP"
}

var _ = Describe("A service from an order", func() {
	It("waits for the order, then for its service, and takes over the order's values", func(ctx SpecContext) {
		w, process, orders := fixture.BeginWithOrders(ctx)
		line := w.Line(fixture.WithSameHealthRecord)
		Expect(w.Create(ctx, w.Service(site, line, withOrderedValues, fixture.FromOrder))).To(Succeed())
		calls := len(w.Carrier.Calls())
		for _, step := range []struct {
			order *services.Order
			says  string
		}{
			{nil, "does not exist"},
			{&services.Order{}, "has not been accepted"},
			{&services.Order{Accepted: true, Plan: world.PlanFast}, "has no service yet"},
		} {
			orders[fixture.OrderName] = step.order
			service := process.Drive(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonOrderNotReady)
			Expect(fixture.Condition(service, v1alpha1.ConditionReconciling).Status).To(Equal(metav1.ConditionTrue))
			Expect(world.Ready(service).Message).To(And(ContainSubstring(fixture.OrderName), ContainSubstring(step.says)))
			Expect(service.Status.Carrier).To(BeNil())
		}
		Expect(fixture.CallsBeyondLogin(w, calls)).To(BeEmpty())

		orders[fixture.OrderName] = fixture.DeliveredOrder(line)
		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.ServiceID).To(Equal(v1alpha1.CarrierIDOf(line)))
		state := service.Status.Carrier
		Expect(state.AVCID).To(Equal("AVC7"))
		for value, known := range map[string]*v1alpha1.KnownValue{
			world.PlanSlow: state.Plan, "12": state.Term, world.SLAStd: state.RestorationSLA, "L2TP": state.AggregationMethod,
		} {
			Expect(*known).To(And(HaveField("Value", value), HaveField("Source", v1alpha1.SourceOrder)))
		}
		Expect(fixture.CallsSince(w, calls)).To(Equal(fixture.CallCounts{Cancellation: 1}))
	})

	It("continues with its own number when that replaces the order, and with no other", func(ctx SpecContext) {
		w, process, orders := fixture.BeginWithOrders(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.FromOrder))).To(Succeed())
		orders[fixture.OrderName] = fixture.DeliveredOrder(line)
		fixture.DriveUntilAccepted(ctx, w, process)

		service := w.Read(ctx, site)
		withServiceID(line + 1)(service)
		Expect(w.Update(ctx, service)).To(MatchError(ContainSubstring(
			"is invalid: spec.serviceID: Forbidden: serviceID must equal status.serviceID")))
		service = w.Read(ctx, site)
		service.Spec.OrderRef.Name = "another"
		Expect(w.Update(ctx, service)).To(MatchError(ContainSubstring("orderRef is immutable")))
		w.Edit(ctx, site, withServiceID(line))
		delete(orders, fixture.OrderName)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		service = w.Read(ctx, site)
		fixture.FromOrder(service)
		Expect(w.Update(ctx, service)).To(MatchError(ContainSubstring("serviceID is immutable")))
		service = w.Read(ctx, site)
		withServiceID(line + 1)(service) // refused once, although two rules are about the number
		Expect(w.Update(ctx, service)).To(MatchError(ContainSubstring(
			"is invalid: spec.serviceID: Forbidden: serviceID is immutable")))
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("can be given its number before the order has one", func(ctx SpecContext) {
		w, process, _ := fixture.BeginWithOrders(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.FromOrder))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOrderNotReady)
		w.Edit(ctx, site, withServiceID(line))
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.ServiceID).To(Equal(v1alpha1.CarrierIDOf(line)))
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("leaves a ledger that an object of its number takes over, although the order is deleted", func(ctx SpecContext) {
		w, process, orders := fixture.BeginWithOrders(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.FromOrder))).To(Succeed())
		orders[fixture.OrderName] = fixture.DeliveredOrder(line)
		before := fixture.DriveUntilAccepted(ctx, w, process).OpenRequest()
		delete(orders, fixture.OrderName)
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Expect(w.Start(world.CrashPoint{}, orders.Use).Drive(ctx, site)).To(BeNil())

		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).AttemptID).To(Equal(before.AttemptID))
		Expect(w.Posts(line)).To(Equal(1))
	})

	DescribeTable("that declares another value than the order sends one request for it",
		func(ctx SpecContext, declare fixture.Edit, operation simulator.Operation) {
			w, process, orders := fixture.BeginWithOrders(ctx)
			line := w.Line()
			orders[fixture.OrderName] = fixture.DeliveredOrder(line)
			Expect(w.Create(ctx, w.Service(site, line, withOrderedValues, declare, fixture.FromOrder))).To(Succeed())
			fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(w.Carrier.Submissions(operation, line).Seen).To(Equal(1))
			Expect(fixture.Changes(w, line)).To(Equal(1))
			w.Clock.Advance(fixture.Horizon)
			process.Drive(ctx, site)
			Expect(fixture.Changes(w, line)).To(Equal(1), "what the order said is no longer believed")
		},
		Entry("for another plan", fixture.WithPlan(world.PlanFast, 12), simulator.OpPlanChange),
		Entry("for another term", fixture.WithPlan(world.PlanSlow, 24), simulator.OpPlanChange),
		Entry("for another restoration SLA", fixture.WithSLA(world.SLAFast), simulator.OpPlanChange),
		Entry("for another aggregation method", func(s *v1alpha1.BroadbandService) { s.Spec.AggregationMethod = "ETHERNET" },
			simulator.OpAggregationConversion),
	)
})

// pair is two objects that declare the same for one service: one names it by orderRef, the other by
// serviceID.
type pair struct {
	orderFirst bool // whether the one by orderRef is older
	early      time.Duration
	says       func(line int64) *services.Order
	declare    fixture.Edit
}

var _ = DescribeTable("Two objects of one service, one of them from an order, send one request in total",
	func(ctx SpecContext, scenario pair) {
		w, process, orders := fixture.BeginWithOrders(ctx)
		line := w.Line()
		roles := map[string]fixture.Edit{"elder": fixture.FromOrder, "younger": withServiceID(line)}
		if !scenario.orderFirst {
			roles = map[string]fixture.Edit{"elder": withServiceID(line), "younger": fixture.FromOrder}
		}
		Expect(w.Create(ctx, w.Service("elder", line, scenario.declare, roles["elder"]))).To(Succeed())
		Expect(w.Create(ctx, w.Service("younger", line, scenario.declare, roles["younger"]))).To(Succeed())
		reconcileBoth(ctx, w, process, scenario.early)
		orders[fixture.OrderName] = scenario.says(line)
		reconcileBoth(ctx, w, process, time.Hour)

		expectOneReady(ctx, w)
		Expect(fixture.Changes(w, line)).To(Equal(1))
	},
	Entry("when the one from the order is younger", pair{says: bareOrder, declare: fixture.WithPlan(world.PlanFast, 12)}),
	Entry("when the one from the order is younger, and the order knows the plan", pair{
		early: time.Hour, says: fixture.DeliveredOrder, declare: fixture.WithPlan(world.PlanFast, 12),
	}),
	Entry("when the one from the order is younger, and the order knows the aggregation method", pair{
		early: time.Hour, says: fixture.DeliveredOrder, declare: fixture.Aggregated("ETHERNET"),
	}),
	Entry("when the one from the order is older, and the order is ready at once", pair{
		orderFirst: true, says: bareOrder, declare: fixture.WithPlan(world.PlanFast, 12),
	}),
	Entry("when the one from the order is older, and gets its number during the other's request", pair{
		orderFirst: true, early: 20 * time.Second, says: bareOrder, declare: fixture.WithPlan(world.PlanFast, 12),
	}),
	Entry("when the one from the order is older, and gets its number after the other's request", pair{
		orderFirst: true, early: time.Hour, says: bareOrder, declare: fixture.WithPlan(world.PlanFast, 12),
	}),
	Entry("when the one from the order is older, and the order has values that the other has changed", pair{
		orderFirst: true, early: time.Hour, says: fixture.DeliveredOrder, declare: fixture.WithPlan(world.PlanFast, 12),
	}),
	Entry("when the one from the order is older, and the other has changed values that no read returns", pair{
		orderFirst: true, early: time.Hour, says: bareOrder, declare: fixture.Aggregated("ETHERNET"),
	}),
)

// bareOrder is an order that contains nothing but its service's number.
func bareOrder(line int64) *services.Order {
	return &services.Order{Accepted: true, ServiceID: v1alpha1.CarrierIDOf(line)}
}

// reconcileBoth lets a time pass and reconciles both objects of a pair.
func reconcileBoth(ctx SpecContext, w *world.World, process *world.Process, span time.Duration) {
	GinkgoHelper()
	for end := w.Clock.Now().Add(span); ; {
		rest := end.Sub(w.Clock.Now())
		for _, name := range []string{"elder", "younger"} {
			result, err := process.Reconcile(ctx, name)
			Expect(err).NotTo(HaveOccurred())
			if result.RequeueAfter > 0 {
				rest = min(rest, result.RequeueAfter)
			}
		}
		w.Clock.Advance(rest)
		if !w.Clock.Now().Before(end) {
			return
		}
	}
}
