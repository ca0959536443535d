// SPDX-License-Identifier: Apache-2.0

package account_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// converge reconciles new services, one after the other, until each is in sync, and returns how
// long the slowest took by the world's clock. Between two passes, it calls the given function.
func converge(ctx SpecContext, w *world.World, process *world.Process, names []string, between func()) time.Duration {
	GinkgoHelper()
	took := make([]time.Duration, 0, len(names))
	for _, name := range names {
		Expect(w.Create(ctx, w.Service(name, w.Line()))).To(Succeed())
		created := w.Clock.Now()
		for {
			result, err := process.Reconcile(ctx, name)
			Expect(err).NotTo(HaveOccurred())
			if world.Ready(w.Read(ctx, name)).Reason == v1alpha1.ReasonInSync {
				break
			}
			between()
			w.Clock.Advance(result.RequeueAfter)
			Expect(w.Clock.Now()).To(BeTemporally("<", created.Add(fixture.Horizon)))
		}
		took = append(took, w.Clock.Now().Sub(created))
	}
	return slices.Max(took)
}

// The number is that of docs/security-cases.md. A tenant can use up only its own limits: rate,
// charges, circuit breaker. How long a pass waits for its turn depends on the work queue.
var _ = It("A tenant with twenty changes at once spends no more than its limit, and does not delay other tenants (67)",
	func(ctx SpecContext) {
		const most = 3
		w, process := fixture.Begin(ctx)
		alone := converge(ctx, w, process, []string{"a", "b"}, func() {})

		greedy, _ := fixture.InAnotherNamespace(ctx, w, fixture.AsAnotherLogin)
		fixture.EditAccount(ctx, greedy, func(a *v1alpha1.CarrierAccount) {
			a.Spec.ChargeLimit = &v1alpha1.ChargeLimit{PerHour: most}
			a.Spec.RateLimit = v1alpha1.RateLimit{RequestsPerSecond: 5, Burst: 5}
		})
		crowd := process.In(greedy)
		_, err := crowd.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		lines := make([]int64, 20)
		for i := range lines {
			lines[i] = w.Line()
			Expect(w.Create(ctx, greedy.Service(fmt.Sprint("greedy-", i), lines[i]))).To(Succeed())
		}
		crowded := converge(ctx, w, process, []string{"c", "d"}, func() {
			for i := range lines {
				_, err := crowd.Reconcile(ctx, fmt.Sprint("greedy-", i))
				Expect(err).NotTo(HaveOccurred())
			}
		})

		AddReportEntry("slowest of two, alone and next to twenty", fmt.Sprint(alone, " ", crowded))
		Expect(crowded).To(BeNumerically("<=", 2*alone))
		spent := 0
		for _, line := range lines {
			spent += w.Posts(line)
		}
		Expect(spent).To(And(BeNumerically(">", 0), BeNumerically("<=", most)))
	})
