// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The ledger of a login", func() {
	It("is created before anything is sent, and is written once (R31)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		ledger := loginLedger(ctx, w)
		Expect(ledger.Spec.Login).To(Equal(w.Account().Login()))
		Expect(fixture.ReconcileAccount(ctx, w, w.Start(world.CrashPoint{})).Status).To(Equal(metav1.ConditionTrue))
		Expect(loginLedger(ctx, w)).To(Equal(ledger))
		Expect(fixture.ReconcileAccount(ctx, w, process).Status).To(Equal(metav1.ConditionTrue))
	})

	It("says that the login has records of its own before the first of them is created (R31)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(loginLedger(ctx, w).Spec.Account.OwnRecords).To(BeFalse())
		said := false
		process.Seam.Fault = func(e world.Effect) error {
			if strings.HasPrefix(e.What, "create order-") {
				said = loginLedger(ctx, w).Spec.Account.OwnRecords
			}
			return nil
		}
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(said).To(BeTrue())
	})

	It("is reported as not created if Kubernetes refuses it, and nothing is sent (R18, R31)", func(ctx SpecContext) {
		w := world.New(ctx, fixture.Plane)
		w.Login(ctx)
		process := w.Start(world.CrashPoint{})
		process.Seam.Fault = failEffect("create login-", errQuota)
		ready := fixture.ReconcileAccount(ctx, w, process)
		Expect(ready.Reason).To(Equal(v1alpha1.ReasonAPIServerRefused), ready.Message)
		Expect(ready.Message).To(ContainSubstring("exceeded quota"))
		process.Seam.Fault = nil
		Expect(fixture.ReconcileAccount(ctx, w, process).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
	})

	It("is reported if a newer version wrote it, and nothing is sent (R30, R31)", func(ctx SpecContext) {
		w, _ := fixture.Begin(ctx)
		ledger := loginLedger(ctx, w)
		ledger.Spec.Schema = v1alpha1.LedgerSchema + 1
		ledger.Spec.Revision++
		Expect(w.Update(ctx, ledger)).To(Succeed())
		ready := fixture.ReconcileAccount(ctx, w, w.Start(world.CrashPoint{}))
		Expect(ready).To(And(HaveField("Status", metav1.ConditionFalse),
			HaveField("Reason", v1alpha1.ReasonLedgerUnreadable)))
		Expect(ready.Message).To(And(ContainSubstring(ledger.Name), ContainSubstring("a newer version of the operator")))
	})

	It("whose content does not match its name is reported, and nothing is sent (R31)", func(ctx SpecContext) {
		w := world.New(ctx, fixture.Plane)
		w.Login(ctx)
		forged := &v1alpha1.RequestLedger{ObjectMeta: metav1.ObjectMeta{Name: decide.LoginLedgerName(w.Account().Login())}}
		forged.Spec = v1alpha1.RequestLedgerSpec{
			Schema: v1alpha1.LedgerSchema, Revision: 1, Account: &v1alpha1.LedgerAccount{},
			Login: v1alpha1.CarrierLogin{BaseURL: w.URL, ClientName: "somebody-else"},
		}
		Expect(w.Create(ctx, forged)).To(Succeed())
		process := w.Start(world.CrashPoint{})
		ready := fixture.ReconcileAccount(ctx, w, process)
		Expect(ready).To(And(HaveField("Reason", v1alpha1.ReasonLedgerUnreadable),
			HaveField("Message", ContainSubstring(forged.Name))))
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		_, err := process.Reconcile(ctx, site)
		Expect(err).To(HaveOccurred(), "it is tried again")
		fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonLedgerUnreadable)
		Expect(w.Posts(line)).To(BeZero())
	})

	It("is not created by a manager that sends nothing (R31)", func(ctx SpecContext) {
		w := world.New(ctx, fixture.Plane)
		w.Login(ctx)
		ready := fixture.ReconcileAccount(ctx, w,
			w.Start(world.CrashPoint{}, func(o *controllers.Options) { o.Submit = false }))
		Expect(ready.Status).To(Equal(metav1.ConditionTrue))
		Expect(loginLedger(ctx, w)).To(BeNil())
	})
})
