// SPDX-License-Identifier: Apache-2.0

package account_test

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// advanceIdle lets time pass in steps of a minute, and begins each step once the manager is idle.
func advanceIdle(ctx context.Context, w *world.World, manager *world.Manager, long time.Duration) {
	GinkgoHelper()
	advanceInSteps(ctx, w, manager, long, time.Minute)
}

// advanceInSteps is advanceIdle with another step.
func advanceInSteps(ctx context.Context, w *world.World, manager *world.Manager, long, step time.Duration) {
	GinkgoHelper()
	for end := w.Clock.Now().Add(long); w.Clock.Now().Before(end); manager.Advance(step) {
		Eventually(ctx, func(g Gomega) {
			g.Expect(manager.Busy()).To(BeZero())
			g.Expect(manager.Unseen(ctx)).To(BeZero())
		}).WithTimeout(time.Minute).WithPolling(time.Millisecond).Should(Succeed())
	}
}

var _ = Describe("A carrier that answers no read", func() {
	const services, hours = 5, 6

	It("is shown as not answering until it does, in one write each", func(ctx SpecContext) {
		w := world.New(ctx, fixture.Plane)
		manager := w.Manage(ctx, fixture.User)
		w.AwaitLogin(ctx, world.Unlimited)
		for i := range services {
			Expect(w.Create(ctx, w.Service(fmt.Sprintf("site-%d", i), w.Line(), func(s *v1alpha1.BroadbandService) {
				s.Spec.Plan = nil
				s.Spec.Observe = v1alpha1.Observe{HealthInterval: "1h", CancellationInterval: "1h"}
			}))).To(Succeed())
		}
		shows := func() metav1.ConditionStatus { return fixture.CarrierCondition(ctx, w).Status }
		Eventually(ctx, shows).WithTimeout(time.Minute).Should(Equal(metav1.ConditionTrue))
		advanceIdle(ctx, w, manager, 2*time.Minute)
		written := func() int { return fixture.Audit.Writes(fixture.User, w.Namespace)["update carrieraccounts/status"] }
		before := written()

		By("answering 503 to all reads and to health")
		away := simulator.Fault{Kind: simulator.FaultStatus, Status: 503, Times: 10_000}
		for _, call := range []string{"GET CancellationRead", "POST Health", "GET Health"} {
			Expect(w.Carrier.FailNext(call, away)).To(Succeed())
		}
		armed, answered := w.Carrier.Armed(), w.Clock.Now()
		advanceIdle(ctx, w, manager, hours*time.Hour)
		Eventually(ctx, shows).WithTimeout(time.Minute).Should(Equal(metav1.ConditionFalse))
		condition, failed := fixture.CarrierCondition(ctx, w), armed-w.Carrier.Armed()
		Expect(condition.Reason).To(Equal(v1alpha1.ReasonCarrierUnavailable))
		Expect(condition.Message).To(MatchRegexp(
			`the carrier has answered no call since .* \(.*503.*\); it last answered at 20`))
		Expect(condition.LastTransitionTime.Sub(answered)).To(BeNumerically("<", 65*time.Minute), "since the reads are due")
		Expect(failed).To(BeNumerically(">=", services))

		By("answering again")
		w.Carrier.Disarm()
		advanceIdle(ctx, w, manager, time.Hour)
		Eventually(ctx, shows).WithTimeout(time.Minute).Should(Equal(metav1.ConditionTrue))
		Expect(fixture.CarrierCondition(ctx, w).Message).To(Equal("the carrier answers"))
		manager.End()
		Eventually(ctx, written).Should(BeNumerically(">=", before+2))
		Consistently(ctx, written).WithTimeout(time.Second).Should(Equal(before + 2))
		AddReportEntry("silence", fmt.Sprintf("%d calls not answered, %d writes of the account", failed, written()-before))
	})
})
