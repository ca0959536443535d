// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// movedLogin is the login of the world's client at another address of its carrier.
func movedLogin(w *world.World) v1alpha1.CarrierLogin {
	return w.Account(fixture.AsAnotherLogin).Login()
}

// continueWith lets a login continue that of the world, as docs/requestledger.md says, and returns the
// Events about it.
func continueWith(ctx SpecContext, w *world.World, process *world.Process, login v1alpha1.CarrierLogin) []string {
	GinkgoHelper()
	former, before := loginLedger(ctx, w), len(w.Events.All())
	metav1.SetMetaDataAnnotation(&former.ObjectMeta, v1alpha1.AnnotationContinuedBy, login.BaseURL+" "+login.ClientName)
	Expect(w.Update(ctx, former)).To(Succeed())
	Expect(process.ReconcileLedger(ctx, former.Name)).To(Succeed())
	return w.Events.All()[before:]
}

// expectContinued lets the login of the world's account at another address continue the world's.
func expectContinued(ctx SpecContext, w *world.World, process *world.Process) {
	GinkgoHelper()
	Expect(continueWith(ctx, w, process, movedLogin(w))).To(ConsistOf(HavePrefix("Normal LoginContinued ")))
	Expect(loginLedger(ctx, w).Annotations).NotTo(HaveKey(v1alpha1.AnnotationContinuedBy))
	continues := ledgerOfLogin(ctx, w, movedLogin(w)).Spec.Account.Continues
	Expect(continues.Login).To(Equal(w.Account().Login()))
	Expect(continues.By).NotTo(BeEmpty())
}

var _ = Describe("A carrier that has moved its address (R4)", func() {
	It("is used as before if its login was continued before the account was created again", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		attempt := fixture.DriveUntilAccepted(ctx, w, process).OpenRequest()
		expectContinued(ctx, w, process)
		fixture.RecreateAccount(ctx, w, process, fixture.MovedURL(w))
		account := w.Account()
		Expect(w.Get(ctx, client.ObjectKeyFromObject(account), account)).To(Succeed())
		Expect(account.Status.Continues).To(HaveValue(Equal(w.Account().Login())))

		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		done := fixture.RecordedPlanChange(ctx, w, service)
		Expect(done.AttemptID).To(Equal(attempt.AttemptID))
		Expect(done.EndedBy).To(Equal(v1alpha1.EndedByCarrier))
		Expect(w.Posts(line)).To(Equal(1))

		By("declaring the service in another object")
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Expect(w.Create(ctx, w.Service("heir", line))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, "heir"), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("is a Conflict before, and is used as before once its login is continued", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)
		fixture.RecreateAccount(ctx, w, process, fixture.MovedURL(w))
		before, calls := w.Read(ctx, site).Status, len(w.Carrier.Calls())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(world.Ready(service).Message).To(And(
			ContainSubstring("Create the CarrierAccount again with the former login"),
			HaveSuffix("kubectl annotate requestledger "+loginLedger(ctx, w).Name+
				" 'wholesale.broadband/continued-by="+fixture.MovedURL(w)+" "+w.ClientName+"'")))
		Expect(service.Status.Ledger).To(Equal(before.Ledger))
		Expect(service.Status.Requests).To(Equal(before.Requests))
		Expect(w.Carrier.Calls()).To(HaveLen(calls))

		expectContinued(ctx, w, process)
		Expect(fixture.ReconcileAccount(ctx, w, process).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("does not get an order again that it has accepted at its former address", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		placed := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(placed, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		fixture.RecreateAccount(ctx, w, process, fixture.MovedURL(w))
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonConflict)
		expectContinued(ctx, w, process)
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)

		By("applying the order again")
		Expect(w.Delete(ctx, w.ReadOrder(ctx, site))).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		again := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(again, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(again.Status.OrderID).To(Equal(placed.Status.OrderID))
		Expect(w.Ordered(fixture.Reference)).To(Equal(simulator.Count{Seen: 1, Processed: 1}))
	})

	It("still limits what is spent in an hour", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, limited(1))
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		expectContinued(ctx, w, process)
		fixture.RecreateAccount(ctx, w, process, fixture.MovedURL(w))
		line := w.Line()
		Expect(w.Create(ctx, w.Service("new", line))).To(Succeed())
		fixture.ExpectReady(reconcileTwenty(ctx, w, process, "new"), metav1.ConditionFalse, v1alpha1.ReasonChargeLimit)
		Expect(w.Posts(line)).To(BeZero())
		Expect(reserved(ctx, w)).To(HaveLen(1))
	})

	It("is tracked there for a diagnostic test in progress", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		named := world.OneShot{Kind: "DiagnosticTest", Name: "test"}
		Expect(w.Create(ctx, w.Test(named.Name, w.Line()))).To(Succeed())
		_, err := process.ReconcileOneShot(ctx, named)
		Expect(err).NotTo(HaveOccurred())
		fixture.RecreateAccount(ctx, w, process, fixture.MovedURL(w))
		Expect(process.DriveOneShot(ctx, named)).To(BeTrue())
		test, _ := world.Fetch(ctx, w, named.Name, &v1alpha1.DiagnosticTest{})
		Expect(fixture.ReadyOf(test).Reason).To(Equal(v1alpha1.ReasonConflict))
		expectContinued(ctx, w, process)
		Expect(process.DriveOneShot(ctx, named)).To(BeTrue())
		test, _ = world.Fetch(ctx, w, named.Name, &v1alpha1.DiagnosticTest{})
		Expect(fixture.ReadyOf(test).Status).To(Equal(metav1.ConditionTrue), fixture.ReadyOf(test).Message)
		Expect(fixture.Tests().Posts(w)).To(Equal(1))
	})
})

