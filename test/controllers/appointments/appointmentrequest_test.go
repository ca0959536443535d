// SPDX-License-Identifier: Apache-2.0

package appointments_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An AppointmentRequest", func() {
	It("shows the slots of an order and recommends the first that is free of charge", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)

		appointment := createAppointment(ctx, w, process)

		expectSlots(w, appointment)
		status := appointment.Status
		Expect(status.DateFrom).To(Equal(v1alpha1.Date("2026-03-09")))
		Expect(status.SlotCount).To(Equal(int32(15))) // three on each of five working days
		Expect(status.Slots).To(HaveLen(15))
		Expect(status.Since.IsZero()).To(BeFalse())
		Expect(status.Slots[0]).To(HaveField("SlotType", "AM"))
		Expect(status.Slots[0].Chargeable).To(BeFalse())
		Expect(status.Slots[2]).To(And(HaveField("SlotType", "AHA"), HaveField("Chargeable", true)))
		Expect(status.Recommended.SlotID).To(Equal(status.Slots[0].SlotID))
		Expect(appointment.Finalizers).To(ContainElement(v1alpha1.Finalizer))
		Expect(slotPosts(w)).To(Equal(1))
	})

	It("shows the recommended slot at the site's own offset, with its day there", func(ctx SpecContext) {
		const sydney = "Australia/Sydney"
		w := world.New(ctx, fixture.Plane, func(seed *simulator.Seed) { seed.TimeZone = sydney })
		w.Login(ctx, func(account *v1alpha1.CarrierAccount) { account.Spec.TimeZone = sydney })
		process := w.Start(world.CrashPoint{})
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())

		appointment := createAppointment(ctx, w, process)

		expectSlots(w, appointment)
		Expect(appointment.Status.Recommended.StartTime).To(Equal("2026-03-08T21:00:00Z"), "a Sunday in UTC")
		const local = "Mon 2026-03-09 08:00–12:00 +11:00"
		Expect(appointment.Status.Recommended.LocalTime).To(Equal(local))
		Expect(fixture.ReadyOf(appointment).Message).To(ContainSubstring("the recommended slot is " + local))
	})

	It("whose slots have been read causes no more writes and calls", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		before := createAppointment(ctx, w, process)
		calls := len(w.Carrier.Calls())
		w.Clock.Advance(24 * time.Hour)
		Expect(process.DriveAppointment(ctx, site).ResourceVersion).To(Equal(before.ResourceVersion))
		_, err := w.Start(world.CrashPoint{}).ReconcileAppointment(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(w.ReadAppointment(ctx, site).ResourceVersion).To(Equal(before.ResourceVersion))
		Expect(fixture.CallsBeyondLogin(w, calls)).To(BeEmpty(), "a start costs only a login")
	})

	It("causes no writes while the request is in progress", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Carrier.FailNext("AppointmentSlots", simulator.Fault{Kind: simulator.FaultStall})).To(Succeed())
		createAppointment(ctx, w, process)
		var writes []string
		for _, effect := range process.Seam.Effects() {
			if strings.HasPrefix(effect.What, "update") || strings.HasPrefix(effect.What, "patch") {
				writes = append(writes, effect.What)
			}
		}
		Expect(writes).To(HaveExactElements(
			"update status of default", "patch site", "update status of site", "update status of site"))
	})

	It("with changed preferences shows another recommended slot without a call", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		first := createAppointment(ctx, w, process)
		calls := len(w.Carrier.Calls())
		w.EditAppointment(ctx, site, func(a *v1alpha1.AppointmentRequest) {
			a.Spec.Preferences = v1alpha1.SlotPreferences{SlotTypes: []v1alpha1.SlotType{"AHA"}, AllowChargeable: true}
		})
		second := process.DriveAppointment(ctx, site)
		expectSlots(w, second)
		Expect(second.Status.Recommended.SlotType).To(Equal("AHA"))
		Expect(second.Status.Since).To(Equal(first.Status.Since))
		Expect(w.Carrier.Calls()).To(HaveLen(calls))
	})

	It("is completed although no slot suits it, and reports that", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		appointment := createAppointment(ctx, w, process, func(a *v1alpha1.AppointmentRequest) {
			a.Spec.Preferences.SlotTypes = []v1alpha1.SlotType{"AHA"}
		})
		expectSlots(w, appointment)
		Expect(appointment.Status.Recommended).To(BeNil())
		ready := world.Condition(appointment.Status.Conditions, v1alpha1.ConditionReady)
		Expect(ready.Message).To(ContainSubstring(
			"none of them matches the preferences, but 2 would with preferences.allowChargeable"))
	})

	It("with another dateFrom cancels the old request and sends a new one", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		first := createAppointment(ctx, w, process)
		w.EditAppointment(ctx, site, dateFrom("2026-03-16"))
		second := process.DriveAppointment(ctx, site)
		expectSlots(w, second)
		Expect(second.Status.AppointmentRequestID).NotTo(Equal(first.Status.AppointmentRequestID))
		Expect(second.Status.DateFrom).To(Equal(v1alpha1.Date("2026-03-16")))
		Expect(slotPosts(w)).To(Equal(2))
		Expect(cancelPosts(w)).To(Equal(1))
	})

	It("that is edited while in progress is completed first, then cancelled and sent again", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Appointment(site))).To(Succeed())
		_, err := process.ReconcileAppointment(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(w.ReadAppointment(ctx, site).Status.AppointmentRequestID).NotTo(BeZero())
		w.EditAppointment(ctx, site, dateFrom("2026-03-16"))
		expectSlots(w, process.DriveAppointment(ctx, site))
		Expect(cancelPosts(w)).To(Equal(1))
	})

	It("requests new slots once for each value of the reconcile annotation", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		createAppointment(ctx, w, process, annotatedWith(v1alpha1.AnnotationReconcile, "at first"))
		Expect(slotPosts(w)).To(Equal(1))
		w.EditAppointment(ctx, site, annotatedWith(v1alpha1.AnnotationReconcile, "again"))
		appointment := process.DriveAppointment(ctx, site)
		expectSlots(w, appointment)
		Expect(appointment.Status.Handled.Reconcile).To(Equal("again"))
		process.DriveAppointment(ctx, site)
		Expect(slotPosts(w)).To(Equal(2))
		Expect(cancelPosts(w)).To(Equal(1))
	})

	It("from a day in the past, in the account's time zone, is refused before anything is sent", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.TimeZone = "Australia/Sydney" })
		w.Clock.Advance(7 * time.Hour) // 2 March, 16:00 UTC: the 3rd in Sydney
		appointment := createAppointment(ctx, w, process, dateFrom("2026-03-02"))
		expectAppointment(appointment, metav1.ConditionFalse, v1alpha1.ReasonDateInPast)
		Expect(w.ReadAppointment(ctx, site).Finalizers).To(BeEmpty())
		Expect(slotPosts(w)).To(BeZero())

		By("correcting it")
		w.EditAppointment(ctx, site, dateFrom("2026-03-03"))
		expectSlots(w, process.DriveAppointment(ctx, site))

		By("making it wrong again")
		w.EditAppointment(ctx, site, dateFrom("2026-03-01"))
		expectAppointment(process.DriveAppointment(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonDateInPast)
		Expect(cancelPosts(w)).To(BeZero())

		By("undoing that")
		w.EditAppointment(ctx, site, dateFrom("2026-03-03"))
		expectSlots(w, process.DriveAppointment(ctx, site))
		Expect(slotPosts(w)).To(Equal(1))
	})

	It("does not offer the slots of another login", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		createAppointment(ctx, w, process)
		Expect(w.Delete(ctx, w.Account())).To(Succeed())
		Expect(w.Create(ctx, w.Account(fixture.AsAnotherLogin))).To(Succeed())
		process = w.Start(world.CrashPoint{})
		Expect(fixture.ReconcileAccount(ctx, w, process).Status).To(Equal(metav1.ConditionTrue))
		appointment := process.DriveAppointment(ctx, site)
		expectAppointment(appointment, metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(fmt.Sprint(appointment.Status.Conditions)).To(ContainSubstring("can be neither booked nor cancelled"))
		Expect(slotPosts(w) + cancelPosts(w)).To(Equal(1))
	})

	It("is not sent while the manager may not send", func(ctx SpecContext) {
		w, _ := fixture.Begin(ctx)
		process := w.Start(world.CrashPoint{}, func(o *controllers.Options) { o.Submit = false })
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		expectAppointment(createAppointment(ctx, w, process), metav1.ConditionFalse, v1alpha1.ReasonPlanned)
		Expect(slotPosts(w)).To(BeZero())
	})
})

