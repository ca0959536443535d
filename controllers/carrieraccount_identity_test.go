// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// readyAccount is the condition Ready of the account, after one pass.
func readyAccount(ctx SpecContext, w *world.World, process *world.Process) metav1.Condition {
	GinkgoHelper()
	_, err := process.LookAtAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	account := w.Account()
	Expect(w.Get(ctx, client.ObjectKeyFromObject(account), account)).To(Succeed())
	return world.Condition(account.Status.Conditions, v1alpha1.ConditionReady)
}

var _ = Describe("The login of a CarrierAccount", func() {
	It("is on record under its identity before anything is sent, and is written once (R31)", func(ctx SpecContext) {
		w, process := begin(ctx)
		ledger := identityLedger(ctx, w, w.Namespace)
		Expect(ledger.Spec.Account.Logins).To(ConsistOf(w.Account().Login()))
		Expect(readyAccount(ctx, w, w.Start(world.Cut{})).Status).To(Equal(metav1.ConditionTrue))
		Expect(identityLedger(ctx, w, w.Namespace)).To(Equal(ledger))
		Expect(readyAccount(ctx, w, process).Status).To(Equal(metav1.ConditionTrue))
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
		process = w.Start(world.Cut{})
		ready := readyAccount(ctx, w, process)
		Expect(ready).To(And(HaveField("Status", metav1.ConditionFalse), HaveField("Reason", v1alpha1.ReasonIdentityChanged)))
		Expect(ready.Message).To(And(ContainSubstring("spec.identity: "), HaveSuffix("acknowledge="+other+"'")))
		Expect(identityLedger(ctx, w, other)).To(BeNil())
		w.Edit(ctx, site, withPlan(world.PlanSlow, 12))
		expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAccountNotReady)
		Expect(w.Posts(line)).To(Equal(1))

		editAccount(ctx, w, func(a *v1alpha1.CarrierAccount) {
			metav1.SetMetaDataAnnotation(&a.ObjectMeta, v1alpha1.AnnotationAcknowledge, other)
		})
		Expect(readyAccount(ctx, w, process).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
		Expect(identityLedger(ctx, w, other).Spec.Account.Logins).To(ConsistOf(w.Account().Login()))
		editAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Annotations = nil })
		Expect(readyAccount(ctx, w, process).Reason).To(Equal(v1alpha1.ReasonTokenIssued), "that is on record")
	})

	It("is said not to be on record where Kubernetes refuses that, and nothing is sent (R18, R31)", func(ctx SpecContext) {
		w := world.New(ctx, plane)
		w.Login(ctx)
		process := w.Start(world.Cut{})
		process.Seam.Fault = answering("create identity-", errQuota)
		ready := readyAccount(ctx, w, process)
		Expect(ready.Reason).To(Equal(v1alpha1.ReasonAPIServerRefused), ready.Message)
		Expect(ready.Message).To(ContainSubstring("exceeded quota"))
		process.Seam.Fault = nil
		Expect(readyAccount(ctx, w, process).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
	})

	It("is not recorded by a manager that sends nothing (R31)", func(ctx SpecContext) {
		w := world.New(ctx, plane)
		w.Login(ctx)
		ready := readyAccount(ctx, w, w.Start(world.Cut{}, func(o *controllers.Options) { o.Submit = false }))
		Expect(ready.Status).To(Equal(metav1.ConditionTrue))
		Expect(identityLedger(ctx, w, w.Namespace)).To(BeNil())
	})
})

// A clientName may be edited if the identity is set. Each edit is another login, which may have
// sent requests under another identity.
var _ = Describe("A clientName that is edited", func() {
	It("sends nothing before it was looked at, and is acknowledged where it has sent as another (R31)",
		func(ctx SpecContext) {
			w := world.New(ctx, plane)
			w.Login(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.Auth.ClientName = world.OtherClient })
			process := w.Start(world.Cut{})
			Expect(readyAccount(ctx, w, process).Status).To(Equal(metav1.ConditionTrue))
			beside(ctx, w, w.Namespace+"-2") // sends as the other client

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

			Expect(readyAccount(ctx, w, process).Reason).To(Equal(v1alpha1.ReasonIdentityChanged))
			expectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAccountNotReady)
			editAccount(ctx, w, func(account *v1alpha1.CarrierAccount) {
				metav1.SetMetaDataAnnotation(&account.ObjectMeta, v1alpha1.AnnotationAcknowledge, w.Namespace)
			})
			Expect(readyAccount(ctx, w, process).Status).To(Equal(metav1.ConditionTrue))
			expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(w.Posts(line)).To(Equal(1))
		})
})
