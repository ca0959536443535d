// SPDX-License-Identifier: Apache-2.0

package notifications_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// rejectOrder places an order that the carrier accepts and then rejects.
func rejectOrder(ctx context.Context, w *world.World, process *world.Process) {
	GinkgoHelper()
	ended := simulator.Fault{Kind: simulator.FaultEndInError, Body: "No access"}
	Expect(w.Carrier.FailNext(string(simulator.OpOrderCreate), ended)).To(Succeed())
	Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
	order := process.DriveOrder(ctx, site)
	fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
	w.Clock.Advance(time.Hour)
}

func expectRejected(order *v1alpha1.ServiceOrder, unverified bool) {
	GinkgoHelper()
	fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonOrderRejected)
	Expect(order.Status.Rejection).To(HaveValue(And(
		HaveField("Event", "OrderRejected"), HaveField("Reason", "No access"), HaveField("Unverified", unverified))))
}

// rejectedBody is a notification that an order was rejected.
func rejectedBody(number v1alpha1.CarrierID) string {
	const form = `{"eventType":"OrderRejected","order":{"id":%s,"customerRef":%q,"rejectedReason":"No access"}}`
	return fmt.Sprintf(form, number, fixture.Reference)
}

var _ = Describe("A notification that an order was rejected", func() {
	It("is recorded at once, with its source", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		rejectOrder(ctx, w, process)
		Expect(w.Deliver(ctx, receiver)).To(Equal(1))
		expectRejected(w.ReadOrder(ctx, site), false)
		Expect(w.Events.All()).To(ContainElement("Warning OrderRejected the carrier sent OrderRejected: No access"))
		_, err := process.ReconcileOrder(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		expectRejected(w.ReadOrder(ctx, site), false)
	})

	It("is marked as unverified until a signed one arrives", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureNone)
		Expect(w.EventsPath(ctx)).To(BeEmpty())
		rejectOrder(ctx, w, process)
		Expect(w.Deliver(ctx, receiver)).To(Equal(1))
		expectRejected(w.ReadOrder(ctx, site), true)
		ready := fixture.OrderCondition(w.ReadOrder(ctx, site), v1alpha1.ConditionReady)
		Expect(ready.Message).To(ContainSubstring("unsigned notification"))
	})

	It("is recorded by a process that does not lead", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		rejectOrder(ctx, w, process)
		standby := w.Start(world.CrashPoint{})
		standby.StopLeading()
		_, err := standby.ReconcileAccount(ctx) // makes its receiver listen for the account
		Expect(err).NotTo(HaveOccurred())
		receiver.SwitchTo(standby)
		Expect(w.Deliver(ctx, receiver)).To(Equal(1))
		expectRejected(w.ReadOrder(ctx, site), false)
	})

	It("is retried while the order's number is being recorded", func(ctx SpecContext) {
		w, _, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		cut := w.Start(world.CrashPoint{})
		cut.Seam.EndsBefore = func(world.Effect) bool { return w.Ordered(fixture.Reference).Seen > 0 }
		cut.DriveOrder(ctx, site)
		Expect(fixture.RecordedOrder(ctx, w).Phase).To(Equal(v1alpha1.PhaseSubmitting))
		body := `{"eventType":"OrderRejected","orderId":4711,"order":{"rejectedReason":"No access"}}`
		Expect(w.Notify(ctx, receiver, fixture.EventsPath(w), world.SharedSecret,
			body)).To(Equal(http.StatusServiceUnavailable))
	})

	It("is matched by the customerReference while the order's number is unknown", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		lost := simulator.Fault{Kind: simulator.FaultReset, Processed: true}
		Expect(w.Carrier.FailNext(string(simulator.OpOrderCreate), lost)).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		body := `{"eventType":"OrderRejected","order":{"id":4711,"customerRef":"%s","rejectedReason":"No access"}}`
		for _, named := range []string{"SITE-015", fixture.Reference} {
			status := w.Notify(ctx, receiver, fixture.EventsPath(w), world.SharedSecret, fmt.Sprintf(body, named))
			Expect(status).To(Equal(http.StatusAccepted))
		}

		order = w.ReadOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(fixture.OrderCondition(order, v1alpha1.ConditionRejected).Message).To(ContainSubstring("No access"))
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, order.Status.Request.AttemptID+"=Accepted:4711")
		expectRejected(process.DriveOrder(ctx, site), false)
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})

	It("may be resolved by an annotation that was set too early, once that is removed", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		rejectOrder(ctx, w, process)
		first := w.ReadOrder(ctx, site).Status.Request.AttemptID
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, first+"=NotAccepted")
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Deliver(ctx, receiver)).To(Equal(1))
		order := process.DriveOrder(ctx, site)
		expectRejected(order, false)
		Expect(fixture.OrderCondition(order, v1alpha1.ConditionReady).Message).To(ContainSubstring("remove it first"))

		w.EditOrder(ctx, site, func(o *v1alpha1.ServiceOrder) { delete(o.Annotations, v1alpha1.AnnotationResolve) })
		expectRejected(process.DriveOrder(ctx, site), false)
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, first+"=NotAccepted")
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(2))
	})

	It("is recorded for an order that a person resolved without its number", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		lost := simulator.Fault{Kind: simulator.FaultReset, Processed: true}
		Expect(w.Carrier.FailNext(string(simulator.OpOrderCreate), lost)).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		attempt := process.DriveOrder(ctx, site).Status.Request.AttemptID
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, attempt+"=Succeeded")
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(order.Status.OrderID).To(BeEmpty())

		body := rejectedBody("4711")
		Expect(w.Notify(ctx, receiver, fixture.EventsPath(w), world.SharedSecret, body)).To(Equal(http.StatusAccepted))
		order = process.DriveOrder(ctx, site)
		expectRejected(order, false)
		Expect(fixture.OrderCondition(order, v1alpha1.ConditionReady).Message).To(
			ContainSubstring("rejected the order with reference " + fixture.Reference + " after accepting it"))
	})

	It("is not taken to be about a later order with the same customerReference", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		rejectOrder(ctx, w, process)
		Expect(w.Deliver(ctx, receiver)).To(Equal(1))
		first := process.DriveOrder(ctx, site)
		lost := simulator.Fault{Kind: simulator.FaultReset, Processed: true}
		Expect(w.Carrier.FailNext(string(simulator.OpOrderCreate), lost)).To(Succeed())
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, first.Status.Request.AttemptID+"=NotAccepted")
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)

		body := rejectedBody(first.Status.OrderID)
		restarted := w.Start(world.CrashPoint{}) // has not seen the notification before
		_, err := restarted.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		receiver.SwitchTo(restarted)
		Expect(w.Notify(ctx, receiver, fixture.EventsPath(w), world.SharedSecret, body)).To(Equal(http.StatusAccepted))
		Expect(w.ReadOrder(ctx, site).Status.Rejection).To(BeNil())
	})

	It("about an unknown order is accepted and dropped", func(ctx SpecContext) {
		w, _, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		body := `{"eventType":"OrderRejected","orderId":4711}`
		Expect(w.Notify(ctx, receiver, fixture.EventsPath(w), world.SharedSecret, body)).To(Equal(http.StatusAccepted))
	})
})

