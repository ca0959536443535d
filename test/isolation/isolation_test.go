// SPDX-License-Identifier: Apache-2.0

package isolation_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// services is the number of services of a healthy account.
var services = world.Scale(50, 500)

// delays ends a change of the DSL profile before its first poll, and never ends a change of the
// plan.
func delays(seed *simulator.Seed) {
	seed.Delays[string(simulator.OpDSLStabilityProfileChange)] = simulator.Duration(5 * time.Second)
	seed.Delays[string(simulator.OpPlanChange)] = simulator.Duration(1000 * time.Hour)
}

// tenant is a healthy account and its services.
type tenant struct {
	world     *world.World
	services  []string
	lines     []int64     // at the carrier, of the services
	edited    []time.Time // when the API server had accepted each edit of the newest measurement
	watcher   *readyWatcher
	durations []time.Duration
}

// setUp logs in, and creates the services, which are as declared.
func (t *tenant) setUp(ctx context.Context) {
	GinkgoHelper()
	w := t.world
	w.AwaitLogin(ctx, world.Unlimited)
	t.watcher, t.lines = watchServices(ctx, w), make([]int64, len(t.services))
	imported := make([]<-chan time.Time, len(t.services))
	for i := range t.services {
		t.services[i] = fmt.Sprintf("site-%03d", i)
		imported[i] = t.watcher.await(expectation{t.services[i], 1})
		t.lines[i] = w.Line(func(s *simulator.Service) {
			s.TechnologyType, s.DSLStabilityProfile = "FTTN", "Standard"
		})
		Expect(w.Create(ctx, w.Service(t.services[i], t.lines[i], func(s *v1alpha1.BroadbandService) {
			s.Spec.Plan, s.Spec.DSLStabilityProfile = nil, "Standard"
			s.Spec.TrustDeclared = []v1alpha1.TrustedAspect{v1alpha1.TrustDSLStabilityProfile}
			s.Spec.Observe = v1alpha1.Observe{HealthInterval: "0", CancellationInterval: "0"}
		}))).To(Succeed())
	}
	for i := range imported {
		Eventually(imported[i]).WithTimeout(longest).Should(Receive(),
			func() string { return describe(ctx, w, t.services[i]) })
	}
}

// together does something for two tenants at the same time.
func together(one, other *tenant, do func(*tenant)) {
	var group sync.WaitGroup
	for _, t := range []*tenant{one, other} {
		group.Go(func() {
			defer GinkgoRecover()
			do(t)
		})
	}
	group.Wait()
}

func profile(name string, generation int64) edit {
	return edit{patch: fmt.Sprintf(`{"spec":{"dslStabilityProfile":%q}}`, name), generation: generation}
}

func printDurations(what string, durations []time.Duration) {
	round := func(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
	world.Figuresf("%s: from the edit to Ready=True p50 %s, p90 %s, most %s", what,
		round(percentile(durations, 50)), round(percentile(durations, 90)), round(durations[len(durations)-1]))
}

// Two managers, each with one healthy tenant, do the same work at the same time. One has nothing
// else to do; the other also has poisoned accounts, and poisoned objects in the tenant's account.
// The machine and the API server are equally slow for both tenants. If the edits of one take
// longer, its manager has held too many workers, or too much of the rate limit, for the poison.
// Without isolation the poison would hold all workers for as long as a hanging call may take, 45 s,
// and again with each of its objects. The slowest of a few services may have been
// slow for any reason, so the last tenth is only printed.
var _ = Describe(fmt.Sprintf("%d services of a healthy account", services), func() {
	It("are as quick beside failing accounts and objects as others are alone", func(ctx SpecContext) {
		beside := &tenant{world: world.NewInRealTime(ctx, plane, realTime, delays), services: make([]string, services)}
		beside.world.ProductionTimeouts = true
		alone := &tenant{world: beside.world.InAnotherNamespace(ctx), services: make([]string, services)}
		mute, slow := beside.world.InAnotherNamespace(ctx), beside.world.InAnotherNamespace(ctx)
		beside.world.ManageBeside(ctx, user, []*world.World{mute, slow})
		alone.world.Manage(ctx, user)

		always := func(int64) bool { return true }
		muted := newPoison(func(login int64) bool { return login == 1 }, func(call int64) bool { return call <= 2 })
		slowed := newPoison(always, always)
		muted.createObjects(ctx, mute)
		slowed.createObjects(ctx, slow)
		together(alone, beside, func(t *tenant) { t.setUp(ctx) })
		edits := createFailing(ctx, beside.world)
		Eventually(slowed.open.Load).WithTimeout(time.Minute).Should(BeNumerically(">=", 1), "calls that hang")
		Eventually(muted.logins.Load).WithTimeout(time.Minute).Should(BeNumerically(">=", 2), "a login that hangs")

		mostOpen, before := slowed.mostOpen(ctx), edits.Load()
		together(alone, beside, func(t *tenant) { t.measure(ctx, profile("Stable", 2)) })
		printDurations("alone", alone.durations)
		printDurations("beside the poison", beside.durations)
		ratio := float64(percentile(beside.durations, 90)) / float64(percentile(alone.durations, 90))
		world.Figuresf("p90 beside the poison is %.2f times what it is alone", ratio)
		world.Figuresf("the poison: %d and %d logins, %d and %d calls, %d of them hang now", muted.logins.Load(),
			slowed.logins.Load(), muted.calls.Load(), slowed.calls.Load(), muted.open.Load()+slowed.open.Load())
		world.Figuresf("written: %v and %v for the poisoned accounts, %v for the tenant beside, %v for the one alone",
			audit.Tally(user, mute.Namespace), audit.Tally(user, slow.Namespace),
			audit.Tally(user, beside.world.Namespace), audit.Tally(user, alone.world.Namespace))
		Expect(ratio).To(BeNumerically("<=", 2))
		Expect(mostOpen()).To(BeNumerically("<=", world.Workers/2+1), "calls of one account that hang at a time")
		Eventually(edits.Load).Should(BeNumerically(">", before+10), "the contended object is still edited")
		expectChanges(beside.world, 2*services)
	})
})

// expectChanges counts the changes that the carrier has seen and made.
func expectChanges(w *world.World, wanted int) {
	GinkgoHelper()
	Expect(w.Carrier.Submissions(simulator.OpDSLStabilityProfileChange, 0)).To(Equal(
		simulator.Count{Seen: wanted, Processed: wanted}))
}
