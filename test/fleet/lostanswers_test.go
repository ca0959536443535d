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
	changed = world.Scale(40, 100)
	lost    = changed / 10
)

// lossy is a fleet in which every service is in sync.
type lossy struct {
	fleet

	ids    []int64
	edited map[int64]time.Time // when a service was given another plan
}

func newLossy(ctx context.Context) lossy {
	GinkgoHelper()
	f := newFleet(ctx)
	ids := make([]int64, changed)
	for i := range ids {
		ids[i] = f.world.Line(func(line *simulator.Service) { line.Plan = world.PlanSlow })
	}
	f.create(ctx, ids, unread, func(spec *v1alpha1.BroadbandServiceSpec) {
		spec.Plan = &v1alpha1.Plan{Name: world.PlanSlow, Term: 12}
	})
	f.await(ctx, map[string]int{"True InSync": changed})
	return lossy{f, ids, map[int64]time.Time{}}
}

// loses makes responses to plan changes be lost: the carrier has carried them out.
func (l lossy) loses(times int, services ...int64) {
	GinkgoHelper()
	fault := simulator.Fault{Kind: simulator.FaultReset, Processed: true, Times: times}
	if len(services) == 0 {
		Expect(l.world.Carrier.FailNext("POST PlanChange", fault)).To(Succeed())
	}
	for _, fault.ServiceID = range services {
		Expect(l.world.Carrier.FailNext("POST PlanChange", fault)).To(Succeed())
	}
}

// everyTenth returns the services whose responses are lost, if the losses are spread.
func (l lossy) everyTenth() (services []int64) {
	for i := 0; i < changed; i += 10 {
		services = append(services, l.ids[i])
	}
	return services
}

// change gives every service another plan, one after the other, with a pause in between.
func (l lossy) change(ctx context.Context, pause time.Duration) {
	GinkgoHelper()
	for i, id := range l.ids {
		l.edited[id] = l.world.Clock.Now()
		l.world.Edit(ctx, fmt.Sprintf("site-%04d", i), func(s *v1alpha1.BroadbandService) {
			s.Spec.Plan.Name = world.PlanFast
		})
		l.pass(ctx, pause, time.Second)
	}
}

// pass lets time pass in steps, while the manager is idle.
func (l lossy) pass(ctx context.Context, long, step time.Duration) {
	GinkgoHelper()
	for ; long > 0; long -= step {
		Eventually(ctx, func(g Gomega) {
			g.Expect(l.manager.Busy()).To(BeZero())
			g.Expect(l.manager.Unseen(ctx)).To(BeZero())
		}).WithTimeout(time.Minute).WithPolling(time.Millisecond).Should(Succeed())
		l.manager.Advance(min(long, step))
	}
}

// sent is what the carrier's journal shows about the plan changes.
type sent struct {
	posts, lost         int
	firstLost, lastLost time.Time             // when the first and the last response were lost
	firstSecond         int                   // responses lost within a second of the first
	at                  map[int64][]time.Time // the POSTs, by service
	slowest             time.Duration         // from the last lost response, or a later edit, to the POST
}

func (l lossy) sent() sent {
	seen := sent{at: map[int64][]time.Time{}}
	for _, call := range l.world.Carrier.Calls() {
		if call.Operation != simulator.OpPlanChange || call.Method != http.MethodPost {
			continue
		}
		seen.posts++
		seen.at[call.ServiceID] = append(seen.at[call.ServiceID], call.Time)
		if call.Status == 0 {
			seen.lose(call.Time)
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

func (s *sent) lose(at time.Time) {
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
func (l lossy) reasons(ctx context.Context) map[string]int {
	GinkgoHelper()
	var list v1alpha1.BroadbandServiceList
	Expect(l.world.List(ctx, &list, client.InNamespace(l.world.Namespace))).To(Succeed())
	counts := map[string]int{}
	for i := range list.Items {
		counts[world.Ready(&list.Items[i]).Reason]++
	}
	return counts
}

var _ = DescribeTable("Lost answers among many changes hold the others up for less than 30 s",
	func(ctx SpecContext, pause time.Duration, arm func(lossy)) {
		l := newLossy(ctx)
		arm(l)
		l.change(ctx, pause)
		l.await(ctx, map[string]int{"True InSync": changed})
		got := l.sent()
		world.Figuresf("%s: %.2f POSTs per change, %d answers lost; the others sent %.1f s after that or a later edit",
			CurrentSpecReport().LeafNodeText, float64(got.posts)/float64(changed), got.lost, got.slowest.Seconds())
		Expect(got.lost).To(Equal(lost))
		Expect(got.posts).To(Equal(changed))
		Expect(got.at).To(HaveLen(changed))
		Expect(got.slowest).To(BeNumerically("<", 30*time.Second))
	},
	Entry("the first tenth, all at once", time.Duration(0), func(l lossy) { l.loses(lost) }),
	Entry("the first tenth, 1 s apart", time.Second, func(l lossy) { l.loses(lost) }),
	Entry("every tenth, all at once", time.Duration(0), func(l lossy) { l.loses(1, l.everyTenth()...) }),
	Entry("every tenth, 1 s apart", time.Second, func(l lossy) { l.loses(1, l.everyTenth()...) }),
)

var _ = Describe("A carrier that loses every answer for an hour", func() {
	It("leaves a handful of unknown outcomes while it answers reads", func(ctx SpecContext) {
		l := newLossy(ctx)
		l.loses(changed)
		l.change(ctx, 0)
		l.pass(ctx, time.Hour, 5*time.Second)
		got := l.sent()
		world.Figuresf("every answer to a plan change is lost for an hour, reads are answered: %d of %d sent, %d at once",
			got.posts, changed, got.firstSecond)
		Expect(got.lost).To(Equal(got.posts))
		Expect(got.firstSecond).To(Equal(1))
		Expect(got.posts).To(BeNumerically("<=", 20))
		Expect(l.reasons(ctx)).To(HaveKey(v1alpha1.ReasonBreakerOpen))

		l.world.Carrier.Disarm()
		l.pass(ctx, time.Hour, 5*time.Second) // the pause after so many in a row
		l.await(ctx, map[string]int{"True InSync": changed})
		Expect(l.sent().posts).To(Equal(changed))
	})

	It("leaves one when it answers nothing", func(ctx SpecContext) {
		l := newLossy(ctx)
		l.loses(1)
		Expect(l.world.Carrier.FailNext("*", simulator.Fault{Kind: simulator.FaultReset, Times: 10_000})).To(Succeed())
		l.change(ctx, 0)
		l.pass(ctx, time.Hour, 5*time.Second)
		got := l.sent()
		world.Figuresf("nothing is answered for an hour: %d of %d plan changes are sent", got.posts, changed)
		Expect(got.posts).To(BeNumerically("<=", 1))

		l.world.Carrier.Disarm()
		l.await(ctx, map[string]int{"True InSync": changed})
		Expect(l.sent().posts).To(Equal(changed))
	})
})
