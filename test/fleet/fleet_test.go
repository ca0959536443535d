// SPDX-License-Identifier: Apache-2.0

package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// withoutReadings turns off the interval readings. With one reading a day for each of a thousand
// services there would be one every minute and a half, and it would be counted.
func withoutReadings(spec *v1alpha1.BroadbandServiceSpec) {
	spec.Observe = v1alpha1.Observe{HealthInterval: "0", CancellationInterval: "0"}
}

// trustingAll trusts all declared values that can be trusted.
func trustingAll(spec *v1alpha1.BroadbandServiceSpec) {
	spec.TrustDeclared = []v1alpha1.TrustedAspect{
		v1alpha1.TrustPlan, v1alpha1.TrustRestorationSLA,
		v1alpha1.TrustAggregationMethod, v1alpha1.TrustDSLStabilityProfile,
	}
}

// fleet is a world with many services and their manager.
type fleet struct {
	world   *world.World
	manager *world.Manager
	ledgers map[string]int // writes outside namespaces, before this fleet existed
}

// perCall is how long a call to the carrier takes: long enough for the account to stay within its
// rate limit, because a pass that has to wait for its turn may write that to the status.
const perCall = time.Millisecond

// newFleet makes a world, and starts a manager that has logged in.
func newFleet(ctx context.Context, edits ...func(*simulator.Seed)) fleet {
	GinkgoHelper()
	return newFleetOf(ctx, func(*v1alpha1.CarrierAccount) {}, edits...)
}

// newFleetOf is newFleet with another account.
func newFleetOf(ctx context.Context, account func(*v1alpha1.CarrierAccount), edits ...func(*simulator.Seed)) fleet {
	GinkgoHelper()
	w, ledgers := world.New(ctx, plane, edits...), audit.Writes(user, "")
	w.SetCallDuration(perCall)
	manager := w.Manage(ctx, user)
	w.AwaitLogin(ctx, world.Unlimited, account)
	return fleet{w, manager, ledgers}
}

// lines adds the services to the carrier's records, and returns their ids.
func lines(w *world.World, count int, edit func(*simulator.Service)) []int64 {
	ids := make([]int64, count)
	dsl := func(line *simulator.Service) { line.TechnologyType = "FTTN" }
	for i := range ids {
		ids[i] = w.Line(dsl, edit)
	}
	return ids
}

// create creates an object for each service, several at a time.
func (f fleet) create(ctx context.Context, ids []int64, edits ...func(*v1alpha1.BroadbandServiceSpec)) {
	GinkgoHelper()
	const creators = 8
	failures := make([]error, len(ids))
	var group sync.WaitGroup
	for first := range creators {
		group.Go(func() {
			for i := first; i < len(ids); i += creators {
				service := f.world.Service(fmt.Sprintf("site-%04d", i), ids[i])
				for _, edit := range edits {
					edit(&service.Spec)
				}
				failures[i] = f.world.Create(ctx, service)
			}
		})
	}
	group.Wait()
	Expect(errors.Join(failures...)).To(Succeed())
}

// idlePlan is the time within which a manager has no pass planned once it is done with all
// services.
const idlePlan = time.Minute

// awaitInSync waits until all services are as declared.
func (f fleet) awaitInSync(ctx context.Context, count int) {
	GinkgoHelper()
	f.await(ctx, map[string]int{"True InSync": count})
}

// await waits until the services have these states. It lets time pass only while the manager is
// idle, so the load of the machine does not decide which polls find a request in progress.
func (f fleet) await(ctx context.Context, wanted map[string]int) {
	GinkgoHelper()
	Eventually(ctx, func() (map[string]int, error) {
		if busy := f.manager.Busy(); busy > 0 {
			return map[string]int{"passes due now": busy}, nil
		}
		if unseen, err := f.manager.Unseen(ctx); unseen > 0 || err != nil {
			return map[string]int{"not in the manager's cache": unseen}, err
		}
		if planned := f.manager.Planned(idlePlan); planned > 0 {
			f.manager.Advance(time.Second)
			return map[string]int{"passes due later": planned}, nil
		}
		return states(ctx, f.world) // the list is long: it is only read if it may be the last time
	}).WithTimeout(10 * time.Minute).WithPolling(20 * time.Millisecond).
		Should(Equal(wanted))
}