var _ = Describe("An AppointmentRequest of a ServiceOrder", func() {
	order := func(ctx context.Context, w *world.World, account string) *v1alpha1.ServiceOrder {
		GinkgoHelper()
		placed := &v1alpha1.ServiceOrder{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "placed"},
			Spec: v1alpha1.ServiceOrderSpec{
				AccountRef: v1alpha1.AccountReference{Name: account}, CustomerReference: "SITE-1",
				Scenario: v1alpha1.ScenarioFree, PlanName: world.PlanSlow, Term: 1, AggregationMethod: "L2TP",
				NTDInstallation: "wholesale-tech",
				Qualification: v1alpha1.QualificationIDs{
					QualificationSearchID: "1", RemoteQualificationSearchID: "2", LocationID: "LOC000000000001",
				},
				Infrastructure: &v1alpha1.OrderedInfrastructure{ID: "NTD1", PortID: new(int64(1))},
				Contact:        &v1alpha1.Contact{Name: "Jo", Phone: "0400 000 000", Email: "jo@example.com"},
			},
		}
		Expect(w.Create(ctx, placed)).To(Succeed())
		return placed
	}

	It("waits for the order, then for its number, and then is sent", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		waiting := createAppointment(ctx, w, process, ofOrder("placed"))
		expectAppointment(waiting, metav1.ConditionFalse, v1alpha1.ReasonOrderNotReady)
		placed := order(ctx, w, world.AccountName)
		expectAppointment(process.DriveAppointment(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOrderNotReady)
		Expect(slotPosts(w)).To(BeZero())
		placed.Status.OrderID, placed.Status.TechnologyType = v1alpha1.CarrierIDOf(world.PlacedOrderID), "FTTN"
		Expect(w.Status().Update(ctx, placed)).To(Succeed())
		expectSlots(w, process.DriveAppointment(ctx, site))
		about := strconv.FormatInt(world.PlacedOrderID, 10)
		Expect(w.Carrier.SubmissionsAbout(simulator.OpAppointmentSlots, about).Processed).To(Equal(1))

		By("deleting the ServiceOrder: this is said, and nothing is cancelled")
		Expect(w.Delete(ctx, placed)).To(Succeed())
		gone := process.DriveAppointment(ctx, site)
		expectAppointment(gone, metav1.ConditionFalse, v1alpha1.ReasonOrderGone)
		Expect(world.Condition(gone.Status.Conditions, v1alpha1.ConditionStalled).Message).To(And(
			HavePrefix("ServiceOrder placed no longer exists, so nothing here shows what became of order "+about),
			HaveSuffix("is still open at the carrier: delete this AppointmentRequest to cancel it")))
		Expect(gone.Status.Slots).NotTo(BeEmpty())
		cancelled := func() int { return w.Carrier.SubmissionsAbout(simulator.OpAppointmentCancel, "").Seen }
		Expect(cancelled()).To(BeZero())

		By("creating it again, as Git does")
		again := order(ctx, w, world.AccountName)
		again.Status.OrderID, again.Status.TechnologyType = v1alpha1.CarrierIDOf(world.PlacedOrderID), "FTTN"
		Expect(w.Status().Update(ctx, again)).To(Succeed())
		expectSlots(w, process.DriveAppointment(ctx, site))

		By("deleting both: the appointment-request is cancelled, as its deletionPolicy says")
		Expect(w.Delete(ctx, again)).To(Succeed())
		Expect(w.Delete(ctx, process.DriveAppointment(ctx, site))).To(Succeed())
		Expect(process.DriveAppointment(ctx, site)).To(BeNil())
		Expect(cancelled()).To(Equal(1))
	})

	It("does not offer the slots of an order that the carrier no longer has", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		placed := order(ctx, w, world.AccountName)
		update := func(change func(*v1alpha1.ServiceOrderStatus)) *v1alpha1.AppointmentRequest {
			GinkgoHelper()
			change(&placed.Status)
			Expect(w.Status().Update(ctx, placed)).To(Succeed())
			return process.DriveAppointment(ctx, site)
		}
		number := v1alpha1.CarrierIDOf(world.PlacedOrderID)
		placed.Status.OrderID = number
		Expect(w.Status().Update(ctx, placed)).To(Succeed())
		first := createAppointment(ctx, w, process, ofOrder("placed"))
		expectSlots(w, first)
		Expect(first.Status.OrderID).To(Equal(number))

		By("rejecting it, and withdrawing that")
		rejected := update(func(s *v1alpha1.ServiceOrderStatus) { s.Rejection = &v1alpha1.Notice{Event: "OrderRejected"} })
		expectAppointment(rejected, metav1.ConditionFalse, v1alpha1.ReasonOrderGone)
		Expect(world.Condition(rejected.Status.Conditions, v1alpha1.ConditionStalled).Status).To(Equal(metav1.ConditionTrue))
		expectSlots(w, update(func(s *v1alpha1.ServiceOrderStatus) { s.Rejection = nil }))

		By("resolving it as not accepted")
		expectAppointment(update(func(s *v1alpha1.ServiceOrderStatus) { s.OrderID = "" }),
			metav1.ConditionFalse, v1alpha1.ReasonOrderNotReady)
		Expect(slotPosts(w)).To(Equal(1))

		By("ordering again, while the carrier does not cancel the former appointment-request")
		const asOftenAsItIsRepeated = 3
		for range asOftenAsItIsRepeated {
			Expect(w.Carrier.FailNext("POST AppointmentCancel", fixture.AnswerStatus(422))).To(Succeed())
		}
		for range 2 {
			held := update(func(s *v1alpha1.ServiceOrderStatus) { s.OrderID = v1alpha1.CarrierIDOf(world.PlacedOrderID + 1) })
			expectAppointment(held, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		}
		Expect(slotPosts(w)).To(Equal(1))
	})

	It("of another account is refused", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		order(ctx, w, "other")
		appointment := createAppointment(ctx, w, process, ofOrder("placed"))
		expectAppointment(appointment, metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(fmt.Sprint(appointment.Status.Conditions)).To(ContainSubstring("belongs to CarrierAccount other"))
		Expect(slotPosts(w)).To(BeZero())
	})
})