var _ = Describe("A login is not continued (R4)", func() {
	refused := func(ctx SpecContext, w *world.World, process *world.Process, login v1alpha1.CarrierLogin, why string) {
		GinkgoHelper()
		Expect(continueWith(ctx, w, process, login)).To(ConsistOf(And(
			HavePrefix("Warning LoginNotContinued "), ContainSubstring("nothing has changed: "), ContainSubstring(why))))
		Expect(loginLedger(ctx, w).Annotations).To(HaveKey(v1alpha1.AnnotationContinuedBy))
	}

	It("by one that has sent requests of its own", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		fixture.RecreateAccount(ctx, w, process, fixture.MovedURL(w))
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		refused(ctx, w, process, movedLogin(w), "has records of its own")
		Expect(ledgerOfLogin(ctx, w, movedLogin(w)).Spec.Account.Continues).To(BeNil())
	})

	It("by itself, or under another spelling of its address", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		own := w.Account().Login()
		refused(ctx, w, process, own, "are recorded here already")
		own.BaseURL = strings.ToUpper(own.BaseURL)
		refused(ctx, w, process, own, "must be written as "+w.URL)
		own.BaseURL, own.ClientName = w.URL, "two words"
		refused(ctx, w, process, own, "the form is <baseURL> <clientName>")
	})

	It("in a circle, and a chain of three leads to the first", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		expectContinued(ctx, w, process)
		second := *w
		second.URL = fixture.MovedURL(w)
		Expect(continueWith(ctx, &second, process, w.Account().Login())).To(
			ConsistOf(And(HavePrefix("Warning LoginNotContinued "), ContainSubstring("are recorded here already"))))
		third := v1alpha1.CarrierLogin{BaseURL: w.URL, ClientName: w.AnotherClient()}
		Expect(continueWith(ctx, &second, process, third)).To(ConsistOf(HavePrefix("Normal LoginContinued ")))
		Expect(ledgerOfLogin(ctx, w, third).Continued()).To(HaveValue(Equal(w.Account().Login())))
	})

	It("at the moment at which its first request is recorded", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		fixture.RecreateAccount(ctx, w, process, fixture.MovedURL(w))
		process.Seam.Fault = func(e world.Effect) error {
			if !strings.HasPrefix(e.What, "create order-") && !strings.HasPrefix(e.What, "update login-") {
				return nil
			}
			process.Seam.Fault = nil
			continueWith(ctx, w, w.Start(world.CrashPoint{}), movedLogin(w))
			return nil
		}
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
		account := ledgerOfLogin(ctx, w, movedLogin(w)).Spec.Account
		Expect(account.OwnRecords).NotTo(Equal(account.Continues != nil), "either its own records, or the other's")
		order := w.ReadOrder(ctx, site)
		spec := v1alpha1.RequestLedgerSpec{
			Login: movedLogin(w), Order: &v1alpha1.LedgerOrder{CustomerReference: fixture.Reference},
		}
		if account.Continues != nil {
			spec.Login = account.Continues.Login
		}
		Expect(order.Status.Ledger.Name).To(Equal(decide.LedgerName(&spec)))
	})
})
