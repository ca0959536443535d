// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// status is a fault that answers with a status code and changes nothing at the carrier.
func status(code int) simulator.Fault {
	return simulator.Fault{Kind: simulator.FaultStatus, Status: code}
}

// refusal422 is a 422 with one sub-error.
func refusal422(code, field string) simulator.Fault {
	return simulator.Fault{Kind: simulator.FaultBody, Status: 422, Body: fmt.Sprintf(
		`{"httpStatusCode":422,"type":"client.validation","code":"method.argument.not.valid","message":"no",`+
			`"apiSubErrors":[{"code":%q,"message":"must not be null","field":%q}]}`, code, field)}
}

// look runs one pass that must succeed.
func look(ctx context.Context, w *world.World, process *world.Process) *v1alpha1.AppointmentRequest {
	GinkgoHelper()
	_, err := process.LookAtAppointment(ctx, site)
	Expect(err).NotTo(HaveOccurred())
	return w.ReadAppointment(ctx, site)
}

var _ = Describe("Asking for slots", func() {
	again := func(fault simulator.Fault) func(SpecContext) {
		return func(ctx SpecContext) {
			w, process := begin(ctx)
			Expect(w.Carrier.FailNext("POST AppointmentSlots", fault)).To(Succeed())
			expectOffered(w, offered(ctx, w, process))
			Expect(slotPosts(w)).To(Equal(2))
		}
	}
	It("is done again with a new token after a 401", again(status(401)))
	It("is done again after a 429 and its Retry-After",
		again(simulator.Fault{Kind: simulator.FaultStatus, Status: 429, RetryAfter: "60"}))
	It("is done again after a 500", again(status(500)))
	It("is done again after a 502", again(status(502)))
	It("is done again when the connection breaks", again(simulator.Fault{Kind: simulator.FaultReset}))
	It("is done again ten minutes after a 404", again(status(404)))

	It("whose answer is lost once it was taken leaves one behind that nobody knows of", func(ctx SpecContext) {
		w, process := begin(ctx)
		fault := simulator.Fault{Kind: simulator.FaultStatus, Status: 502, Processed: true}
		Expect(w.Carrier.FailNext("POST AppointmentSlots", fault)).To(Succeed())
		expectAppointment(offered(ctx, w, process), metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(w.Uncancelled()).To(HaveLen(2)) // class Query: "send again, bounded"
	})

	It("for an order that the carrier does not know is NotFoundOrForbidden", func(ctx SpecContext) {
		w, process := begin(ctx)
		other := int64(777)
		unknown := func(a *v1alpha1.AppointmentRequest) { a.Spec.OrderID = v1alpha1.CarrierIDOf(other) }
		Expect(w.Create(ctx, w.Appointment(site, unknown))).To(Succeed())
		shown := look(ctx, w, process)
		expectAppointment(shown, metav1.ConditionFalse, v1alpha1.ReasonNotFoundOrForbidden)
		Expect(world.Condition(shown.Status.Conditions, v1alpha1.ConditionReady).Message).To(MatchRegexp(
			`^order [0-9]+ is not known to this account, or has no appointments: check spec.orderID`))
		w.Clock.Advance(9 * time.Minute)
		look(ctx, w, process)
		Expect(slotPosts(w)).To(Equal(1))
	})

	It("that is refused shows the code, and is tried again when the retry annotation says so", func(ctx SpecContext) {
		w, process := begin(ctx)
		Expect(w.Carrier.FailNext("POST AppointmentSlots", refusal422("constraints.not.null", "dateFrom"))).To(Succeed())
		appointment := offered(ctx, w, process)
		expectAppointment(appointment, metav1.ConditionFalse, v1alpha1.ReasonRequiredFieldMissing)
		Expect(appointment.Status.LastError.Code).To(Equal("constraints.not.null"))
		w.Clock.Advance(horizon)
		process.DriveAppointment(ctx, site)
		Expect(slotPosts(w)).To(Equal(1))
		failed := appointment.Status.Request.AttemptID
		w.EditAppointment(ctx, site, annotated(v1alpha1.AnnotationRetry, failed))
		appointment = process.DriveAppointment(ctx, site)
		expectOffered(w, appointment)
		Expect(appointment.Status.Handled.Retry).To(Equal(failed))
		Expect(appointment.Status.Request.Retry).To(Equal(failed))
		Expect(appointment.Status.LastError).To(BeNil())
	})
})

var _ = Describe("Following slots", func() {
	goesOn := func(fault simulator.Fault) func(SpecContext) {
		return func(ctx SpecContext) {
			w, process := begin(ctx)
			Expect(w.Carrier.FailNext("GET AppointmentSlots", fault)).To(Succeed())
			expectOffered(w, offered(ctx, w, process))
			Expect(slotPosts(w)).To(Equal(1))
		}
	}
	It("goes on after a 401", goesOn(status(401)))
	It("goes on after a 404", goesOn(status(404)))
	It("goes on after a 500", goesOn(status(500)))
	It("goes on after a 502", goesOn(status(502)))

	It("that cannot be polled says so, and polling continues", func(ctx SpecContext) {
		w, process := begin(ctx)
		fault := status(502)
		fault.Times = 6
		Expect(w.Carrier.FailNext("GET AppointmentSlots", fault)).To(Succeed())
		Expect(w.Create(ctx, w.Appointment(site))).To(Succeed())
		for w.Carrier.Armed() > 0 {
			result, err := process.LookAtAppointment(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(result.RequeueAfter)
		}
		expectAppointment(w.ReadAppointment(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonCarrierUnavailable)
		expectOffered(w, process.DriveAppointment(ctx, site))
		Expect(slotPosts(w)).To(Equal(1))
	})

	It("at a Location that is not known for a minute asks anew", func(ctx SpecContext) {
		w, process := begin(ctx)
		Expect(w.Create(ctx, w.Appointment(site))).To(Succeed())
		look(ctx, w, process)
		w.Carrier.Forget()
		appointment := process.DriveAppointment(ctx, site)
		expectAppointment(appointment, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(slotPosts(w)).To(Equal(2))
		Expect(w.Uncancelled()).To(HaveLen(2)) // "a Query handle is asked anew after 60 s"
	})

	It("of a request that failed stalls, and a retry cancels it first", func(ctx SpecContext) {
		w, process := begin(ctx)
		Expect(w.Carrier.FailNext("AppointmentSlots", simulator.Fault{Kind: simulator.FaultEndInError})).To(Succeed())
		appointment := offered(ctx, w, process)
		expectAppointment(appointment, metav1.ConditionFalse, v1alpha1.ReasonCarrierRejected)
		Expect(appointment.Status.AppointmentRequestID).NotTo(BeZero())
		failed := appointment.Status.Request.AttemptID
		w.EditAppointment(ctx, site, annotated(v1alpha1.AnnotationRetry, failed))
		appointment = process.DriveAppointment(ctx, site)
		expectOffered(w, appointment)
		Expect(appointment.Status.Handled.Retry).To(Equal(failed))
	})

	It("that are no slots stalls", func(ctx SpecContext) {
		w, process := begin(ctx)
		odd := simulator.Fault{Kind: simulator.FaultBody, Status: 200, Body: `{"slots":1}`}
		Expect(w.Carrier.FailNext("GET AppointmentSlots", odd)).To(Succeed())
		expectAppointment(offered(ctx, w, process), metav1.ConditionFalse, v1alpha1.ReasonCarrierRejected)
		Expect(slotPosts(w)).To(Equal(1))
	})

	It("survives a restart without a call of its own", func(ctx SpecContext) {
		w, process := begin(ctx)
		Expect(w.Create(ctx, w.Appointment(site))).To(Succeed())
		look(ctx, w, process)
		successor := w.Start(world.Cut{})
		_, err := successor.LookAtAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		expectOffered(w, successor.DriveAppointment(ctx, site))
		Expect(slotPosts(w)).To(Equal(1))
	})

	It("keeps an answer that meets an edit", func(ctx SpecContext) {
		w, process := begin(ctx)
		edited := false
		process.Seam.Lose = func(effect world.Effect) error {
			if !edited && strings.HasSuffix(effect.What, "appointment-requests/request") {
				edited = true
				w.EditAppointment(ctx, site, annotated("someone", "was here"))
			}
			return nil
		}
		expectOffered(w, offered(ctx, w, process))
		Expect(slotPosts(w)).To(Equal(1))
	})
})

var _ = Describe("The cancel of an AppointmentRequest's old date", func() {
	// moved is an object whose date has been changed, and one fault for its cancel.
	moved := func(ctx context.Context, fault simulator.Fault) (*world.World, *world.Process) {
		GinkgoHelper()
		w, process := begin(ctx)
		offered(ctx, w, process)
		w.EditAppointment(ctx, site, from("2026-03-16"))
		Expect(w.Carrier.FailNext("POST AppointmentCancel", fault)).To(Succeed())
		return w, process
	}
	again := func(fault simulator.Fault, after time.Duration) func(SpecContext) {
		return func(ctx SpecContext) {
			w, process := moved(ctx, fault)
			began := w.Clock.Now()
			expectOffered(w, process.DriveAppointment(ctx, site))
			Expect(w.Clock.Now().Sub(began)).To(BeNumerically(">=", after))
			Expect(slotPosts(w)).To(Equal(2))
			Expect(cancelPosts(w)).To(Equal(2))
		}
	}
	It("is done again with a new token after a 401", again(status(401), 0))
	It("is repeated 15 minutes after a 500", again(status(500), 15*time.Minute))
	It("is repeated 15 minutes after the connection broke",
		again(simulator.Fault{Kind: simulator.FaultReset}, 15*time.Minute))
	It("is repeated when its answer was lost after it was processed",
		again(simulator.Fault{Kind: simulator.FaultStatus, Status: 500, Processed: true}, 15*time.Minute))
	It("is repeated after a 201, for 204 alone is success",
		again(simulator.Fault{Kind: simulator.FaultBody, Status: 201, Body: "{}"}, 15*time.Minute))
	It("is tried again ten minutes after a 404", again(status(404), 10*time.Minute))

	It("is tried again ever more rarely while the carrier answers 404, and once a day in the end",
		func(ctx SpecContext) {
			fault := status(404)
			fault.Times = 1000
			w, process := moved(ctx, fault)
			for began := w.Clock.Now(); w.Clock.Now().Before(began.Add(48 * time.Hour)); {
				result, err := process.LookAtAppointment(ctx, site)
				Expect(err).NotTo(HaveOccurred())
				w.Clock.Advance(result.RequeueAfter)
			}
			Expect(cancelPosts(w)).To(BeNumerically("<=", 10))
			before := cancelPosts(w)
			w.Carrier.Disarm()
			w.Clock.Advance(24 * time.Hour)
			expectOffered(w, process.DriveAppointment(ctx, site))
			Expect(cancelPosts(w)).To(Equal(before + 1))
		})

	It("that is refused with 404 stalls, and asks for nothing new meanwhile", func(ctx SpecContext) {
		w, process := moved(ctx, status(404))
		expectAppointment(look(ctx, w, process), metav1.ConditionFalse, v1alpha1.ReasonNotFoundOrForbidden)
		Expect(slotPosts(w)).To(Equal(1))
		By("taking the edit back")
		w.EditAppointment(ctx, site, from("2026-03-09"))
		expectOffered(w, process.DriveAppointment(ctx, site))
		Expect(cancelPosts(w)).To(Equal(1))
	})

	It("is repeated twice, and is then a person's", func(ctx SpecContext) {
		fault := status(500)
		fault.Times = 10
		w, process := moved(ctx, fault)
		appointment := process.DriveAppointment(ctx, site)
		expectAppointment(appointment, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		w.Clock.Advance(24 * time.Hour)
		process.DriveAppointment(ctx, site)
		Expect(cancelPosts(w)).To(Equal(3))
		Expect(slotPosts(w)).To(Equal(1))
		w.Carrier.Disarm()
		word := appointment.Status.Request.AttemptID + "=NotAccepted"
		w.EditAppointment(ctx, site, annotated(v1alpha1.AnnotationResolve, word))
		w.EditAppointment(ctx, site, from("2026-03-16"))
		expectOffered(w, process.DriveAppointment(ctx, site))
		Expect(cancelPosts(w)).To(Equal(4))
	})

	It("is never sent to another carrier than the one that made it", func(ctx SpecContext) {
		w, process := begin(ctx)
		offered(ctx, w, process)
		recreateAccount(ctx, w, process, movedURL(w))
		w.EditAppointment(ctx, site, from("2026-03-16"))
		expectAppointment(process.DriveAppointment(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(cancelPosts(w)).To(BeZero())
	})
})
