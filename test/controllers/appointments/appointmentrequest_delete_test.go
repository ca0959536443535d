// SPDX-License-Identifier: Apache-2.0

package appointments_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// deleteAppointment deletes the object as a user would. The API server uses the real clock, so the
// world's clock is advanced to the time of the deletion. Otherwise, ten minutes would never pass
// after it.
func deleteAppointment(ctx context.Context, w *world.World) {
	GinkgoHelper()
	Expect(w.Delete(ctx, w.ReadAppointment(ctx, site))).To(Succeed())
	if appointment := w.ReadAppointment(ctx, site); appointment != nil {
		w.Clock.Advance(appointment.DeletionTimestamp.Sub(w.Clock.Now()))
	}
}

// cancelWarnings counts the warnings about an appointment-request that was left behind.
func cancelWarnings(w *world.World) int {
	count := 0
	for _, line := range w.Events.All() {
		if strings.HasPrefix(line, "Warning AppointmentNotCancelled") {
			count++
		}
	}
	return count
}

func keepAtCarrier(a *v1alpha1.AppointmentRequest) {
	a.Spec.DeletionPolicy = v1alpha1.DeletionKeep
}

var _ = Describe("A deleted AppointmentRequest", func() {
	It("is cancelled at the carrier and removed", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		createAppointment(ctx, w, process)
		deleteAppointment(ctx, w)
		Expect(process.DriveAppointment(ctx, site)).To(BeNil())
		Expect(w.ReadAppointment(ctx, site)).To(BeNil())
		Expect(w.Uncancelled()).To(BeEmpty())
		Expect(cancelPosts(w)).To(Equal(1))
		Expect(cancelWarnings(w)).To(BeZero())
	})

	It("is removed at once without a call, with deletionPolicy Keep", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		createAppointment(ctx, w, process, keepAtCarrier)
		calls := len(w.Carrier.Calls())
		deleteAppointment(ctx, w)
		process.DriveAppointment(ctx, site)
		Expect(w.ReadAppointment(ctx, site)).To(BeNil())
		Expect(w.Carrier.Calls()).To(HaveLen(calls))
	})

	It("is cancelled when deletionPolicy becomes Cancel after the slots were requested", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		createAppointment(ctx, w, process, keepAtCarrier)
		w.EditAppointment(ctx, site, func(a *v1alpha1.AppointmentRequest) { a.Spec.DeletionPolicy = v1alpha1.DeletionCancel })
		process.DriveAppointment(ctx, site)
		deleteAppointment(ctx, w)
		process.DriveAppointment(ctx, site)
		Expect(w.ReadAppointment(ctx, site)).To(BeNil())
		Expect(w.Uncancelled()).To(BeEmpty())
	})

	It("is cancelled while the slots are still being requested", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Appointment(site))).To(Succeed())
		Expect(reconcileAppointment(ctx, w, process).Status.Request.Phase).To(Equal(v1alpha1.PhaseInProgress))
		deleteAppointment(ctx, w)
		process.DriveAppointment(ctx, site)
		Expect(w.ReadAppointment(ctx, site)).To(BeNil())
		Expect(w.Uncancelled()).To(BeEmpty())
	})

	It("is cancelled by another process than the one that requested it", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		createAppointment(ctx, w, process)
		deleteAppointment(ctx, w)
		successor := w.Start(world.CrashPoint{})
		_, err := successor.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		successor.DriveAppointment(ctx, site)
		Expect(w.ReadAppointment(ctx, site)).To(BeNil())
		Expect(w.Uncancelled()).To(BeEmpty())
	})

	givenUp := func(ctx context.Context, w *world.World, process *world.Process) {
		GinkgoHelper()
		deleted := w.ReadAppointment(ctx, site).DeletionTimestamp.Time
		for w.ReadAppointment(ctx, site) != nil {
			Expect(cancelWarnings(w)).To(BeZero())
			result, err := process.ReconcileAppointment(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(result.RequeueAfter)
		}
		Expect(w.Clock.Now().Sub(deleted)).To(BeNumerically("~", 10*time.Minute, time.Second))
		Expect(cancelWarnings(w)).To(Equal(1))
		Expect(w.Uncancelled()).To(HaveLen(1))
	}
	fails := func(fault simulator.Fault, posts int) func(SpecContext) {
		return func(ctx SpecContext) {
			w, process := fixture.Begin(ctx)
			createAppointment(ctx, w, process)
			fault.Times = 100
			Expect(w.Carrier.FailNext("POST AppointmentCancel", fault)).To(Succeed())
			deleteAppointment(ctx, w)
			givenUp(ctx, w, process)
			Expect(cancelPosts(w)).To(BeNumerically("<=", posts))
		}
	}
	It("is abandoned after ten minutes of 404, which proves nothing", fails(fixture.AnswerStatus(404), 2))
	It("is abandoned after ten minutes when the response is lost, and not repeated sooner",
		fails(fixture.AnswerStatus(500), 1))
	It("is abandoned after ten minutes of 429", fails(simulator.Fault{Kind: simulator.FaultStatus, Status: 429}, 100))

	It("is abandoned after ten minutes without a token", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		createAppointment(ctx, w, process)
		refusal := fixture.AnswerStatus(401)
		refusal.Times = 1000
		Expect(w.Carrier.FailNext("Token", refusal)).To(Succeed())
		w.Carrier.RevokeTokens()
		deleteAppointment(ctx, w)
		givenUp(ctx, w, process)
	})

	It("is abandoned after ten minutes while the manager may not send", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		createAppointment(ctx, w, process)
		deleteAppointment(ctx, w)
		silent := w.Start(world.CrashPoint{}, func(o *controllers.Options) { o.Submit = false })
		_, err := silent.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		givenUp(ctx, w, silent)
		Expect(cancelPosts(w)).To(BeZero())
	})

	It("is abandoned at once when its account is deleted", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		createAppointment(ctx, w, process)
		Expect(w.Delete(ctx, w.Account())).To(Succeed())
		deleteAppointment(ctx, w)
		reconcileAppointment(ctx, w, process)
		Expect(w.ReadAppointment(ctx, site)).To(BeNil())
		Expect(cancelWarnings(w)).To(Equal(1))
	})

	It("is abandoned at once when its namespace is being deleted", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		createAppointment(ctx, w, process)
		Expect(w.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}})).To(Succeed())
		deleteAppointment(ctx, w)
		reconcileAppointment(ctx, w, process)
		Expect(w.ReadAppointment(ctx, site)).To(BeNil())
		Expect(cancelWarnings(w)).To(Equal(1))
		Expect(cancelPosts(w)).To(BeZero())
	})

	It("of which the carrier knows nothing is removed at once", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		appointment := createAppointment(ctx, w, process, dateFrom("2026-01-01"), func(a *v1alpha1.AppointmentRequest) {
			a.Finalizers = []string{v1alpha1.Finalizer} // as left by a process that ended before the query
		})
		expectAppointment(appointment, metav1.ConditionFalse, v1alpha1.ReasonDateInPast)
		deleteAppointment(ctx, w)
		reconcileAppointment(ctx, w, process)
		Expect(w.ReadAppointment(ctx, site)).To(BeNil())
		Expect(cancelWarnings(w)).To(BeZero())
	})
})