// states counts the services by their Ready condition.
func states(ctx context.Context, w *world.World) (map[string]int, error) {
	var list v1alpha1.BroadbandServiceList
	if err := w.List(ctx, &list, client.InNamespace(w.Namespace)); err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for i := range list.Items {
		ready := world.Ready(&list.Items[i])
		if ready.ObservedGeneration != list.Items[i].Generation {
			ready = metav1.Condition{Reason: "not reconciled yet"}
		}
		counts[fmt.Sprintf("%s %s", ready.Status, ready.Reason)]++
	}
	return counts, nil
}

// delays makes polls of a plan change find it in progress: it is polled after 5 s and after 12.5 s,
// each up to a quarter later, and some seconds later if a thousand are polled. The other requests
// have ended at their first poll.
func delays(seed *simulator.Seed) {
	seed.Delays = map[string]simulator.Duration{
		string(simulator.OpPlanChange): simulator.Duration(20 * time.Second), "default": simulator.Duration(time.Second),
	}
}

// awaitIdle waits until the given number of passes has run since the given count, and none is due.
func awaitIdle(ctx context.Context, manager *world.Manager, since, passes int) {
	GinkgoHelper()
	Eventually(ctx, func(g Gomega) {
		g.Expect(metric(world.PassesTotal) - since).To(BeNumerically(">=", passes))
		g.Expect(manager.Busy()).To(BeZero())
	}).WithTimeout(time.Minute).WithPolling(20 * time.Millisecond).Should(Succeed())
}

var _ = Describe(fmt.Sprintf("%d services in which all aspects differ", converging), func() {
	It("converge in one run, with the wanted requests and writes and no others", func(ctx SpecContext) {
		f := newFleet(ctx, delays)
		ids, watch := lines(f.world, converging, changing().before), f.measure()
		f.create(ctx, ids, changing().declare, withoutReadings)
		f.awaitInSync(ctx, converging)

		run := watch.end(f.manager)
		run.print(converging, fmt.Sprintf("%d services, %d aspects changed in %d requests each",
			converging, len(changing()), requests()))
		showPerChange(run)
		expectWanted(f.world, run.sent, ids)
		expectFewestWrites(run.writes)
		Expect(run.sent.pending).To(BeNumerically(">=", converging), "polls that cost no write")
		Expect(run.failures).To(BeZero(), "passes that ended in an error")
	})
})

// showPerChange prints the cost of one request, without the first status write and the health
// request.
func showPerChange(run counted) {
	sent, changes := run.sent, float64(converging*requests())
	world.Figuresf("  per change: POST %.2f, polls %.2f, status writes %.2f, ledger writes %.2f, Events %.2f",
		float64(total(sent.sent())-sent.sent()[simulator.OpHealth])/changes,
		float64(total(sent.polls)-sent.polls[simulator.OpHealth])/changes,
		float64(run.writes.Done["update broadbandservices/status"]-converging)/changes,
		float64(ledgerWrites(run.writes))/changes,
		float64(run.writes.Done["create events"]-1)/changes)
}

func ledgerWrites(writes world.Tally) int {
	return writes.Done["create requestledgers"] + writes.Done["update requestledgers"]
}

// requests counts the POSTs that change something in a service.
func requests() int {
	return len(wantedPosts()) - 1 // the health request is a reading
}

// expectWanted compares the carrier's journal and records with what was declared.
func expectWanted(w *world.World, sent traffic, ids []int64) {
	GinkgoHelper()
	Expect(sent.refused).To(BeZero())
	Expect(sent.posts).To(HaveLen(converging), "every POST is about one of the services")
	again := append(wantedPosts(), simulator.OpHealth) // read again if it is ten minutes old by then
	for _, id := range ids {
		Expect(sent.posts[id]).To(Or(ConsistOf(wantedPosts()), ConsistOf(again)), "service %d", id)
		sold, found := w.Carrier.Service(id)
		Expect(found).To(BeTrue())
		wanted := sold
		changing().after(&wanted)
		Expect(sold).To(Equal(wanted))
	}
}

// accountWrites is how often the status of the account is written: when the carrier has accepted its
// token, which makes it Ready.
const accountWrites = 1

// loginWrites is how often the ledger of a login is updated: when the first ledger for one of its
// services or orders is about to be created.
const loginWrites = 1

