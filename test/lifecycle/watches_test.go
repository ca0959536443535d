// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Objects that wait for others ask for no look by themselves: that they go on at all is the
// work of a watch.
var _ = Describe("An object that waits for another", func() {
	var (
		w       *world.World
		waiting []client.Object // those that wait, as they were created
	)

	BeforeEach(func(ctx SpecContext) {
		w, waiting = world.NewInRealTime(ctx, plane, realTime, quick), nil
		w.Manage(ctx, user)
	})

	wait := func(ctx SpecContext, reason string, objects ...client.Object) {
		GinkgoHelper()
		before := restless(ctx, w)
		for _, object := range objects {
			Expect(w.Create(ctx, object)).To(Succeed())
		}
		waiting = append(waiting, objects...)
		awaitReason(ctx, w, reason, objects...)
		Expect(restless(ctx, w)).To(BeNumerically("<=", before), "none of them looks again by itself")
	}

	It("goes on when its account is mended", func(ctx SpecContext) {
		wrong := func(account *v1alpha1.CarrierAccount) {
			watchful(account)
			account.Spec.Auth.Keys[0].KeyID = "unknown"
		}
		account := w.Login(ctx, wrong)
		awaitReason(ctx, w, v1alpha1.ReasonTokenRejected, account)
		line := w.Line()
		wait(ctx, v1alpha1.ReasonAccountNotReady,
			w.Order(accepted, accepted), w.Service(site, line), w.Appointment(technician, farAhead),
			w.Test("test", line), w.Quote("quote", world.QualifiedSite), w.Query("query", line))
		Expect(w.Carrier.Submissions(simulator.OpOrderCreate, 0).Seen).To(BeZero())

		before := account.DeepCopy()
		account.Spec.Auth.Keys[0].KeyID = world.KeyID
		Expect(w.Patch(ctx, account, client.MergeFrom(before))).To(Succeed())

		awaitReason(ctx, w, v1alpha1.ReasonSubmitted, waiting[0])
		awaitReason(ctx, w, v1alpha1.ReasonInSync, waiting[1])
		awaitReason(ctx, w, v1alpha1.ReasonCompleted, waiting[2:]...)
	})

	It("goes on when its order, or the service from that, gets its number", func(ctx SpecContext) {
		w.AwaitLogin(ctx, watchful)
		wait(ctx, v1alpha1.ReasonOrderNotReady, w.Service(site, 0, fromOrder), w.Appointment(technician, farAhead, ofOrder))
		wait(ctx, v1alpha1.ReasonServiceNotReady, w.Test("test", 0, testOfService), w.Query("query", 0, queryOfService))

		Expect(w.Create(ctx, w.Order(accepted, accepted))).To(Succeed())
		awaitReason(ctx, w, v1alpha1.ReasonCompleted, waiting[1])
		awaitReason(ctx, w, v1alpha1.ReasonOrderNotReady, waiting[0])
		awaitReason(ctx, w, v1alpha1.ReasonServiceNotReady, waiting[2:]...)

		line := w.Line()
		w.EditOrder(ctx, accepted, func(order *v1alpha1.ServiceOrder) { order.Spec.ServiceID = &line })
		awaitReason(ctx, w, v1alpha1.ReasonInSync, waiting[0])
		awaitReason(ctx, w, v1alpha1.ReasonCompleted, waiting[2:]...)
		Expect(w.Read(ctx, site).Status.ServiceID).To(Equal(line))
		Expect(w.Carrier.Submissions(simulator.OpDiagnosticTest, line).Seen).To(Equal(1))
	})

	It("takes a claim over when its holder is gone", func(ctx SpecContext) {
		w.AwaitLogin(ctx, watchful)
		holder, heir := w.Order(accepted, accepted), w.Order("heir", accepted)
		Expect(w.Create(ctx, holder)).To(Succeed())
		awaitReason(ctx, w, v1alpha1.ReasonSubmitted, holder)
		wait(ctx, v1alpha1.ReasonConflict, heir)

		Expect(w.Delete(ctx, holder)).To(Succeed())
		awaitReason(ctx, w, v1alpha1.ReasonSubmitted, heir)
		Expect(w.ReadOrder(ctx, heir.Name).Status.OrderID).To(Equal(holder.Status.OrderID))
		Expect(w.Ordered(accepted)).To(Equal(simulator.Count{Seen: 1, Processed: 1}))
	})
})

// farAhead is a day that does not pass while a test runs.
func farAhead(appointment *v1alpha1.AppointmentRequest) { appointment.Spec.DateFrom = "2099-01-05" }

func ofOrder(appointment *v1alpha1.AppointmentRequest) {
	appointment.Spec.OrderID, appointment.Spec.OrderRef = nil, &v1alpha1.OrderReference{Name: accepted}
}

func fromOrder(service *v1alpha1.BroadbandService) {
	service.Spec.ServiceID, service.Spec.OrderRef = nil, &v1alpha1.OrderReference{Name: accepted}
}

func testOfService(test *v1alpha1.DiagnosticTest) {
	test.Spec.ServiceID, test.Spec.ServiceRef = nil, &v1alpha1.ServiceReference{Name: site}
}

func queryOfService(query *v1alpha1.PlanOptionsQuery) {
	query.Spec.ServiceID, query.Spec.ServiceRef = nil, &v1alpha1.ServiceReference{Name: site}
}

// awaitReason waits until each object shows a reason in Ready, and leaves it in the object.
func awaitReason(ctx SpecContext, w *world.World, reason string, objects ...client.Object) {
	GinkgoHelper()
	for _, object := range objects {
		soon(ctx, func(g Gomega) {
			g.Expect(w.Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
			ready := world.Condition(conditionsOf(object), v1alpha1.ConditionReady)
			g.Expect(ready.Reason).To(Equal(reason), ready.Message)
			g.Expect(ready.ObservedGeneration).To(Equal(object.GetGeneration()))
		})
	}
}

// conditionsOf are those of an object of any kind.
func conditionsOf(object client.Object) []metav1.Condition {
	switch object := object.(type) {
	case *v1alpha1.CarrierAccount:
		return object.Status.Conditions
	case controllers.Subject:
		conditions, _ := object.Describes()
		return *conditions
	}
	return nil
}

// restless is how many passes have asked for another one by themselves, once all are done.
// One that came upon a conflict does so, and is not counted.
func restless(ctx SpecContext, w *world.World) int {
	GinkgoHelper()
	soon(ctx, func(g Gomega) {
		g.Expect(world.Metric(world.QueueDepth, ofWaiting) + world.Metric(world.PassesNow, ofWaiting)).To(BeZero())
	})
	conflicts := 0
	for action, count := range audit.Tally(user, w.Namespace).Failed {
		if strings.HasSuffix(action, ": 409") {
			conflicts += count
		}
	}
	again := func(of world.Labels) bool { return ofWaiting(of) && of["result"] != "success" }
	return world.Metric(world.PassesTaken, again) - conflicts
}

// ofWaiting: all controllers but that of accounts. It looks at an account that is not ready
// again, because nobody watches its Secret.
func ofWaiting(of world.Labels) bool { return of["controller"] != "carrieraccount" }
