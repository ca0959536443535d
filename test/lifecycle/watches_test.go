// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Objects that wait for others request no requeue: only a watch makes them continue.
var _ = Describe("An object that waits for another", func() {
	var (
		w    *world.World
		left int // in the queues of managers that have ended: a queue that is shut down keeps what it contains
	)

	BeforeEach(func(ctx SpecContext) {
		w = world.NewInRealTime(ctx, plane, realTime, withoutDelays)
		left = queued()
		w.Manage(ctx, user)
	})

	waits := func(ctx SpecContext, reason string, objects ...client.Object) {
		GinkgoHelper()
		before := requeues(ctx, w, left)
		for _, object := range objects {
			Expect(w.Create(ctx, object)).To(Succeed())
		}
		awaitReason(ctx, w, reason, objects...)
		Expect(requeues(ctx, w, left)).To(BeNumerically("<=", before), "none of them requests a requeue")
	}

	It("continues when its account is corrected", func(ctx SpecContext) {
		w.Provokes(simulator.RuleAssertion)
		account := w.Login(ctx, world.PollEverySecond, func(account *v1alpha1.CarrierAccount) {
			account.Spec.Auth.Keys[0].KeyID = "unknown"
		})
		awaitReason(ctx, w, v1alpha1.ReasonTokenRejected, account)
		line := w.Line()
		order, service, appointment := w.Order(accepted, accepted), w.Service(site, line), w.Appointment(technician, farAhead)
		test, quote, query := w.Test("test", line), w.Quote("quote", world.QualifiedSite), w.Query("query", line)
		check := w.Check("check", line)
		waits(ctx, v1alpha1.ReasonAccountNotReady, order, service, appointment, test, quote, query, check)

		before := account.DeepCopy()
		account.Spec.Auth.Keys[0].KeyID = world.KeyID
		Expect(w.Patch(ctx, account, client.MergeFrom(before))).To(Succeed())

		awaitReason(ctx, w, v1alpha1.ReasonSubmitted, order)
		awaitReason(ctx, w, v1alpha1.ReasonInSync, service)
		awaitReason(ctx, w, v1alpha1.ReasonCompleted, appointment, test, quote, query, check)
	})

	It("continues when its order, or the service from that, gets its number", func(ctx SpecContext) {
		w.AwaitLogin(ctx, world.PollEverySecond)
		service, appointment := w.Service(site, 0, fromOrder), w.Appointment(technician, farAhead, ofOrder)
		test, query := w.Test("test", 0, testOfService), w.Query("query", 0, queryOfService)
		check := w.Check("check", 0, checkOfService)
		waits(ctx, v1alpha1.ReasonOrderNotReady, service, appointment)
		waits(ctx, v1alpha1.ReasonServiceNotReady, test, query, check)

		Expect(w.Create(ctx, w.Order(accepted, accepted))).To(Succeed())
		awaitReason(ctx, w, v1alpha1.ReasonCompleted, appointment)
		awaitReason(ctx, w, v1alpha1.ReasonOrderNotReady, service)
		awaitReason(ctx, w, v1alpha1.ReasonServiceNotReady, test, query, check)

		line := w.Line()
		w.EditOrder(ctx, accepted, func(order *v1alpha1.ServiceOrder) { order.Spec.ServiceID = v1alpha1.CarrierIDOf(line) })
		awaitReason(ctx, w, v1alpha1.ReasonInSync, service)
		awaitReason(ctx, w, v1alpha1.ReasonCompleted, test, query, check)
		Expect(w.Read(ctx, site).Status.ServiceID).To(Equal(v1alpha1.CarrierIDOf(line)))
		Expect(w.Carrier.Submissions(simulator.OpDiagnosticTest, line).Seen).To(Equal(1))
	})

	It("takes over a ledger when its holder is gone", func(ctx SpecContext) {
		w.AwaitLogin(ctx, world.PollEverySecond)
		holder, next := w.Order(accepted, accepted), w.Order("next", accepted)
		Expect(w.Create(ctx, holder)).To(Succeed())
		awaitReason(ctx, w, v1alpha1.ReasonSubmitted, holder)
		waits(ctx, v1alpha1.ReasonConflict, next)

		Expect(w.Delete(ctx, holder)).To(Succeed())
		awaitReason(ctx, w, v1alpha1.ReasonSubmitted, next)
		Expect(w.ReadOrder(ctx, next.Name).Status.OrderID).To(Equal(holder.Status.OrderID))
		Expect(w.Ordered(accepted)).To(Equal(simulator.Count{Seen: 1, Processed: 1}))
	})

	It("reports LedgerLost once its ledger is removed by force (R5, R32)", func(ctx SpecContext) {
		w.AwaitLogin(ctx, world.PollEverySecond)
		order := w.Order(accepted, accepted)
		Expect(w.Create(ctx, order)).To(Succeed())
		awaitReason(ctx, w, v1alpha1.ReasonSubmitted, order)
		ledger := &v1alpha1.RequestLedger{}
		Expect(w.Get(ctx, client.ObjectKey{Name: order.Status.Ledger.Name}, ledger)).To(Succeed())

		ledger.Finalizers = nil
		Expect(w.Update(ctx, ledger)).To(Succeed())
		Expect(w.Delete(ctx, ledger)).To(Succeed())

		awaitReason(ctx, w, v1alpha1.ReasonLedgerLost, order)
		Expect(w.Ordered(accepted)).To(Equal(simulator.Count{Seen: 1, Processed: 1}))
	})

	It("reports Conflict once the other one has sent (R32)", func(ctx SpecContext) {
		w.AwaitLogin(ctx, world.PollEverySecond)
		line := w.Line()
		order, service := w.Order("waiting", accepted), w.Service("waiting", line)
		order.Spec.Approval, service.Spec.Approval = v1alpha1.ApprovalAlways, v1alpha1.ApprovalAlways
		Expect(w.Create(ctx, order)).To(Succeed())
		Expect(w.Create(ctx, service)).To(Succeed())
		awaitReason(ctx, w, v1alpha1.ReasonAwaitingApproval, order, service)

		otherOrder, otherService := w.Order(accepted, accepted), w.Service(site, line)
		Expect(w.Create(ctx, otherOrder)).To(Succeed())
		Expect(w.Create(ctx, otherService)).To(Succeed())
		awaitReason(ctx, w, v1alpha1.ReasonSubmitted, otherOrder)
		awaitReason(ctx, w, v1alpha1.ReasonConflict, order, service)
	})
})

