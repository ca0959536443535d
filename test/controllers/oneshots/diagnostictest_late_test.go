// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = It("A diagnostic test that is accepted late blocks the others of its service until it is settled (R15)",
	func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Test(fixture.Once, line))).To(Succeed())
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		manager := w.Manage(ctx, fixture.User)
		shows := func(name string) func() string {
			return func() string {
				test, _ := world.Fetch(ctx, w, name, &v1alpha1.DiagnosticTest{})
				return fixture.ReadyOf(test).Reason
			}
		}

		ledger := fixture.TestsLedger(ctx, w, line)
		late := *ledger.RequestOf(v1alpha1.OperationDiagnosticTest)
		late.AttemptID, late.Location = "an-earlier-one", late.Location+"1"
		Expect(ledger.AcceptLate(late)).To(BeTrue())
		ledger.Spec.Revision++
		Expect(w.Update(ctx, ledger)).To(Succeed())
		Eventually(ctx, shows(fixture.Once)).WithTimeout(time.Minute).Should(Equal(v1alpha1.ReasonLateAcceptance),
			"it has finished, and is reconciled nevertheless")
		Expect(fixture.ReadyOf(fixture.Tests().Read(ctx, w)).Message).To(ContainSubstring("an-earlier-one=Succeeded"))

		Expect(w.Create(ctx, w.Test("other", line))).To(Succeed())
		Eventually(ctx, shows("other")).WithTimeout(time.Minute).Should(Equal(v1alpha1.ReasonAnotherTestInProgress))
		other, _ := world.Fetch(ctx, w, "other", &v1alpha1.DiagnosticTest{})
		Expect(fixture.ReadyOf(other).Message).To(ContainSubstring("DiagnosticTest " + w.Namespace + "/" + fixture.Once))
		Expect(fixture.Tests().Posts(w)).To(Equal(1))

		By("deleting the one that was accepted late, which abandons it")
		Expect(w.Delete(ctx, fixture.Tests().Read(ctx, w))).To(Succeed())
		Eventually(ctx, func() int { return fixture.Tests().Posts(w) }).Should(BeNumerically(">", 1))
		Eventually(ctx, manager.Busy).Should(BeZero())
		Expect(fixture.Tests().Posts(w)).To(Equal(2))
	})
