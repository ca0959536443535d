// SPDX-License-Identifier: Apache-2.0

package fleet_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// changed is the number of services that get another plan, and lost the number of lost responses.
var (
	changed = world.Scale(20, 100)
	lost    = changed / 10
)

// lossyFleet is a fleet in which every service is in sync at first, and whose plan changes then
// lose responses.
type lossyFleet struct {
	fleet

	ids    []int64
	edited map[int64]time.Time // when a service was given another plan
}

func newLossyFleet(ctx context.Context) lossyFleet {
	GinkgoHelper()
	f := newFleet(ctx)
	ids := make([]int64, changed)
	for i := range ids {
		ids[i] = f.world.Line(func(line *simulator.Service) { line.Plan = world.PlanSlow })
	}
	f.create(ctx, ids, withoutReadings, func(spec *v1alpha1.BroadbandServiceSpec) {
		spec.Plan = &v1alpha1.Plan{Name: world.PlanSlow, Term: 12}
	})
	f.awaitInSync(ctx, changed)
	return lossyFleet{f, ids, map[int64]time.Time{}}
}

// loseResponses makes responses to plan changes get lost. The carrier has carried out these
// changes.
func (l lossyFleet) loseResponses(times int, services ...int64) {
	GinkgoHelper()
	fault := simulator.Fault{Kind: simulator.FaultReset, Processed: true, Times: times}
	if len(services) == 0 {
		Expect(l.world.Carrier.FailNext("POST PlanChange", fault)).To(Succeed())
	}
	for _, fault.ServiceID = range services {
		Expect(l.world.Carrier.FailNext("POST PlanChange", fault)).To(Succeed())
	}
}

// loseEverything makes the carrier respond to nothing: it does not receive the requests.
func (l lossyFleet) loseEverything() {
	GinkgoHelper()
	Expect(l.world.Carrier.FailNext("*", simulator.Fault{Kind: simulator.FaultReset, Times: 10_000})).To(Succeed())
}

// everyTenth returns the services whose responses are lost, if the losses are spread.
func (l lossyFleet) everyTenth() (services []int64) {
	for i := 0; i < changed; i += 10 {
		services = append(services, l.ids[i])
	}
	return services
}

// change gives every service another plan, one after the other, with a pause in between.
func (l lossyFleet) change(ctx context.Context, pause time.Duration) {
	GinkgoHelper()
	for i := range l.ids {
		l.edit(ctx, i)
		l.advance(ctx, pause, time.Second)
	}
}

// edit gives a service another plan.
func (l lossyFleet) edit(ctx context.Context, i int) {
	GinkgoHelper()
	l.edited[l.ids[i]] = l.world.Clock.Now()
	l.world.Edit(ctx, fmt.Sprintf("site-%04d", i), func(s *v1alpha1.BroadbandService) {
		s.Spec.Plan.Name = world.PlanFast
	})
}

// advance lets time pass in steps, while the manager is idle.
func (l lossyFleet) advance(ctx context.Context, long, step time.Duration) {
	GinkgoHelper()
	for ; long > 0; long -= step {
		Eventually(ctx, func(g Gomega) {
			g.Expect(l.manager.Busy()).To(BeZero())
			g.Expect(l.manager.Unseen(ctx)).To(BeZero())
		}).WithTimeout(time.Minute).WithPolling(time.Millisecond).Should(Succeed())
		l.manager.Advance(min(long, step))
	}
}

// posted is what the carrier's journal shows about the plan changes.
type posted struct {
	posts, lost         int
	firstLost, lastLost time.Time             // when the first and the last response were lost
	firstSecond         int                   // responses lost within a second of the first
	at                  map[int64][]time.Time // the POSTs, by service
	slowest             time.Duration         // from the last lost response, or a later edit, to the POST
}

func (l lossyFleet) posted() posted {
	seen := posted{at: map[int64][]time.Time{}}
	for _, call := range l.world.Carrier.Calls() {
		if call.Operation != simulator.OpPlanChange || call.Method != http.MethodPost {
			continue
		}
		seen.posts++
		seen.at[call.ServiceID] = append(seen.at[call.ServiceID], call.Time)
		if call.Status == 0 {
			seen.countLost(call.Time)
		}
	}
	for service, at := range seen.at {
		from := seen.lastLost
		if edited := l.edited[service]; edited.After(from) {
			from = edited
		}
		seen.slowest = max(seen.slowest, at[0].Sub(from))
	}
	return seen
}

