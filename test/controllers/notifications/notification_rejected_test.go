// SPDX-License-Identifier: Apache-2.0

package notifications_test

import (
	"context"
	"errors"
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

// notifyRejected delivers a notification, which the operator accepts.
func notifyRejected(ctx context.Context, w *world.World, receiver *world.Receiver, body string) {
	GinkgoHelper()
	Expect(w.Notify(ctx, receiver, fixture.EventsPath(w), world.SharedSecret, body)).To(Equal(http.StatusAccepted))
}

var _ = Describe("A rejection", func() {
	const unnumbered = `{"eventType":"OrderRejected","order":{"customerRef":%q,"rejectedReason":"No access"}}`

	It("of an earlier order is not attached to the next one while that is being sent", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		rejectOrder(ctx, w, process)
		Expect(w.Deliver(ctx, receiver)).To(Equal(1))
		first := process.DriveOrder(ctx, site)
		other := w.Start(world.CrashPoint{}) // has not seen the notification before
		other.StopLeading()
		_, err := other.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		receiver.SwitchTo(other)
		redelivered := false
		w.DuringPOST(fixture.OrdersPath, func() {
			redelivered = true
			notifyRejected(ctx, w, receiver, rejectedBody(first.Status.OrderID))
		})
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, first.Status.Request.AttemptID+"=NotAccepted")
		By("losing the write of the status after the ledger has the resolution")
		process.Seam.Fault = func(effect world.Effect) error {
			if effect.What == "update status of "+site {
				return errors.New("the API server is not reachable")
			}
			return nil
		}
		_, err = process.ReconcileOrder(ctx, site)
		Expect(err).To(HaveOccurred())
		process.Seam.Fault = nil
		w.Clock.Advance(time.Minute)
		second := process.DriveOrder(ctx, site)
		Expect(redelivered).To(BeTrue())
		fixture.ExpectOrder(second, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(second.Status.OrderID).NotTo(Equal(first.Status.OrderID))
		Expect(second.Status.Rejection).To(BeNil())
	})

	It("that is sent to one namespace concerns no order of another one", func(ctx SpecContext) {
		w, _, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		other, process := fixture.InAnotherNamespace(ctx, w)
		Expect(other.Create(ctx, other.Order(site, fixture.Reference))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		for _, body := range []string{fmt.Sprintf(unnumbered, fixture.Reference), rejectedBody(order.Status.OrderID)} {
			notifyRejected(ctx, w, receiver, body)
		}
		order = process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(order.Status.Rejection).To(BeNil())
	})

	It("that the carrier has withdrawn is dismissed by a person, and nothing is sent", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		rejectOrder(ctx, w, process)
		Expect(w.Deliver(ctx, receiver)).To(Equal(1))
		order := process.DriveOrder(ctx, site)
		word := order.Status.Request.AttemptID + "=Succeeded"
		Expect(fixture.OrderCondition(order, v1alpha1.ConditionReady).Message).To(ContainSubstring(word))
		ledger := fixture.LedgerOf(ctx, w)
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, word)
		order = process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(order.Status.Rejection).To(BeNil())
		Expect(fixture.OrderCondition(order, v1alpha1.ConditionRejected)).To(BeZero())
		Expect(fixture.LedgerOf(ctx, w)).To(Equal(ledger))
		Expect(w.Events.All()).To(ContainElement(HavePrefix("Normal Submitted the carrier accepted the order")))

		By("delivering it again, which may be a second rejection")
		other := w.Start(world.CrashPoint{})
		_, err := other.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		receiver.SwitchTo(other)
		notifyRejected(ctx, w, receiver, rejectedBody(order.Status.OrderID))
		order = process.DriveOrder(ctx, site)
		expectRejected(order, false)
		Expect(fixture.OrderCondition(order, v1alpha1.ConditionReady).Message).To(ContainSubstring("remove it first"))
		announced := 0
		for _, event := range w.Events.All() {
			if event == "Warning OrderRejected the carrier sent OrderRejected: No access" {
				announced++
			}
		}
		Expect(announced).To(Equal(2))
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})

	It("that is delivered again leaves its dismissal to the next pass", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		rejectOrder(ctx, w, process)
		Expect(w.Deliver(ctx, receiver)).To(Equal(1))
		order := process.DriveOrder(ctx, site)
		word := order.Status.Request.AttemptID + "=Succeeded"
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, word)
		other := w.Start(world.CrashPoint{}) // has not seen the notification before
		_, err := other.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		receiver.SwitchTo(other)
		notifyRejected(ctx, w, receiver, rejectedBody(order.Status.OrderID))
		expectRejected(w.ReadOrder(ctx, site), false)

		order = process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(order.Status.Rejection).To(BeNil())
		Expect(order.Status.Handled.Resolve).To(Equal(word))
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})

	It("without a number is matched by the customerReference, if only one order has it", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		rejectOrder(ctx, w, process)
		notifyRejected(ctx, w, receiver, fmt.Sprintf(unnumbered, fixture.Reference))
		first := process.DriveOrder(ctx, site)
		expectRejected(first, false)
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, first.Status.Request.AttemptID+"=NotAccepted")
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)

		By("delivering another once there are two orders, and one with a number that is none of theirs")
		for body, why := range map[string]string{
			fmt.Sprintf(unnumbered, fixture.Reference) + "\n": "more than one order with this reference",
			rejectedBody("4711"):                              "its number is 4711",
		} {
			notifyRejected(ctx, w, receiver, body)
			Expect(w.ReadOrder(ctx, site).Status.Rejection).To(BeNil())
			Expect(w.Events.All()).To(ContainElement(And(
				HavePrefix("Warning RejectionNotRecorded the carrier sent OrderRejected: No access."), ContainSubstring(why))))
		}
		Expect(w.Carrier.Submissions(simulator.OpOrderCreate, 0).Seen).To(Equal(2))
	})
})
