// SPDX-License-Identifier: Apache-2.0

package isolation_test

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// services are how many the healthy account has.
const services = 500

// unlimited opens the account's rate limit as far as it goes: it is not what is tested.
func unlimited(account *v1alpha1.CarrierAccount) {
	account.Spec.RateLimit = v1alpha1.RateLimit{RequestsPerSecond: 1000, Burst: 1000}
}

// delays has a change of the DSL profile ended before it is first asked after, and a change of
// the plan never.
func delays(seed *simulator.Seed) {
	seed.Delays[string(simulator.OpDSLStabilityProfileChange)] = simulator.Duration(5 * time.Second)
	seed.Delays[string(simulator.OpPlanChange)] = simulator.Duration(1000 * time.Hour)
}

// importServices makes the healthy account's services, which are as declared.
func importServices(ctx context.Context, w *world.World) []string {
	GinkgoHelper()
	names := make([]string, services)
	for i := range names {
		names[i] = fmt.Sprintf("site-%03d", i)
		line := w.Line(func(s *simulator.Service) {
			s.TechnologyType, s.DSLStabilityProfile = "FTTN", "Standard"
		})
		Expect(w.Create(ctx, w.Service(names[i], line, func(s *v1alpha1.BroadbandService) {
			s.Spec.Plan, s.Spec.DSLStabilityProfile = nil, "Standard"
			s.Spec.TrustDeclared = []v1alpha1.TrustedAspect{v1alpha1.TrustDSLStabilityProfile}
			s.Spec.Observe = v1alpha1.Observe{HealthInterval: "0", CancellationInterval: "0"}
		}))).To(Succeed())
	}
	Eventually(ctx, func() (int, error) { return inSync(ctx, w) }).
		WithTimeout(2 * time.Minute).WithPolling(time.Second).Should(Equal(services))
	return names
}

func inSync(ctx context.Context, w *world.World) (int, error) {
	var list v1alpha1.BroadbandServiceList
	if err := w.List(ctx, &list, client.InNamespace(w.Namespace)); err != nil {
		return 0, err
	}
	count := 0
	for i := range list.Items {
		if world.Ready(&list.Items[i]).Reason == v1alpha1.ReasonInSync {
			count++
		}
	}
	return count, nil
}

func profile(name string, generation int64) edit {
	return edit{patch: fmt.Sprintf(`{"spec":{"dslStabilityProfile":%q}}`, name), generation: generation}
}

func show(what string, took []time.Duration) {
	round := func(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
	world.Figuresf("%s: from the edit to Ready=True p50 %s, p99 %s, most %s", what,
		round(percentile(took, 50)), round(percentile(took, 99)), round(took[len(took)-1]))
}

var _ = Describe("500 services of a healthy account", func() {
	It("are as quick beside poisoned accounts and objects as they are alone", func(ctx SpecContext) {
		w := world.NewInRealTime(ctx, plane, realTime, delays)
		mute, slow := w.NextDoor(ctx), w.NextDoor(ctx)
		w.ManageBeside(ctx, user, []*world.World{mute, slow})
		w.AwaitLogin(ctx, unlimited)
		names, watching := importServices(ctx, w), watchServices(ctx, w)
		alone := watching.measure(ctx, w, names, profile("Stable", 2))
		show("alone", alone)

		muted := newPoison(func(login int64) bool { return login == 1 })
		slowed := newPoison(func(int64) bool { return true })
		muted.spread(ctx, mute)
		slowed.spread(ctx, slow)
		poisonWithin(ctx, w)
		Eventually(slowed.open.Load).WithTimeout(time.Minute).Should(BeNumerically(">=", 5), "calls that hang")
		Eventually(muted.logins.Load).WithTimeout(time.Minute).Should(BeNumerically(">=", 2), "a login that hangs")

		beside := watching.measure(ctx, w, names, profile("Standard", 3))
		show("beside the poison", beside)
		ratio := float64(percentile(beside, 99)) / float64(percentile(alone, 99))
		world.Figuresf("p99 beside the poison is %.2f times what it is alone", ratio)
		world.Figuresf("the poison: %d and %d logins, %d and %d calls, %d of them hang now", muted.logins.Load(),
			slowed.logins.Load(), muted.calls.Load(), slowed.calls.Load(), muted.open.Load()+slowed.open.Load())
		Expect(ratio).To(BeNumerically("<=", 2))
		Expect(slowed.open.Load()).To(BeNumerically("<=", world.Workers/2+1), "calls of one account that hang at a time")
		expectChanges(w, 2*services)
	})
})

// expectChanges counts the changes that the carrier has seen and made.
func expectChanges(w *world.World, wanted int) {
	GinkgoHelper()
	Expect(w.Carrier.Submissions(simulator.OpDSLStabilityProfileChange, 0)).To(Equal(
		simulator.Count{Seen: wanted, Processed: wanted}))
}
