// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// listening makes a world whose carrier sends notifications to a process in it.
func listening(
	ctx context.Context, signature v1alpha1.EventSignature,
) (w *world.World, process *world.Process, ear *world.Ear) {
	GinkgoHelper()
	w = world.New(ctx, plane)
	Expect(w.Create(ctx, w.EventsSecret())).To(Succeed())
	w.Login(ctx, world.WithEvents(signature))
	process = w.Start(world.Cut{})
	_, err := process.LookAtAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	ear = process.Listen()
	secret := ""
	if signature == v1alpha1.SignatureHMAC {
		secret = world.SharedSecret
	}
	w.Call(ctx, ear, eventsPath(w), secret)
	return w, process, ear
}

// eventsPath is where an account's notifications arrive, by the documentation's reckoning.
func eventsPath(w *world.World) string {
	sum := sha256.Sum256([]byte(world.SharedSecret + "/" + w.Namespace + "/" + world.AccountName))
	return fmt.Sprintf("/events/%x", sum)
}

// underWay creates a service and lets its plan change reach the carrier.
func underWay(ctx context.Context, w *world.World, process *world.Process) int64 {
	GinkgoHelper()
	line := w.Line()
	Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
	Eventually(func(g Gomega) {
		result, err := process.Look(ctx, site)
		g.Expect(err).NotTo(HaveOccurred())
		under := w.Read(ctx, site).Status.InFlight
		if under == nil || under.Location == "" {
			w.Clock.Advance(result.RequeueAfter)
		}
		g.Expect(under).To(HaveValue(HaveField("Location", Not(BeEmpty()))))
	}).Should(Succeed())
	return line
}

// soon is after the least time between two looks, and before the first that is due.
const soon = 3 * time.Second

// changed is what the carrier says when a plan change is through.
func changed(line int64) string {
	return fmt.Sprintf(`{"eventType":"ServicePlanChanged","serviceId":%d}`, line)
}

// looks counts the looks at a service's plan change.
func looks(w *world.World, line int64) int { return gets(w, simulator.OpPlanChange, line) }

// gets counts the GETs of an operation that were about a service.
func gets(w *world.World, operation simulator.Operation, line int64) int {
	count := 0
	for _, call := range w.Carrier.Calls() {
		if call.Operation == operation && call.Method == http.MethodGet && call.ServiceID == line {
			count++
		}
	}
	return count
}