// killedAppointment is a scenario that is cut at each of its effects, and what must hold at its
// end.
type killedAppointment struct {
	run      func(context.Context, *world.World, *world.Process) // run with a process that may die in it
	finish   func(context.Context, *world.World, *world.Process) // what the user does after the process died
	left     int                                                 // appointment-requests that remain at the carrier
	gone     bool                                                // whether the object is gone, too
	cancels  int                                                 // cancel POSTs of the uncut scenario
	atLeast  int                                                 // minimum effects of the scenario
	repeated int                                                 // additional cancel POSTs, at most: the declared repeats
}

var _ = DescribeTable("An operator that is killed at any effect of an AppointmentRequest's",
	func(ctx SpecContext, end killedAppointment) {
		begun := func(cut world.CrashPoint) (*world.World, *world.Process) {
			w := world.New(ctx, fixture.Plane)
			w.Login(ctx)
			Expect(w.Create(ctx, w.Appointment(site))).To(Succeed())
			process := w.Start(cut)
			if _, err := process.ReconcileAccount(ctx); err == nil {
				end.run(ctx, w, process)
			}
			return w, process
		}
		whole, uncut := begun(world.CrashPoint{})
		Expect(cancelPosts(whole)).To(Equal(end.cancels))
		effects := uncut.Seam.Effects()
		Expect(len(effects)).To(BeNumerically(">=", end.atLeast))
		lost, given := 0, 0
		for _, cut := range world.CrashPoints(effects) {
			By("killing it " + cut.String())
			w, _ := begun(cut)
			end.finish(ctx, w, nil)
			successor := w.Start(world.CrashPoint{})
			_, err := successor.ReconcileAccount(ctx)
			Expect(err).NotTo(HaveOccurred())
			successor.DriveAppointment(ctx, site)

			left := end.left
			if isUnrecordedQuery(effects, cut) {
				left, lost = left+1, lost+1
			}
			appointment := w.ReadAppointment(ctx, site)
			if end.gone && isUnrecordedCancel(effects, cut) {
				// The outcome of the cancel is unknown, so it would be repeated after 15 minutes,
				// and a deleted object is given up after 10.
				Expect(cancelWarnings(w)).To(Equal(1))
				left, given = left+1-cancelPosts(w), given+1
			} else {
				Expect(cancelWarnings(w)).To(BeZero())
			}
			Expect(w.Uncancelled()).To(HaveLen(left))
			Expect(cancelPosts(w)).To(BeNumerically("<=", end.cancels+end.repeated))
			Expect(appointment == nil).To(Equal(end.gone))
			if !end.gone {
				expectAppointment(appointment, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			}
		}
		AddReportEntry("kill points", fmt.Sprintf(
			"%d kill points, %d of them left an appointment-request that nobody knows of, %d were given up with a warning",
			len(world.CrashPoints(effects)), lost, given))
	},
	Entry("slots", killedAppointment{
		run: driveAppointment, finish: nothing, left: 1, atLeast: 6,
	}),
	Entry("change of date", killedAppointment{
		run: func(ctx context.Context, w *world.World, process *world.Process) {
			driveAppointment(ctx, w, process)
			moveDate(ctx, w, process)
			driveAppointment(ctx, w, process)
		},
		finish: moveDate, left: 1, cancels: 1, repeated: 2, atLeast: 11,
	}),
	Entry("deletion", killedAppointment{
		run: func(ctx context.Context, w *world.World, process *world.Process) {
			driveAppointment(ctx, w, process)
			deleteOnce(ctx, w, process)
			driveAppointment(ctx, w, process)
		},
		finish: deleteOnce, cancels: 1, repeated: 2, atLeast: 10, gone: true,
	}),
)

// isUnrecordedQuery reports whether a process ended between a query for slots and its record. Such
// a request of class Query is sent again, and it is unknown what the first one created.
func isUnrecordedQuery(effects []world.Effect, end world.CrashPoint) bool {
	isQuery := func(effect world.Effect) bool { return strings.HasSuffix(effect.What, "appointment-requests/request") }
	if end.After {
		return isQuery(effects[end.At-1])
	}
	return end.At > 1 && isQuery(effects[end.At-2])
}

// isUnrecordedCancel reports whether a process ended between the intent of a cancel and its
// outcome.
func isUnrecordedCancel(effects []world.Effect, end world.CrashPoint) bool {
	for _, effect := range effects {
		if strings.HasSuffix(effect.What, "appointment-requests/cancel") {
			number := effect.Number
			return end.At == number || end.At == number-1 && end.After || end.At == number+1 && !end.After
		}
	}
	return false
}

func nothing(context.Context, *world.World, *world.Process) {}

func driveAppointment(ctx context.Context, _ *world.World, process *world.Process) {
	if !process.Seam.Dead() {
		process.DriveAppointment(ctx, site)
	}
}

// moveDate changes the date, once.
func moveDate(ctx context.Context, w *world.World, _ *world.Process) {
	if w.ReadAppointment(ctx, site).Spec.DateFrom != "2026-03-16" {
		w.EditAppointment(ctx, site, dateFrom("2026-03-16"))
	}
}

// deleteOnce deletes the object, once.
func deleteOnce(ctx context.Context, w *world.World, _ *world.Process) {
	if appointment := w.ReadAppointment(ctx, site); appointment != nil && appointment.DeletionTimestamp.IsZero() {
		deleteAppointment(ctx, w)
	}
}
