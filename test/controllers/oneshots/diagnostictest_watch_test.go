// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"time"

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

// submittedElsewhere records an attempt of a test that another process is sending.
func submittedElsewhere(
	ctx SpecContext, w *world.World, test *v1alpha1.DiagnosticTest, line int64,
) *v1alpha1.RequestLedger {
	GinkgoHelper()
	ledger := &v1alpha1.RequestLedger{
		ObjectMeta: metav1.ObjectMeta{Finalizers: []string{v1alpha1.FinalizerMemory}},
		Spec: v1alpha1.RequestLedgerSpec{
			Schema: v1alpha1.LedgerSchema, Login: w.Account().Login(), Revision: 1,
			Diagnostics: &v1alpha1.LedgerService{ID: v1alpha1.CarrierIDOf(line)},
		},
	}
	ledger.Name = decide.LedgerName(&ledger.Spec)
	ledger.Open(v1alpha1.Request{
		Operation: v1alpha1.OperationDiagnosticTest, Attempt: 1, AttemptID: test.Name, Sender: "another",
		Login: w.Account().Login(), UID: string(test.UID), Generation: 1, APIVersion: 8,
		Phase: v1alpha1.PhaseSubmitting, SubmittedAt: v1alpha1.WholeSeconds(w.Clock.Now()),
	})
	Expect(w.Create(ctx, ledger)).To(Succeed())
	return ledger
}

var _ = Describe("A diagnostic test that another process has sent", func() {
	// The drill showed that a successor reconciled such a test only after two minutes.
	DescribeTable("is reconciled when that process writes its outcome (R32)",
		func(ctx SpecContext, named bool) {
			w := world.New(ctx, fixture.Plane)
			w.Provokes(simulator.RuleAssertion)
			line := w.Line()
			account := w.Login(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.Auth.Keys[0].KeyID = "unknown" })
			test := w.Test(fixture.Once, line)
			if named {
				Expect(w.Create(ctx, w.Service(site, line, fixture.Suspended(true)))).To(Succeed())
				test.Spec.ServiceID, test.Spec.ServiceRef = "", &v1alpha1.ServiceReference{Name: site}
			}
			Expect(w.Create(ctx, test)).To(Succeed())
			manager := w.Manage(ctx, fixture.User)
			await := func(reason string) {
				GinkgoHelper()
				Eventually(ctx, func() string {
					if manager.Busy() == 0 && manager.Planned(time.Second) > 0 {
						manager.Advance(time.Second) // a write that conflicted is tried again
					}
					return fixture.ReadyOf(fixture.Tests().Read(ctx, w)).Reason
				}).WithTimeout(time.Minute).Should(Equal(reason))
			}
			await(v1alpha1.ReasonAccountNotReady)
			Eventually(ctx, func() string { return fixture.AccountReady(ctx, w).Reason }).WithTimeout(time.Minute).
				ShouldNot(BeEmpty(), "time stands still: a write of the account that conflicts would not be tried again")
			ledger := submittedElsewhere(ctx, w, test, line)
			before := account.DeepCopy()
			account.Spec.Auth.Keys[0].KeyID = world.KeyID
			Expect(w.Patch(ctx, account, client.MergeFrom(before))).To(Succeed())
			await(v1alpha1.ReasonProgressing)

			ledger.Spec.Revision++
			refused := ledger.Spec.Open[0]
			refused.Phase, refused.EndedBy = v1alpha1.PhaseRejected, v1alpha1.EndedByCarrier
			ledger.Put(refused)
			Expect(w.Update(ctx, ledger)).To(Succeed())
			await(v1alpha1.ReasonCarrierRejected)
			Expect(fixture.Tests().Posts(w)).To(BeZero())
		},
		Entry("by the number of its service", false),
		Entry("by the name of its service", true),
	)
})
