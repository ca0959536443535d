// SPDX-License-Identifier: Apache-2.0

package appointments_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A request for slots", func() {
	again := func(fault simulator.Fault) func(SpecContext) {
		return func(ctx SpecContext) {
			w, process := fixture.Begin(ctx)
			Expect(w.Carrier.FailNext("POST AppointmentSlots", fault)).To(Succeed())
			expectSlots(w, createAppointment(ctx, w, process))
			Expect(slotPosts(w)).To(Equal(2))
		}
	}
	It("is sent again with a new token after a 401", again(fixture.AnswerStatus(401)))
	It("is sent again after a 429 and its Retry-After",
		again(simulator.Fault{Kind: simulator.FaultStatus, Status: 429, RetryAfter: "60"}))
	It("is sent again after a 500", again(fixture.AnswerStatus(500)))
	It("is sent again after a 502", again(fixture.AnswerStatus(502)))
	It("is sent again when the connection breaks", again(simulator.Fault{Kind: simulator.FaultReset}))
	It("is sent again ten minutes after a 404", again(fixture.AnswerStatus(404)))

	It("whose response is lost after it was processed leaves an unknown one at the carrier", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		fault := simulator.Fault{Kind: simulator.FaultStatus, Status: 502, Processed: true}
		Expect(w.Carrier.FailNext("POST AppointmentSlots", fault)).To(Succeed())
		expectAppointment(createAppointment(ctx, w, process), metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(w.Uncancelled()).To(HaveLen(2)) // class Query: it was sent again
	})

	It("for an order that the carrier does not know is NotFoundOrForbidden", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		other := int64(777)
		unknown := func(a *v1alpha1.AppointmentRequest) { a.Spec.OrderID = v1alpha1.CarrierIDOf(other) }
		Expect(w.Create(ctx, w.Appointment(site, unknown))).To(Succeed())
		shown := reconcileAppointment(ctx, w, process)
		expectAppointment(shown, metav1.ConditionFalse, v1alpha1.ReasonNotFoundOrForbidden)
		Expect(world.Condition(shown.Status.Conditions, v1alpha1.ConditionReady).Message).To(MatchRegexp(
			`^order [0-9]+ is not known to this account, or has no appointments: check spec.orderID`))
		w.Clock.Advance(9 * time.Minute)
		reconcileAppointment(ctx, w, process)
		Expect(slotPosts(w)).To(Equal(1))
	})

	It("that is refused shows the code, and is tried again for a retry annotation", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Carrier.FailNext("POST AppointmentSlots",
			fixture.InvalidField("constraints.not.null", "dateFrom"))).To(Succeed())
		appointment := createAppointment(ctx, w, process)
		expectAppointment(appointment, metav1.ConditionFalse, v1alpha1.ReasonRequiredFieldMissing)
		Expect(appointment.Status.LastError.Code).To(Equal("constraints.not.null"))
		w.Clock.Advance(fixture.Horizon)
		process.DriveAppointment(ctx, site)
		Expect(slotPosts(w)).To(Equal(1))
		failed := appointment.Status.Request.AttemptID
		w.EditAppointment(ctx, site, annotatedWith(v1alpha1.AnnotationRetry, failed))
		appointment = process.DriveAppointment(ctx, site)
		expectSlots(w, appointment)
		Expect(appointment.Status.Handled.Retry).To(Equal(failed))
		Expect(appointment.Status.Request.Retry).To(Equal(failed))
		Expect(appointment.Status.LastError).To(BeNil())
	})
})