// expectFewestWrites compares the writes with the fewest that lose nothing. The status is written
// for the first pass, and for the acceptance and the end of each request. The ledger is written for
// the intent, the acceptance and the end. Two lanes in one pass need one status write. The first
// status write is missing if a busy machine delays the first pass until health is known.
func expectFewestWrites(writes world.Tally) {
	GinkgoHelper()
	Expect(writes.Done["update broadbandservices/status"]).To(And(
		BeNumerically(">=", converging*requests()), BeNumerically("<=", converging*(2*requests()+1))))
	Expect(writes.Done).To(Equal(map[string]int{
		"update broadbandservices/status": writes.Done["update broadbandservices/status"],
		"create requestledgers":           converging + 1, // and one for the login
		"update requestledgers":           converging*(3*requests()-1) + loginWrites,
		"update carrieraccounts/status":   accountWrites,
		"create events":                   writes.Done["create events"],
	}))
	Expect(writes.Done["create events"]).To(BeNumerically("<=", 1+converging*(2*requests()+1)), "accepted, end, and Ready")
	Expect(writes.Failed).To(BeEmpty())
}

var _ = Describe(fmt.Sprintf("%d services that are as declared", services), Ordered, func() {
	var (
		f     fleet
		wrote world.Tally
		ids   []int64
	)

	BeforeAll(func(ctx SpecContext) { f = newFleet(ctx) })

	It("are imported with one write of the status and of the ledger each, and nothing is sent", func(ctx SpecContext) {
		ids = lines(f.world, services, trustable().after)
		watch := f.measure()
		f.create(ctx, ids, trustable().declare, trustingAll, withoutReadings)
		f.awaitInSync(ctx, services)
		awaitIdle(ctx, f.manager, watch.passes, services)

		run := watch.end(f.manager)
		run.print(services, fmt.Sprintf("%d services imported as declared", services))
		Expect(run.sent.posts).To(BeEmpty())
		Expect(run.writes.Done).To(Equal(map[string]int{
			"update broadbandservices/status": services,
			"create requestledgers":           services + 1, // one per service for what is trusted, and one for the login
			"update requestledgers":           loginWrites,
			"update carrieraccounts/status":   accountWrites,
			"create events":                   1, // of the account
		}))
		Expect(run.writes.Failed).To(BeEmpty())
		Expect(run.failures).To(BeZero(), "passes that ended in an error")
		wrote = run.writes
	})

	It("are left alone after a restart: no write, and no call but the login and its check", func(ctx SpecContext) {
		watch := f.measure()
		f.manager = f.world.Manage(ctx, user)
		awaitIdle(ctx, f.manager, watch.passes, services)

		run := watch.end(f.manager)
		Expect(run.writes).To(Equal(wrote), "no further write")
		run.writes = world.Tally{}
		run.print(services, "the same after a restart")
		Expect(run.sent.posts).To(BeEmpty())
		Expect(run.sent.polls).To(And(HaveLen(1), HaveKeyWithValue(simulator.OpReclaim, 1)), "the check")
		Expect(run.sent.logins).To(Equal(1))
		Expect(run.failures).To(BeZero(), "passes that ended in an error")
	})

	It("are restored without a status and with other UIDs: nothing is sent, and nothing stalls (R25)",
		func(ctx SpecContext) {
			Expect(f.world.DeleteAllOf(ctx, &v1alpha1.BroadbandService{}, client.InNamespace(f.world.Namespace))).To(Succeed())
			watch := f.measure()
			f.manager = f.world.Manage(ctx, user)
			f.create(ctx, ids, trustable().declare, trustingAll, withoutReadings)
			f.awaitInSync(ctx, services)
			awaitIdle(ctx, f.manager, watch.passes, services)

			run := watch.end(f.manager)
			restored := run.writes.Done["update broadbandservices/status"] - wrote.Done["update broadbandservices/status"]
			run.print(services, fmt.Sprintf("%d services restored without a status and with other UIDs", services))
			Expect(run.sent.posts).To(BeEmpty())
			Expect(restored).To(Equal(services), "status writes, at most two each")
			Expect(run.writes.Done["create requestledgers"]).To(Equal(services+1), "those that there were")
			Expect(run.writes.Done["update requestledgers"]).To(Equal(services+loginWrites), "for their new holders")
			Expect(run.failures).To(BeZero(), "passes that ended in an error")
		})
})
