// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// timeReports are the Events that report a time in the future.
func timeReports(w *world.World) (reports []string) {
	for _, event := range w.Events.All() {
		if strings.HasPrefix(event, "Warning TimeInFuture ") {
			reports = append(reports, event)
		}
	}
	return reports
}

var _ = Describe("A reservation with a time in the future", func() {
	It("counts for an hour from its first reading, and is reported (R19)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, limited(1))
		ledger := loginLedger(ctx, w)
		ledger.Spec.Account.Reservations = []v1alpha1.Reservation{{
			AttemptID: "a-0", Operation: v1alpha1.OperationPlanChange,
			At: metav1.NewTime(w.Clock.Now().Add(7 * 24 * time.Hour)),
		}}
		Expect(w.Update(ctx, ledger)).To(Succeed())
		line, other := w.Line(), "other-site"
		Expect(w.Create(ctx, w.Service(other, line))).To(Succeed())
		seen := w.Clock.Now()
		fixture.ExpectReady(reconcileTwenty(ctx, w, process, other), metav1.ConditionFalse, v1alpha1.ReasonChargeLimit)
		w.Clock.Advance(seen.Add(time.Hour).Sub(w.Clock.Now()))
		_, err := process.Reconcile(ctx, other)
		Expect(err).NotTo(HaveOccurred())
		fixture.ExpectReady(w.Read(ctx, other), metav1.ConditionFalse, v1alpha1.ReasonChargeLimit)
		Expect(w.Posts(line)).To(BeZero())
		Expect(timeReports(w)).To(HaveLen(1))

		w.Clock.Advance(time.Minute)
		fixture.ExpectReady(process.Drive(ctx, other), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
		Expect(reserved(ctx, w)).To(ConsistOf(w.Read(ctx, other).RequestOf(v1alpha1.OperationPlanChange).AttemptID))
	})
})