var _ = Describe("Polling slots", func() {
	goesOn := func(fault simulator.Fault) func(SpecContext) {
		return func(ctx SpecContext) {
			w, process := fixture.Begin(ctx)
			Expect(w.Carrier.FailNext("GET AppointmentSlots", fault)).To(Succeed())
			expectSlots(w, createAppointment(ctx, w, process))
			Expect(slotPosts(w)).To(Equal(1))
		}
	}
	It("continues after a 401", goesOn(fixture.AnswerStatus(401)))
	It("continues after a 404", goesOn(fixture.AnswerStatus(404)))
	It("continues after a 500", goesOn(fixture.AnswerStatus(500)))
	It("continues after a 502", goesOn(fixture.AnswerStatus(502)))

	It("that fails is reported, and polling continues", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		fault := fixture.AnswerStatus(502)
		fault.Times = 6
		Expect(w.Carrier.FailNext("GET AppointmentSlots", fault)).To(Succeed())
		Expect(w.Create(ctx, w.Appointment(site))).To(Succeed())
		for w.Carrier.Armed() > 0 {
			result, err := process.ReconcileAppointment(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(result.RequeueAfter)
		}
		expectAppointment(w.ReadAppointment(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonCarrierUnavailable)
		expectSlots(w, process.DriveAppointment(ctx, site))
		Expect(slotPosts(w)).To(Equal(1))
	})

	It("at a Location that is unknown for a minute sends a new request", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Appointment(site))).To(Succeed())
		reconcileAppointment(ctx, w, process)
		first := string(w.ReadAppointment(ctx, site).Status.AppointmentRequestID)
		w.Carrier.Forget()
		appointment := process.DriveAppointment(ctx, site)
		expectAppointment(appointment, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(w.Events.All()).To(ContainElement(
			HavePrefix("Warning AppointmentNotCancelled appointment-request " + first + " may still exist at the carrier: ")))
		Expect(slotPosts(w)).To(Equal(2))
		Expect(w.Uncancelled()).To(HaveLen(2)) // it was sent again after a minute
	})

	It("of a request that failed stalls the object, and a retry cancels it first", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Carrier.FailNext("AppointmentSlots", simulator.Fault{Kind: simulator.FaultEndInError})).To(Succeed())
		appointment := createAppointment(ctx, w, process)
		expectAppointment(appointment, metav1.ConditionFalse, v1alpha1.ReasonCarrierRejected)
		Expect(appointment.Status.AppointmentRequestID).NotTo(BeZero())
		failed := appointment.Status.Request.AttemptID
		w.EditAppointment(ctx, site, annotatedWith(v1alpha1.AnnotationRetry, failed))
		appointment = process.DriveAppointment(ctx, site)
		expectSlots(w, appointment)
		Expect(appointment.Status.Handled.Retry).To(Equal(failed))
	})

	It("that returns no slots stalls the object", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		odd := simulator.Fault{Kind: simulator.FaultBody, Status: 200, Body: `{"slots":1}`}
		Expect(w.Carrier.FailNext("GET AppointmentSlots", odd)).To(Succeed())
		appointment := createAppointment(ctx, w, process)
		expectAppointment(appointment, metav1.ConditionFalse, v1alpha1.ReasonUnanswered)
		Expect(world.Condition(appointment.Status.Conditions, v1alpha1.ConditionReady).Message).To(
			ContainSubstring("the body is not a JSON array; ask the carrier, or, to retry it unchanged, run: kubectl"))
		Expect(slotPosts(w)).To(Equal(1))
	})

	It("continues after a restart without an additional call", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Appointment(site))).To(Succeed())
		reconcileAppointment(ctx, w, process)
		successor := w.Start(world.CrashPoint{})
		_, err := successor.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		expectSlots(w, successor.DriveAppointment(ctx, site))
		Expect(slotPosts(w)).To(Equal(1))
	})

	It("keeps a response that arrives after an edit", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		edited := false
		process.Seam.LoseResponse = func(effect world.Effect) error {
			if !edited && strings.HasSuffix(effect.What, "appointment-requests/request") {
				edited = true
				w.EditAppointment(ctx, site, annotatedWith("someone", "was here"))
			}
			return nil
		}
		expectSlots(w, createAppointment(ctx, w, process))
		Expect(slotPosts(w)).To(Equal(1))
	})
})