var _ = Describe("A notification that an appointment was cancelled", func() {
	It("is shown on the appointment-request until slots are requested again", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		Expect(w.Create(ctx, w.Appointment(site))).To(Succeed())
		Expect(w.Create(ctx, w.Appointment("other", func(a *v1alpha1.AppointmentRequest) {
			a.Spec.OrderID = v1alpha1.CarrierIDOf(world.PlacedOrderID + 1)
		}))).To(Succeed())
		process.DriveAppointment(ctx, site)
		reads := 0
		process.Seam.FailRead = func() error { reads++; return nil }
		Expect(w.Carrier.CancelAppointment(world.PlacedOrderID, "storm")).To(Succeed())

		Expect(w.Deliver(ctx, receiver)).To(Equal(1))

		appointment := w.ReadAppointment(ctx, site)
		ready := world.Condition(appointment.Status.Conditions, v1alpha1.ConditionReady)
		Expect(ready.Reason).To(Equal(v1alpha1.ReasonCancelled))
		Expect(ready.Message).To(And(ContainSubstring("storm"), ContainSubstring(appointment.Status.Cancelled.LocalTime)))
		Expect(appointment.Status.Cancelled).To(And(
			HaveField("AppointmentID", v1alpha1.CarrierIDOf(world.PlacedOrderID)), HaveField("SlotType", "AM"),
			HaveField("StartTime", HaveSuffix("T08:00:00Z")), HaveField("EndTime", HaveSuffix("T12:00:00Z")),
			HaveField("CancelledOn", Not(BeEmpty())), HaveField("Status", "cancelled"),
			HaveField("WholesaleAppointmentID", HavePrefix("APT"))))
		stalled := world.Condition(appointment.Status.Conditions, v1alpha1.ConditionStalled)
		Expect(stalled.Status).To(Equal(metav1.ConditionTrue))
		Expect(w.ReadAppointment(ctx, "other").Status.Cancelled).To(BeNil())
		Expect(reads).To(Equal(1), "the other is not even read")

		w.EditAppointment(ctx, site, func(a *v1alpha1.AppointmentRequest) {
			a.Annotations = map[string]string{v1alpha1.AnnotationReconcile: "again"}
		})
		appointment = process.DriveAppointment(ctx, site)
		ready = world.Condition(appointment.Status.Conditions, v1alpha1.ConditionReady)
		Expect(ready.Reason).To(Equal(v1alpha1.ReasonCompleted))
		Expect(appointment.Status.Cancelled).To(BeNil())
	})
})

var _ = Describe("An account with notifications", func() {
	It("is Ready although they cannot be received, and reports why", func(ctx SpecContext) {
		w := world.New(ctx, fixture.Plane)
		w.Login(ctx, world.WithEvents(v1alpha1.SignatureHMAC))
		process := w.Start(world.CrashPoint{})
		result, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(BeNumerically("<=", 5*time.Second), "the Secret is read again")
		ready := world.Condition(w.ReadAccount(ctx).Status.Conditions, v1alpha1.ConditionReady)
		Expect(ready.Status).To(Equal(metav1.ConditionTrue))
		Expect(ready.Message).To(ContainSubstring("requests are only polled: Secret carrier-events does not exist"))
		Expect(w.EventsPath(ctx)).To(BeEmpty())

		Expect(w.Create(ctx, w.EventsSecret())).To(Succeed())
		_, err = process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(w.EventsPath(ctx)).To(Equal(fixture.EventsPath(w)))
	})
})
