// SPDX-License-Identifier: Apache-2.0

package account_test

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

// stranger is a tenant next door, with an identity provider of its own and without the key of the
// login that its account names.
func stranger(ctx context.Context, of *world.World, edits ...func(*v1alpha1.CarrierAccount)) *world.World {
	GinkgoHelper()
	next := of.Neighbor(ctx)
	account := of.Account(edits...)
	account.Namespace, account.Spec.Auth.TokenURL = next.Namespace, next.TokenURL()
	Expect(next.Create(ctx, next.Secret())).To(Succeed())
	Expect(next.Create(ctx, account)).To(Succeed())
	return next
}

// ledgersSeen returns the version of each RequestLedger of the client that exists, by name.
func ledgersSeen(ctx context.Context, w *world.World) map[string]string {
	GinkgoHelper()
	var ledgers v1alpha1.RequestLedgerList
	Expect(w.List(ctx, &ledgers)).To(Succeed())
	versions := map[string]string{}
	for i := range ledgers.Items {
		if ledgers.Items[i].Spec.Login.ClientName == w.ClientName { // other tests have ledgers, too
			versions[ledgers.Items[i].Name] = ledgers.Items[i].ResourceVersion
		}
	}
	return versions
}

var _ = Describe("An account with an identity provider of its own, whose carrier refuses the token", func() {
	It("gets nothing of the login that it names: no ledger is created, read into a status, taken over or moved",
		func(ctx SpecContext) {
			w, process := fixture.Begin(ctx)
			line, kept := w.Line(), w.Line()
			Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
			fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed(), "so that the ledger has no holder")

			next := stranger(ctx, w)
			thief := process.In(next)
			Expect(next.Create(ctx, next.Service(site, line))).To(Succeed())
			Expect(next.Create(ctx, next.Service("new", kept))).To(Succeed())
			Expect(next.Create(ctx, next.Order("order", "SITE-1"))).To(Succeed())
			before, posts := ledgersSeen(ctx, w), w.Posts(line)
			for range 5 {
				_, err := thief.ReconcileAccount(ctx)
				Expect(err).NotTo(HaveOccurred())
				for _, name := range []string{site, "new"} {
					_, err = thief.Reconcile(ctx, name)
					Expect(err).NotTo(HaveOccurred())
				}
				_, err = thief.ReconcileOrder(ctx, "order")
				Expect(err).NotTo(HaveOccurred())
				w.Clock.Advance(time.Minute)
			}
			Expect(fixture.AccountReady(ctx, next).Reason).To(Equal(v1alpha1.ReasonTokenNotAccepted))
			for _, name := range []string{site, "new"} {
				service := next.Read(ctx, name)
				fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAccountNotReady)
				Expect(service.Status.Ledger).To(BeNil())
				Expect(service.Status.History).To(BeEmpty())
				Expect(service.Status.Requests).To(BeEmpty())
			}
			Expect(next.ReadOrder(ctx, "order").Status.Ledger).To(BeNil())

			By("asking to move the ledgers, as somebody who may resolve requests in the stranger's namespace")
			next.Edit(ctx, site, func(s *v1alpha1.BroadbandService) {
				metav1.SetMetaDataAnnotation(&s.ObjectMeta, v1alpha1.AnnotationResolve,
					"all@"+w.Clock.Now().UTC().Format(time.RFC3339)+"=SameCarrier")
			})
			_, err := thief.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			Expect(ledgersSeen(ctx, w)).To(Equal(before), "no ledger was created or written")
			Expect(w.Posts(line)).To(Equal(posts))
			Expect(w.Posts(kept)).To(BeZero())

			By("declaring the service again in the namespace that holds the key")
			Expect(w.Create(ctx, w.Service("again", line))).To(Succeed())
			fixture.ExpectReady(process.Drive(ctx, "again"), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		})

	It("does not change the rate of the login that it names", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		slow := func(a *v1alpha1.CarrierAccount) {
			a.Spec.RateLimit = v1alpha1.RateLimit{RequestsPerSecond: 1, Burst: 1}
		}
		next := stranger(ctx, w, slow)
		for range 3 {
			_, err := process.In(next).ReconcileAccount(ctx)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(time.Second)
		}
		fixture.EditAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.Polling.Min = "3s" }) // sets the rate again
		Expect(fixture.ReconcileAccount(ctx, w, process).Status).To(Equal(metav1.ConditionTrue))
		since := len(w.Carrier.Calls())
		for i := range 10 {
			name := fmt.Sprint("site-", i)
			Expect(w.Create(ctx, w.Service(name, w.Line()))).To(Succeed())
			_, err := process.Reconcile(ctx, name)
			Expect(err).NotTo(HaveOccurred())
		}
		made := fixture.Calls(w, since)
		Expect(len(w.Carrier.Calls())-since).To(BeNumerically(">=", 10), "at once, without a wait: %v", made)
		Expect(fixture.AccountReady(ctx, w).Message).NotTo(ContainSubstring(next.Namespace))
	})
})