var _ = Describe("A notification of the carrier", func() {
	It("has the service looked at now, and what the look finds makes it Ready", func(ctx SpecContext) {
		w, process, ear := listening(ctx, v1alpha1.SignatureHMAC)
		Expect(w.EventsPath(ctx)).To(Equal(eventsPath(w)))
		line := underWay(ctx, w, process)
		ends := w.Clock.Now().Add(41 * time.Second) // the carrier takes 40
		result, err := process.Look(ctx, site)
		for w.Clock.Now().Add(result.RequeueAfter).Before(ends) {
			w.Clock.Advance(result.RequeueAfter)
			result, err = process.Look(ctx, site)
		}
		Expect(err).NotTo(HaveOccurred())
		w.Clock.Advance(ends.Sub(w.Clock.Now()))
		before := looks(w, line)

		Expect(w.Deliver(ctx, ear)).To(Equal(1))
		_, err = process.Look(ctx, site)
		Expect(err).NotTo(HaveOccurred())

		Expect(looks(w, line)).To(Equal(before+1), "the next look was not due yet")
		expectReady(w.Read(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	})

	// Case 85: "success event while carrier says 202: stays in progress".
	It("makes nothing Ready by itself", func(ctx SpecContext) {
		w, process, ear := listening(ctx, v1alpha1.SignatureHMAC)
		line := underWay(ctx, w, process)
		w.Clock.Advance(soon)
		before := looks(w, line)

		Expect(w.Tell(ctx, ear, eventsPath(w), world.SharedSecret, changed(line))).To(Equal(http.StatusAccepted))
		_, err := process.Look(ctx, site)
		Expect(err).NotTo(HaveOccurred())

		Expect(looks(w, line)).To(Equal(before + 1))
		expectReady(w.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonProgressing)
	})

	// Case 86: "no carrier poll faster than the minimum".
	It("is one of a thousand that make no poll faster than the minimum", func(ctx SpecContext) {
		w, process, ear := listening(ctx, v1alpha1.SignatureHMAC)
		line := underWay(ctx, w, process)
		before, begun := looks(w, line), w.Clock.Now()
		answers := map[int]int{}
		for range 100 {
			for range 10 {
				answers[w.Tell(ctx, ear, eventsPath(w), world.SharedSecret, changed(line))]++
			}
			_, err := process.Look(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(100 * time.Millisecond)
		}
		passed := w.Clock.Now().Sub(begun)
		AddReportEntry("answers, polls", fmt.Sprintf("%v, %d polls in %v", answers, looks(w, line)-before, passed))
		Expect(answers[http.StatusTooManyRequests]).To(BeNumerically(">", 0))
		Expect(looks(w, line) - before).To(BeNumerically("<=", int(passed/(2*time.Second))+1))
	})

	It("finds the service by its request, in the header form too", func(ctx SpecContext) {
		w, process, ear := listening(ctx, v1alpha1.SignatureHMAC)
		line := underWay(ctx, w, process)
		location := w.Read(ctx, site).Status.InFlight.Location
		number := location[strings.LastIndex(location, "/")+1:]
		w.Clock.Advance(soon)
		before := looks(w, line)
		body := `{"eventType":"service.plan-change-rejected","requestId":` + number + `}`
		Expect(w.Tell(ctx, ear, eventsPath(w), world.SharedSecret, body)).To(Equal(http.StatusAccepted))
		_, err := process.Look(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(looks(w, line)).To(Equal(before + 1))
	})

	// Case 84: "only that account's objects can be enqueued".
	It("of another account reaches none of this account's objects", func(ctx SpecContext) {
		w, process, ear := listening(ctx, v1alpha1.SignatureHMAC)
		line := underWay(ctx, w, process)
		other, _, elsewhere := listening(ctx, v1alpha1.SignatureHMAC)
		w.Clock.Advance(soon)
		other.Clock.Advance(w.Clock.Now().Sub(other.Clock.Now()))
		before := looks(w, line)

		at, said := eventsPath(other), changed(line)
		Expect(other.Tell(ctx, elsewhere, at, world.SharedSecret, said)).To(Equal(http.StatusAccepted))
		Expect(other.Tell(ctx, ear, at, world.SharedSecret, said)).To(Equal(http.StatusNotFound))
		_, err := process.Look(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(looks(w, line)).To(Equal(before))
	})

	It("about a cancellation has it read now, once a minute at most", func(ctx SpecContext) {
		w, process, ear := listening(ctx, v1alpha1.SignatureHMAC)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		process.Drive(ctx, site)
		w.Clock.Advance(10 * time.Minute)
		reads := func() int { return gets(w, simulator.OpCancellationRead, line) }
		before := reads()
		body := fmt.Sprintf(`{"eventType":"service.cancelled","id":%d}`, line)
		for range 5 {
			Expect(w.Tell(ctx, ear, eventsPath(w), world.SharedSecret, body)).To(Equal(http.StatusAccepted))
			_, err := process.Look(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(5 * time.Second)
		}
		Expect(reads()).To(Equal(before + 1))
	})

	It("is dropped by a process that does not lead, if it is a hint", func(ctx SpecContext) {
		w, process, ear := listening(ctx, v1alpha1.SignatureHMAC)
		line := underWay(ctx, w, process)
		process.Follow()
		w.Clock.Advance(soon)
		before := looks(w, line)
		Expect(w.Tell(ctx, ear, eventsPath(w), world.SharedSecret, changed(line))).To(Equal(http.StatusAccepted))
		_, err := process.Look(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(looks(w, line)).To(Equal(before))
	})
})

var _ = Describe("The carrier's word that an order is rejected", func() {
	reject := func(ctx SpecContext, w *world.World, process *world.Process) {
		GinkgoHelper()
		ended := simulator.Fault{Kind: simulator.FaultEndInError, Body: "No access"}
		Expect(w.Carrier.FailNext(string(simulator.OpOrderCreate), ended)).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, reference))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		expectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		w.Clock.Advance(time.Hour)
	}
	expectRejected := func(order *v1alpha1.ServiceOrder, unverified bool) {
		GinkgoHelper()
		expectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonOrderRejected)
		Expect(order.Status.Rejection).To(HaveValue(And(
			HaveField("Event", "OrderRejected"), HaveField("Reason", "No access"), HaveField("Unverified", unverified))))
	}

	It("is written down at once, with its source", func(ctx SpecContext) {
		w, process, ear := listening(ctx, v1alpha1.SignatureHMAC)
		reject(ctx, w, process)
		Expect(w.Deliver(ctx, ear)).To(Equal(1))
		expectRejected(w.ReadOrder(ctx, site), false)
		Expect(w.Events.All()).To(ContainElement(ContainSubstring("Warning OrderRejected No access")))
		_, err := process.LookAtOrder(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		expectRejected(w.ReadOrder(ctx, site), false)
	})

	It("is marked where nobody signed it, until somebody does", func(ctx SpecContext) {
		w, process, ear := listening(ctx, v1alpha1.SignatureNone)
		Expect(w.EventsPath(ctx)).To(BeEmpty())
		reject(ctx, w, process)
		Expect(w.Deliver(ctx, ear)).To(Equal(1))
		expectRejected(w.ReadOrder(ctx, site), true)
		ready := orderCondition(w.ReadOrder(ctx, site), v1alpha1.ConditionReady)
		Expect(ready.Message).To(ContainSubstring("was not signed"))
	})

	It("is written down by a process that does not lead", func(ctx SpecContext) {
		w, process, ear := listening(ctx, v1alpha1.SignatureHMAC)
		reject(ctx, w, process)
		standby := w.Start(world.Cut{})
		standby.Follow()
		_, err := standby.LookAtAccount(ctx) // as its own receiver would learn of it
		Expect(err).NotTo(HaveOccurred())
		ear.Hear(standby)
		Expect(w.Deliver(ctx, ear)).To(Equal(1))
		expectRejected(w.ReadOrder(ctx, site), false)
	})

	It("is asked for again while the order's number is being written down", func(ctx SpecContext) {
		w, process, ear := listening(ctx, v1alpha1.SignatureHMAC)
		process.Seam.Lose = func(e world.Effect) error {
			if strings.HasPrefix(e.What, "POST /api/connect/orders") {
				return errors.New("the answer is lost")
			}
			return nil
		}
		Expect(w.Create(ctx, w.Order(site, reference))).To(Succeed())
		cut := w.Start(world.Cut{At: 5, After: true})
		cut.DriveOrder(ctx, site)
		order := w.ReadOrder(ctx, site)
		Expect(order.Status.Request).To(HaveValue(HaveField("Phase", v1alpha1.PhaseSubmitting)))
		body := `{"eventType":"OrderRejected","orderId":4711,"order":{"rejectedReason":"No access"}}`
		Expect(w.Tell(ctx, ear, eventsPath(w), world.SharedSecret, body)).To(Equal(http.StatusServiceUnavailable))
	})

	It("about an order that is none of ours is taken and dropped", func(ctx SpecContext) {
		w, _, ear := listening(ctx, v1alpha1.SignatureHMAC)
		body := `{"eventType":"OrderRejected","orderId":4711}`
		Expect(w.Tell(ctx, ear, eventsPath(w), world.SharedSecret, body)).To(Equal(http.StatusAccepted))
	})
})

var _ = Describe("The carrier's word that an appointment is cancelled", func() {
	It("stands on the appointment-request until slots are asked for again", func(ctx SpecContext) {
		w, process, ear := listening(ctx, v1alpha1.SignatureHMAC)
		Expect(w.Create(ctx, w.Appointment(site))).To(Succeed())
		Expect(w.Create(ctx, w.Appointment("other", func(a *v1alpha1.AppointmentRequest) {
			*a.Spec.OrderID = world.PlacedOrderID + 1
		}))).To(Succeed())
		process.DriveAppointment(ctx, site)
		Expect(w.Carrier.CancelAppointment(world.PlacedOrderID, "storm")).To(Succeed())

		Expect(w.Deliver(ctx, ear)).To(Equal(1))

		appointment := w.ReadAppointment(ctx, site)
		ready := world.Condition(appointment.Status.Conditions, v1alpha1.ConditionReady)
		Expect(ready.Reason).To(Equal(v1alpha1.ReasonCancelled))
		Expect(ready.Message).To(ContainSubstring("storm"))
		stalled := world.Condition(appointment.Status.Conditions, v1alpha1.ConditionStalled)
		Expect(stalled.Status).To(Equal(metav1.ConditionTrue))
		Expect(w.ReadAppointment(ctx, "other").Status.Cancelled).To(BeNil())

		w.EditAppointment(ctx, site, func(a *v1alpha1.AppointmentRequest) {
			a.Annotations = map[string]string{v1alpha1.AnnotationReconcile: "again"}
		})
		appointment = process.DriveAppointment(ctx, site)
		ready = world.Condition(appointment.Status.Conditions, v1alpha1.ConditionReady)
		Expect(ready.Reason).To(Equal(v1alpha1.ReasonCompleted))
		Expect(appointment.Status.Cancelled).To(BeNil())
	})
})

var _ = Describe("An account that asks for notifications", func() {
	It("is Ready all the same when they cannot be taken, and says why", func(ctx SpecContext) {
		w := world.New(ctx, plane)
		w.Login(ctx, world.WithEvents(v1alpha1.SignatureHMAC))
		process := w.Start(world.Cut{})
		result, err := process.LookAtAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(Equal(time.Minute), "the Secret is read again")
		ready := world.Condition(w.ReadAccount(ctx).Status.Conditions, v1alpha1.ConditionReady)
		Expect(ready.Status).To(Equal(metav1.ConditionTrue))
		Expect(ready.Message).To(ContainSubstring("requests are polled: Secret carrier-events does not exist"))
		Expect(w.EventsPath(ctx)).To(BeEmpty())

		Expect(w.Create(ctx, w.EventsSecret())).To(Succeed())
		_, err = process.LookAtAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(w.EventsPath(ctx)).To(Equal(eventsPath(w)))
	})
})
