// SPDX-License-Identifier: Apache-2.0

package fleet_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// traffic is what the carrier has seen.
type traffic struct {
	posts   map[int64][]simulator.Operation // by service, 0 for those about none
	polls   map[simulator.Operation]int
	pending int // polls that got 202
	refused int // POSTs that were not accepted
	logins  int
}

func trafficOf(calls []simulator.Call) traffic {
	seen := traffic{posts: make(map[int64][]simulator.Operation), polls: make(map[simulator.Operation]int)}
	for _, call := range calls {
		switch {
		case call.Operation == simulator.OpToken:
			seen.logins++
		case call.Method == http.MethodGet:
			seen.poll(call)
		default:
			seen.post(call)
		}
	}
	return seen
}

func (t *traffic) poll(call simulator.Call) {
	t.polls[call.Operation]++
	if call.Status == http.StatusAccepted {
		t.pending++
	}
}

func (t *traffic) post(call simulator.Call) {
	t.posts[call.ServiceID] = append(t.posts[call.ServiceID], call.Operation)
	if !call.Accepted {
		t.refused++
	}
}

// sent counts the POSTs about all services.
func (t *traffic) sent() map[simulator.Operation]int {
	sent := make(map[simulator.Operation]int)
	for _, posts := range t.posts {
		for _, operation := range posts {
			sent[operation]++
		}
	}
	return sent
}

// metric reads a metric of the controller of services.
func metric(name string) int {
	GinkgoHelper()
	return world.Metric(name, func(of world.Labels) bool { return of["controller"] == "broadbandservice" })
}

// measurement counts what a manager does from one moment to another.
type measurement struct {
	world                   *world.World
	ledgers                 map[string]int // writes outside namespaces, before the fleet existed
	began                   time.Time
	calls, passes, failures int // before the watch began
}

func (f fleet) measure() measurement {
	w := f.world
	return measurement{
		world: w, ledgers: f.ledgers, began: realTime(), calls: len(w.Carrier.Calls()),
		passes: metric(world.PassesTotal), failures: metric(world.PassesFailed),
	}
}

// counted is the result of a measurement.
type counted struct {
	duration         time.Duration
	sent             traffic
	writes           world.Tally // since the namespace was created
	passes, failures int
}

// end stops the manager, so that nothing more is done, and counts.
func (s measurement) end(manager *world.Manager) counted {
	GinkgoHelper()
	took := realTime().Sub(s.began)
	manager.End()
	return counted{
		duration: took, sent: trafficOf(s.world.Carrier.Calls()[s.calls:]), writes: s.writes(manager),
		passes: metric(world.PassesTotal) - s.passes, failures: metric(world.PassesFailed) - s.failures,
	}
}

// writes returns what the audit log shows for a manager that has ended. A line may be written after
// the manager has got the response, so the log is read until it has all writes that the manager
// knows of.
func (s measurement) writes(manager *world.Manager) world.Tally {
	GinkgoHelper()
	var tally world.Tally
	Eventually(func() int {
		tally = audit.Tally(user, s.world.Namespace)
		for action, count := range audit.Writes(user, "") {
			if since := count - s.ledgers[action]; since > 0 {
				tally.Done[action] += since
			}
		}
		return total(tally.Done) + total(tally.Failed)
	}).WithTimeout(time.Minute).WithPolling(time.Second).Should(BeNumerically(">=", manager.Writes()))
	return tally
}

// print prints the figures of one run with a number of services.
func (a counted) print(count int, what string) {
	world.Figuresf("%s: %.0f s", what, a.duration.Seconds())
	world.Figuresf("  writes per object: %s; failed: %v", perService(a.writes.Done, count), a.writes.Failed)
	world.Figuresf("  POSTs per object: %s", perService(a.sent.sent(), count))
	world.Figuresf("  polls per object: %s; %.2f of them got 202",
		perService(a.sent.polls, count), ratio(a.sent.pending, count))
	world.Figuresf("  passes per object: %.2f; failed: %d; logins: %d", ratio(a.passes, count), a.failures, a.sent.logins)
}

func total[K comparable](counts map[K]int) int {
	sum := 0
	for _, count := range counts {
		sum += count
	}
	return sum
}

func ratio(of, count int) float64 { return float64(of) / float64(count) }

func perService[K ~string](counts map[K]int, count int) string {
	parts := make([]string, 0, len(counts))
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %.2f", key, ratio(counts[key], count)))
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}
