// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A one-shot", func() {
	// runOnce runs a one-shot of a kind once, and expects what all kinds have in common.
	runOnce := func(ctx SpecContext, s fixture.OneShot) (*world.World, *world.Process, fixture.Subject) {
		GinkgoHelper()
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, s.Build(w, w.Line()))).To(Succeed())
		object := s.Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		request := object.Record().RequestOf(v1alpha1.Operation(s.Operation))
		Expect(request.Phase).To(Equal(v1alpha1.PhaseSucceeded))
		Expect(request.Location).To(MatchRegexp(`^/api/connect/.*/requests/[0-9A-Za-z_-]+$`))
		Expect(object.Record().NewestError()).To(BeNil())
		Expect(s.Posts(w)).To(Equal(1))
		Expect(w.Events.All()).To(ContainElements(
			ContainSubstring("Normal RequestAccepted"), ContainSubstring("Normal RequestSucceeded")))

		By("more passes, also by a new process")
		version, calls := object.GetResourceVersion(), len(w.Carrier.Calls())
		w.Clock.Advance(fixture.Horizon)
		process.DriveOneShot(ctx, s.Shot())
		again := w.Start(world.CrashPoint{})
		again.DriveOneShot(ctx, s.Shot())
		Expect(s.Read(ctx, w).GetResourceVersion()).To(Equal(version))
		Expect(fixture.CallsBeyondLogin(w, calls)).To(BeEmpty(), "what is completed is not sent again")
		return w, process, object
	}

	It("tests a line, and shows the result", func(ctx SpecContext) {
		_, process, object := runOnce(ctx, fixture.Tests())
		test, isTest := object.(*v1alpha1.DiagnosticTest)
		Expect(isTest).To(BeTrue())
		Expect(test.Status.TestID).NotTo(BeEmpty())
		Expect(test.Status.Active).To(BeFalse())
		Expect(test.Status.Stages).To(HaveLen(4))
		Expect(test.Status.Stages[0].Name).To(Equal("completed"))
		Expect(test.Status.Stages[0].At).To(MatchRegexp(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}$`), "it has no offset")
		Expect(string(test.Status.Result.Raw)).To(ContainSubstring(`"result":"Passed"`))
		Expect(test.Finalizers).To(ConsistOf(v1alpha1.Finalizer))
		Expect(firstEffect(process, "patch "+fixture.Once)).To(BeNumerically("<", firstEffect(process, "POST /api/")),
			"the finalizer is put on before the POST")
		Expect(fixture.CountEffects(process, "update status of "+fixture.Once)).To(Equal(2), "accepted, terminal")
	})

	It("shows the result of a test with the keys as the carrier wrote them", func(ctx SpecContext) {
		w, process := fixture.BeginWithWord(ctx, fixture.OwnWord)
		Expect(w.Create(ctx, fixture.Tests().Build(w, w.Line()))).To(Succeed())
		object := fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		test, isTest := object.(*v1alpha1.DiagnosticTest)
		Expect(isTest).To(BeTrue())
		Expect(string(test.Status.Result.Raw)).To(
			And(ContainSubstring(`"`+fixture.OwnWord+`_test_id":`), Not(ContainSubstring("wholesale"))))
	})

	It("quotes the exact price of a site until the day it expires", func(ctx SpecContext) {
		w, process, object := runOnce(ctx, fixture.Quotes())
		quote, isQuote := object.(*v1alpha1.FibreBuildQuote)
		Expect(isQuote).To(BeTrue())
		Expect(quote.Status.QuoteID).To(HavePrefix("EEQ-"))
		Expect(quote.Status.Price).To(Equal(&v1alpha1.Money{Amount: "12345.05", Currency: "AUD"}))
		Expect(quote.Status.POIName).To(Equal("Eastern Creek"))
		Expect(quote.Status.QuoteDate).To(Equal("2026-03-02"))
		Expect(quote.Status.ValidUntil).To(Equal("2026-05-31"))
		Expect(quote.Finalizers).To(BeEmpty())
		Expect(fixture.CountEffects(process, "update status of "+fixture.Once)).To(Equal(2), "accepted, terminal")

		By("waiting for the end of that day in the account's time zone")
		fixture.EditAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.TimeZone = "Australia/Sydney" })
		result, err := process.ReconcileOneShot(ctx, fixture.Quotes().Shot())
		Expect(err).NotTo(HaveOccurred())
		midnight := time.Date(2026, time.May, 31, 14, 0, 0, 0, time.UTC) // of June 1 in Sydney
		Expect(w.Clock.Now().Add(result.RequeueAfter)).To(BeTemporally("==", midnight))
		w.Clock.Advance(result.RequeueAfter - time.Second)
		process.DriveOneShot(ctx, fixture.Quotes().Shot())
		w.Clock.Advance(time.Second)
		fixture.Quotes().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonExpired)
	})

	It("reads the plans and SLAs that a service could have", func(ctx SpecContext) {
		_, process, object := runOnce(ctx, fixture.Queries())
		query, isQuery := object.(*v1alpha1.PlanOptionsQuery)
		Expect(isQuery).To(BeTrue())
		aud := func(amount string) *v1alpha1.Money { return &v1alpha1.Money{Amount: amount, Currency: "AUD"} }
		Expect(query.Status.Plans).To(HaveLen(28), "seven plans in four terms")
		Expect(query.Status.Plans[0]).To(Equal(v1alpha1.PlanOption{
			Name: world.PlanSlow, Term: "1", AccessTechnology: "FTTP", SourceType: "wholesale",
			SpeedDown: "50 MBit/s", SpeedUp: "20 MBit/s", OneTime: aud("0.00"), Monthly: aud("45.00"),
		}))
		giga := slices.IndexFunc(query.Status.Plans, func(p v1alpha1.PlanOption) bool { return p.Name == world.PlanGiga })
		Expect(query.Status.Plans[giga].NTDOptions).To(ConsistOf(v1alpha1.NTDOptionOffer{
			Option: "4_PORT_RESIDENTIAL", Recommended: true, OneTime: aud("99.00"), Monthly: aud("0.00"),
		}))
		Expect(query.Status.SLAs[1]).To(Equal(v1alpha1.SLAOption{
			Name: world.SLAFast, OneTime: aud("0.00"), Monthly: aud("10.00"),
		}))
		Expect(query.Status.Truncated).To(BeFalse())
		Expect(fixture.CountEffects(process, "update status of "+fixture.Once)).To(Equal(2), "accepted, terminal")
	})

	It("is not sent at an API version that lacks it, and sent once the account has another", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, fixture.StrictlyAt(5))
		s := fixture.Quotes()
		Expect(w.Create(ctx, s.Build(w, 0))).To(Succeed())
		s.Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonUnsupportedByAPIVersion)
		Expect(s.Posts(w)).To(BeZero())
		fixture.EditAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.APIVersion = 6 })
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		s.Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	})

	It("waits for its account, and stays completed without it", func(ctx SpecContext) {
		w := world.New(ctx, fixture.Plane)
		process, s := w.Start(world.CrashPoint{}), fixture.Queries()
		Expect(w.Create(ctx, s.Build(w, w.Line()))).To(Succeed())
		s.Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonAccountNotReady)
		account := w.Login(ctx)
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		s.Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(w.Delete(ctx, account)).To(Succeed())
		s.Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	})

	It("of class Never waits for the account's charge limit, and a Query does not", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, func(a *v1alpha1.CarrierAccount) {
			a.Spec.ChargeLimit = &v1alpha1.ChargeLimit{PerHour: 1}
		})
		first := w.Test("first", w.Line())
		Expect(w.Create(ctx, first)).To(Succeed())
		Expect(process.DriveOneShot(ctx, world.OneShot{Kind: "DiagnosticTest", Name: "first"})).To(BeTrue())
		Expect(w.Create(ctx, fixture.Tests().Build(w, w.Line()))).To(Succeed())
		fixture.Tests().Until(ctx, w, process, v1alpha1.ReasonChargeLimit)
		Expect(fixture.Tests().Posts(w)).To(Equal(1))
		Expect(w.Create(ctx, fixture.Queries().Build(w, w.Line()))).To(Succeed())
		fixture.Queries().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	})
})

// firstEffect is the index of a process's first effect that begins with a prefix.
func firstEffect(process *world.Process, prefix string) int {
	GinkgoHelper()
	place := slices.IndexFunc(process.Seam.Effects(), func(effect world.Effect) bool {
		return strings.HasPrefix(effect.What, prefix)
	})
	Expect(place).NotTo(Equal(-1), prefix)
	return place
}
