// SPDX-License-Identifier: Apache-2.0

package appointments_test

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A query without a result", func() {
	It("for slots is sent three times, by whatever process (R20)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		fault := simulator.Fault{Kind: simulator.FaultStatus, Status: 502, Processed: true, Times: 3}
		Expect(w.Carrier.FailNext("POST AppointmentSlots", fault)).To(Succeed())
		Expect(w.Create(ctx, w.Appointment(site))).To(Succeed())
		reconcileAppointment(ctx, w, process)
		Expect(slotPosts(w)).To(Equal(1))

		process = fixture.Successor(ctx, w)
		appointment := process.DriveAppointment(ctx, site)
		expectAppointment(appointment, metav1.ConditionFalse, v1alpha1.ReasonUnanswered)
		w.Clock.Advance(24 * time.Hour)
		expectAppointment(process.DriveAppointment(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonUnanswered)
		Expect(slotPosts(w)).To(Equal(3))
		Expect(w.Uncancelled()).To(HaveLen(3))

		request := appointment.Status.Request
		ready := world.Condition(appointment.Status.Conditions, v1alpha1.ConditionReady)
		Expect(ready.Message).To(And(ContainSubstring("3 times"),
			ContainSubstring(v1alpha1.AnnotationRetry+"="+request.AttemptID)))
		w.EditAppointment(ctx, site, annotatedWith(v1alpha1.AnnotationRetry, request.AttemptID))
		expectAppointment(process.DriveAppointment(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(slotPosts(w)).To(Equal(4))
		Expect(cancelPosts(w)).To(BeZero(), "nobody knows the numbers of the others")
	})

	It("for slots is sent three times more for a reconcile annotation (R20)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		fault := simulator.Fault{Kind: simulator.FaultStatus, Status: 502, Times: 5}
		Expect(w.Carrier.FailNext("POST AppointmentSlots", fault)).To(Succeed())
		expectAppointment(createAppointment(ctx, w, process), metav1.ConditionFalse, v1alpha1.ReasonUnanswered)
		w.EditAppointment(ctx, site, annotatedWith(v1alpha1.AnnotationReconcile, "once more"))
		expectSlots(w, process.DriveAppointment(ctx, site))
		Expect(slotPosts(w)).To(Equal(6))
	})

	DescribeTable("is sent three times, and once more for a retry annotation (R20)",
		func(ctx SpecContext, s fixture.OneShot) {
			w, process := fixture.Begin(ctx)
			Expect(w.Create(ctx, s.Build(w, w.Line()))).To(Succeed())
			for asked := 1; asked <= 3; asked++ {
				for s.Posts(w) < asked {
					result, err := process.ReconcileOneShot(ctx, s.Shot())
					Expect(err).NotTo(HaveOccurred())
					w.Clock.Advance(result.RequeueAfter)
				}
				w.Carrier.Forget()
				process = fixture.Successor(ctx, w)
			}
			object := s.Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonUnanswered)
			w.Clock.Advance(24 * time.Hour)
			s.Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonUnanswered)
			Expect(s.Posts(w)).To(Equal(3))

			Expect(fixture.ReadyOf(object).Message).To(ContainSubstring("3 times"))
			s.Annotate(ctx, w, v1alpha1.AnnotationRetry, s.Request(ctx, w).AttemptID)
			s.Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			Expect(s.Posts(w)).To(Equal(4))
		},
		Entry("quote", fixture.Quotes()),
		Entry("query", fixture.Queries()),
	)

	DescribeTable("that gets a 502 after its effect is sent three times, by whatever process (R20)",
		func(ctx SpecContext, s fixture.OneShot) {
			w, process := fixture.Begin(ctx)
			fault := simulator.Fault{Kind: simulator.FaultStatus, Status: 502, Processed: true, Times: 1000}
			Expect(w.Carrier.FailNext("POST "+string(s.Operation), fault)).To(Succeed())
			Expect(w.Create(ctx, s.Build(w, w.Line()))).To(Succeed())
			_, err := process.ReconcileOneShot(ctx, s.Shot())
			Expect(err).NotTo(HaveOccurred())
			Expect(s.Posts(w)).To(Equal(1))

			process = fixture.Successor(ctx, w)
			object := s.Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonUnanswered)
			w.Clock.Advance(24 * time.Hour)
			s.Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonUnanswered)
			Expect(s.Posts(w)).To(Equal(3))
			Expect(fixture.ReadyOf(object).Message).To(And(ContainSubstring("3 times"),
				ContainSubstring(v1alpha1.AnnotationRetry+"="+s.Request(ctx, w).AttemptID)))

			w.Carrier.Disarm()
			s.Annotate(ctx, w, v1alpha1.AnnotationRetry, s.Request(ctx, w).AttemptID)
			s.Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			Expect(s.Posts(w)).To(Equal(4))
		},
		Entry("quote", fixture.Quotes()),
		Entry("query", fixture.Queries()),
	)

	It("for the plan of a service is sent at growing intervals (R20)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Carrier.SetPlan(line, "\t")).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		began := w.Clock.Now()
		for w.Clock.Now().Before(began.Add(10 * time.Minute)) {
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(result.RequeueAfter)
		}
		fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonPlanUnknown)
		Expect(w.Carrier.Submissions(simulator.OpHealth, line).Seen).To(BeNumerically("<=", 8))
		Expect(w.Posts(line)).To(BeZero())

		Expect(w.Carrier.SetPlan(line, world.PlanSlow)).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	})
})