// farAhead sets a day that is in the future for as long as the test runs.
func farAhead(appointment *v1alpha1.AppointmentRequest) { appointment.Spec.DateFrom = "2099-01-05" }

func ofOrder(appointment *v1alpha1.AppointmentRequest) {
	appointment.Spec.OrderID, appointment.Spec.OrderRef = "", &v1alpha1.OrderReference{Name: accepted}
}

func fromOrder(service *v1alpha1.BroadbandService) {
	service.Spec.ServiceID, service.Spec.OrderRef = "", &v1alpha1.OrderReference{Name: accepted}
}

func testOfService(test *v1alpha1.DiagnosticTest) {
	test.Spec.ServiceID, test.Spec.ServiceRef = "", &v1alpha1.ServiceReference{Name: site}
}

func queryOfService(query *v1alpha1.PlanOptionsQuery) {
	query.Spec.ServiceID, query.Spec.ServiceRef = "", &v1alpha1.ServiceReference{Name: site}
}

func checkOfService(check *v1alpha1.HealthCheck) {
	check.Spec.ServiceID, check.Spec.ServiceRef = "", &v1alpha1.ServiceReference{Name: site}
}

// awaitReason waits until each object shows a reason in Ready, and reads the object into the
// argument.
func awaitReason(ctx SpecContext, w *world.World, reason string, objects ...client.Object) {
	GinkgoHelper()
	for _, object := range objects {
		eventually(ctx, func(g Gomega) {
			g.Expect(w.Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
			ready := world.Condition(conditionsOf(object), v1alpha1.ConditionReady)
			g.Expect(ready.Reason).To(Equal(reason), ready.Message)
			g.Expect(ready.ObservedGeneration).To(Equal(object.GetGeneration()))
		})
	}
}

// conditionsOf returns the conditions of an object of ours.
func conditionsOf(object client.Object) []metav1.Condition {
	GinkgoHelper()
	described, is := object.(v1alpha1.Described)
	Expect(is).To(BeTrue(), "%T", object)
	conditions, _ := described.Describes()
	return *conditions
}

// queued counts the passes that are queued, of all managers of this process.
func queued() int { return world.Metric(world.QueueDepth, ofWaiting) }

// requeues counts the passes that have requested a requeue, once all passes are done, except those
// left by earlier managers. Passes after a conflict are not counted.
func requeues(ctx SpecContext, w *world.World, left int) int {
	GinkgoHelper()
	eventually(ctx, func(g Gomega) {
		g.Expect(queued()).To(Equal(left))
		g.Expect(world.Metric(world.PassesNow, ofWaiting)).To(BeZero()) // a controller sets it to zero when it starts
	})
	conflicts := 0
	for action, count := range audit.Tally(user, w.Namespace).Failed {
		if strings.HasSuffix(action, ": 409") {
			conflicts += count
		}
	}
	again := func(of world.Labels) bool { return ofWaiting(of) && of["result"] != "success" }
	return world.Metric(world.PassesTotal, again) - conflicts
}

// ofWaiting selects all controllers except the controller of accounts. That controller requeues an
// account that is not ready, because nothing watches its Secret.
func ofWaiting(of world.Labels) bool { return of["controller"] != "carrieraccount" }