func (s *posted) countLost(at time.Time) {
	if s.lost == 0 {
		s.firstLost = at
	}
	s.lost++
	s.lastLost = at
	if at.Before(s.firstLost.Add(time.Second)) {
		s.firstSecond++
	}
}

// reasons counts the services by the reason of Ready.
func (l lossyFleet) reasons(ctx context.Context) map[string]int {
	GinkgoHelper()
	var list v1alpha1.BroadbandServiceList
	Expect(l.world.List(ctx, &list, client.InNamespace(l.world.Namespace))).To(Succeed())
	counts := map[string]int{}
	for i := range list.Items {
		counts[world.Ready(&list.Items[i]).Reason]++
	}
	return counts
}

var _ = DescribeTable("Lost responses among many changes delay the others by less than 30 s",
	func(ctx SpecContext, pause time.Duration, arm func(lossyFleet)) {
		l := newLossyFleet(ctx)
		arm(l)
		l.change(ctx, pause)
		l.awaitInSync(ctx, changed)
		got := l.posted()
		world.Figuresf("%s: %.2f POSTs per change, %d responses lost; the others sent %.1f s after that or a later edit",
			CurrentSpecReport().LeafNodeText, float64(got.posts)/float64(changed), got.lost, got.slowest.Seconds())
		Expect(got.lost).To(Equal(lost))
		Expect(got.posts).To(Equal(changed))
		Expect(got.at).To(HaveLen(changed))
		Expect(got.slowest).To(BeNumerically("<", 30*time.Second))
	},
	Entry("the first tenth, all at once", time.Duration(0), func(l lossyFleet) { l.loseResponses(lost) }),
	Entry("the first tenth, 1 s apart", time.Second, func(l lossyFleet) { l.loseResponses(lost) }),
	Entry("every tenth, all at once", time.Duration(0), func(l lossyFleet) { l.loseResponses(1, l.everyTenth()...) }),
	Entry("every tenth, 1 s apart", time.Second, func(l lossyFleet) { l.loseResponses(1, l.everyTenth()...) }),
)

var _ = Describe("A carrier whose responses are all lost for an hour", func() {
	It("leaves a few unknown outcomes while it responds to reads", func(ctx SpecContext) {
		l := newLossyFleet(ctx)
		l.loseResponses(changed)
		l.change(ctx, 0)
		l.advance(ctx, time.Hour, 5*time.Second)
		got := l.posted()
		world.Figuresf("every response to a plan change is lost for an hour, reads get one: %d of %d sent, %d at once",
			got.posts, changed, got.firstSecond)
		Expect(got.lost).To(Equal(got.posts))
		Expect(got.firstSecond).To(Equal(1))
		Expect(got.posts).To(BeNumerically("<=", 20))
		Expect(l.reasons(ctx)).To(HaveKey(v1alpha1.ReasonBreakerOpen))

		l.world.Carrier.Disarm()
		l.advance(ctx, time.Hour, 5*time.Second) // the pause after so many in a row
		l.awaitInSync(ctx, changed)
		Expect(l.posted().posts).To(Equal(changed))
	})

	It("leaves none when it does not respond to reads either", func(ctx SpecContext) {
		l := newLossyFleet(ctx)
		l.loseEverything()
		l.change(ctx, 0)
		l.advance(ctx, time.Hour, 5*time.Second)
		world.Figuresf("no response for an hour: %d of %d plan changes are sent", l.posted().posts, changed)
		Expect(l.posted().posts).To(BeZero())

		l.world.Carrier.Disarm()
		l.advance(ctx, 5*time.Minute, 5*time.Second) // until the account is read again
		l.awaitInSync(ctx, changed)
		Expect(l.posted().posts).To(Equal(changed))
	})

	It("leaves none after the one that opened the breaker when it stops responding to reads", func(ctx SpecContext) {
		l := newLossyFleet(ctx)
		l.loseResponses(1)
		l.edit(ctx, 0)
		for l.posted().lost == 0 {
			l.advance(ctx, time.Second, time.Second)
		}
		l.loseEverything()
		l.change(ctx, 0)
		l.advance(ctx, time.Hour, 5*time.Second)
		Expect(l.posted().posts).To(Equal(1))

		l.world.Carrier.Disarm()
		l.advance(ctx, 5*time.Minute, 5*time.Second)
		l.awaitInSync(ctx, changed)
		Expect(l.posted().posts).To(Equal(changed))
	})
})
