// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The login of a CarrierAccount", func() {
	It("is recorded under its identity before anything is sent, and is written once (R31)", func(ctx SpecContext) {
		w, process := begin(ctx)
		ledger := identityLedger(ctx, w, w.Namespace)
		Expect(ledger.Spec.Account.Logins).To(ConsistOf(w.Account().Login()))
		Expect(reconcileAccount(ctx, w, w.Start(world.CrashPoint{})).Status).To(Equal(metav1.ConditionTrue))
		Expect(identityLedger(ctx, w, w.Namespace)).To(Equal(ledger))
		Expect(reconcileAccount(ctx, w, process).Status).To(Equal(metav1.ConditionTrue))
	})

	It("does not send under another identity before a person acknowledges it (R31)", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		other := w.Namespace + "-2"
		Expect(w.Delete(ctx, w.Account())).To(Succeed())
		Expect(w.Create(ctx, w.Account(func(a *v1alpha1.CarrierAccount) {
			a.Spec.Identity, a.Annotations = other, map[string]string{}
		}))).To(Succeed())
		process = w.Start(world.CrashPoint{})
		ready := reconcileAccount(ctx, w, process)
		Expect(ready).To(And(HaveField("Status", metav1.ConditionFalse), HaveField("Reason", v1alpha1.ReasonIdentityChanged)))
		Expect(ready.Message).To(And(ContainSubstring("spec.identity: "), HaveSuffix("acknowledge="+other+"'")))
		Expect(identityLedger(ctx, w, other)).To(BeNil())
		w.Edit(ctx, site, withPlan(world.PlanSlow, 12))
		expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAccountNotReady)
		Expect(w.Posts(line)).To(Equal(1))

		editAccount(ctx, w, func(a *v1alpha1.CarrierAccount) {
			metav1.SetMetaDataAnnotation(&a.ObjectMeta, v1alpha1.AnnotationAcknowledge, other)
		})
		Expect(reconcileAccount(ctx, w, process).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
		Expect(identityLedger(ctx, w, other).Spec.Account.Logins).To(ConsistOf(w.Account().Login()))
		editAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Annotations = nil })
		Expect(reconcileAccount(ctx, w, process).Reason).To(Equal(v1alpha1.ReasonTokenIssued), "that is recorded")
	})

	It("is reported as not recorded if Kubernetes refuses it, and nothing is sent (R18, R31)", func(ctx SpecContext) {
		w := world.New(ctx, plane)
		w.Login(ctx)
		process := w.Start(world.CrashPoint{})
		process.Seam.Fault = failEffect("create identity-", errQuota)
		ready := reconcileAccount(ctx, w, process)
		Expect(ready.Reason).To(Equal(v1alpha1.ReasonAPIServerRefused), ready.Message)
		Expect(ready.Message).To(ContainSubstring("exceeded quota"))
		process.Seam.Fault = nil
		Expect(reconcileAccount(ctx, w, process).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
	})

	It("is reported as not recorded if a newer version wrote the ledger, and nothing is sent (R30, R31)",
		func(ctx SpecContext) {
			w, _ := begin(ctx)
			ledger := identityLedger(ctx, w, w.Namespace)
			ledger.Spec.Schema, ledger.Spec.Account.Logins = v1alpha1.LedgerSchema+1, nil
			ledger.Spec.Revision++
			Expect(w.Update(ctx, ledger)).To(Succeed())
			ready := reconcileAccount(ctx, w, w.Start(world.CrashPoint{}))
			Expect(ready).To(And(HaveField("Status", metav1.ConditionFalse),
				HaveField("Reason", v1alpha1.ReasonLedgerUnreadable)))
			Expect(ready.Message).To(And(ContainSubstring(ledger.Name), ContainSubstring("a newer version of the operator")))
		})

	It("is not recorded by a manager that sends nothing (R31)", func(ctx SpecContext) {
		w := world.New(ctx, plane)
		w.Login(ctx)
		ready := reconcileAccount(ctx, w, w.Start(world.CrashPoint{}, func(o *controllers.Options) { o.Submit = false }))
		Expect(ready.Status).To(Equal(metav1.ConditionTrue))
		Expect(identityLedger(ctx, w, w.Namespace)).To(BeNil())
	})
})

// A clientName may be edited if the identity is set. Each edit makes the account use another login,
// which may have sent requests under another identity.
var _ = Describe("A clientName that is edited", func() {
	It("sends nothing before it was checked, and must be acknowledged if it sent for another identity (R31)",
		func(ctx SpecContext) {
			w := world.New(ctx, plane)
			w.Login(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.Auth.ClientName = world.OtherClient })
			process := w.Start(world.CrashPoint{})
			Expect(reconcileAccount(ctx, w, process).Status).To(Equal(metav1.ConditionTrue))
			inAnotherNamespace(ctx, w, w.Namespace+"-2") // sends as the other client

			editAccount(ctx, w, func(a *v1alpha1.CarrierAccount) {
				a.Annotations, a.Spec.Auth.ClientName = nil, world.ClientName
			})
			line := w.Line()
			Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
			service := process.Drive(ctx, site)
			expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonAccountNotReady)
			Expect(world.Ready(service).Message).To(ContainSubstring("clientName"))
			Expect(w.Carrier.Submissions(simulator.OpHealth, line).Seen).To(BeZero())
			Expect(w.Posts(line)).To(BeZero())

			Expect(reconcileAccount(ctx, w, process).Reason).To(Equal(v1alpha1.ReasonIdentityChanged))
			expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAccountNotReady)
			editAccount(ctx, w, func(account *v1alpha1.CarrierAccount) {
				metav1.SetMetaDataAnnotation(&account.ObjectMeta, v1alpha1.AnnotationAcknowledge, w.Namespace)
			})
			Expect(reconcileAccount(ctx, w, process).Status).To(Equal(metav1.ConditionTrue))
			expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(w.Posts(line)).To(Equal(1))
		})
})