var _ = Describe("The cancel of an AppointmentRequest's old date", func() {
	// moved is an object whose date has been changed, and one fault for its cancel.
	moved := func(ctx context.Context, fault simulator.Fault) (*world.World, *world.Process) {
		GinkgoHelper()
		w, process := fixture.Begin(ctx)
		createAppointment(ctx, w, process)
		w.EditAppointment(ctx, site, dateFrom("2026-03-16"))
		Expect(w.Carrier.FailNext("POST AppointmentCancel", fault)).To(Succeed())
		return w, process
	}
	again := func(fault simulator.Fault, after time.Duration) func(SpecContext) {
		return func(ctx SpecContext) {
			w, process := moved(ctx, fault)
			began := w.Clock.Now()
			expectSlots(w, process.DriveAppointment(ctx, site))
			Expect(w.Clock.Now().Sub(began)).To(BeNumerically(">=", after))
			Expect(slotPosts(w)).To(Equal(2))
			Expect(cancelPosts(w)).To(Equal(2))
		}
	}
	It("is sent again with a new token after a 401", again(fixture.AnswerStatus(401), 0))
	It("is repeated 15 minutes after a 500", again(fixture.AnswerStatus(500), 15*time.Minute))
	It("is repeated 15 minutes after the connection broke",
		again(simulator.Fault{Kind: simulator.FaultReset}, 15*time.Minute))
	It("is repeated when its response was lost after it was processed",
		again(simulator.Fault{Kind: simulator.FaultStatus, Status: 500, Processed: true}, 15*time.Minute))
	It("is repeated after a 201, for 204 alone is success",
		again(simulator.Fault{Kind: simulator.FaultBody, Status: 201, Body: "{}"}, 15*time.Minute))
	It("is tried again ten minutes after a 404", again(fixture.AnswerStatus(404), 10*time.Minute))

	It("is tried again at growing intervals while the carrier answers 404, up to a day",
		func(ctx SpecContext) {
			fault := fixture.AnswerStatus(404)
			fault.Times = 1000
			w, process := moved(ctx, fault)
			for began := w.Clock.Now(); w.Clock.Now().Before(began.Add(48 * time.Hour)); {
				result, err := process.ReconcileAppointment(ctx, site)
				Expect(err).NotTo(HaveOccurred())
				w.Clock.Advance(result.RequeueAfter)
			}
			Expect(cancelPosts(w)).To(BeNumerically("<=", 10))
			before := cancelPosts(w)
			w.Carrier.Disarm()
			w.Clock.Advance(24 * time.Hour)
			expectSlots(w, process.DriveAppointment(ctx, site))
			Expect(cancelPosts(w)).To(Equal(before + 1))
		})

	It("that is refused with 404 stalls the object, and nothing new is requested meanwhile", func(ctx SpecContext) {
		w, process := moved(ctx, fixture.AnswerStatus(404))
		expectAppointment(reconcileAppointment(ctx, w, process), metav1.ConditionFalse, v1alpha1.ReasonNotFoundOrForbidden)
		Expect(slotPosts(w)).To(Equal(1))
		By("undoing the edit")
		w.EditAppointment(ctx, site, dateFrom("2026-03-09"))
		expectSlots(w, process.DriveAppointment(ctx, site))
		Expect(cancelPosts(w)).To(Equal(1))
	})

	It("is repeated twice, and then waits for a person", func(ctx SpecContext) {
		fault := fixture.AnswerStatus(500)
		fault.Times = 10
		w, process := moved(ctx, fault)
		appointment := process.DriveAppointment(ctx, site)
		expectAppointment(appointment, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		asks := world.Condition(appointment.Status.Conditions, v1alpha1.ConditionReady).Message
		Expect(asks).To(HavePrefix(fmt.Sprintf("the outcome of AppointmentCancel for appointment-request %s, sent at",
			appointment.Status.AppointmentRequestID)))
		Expect(asks).To(ContainSubstring("No slots are requested until you have asked the carrier"))
		Expect(asks).NotTo(ContainSubstring("=Accepted"), "it has no number at the carrier")
		w.Clock.Advance(24 * time.Hour)
		process.DriveAppointment(ctx, site)
		Expect(cancelPosts(w)).To(Equal(3))
		Expect(slotPosts(w)).To(Equal(1))
		w.Carrier.Disarm()
		word := appointment.Status.Request.AttemptID + "=NotAccepted"
		w.EditAppointment(ctx, site, annotatedWith(v1alpha1.AnnotationResolve, word))
		w.EditAppointment(ctx, site, dateFrom("2026-03-16"))
		expectSlots(w, process.DriveAppointment(ctx, site))
		Expect(cancelPosts(w)).To(Equal(4))
	})

	It("is never sent to another carrier than the one that made it", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		createAppointment(ctx, w, process)
		fixture.RecreateAccount(ctx, w, process, fixture.MovedURL(w))
		w.EditAppointment(ctx, site, dateFrom("2026-03-16"))
		expectAppointment(process.DriveAppointment(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(cancelPosts(w)).To(BeZero())
	})
})