var _ = Describe("The accounts of a login in two namespaces", func() {
	It("lose one response together, and show which of them sets the rate", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		next := w.InAnotherNamespace(ctx)
		next.ClientName = w.ClientName
		next.Login(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.RateLimit.RequestsPerSecond = 2 })
		_, err := process.In(next).ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(fixture.ReconcileAccount(ctx, w, process).Message).To(HaveSuffix(
			"together make at most 2 calls a second, and 100 at once: the rateLimit of CarrierAccount " +
				next.Namespace + "/default"))
		Expect(fixture.AccountReady(ctx, next).Message).NotTo(ContainSubstring("rateLimit"))
		before := w.ReadAccount(ctx)
		Expect(fixture.ReconcileAccount(ctx, w, w.Start(world.CrashPoint{})).Status).To(Equal(metav1.ConditionTrue))
		Expect(w.ReadAccount(ctx).ResourceVersion).To(Equal(before.ResourceVersion), "a start changes nothing")

		By("losing a response")
		Expect(w.Carrier.FailNext("POST PlanChange", simulator.Fault{
			Kind: simulator.FaultStatus, Status: http.StatusBadGateway, Times: 10,
		})).To(Succeed())
		lines := []int64{w.Line(), w.Line()}
		Expect(w.Create(ctx, w.Service(site, lines[0]))).To(Succeed())
		Expect(next.Create(ctx, next.Service(site, lines[1]))).To(Succeed())
		for range 30 {
			_, err = process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			if w.Posts(lines[0]) == 1 {
				break
			}
			w.Clock.Advance(time.Second)
		}
		_, err = process.In(next).Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(w.Posts(lines[0])).To(Equal(1))
		Expect(w.Posts(lines[1])).To(BeZero(), "the loss is the login's")
	})
})

var _ = Describe("The proof that the carrier accepts the token of an account", func() {
	It("costs one free call for each account and start, and no write", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		for range 3 {
			_, err := process.ReconcileAccount(ctx)
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(fixture.TokenChecks(w, 0)).To(Equal(1))

		By("starting another process, which first reconciles the service")
		before, since := w.Read(ctx, site), len(w.Carrier.Calls())
		another := w.Start(world.CrashPoint{})
		another.Drive(ctx, site)
		_, err := another.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(fixture.TokenChecks(w, since)).To(Equal(1))
		Expect(w.Read(ctx, site).ResourceVersion).To(Equal(before.ResourceVersion))
		AddReportEntry("free calls for one account and one start", fixture.TokenChecks(w, since))
	})

	It("lets a new process poll what is in progress as soon as the carrier has accepted its token", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		for range 20 {
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			open := w.Read(ctx, site).OpenRequests()
			if len(open) > 0 && open[0].Phase == v1alpha1.PhaseInProgress {
				break
			}
			w.Clock.Advance(result.RequeueAfter)
		}
		Expect(w.Read(ctx, site).OpenRequests()).To(HaveLen(1))
		since := len(w.Carrier.Calls())
		fixture.ExpectReady(w.Start(world.CrashPoint{}).Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.TokenChecks(w, since)).To(Equal(1))
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("is asked for after growing pauses while the carrier answers nothing, and no object is touched",
		func(ctx SpecContext) {
			w, process := fixture.Begin(ctx)
			Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
			process.Drive(ctx, site)
			for _, kind := range []simulator.FaultKind{simulator.FaultPage, simulator.FaultStatus} {
				Expect(w.Carrier.FailNext("GET Reclaim", simulator.Fault{
					Kind: kind, Status: http.StatusServiceUnavailable, Times: 1000,
				})).To(Succeed())
				before, since := w.Read(ctx, site), len(w.Carrier.Calls())
				another := w.Start(world.CrashPoint{})
				_, err := another.Reconcile(ctx, site)
				Expect(err).NotTo(HaveOccurred())
				Expect(fixture.ReconcileAccount(ctx, w, another).Status).To(Equal(metav1.ConditionTrue), "for less than a minute")
				Expect(w.Read(ctx, site).ResourceVersion).To(Equal(before.ResourceVersion))

				reconcileAccountUntil(ctx, w, another, w.Clock.Now().Add(20*time.Minute))
				ready := fixture.AccountReady(ctx, w)
				Expect(ready.Reason).To(Equal(v1alpha1.ReasonUnreachable))
				Expect(ready.Message).To(ContainSubstring("it is not known whether the carrier accepts it: "))
				Expect(world.Condition(w.ReadAccount(ctx).Status.Conditions, v1alpha1.ConditionStalled).Status).
					NotTo(Equal(metav1.ConditionTrue))
				made := fixture.TokenChecks(w, since)
				Expect(made).To(And(BeNumerically(">=", 15), BeNumerically("<=", 30)), "1, 2, 4 … 60 s")

				By("answering again")
				w.Carrier.Disarm()
				reconcileAccountUntil(ctx, w, another, w.Clock.Now().Add(2*time.Minute))
				Expect(fixture.AccountReady(ctx, w).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
				another.Drive(ctx, site)
			}
		})

	It("leaves what is settled as it is shown, because only the ledger could confirm it", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, "SITE-1"))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		order.Status.Frozen = false // otherwise the API server refuses the edit
		Expect(w.Status().Update(ctx, order)).To(Succeed())
		w.EditOrder(ctx, site, func(o *v1alpha1.ServiceOrder) { o.Spec.PlanName = world.PlanSlow })
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOrderDiffers)

		By("starting a process while the carrier does not show whether it accepts the token")
		Expect(w.Carrier.FailNext("GET Reclaim", simulator.Fault{Kind: simulator.FaultPage, Times: 1000})).To(Succeed())
		another := w.Start(world.CrashPoint{})
		reconcileAccountUntil(ctx, w, another, w.Clock.Now().Add(10*time.Minute))
		Expect(fixture.AccountReady(ctx, w).Reason).To(Equal(v1alpha1.ReasonUnreachable))
		_, err := another.ReconcileOrder(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		fixture.ExpectOrder(w.ReadOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOrderDiffers)
	})
})
