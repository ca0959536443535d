// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"context"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// drill is the set of all lanes of a run.
type drill struct{ lanes []*lane }

var _ = Describe("The program", func() {
	var d *drill

	BeforeEach(func() { d = &drill{} })

	AfterEach(func() {
		if CurrentSpecReport().Failed() {
			for _, l := range d.lanes {
				AddReportEntry("log of "+l.fault, l.log.String())
			}
		}
	})

	// This is one spec, so that the effects of one fault overlap with those of the next, and all lanes
	// wait at the same time.
	It("loses nothing and sends nothing twice, whatever fails", func(ctx SpecContext) {
		if controlPlaneFirst {
			d.loseControlPlane(ctx)
		}
		d.stages(
			stage{"it is killed, and the carrier forgets", func() []func() {
				return slices.Concat(d.kills(ctx), d.carrierKills(ctx), d.carrierForgets(ctx))
			}},
			stage{"it fails over, is stopped, and acts twice at once", func() []func() {
				return slices.Concat(d.failOvers(ctx), d.pauses(ctx), d.twoLeaders(ctx))
			}},
			stage{"it is cut off", func() []func() { return []func(){d.disconnected(ctx), d.apiServerOutage(ctx)} }},
		)
		if !controlPlaneFirst {
			d.loseControlPlane(ctx)
		}
		d.run("the faults have ended", func() { d.checkAll(ctx) })
		d.expectEnough()
		d.expectRead()
	})
})

// stage is what some lanes do at the same time.
type stage struct {
	name  string
	lanes func() []func() // creates them
}

// stages runs stages whose lanes do not disturb each other. In a full run they run one after the
// other, because all at once would be too much; otherwise they run at the same time. Most of the
// time is spent waiting, for example for a lease to expire.
func (d *drill) stages(all ...stage) {
	GinkgoHelper()
	if whole {
		for _, one := range all {
			d.run(one.name, one.lanes()...)
		}
		return
	}
	names := make([]string, 0, len(all))
	var runs []func()
	for _, one := range all {
		names, runs = append(names, one.name), append(runs, one.lanes()...)
	}
	d.run(strings.Join(names, "; "), runs...)
}

// run runs lanes with their faults at the same time, and prints the duration.
func (*drill) run(what string, runs ...func()) {
	GinkgoHelper()
	By(what)
	began := realTime()
	together(runs)
	world.Figuresf("%s: %.0f s", what, realTime().Sub(began).Seconds())
}

// add adds a lane to the drill.
func (d *drill) add(l *lane) *lane {
	d.lanes = append(d.lanes, l)
	return l
}

// kills returns lanes in which a process is killed.
func (d *drill) kills(ctx SpecContext) []func() {
	GinkgoHelper()
	plain, describing := 9, 3 // each waits for leases most of the time
	if !whole {
		plain, describing = 3, 1
	}
	by := world.Scale(20, 11)
	return slices.Concat(
		d.killLanes(ctx, split(everyNth(undescribedPoints(), by), plain)),
		d.killLanes(ctx, split(everyNth(describedPoints(), by), describing), v1alpha1.ExtensionServiceRead),
	)
}

// killLanes returns a lane for each share, in which a process is killed.
func (d *drill) killLanes(ctx SpecContext, shares [][]faultPoint, extensions ...v1alpha1.Extension) []func() {
	GinkgoHelper()
	runs := make([]func(), 0, len(shares))
	for _, share := range shares {
		l := d.add(newLane(ctx, killed, extensions...))
		l.flags = shortLease()
		runs = append(runs, func() { l.killAt(ctx, share) })
	}
	return runs
}

// carrierKills returns lanes in which the carrier is killed: some once it has saved its state, the
// others immediately, so that an accepted request may be lost with it.
func (d *drill) carrierKills(ctx SpecContext) []func() {
	GinkgoHelper()
	keeping, losing := 3, 2
	if !whole {
		keeping, losing = 1, 1
	}
	runs := make([]func(), 0, keeping+1+losing)
	for _, share := range split(everyNth(carrierPoints(), world.Scale(31, 15)), keeping) {
		runs = append(runs, d.carrierLane(ctx, share, allSaved))
	}
	if whole { // it takes a minute until a lost response is proven
		runs = append(runs, d.carrierLane(ctx, describedPOSTs(), allSaved, v1alpha1.ExtensionServiceRead))
	}
	for i, share := range split(everyNth(afterPOST(), world.Scale(24, 12)), losing) {
		runs = append(runs, d.carrierLane(ctx, share, someLost, everySecond(i)...))
	}
	return runs
}

// carrierLane returns a lane in which the carrier is killed.
func (d *drill) carrierLane(
	ctx SpecContext, share []faultPoint, saved savedRequests, extensions ...v1alpha1.Extension,
) func() {
	GinkgoHelper()
	l := d.add(newLane(ctx, carrierKilled, extensions...))
	return func() { l.killCarrierAt(ctx, share, saved) }
}

// failOvers returns lanes in which leaders fail, one for each way to fail.
func (d *drill) failOvers(ctx SpecContext) []func() {
	GinkgoHelper()
	points, killing, stopping, asking := chargeable(), 6, 2, 3
	if !whole {
		points, killing, stopping, asking = points[:2], 1, 1, 1
	}
	shares := split(points, killing+stopping)
	return slices.Concat(
		d.failBy(ctx, leaderKilled, byKill(), shares[:killing]),
		d.failBy(ctx, leaderStopped, byStop(), shares[killing:]),
		d.failBy(ctx, leaderAsked, byTerm(), split(points, asking)),
	)
}

func (d *drill) failBy(ctx SpecContext, fault string, way failure, shares [][]faultPoint) []func() {
	GinkgoHelper()
	runs := make([]func(), 0, len(shares))
	for i, share := range shares {
		l := d.add(newLane(ctx, fault, everySecond(i)...))
		l.replicas = 2
		runs = append(runs, func() { l.failOver(ctx, share, way) })
	}
	return runs
}

// pauses returns lanes in which a process is stopped, for shorter and for longer than an intent is
// valid.
func (d *drill) pauses(ctx SpecContext) []func() {
	GinkgoHelper()
	points, lanes := stoppable(), 4
	if !whole {
		points, lanes = points[:2], 2
	}
	runs := make([]func(), 0, lanes)
	for i, share := range split(points, lanes) {
		fault, length := stoppedBriefly, shortStop
		if i%2 == 1 {
			fault, length = stoppedLong, longStop
		}
		l := d.add(newLane(ctx, fault))
		runs = append(runs, func() { l.pause(ctx, share, length) })
	}
	return runs
}

// twoLeaders returns a lane in which two managers are active.
func (d *drill) twoLeaders(ctx SpecContext) []func() {
	GinkgoHelper()
	l := d.add(newLane(ctx, doubled))
	l.replicas, l.allLead = 2, true
	return []func(){func() { l.killOneOfTwo(ctx, declarable(), everyNth(intents(), world.Scale(6, 4))) }}
}

// disconnected returns a lane whose manager cannot reach the API server for a while.
func (d *drill) disconnected(ctx SpecContext) func() {
	GinkgoHelper()
	times := 5
	if !whole {
		times = 1
	}
	l := d.add(newLane(ctx, cutOff))
	return func() { l.cutOff(ctx, declarable(), times) }
}

// apiServerOutage returns a lane whose API server is unavailable for longer than a lease is valid.
func (d *drill) apiServerOutage(ctx SpecContext) func() {
	GinkgoHelper()
	times := 2
	if !whole {
		times = 1
	}
	l := d.add(newLane(ctx, apiServerDown))
	l.replicas = 2
	return func() { l.loseAPIServer(ctx, acceptedPoints(), times) }
}

// carrierForgets returns a lane whose carrier loses its data.
func (d *drill) carrierForgets(ctx SpecContext) []func() {
	GinkgoHelper()
	l := d.add(newLane(ctx, forgettingCarrier))
	return []func(){func() { l.carrierForgets(ctx, everyNth(forgettable(), world.Scale(6, 4))) }}
}

// loseControlPlane makes the parts of the control plane, which all lanes share, unavailable one
// after the other.
func (d *drill) loseControlPlane(ctx SpecContext) {
	GinkgoHelper()
	d.run("it loses the API server", d.outages(ctx, restarted, plane.KillAPIServer))
	d.run("the API server loses etcd", d.outages(ctx, etcdGone, plane.KillEtcd))
}

// outages returns a lane that loses a part of the control plane.
func (d *drill) outages(ctx SpecContext, fault string, fail func(context.Context) error) func() {
	GinkgoHelper()
	l := d.add(newLane(ctx, fault))
	return func() { l.outage(ctx, declarable(), everyNth(writes(), 16), fail) }
}

// expectEnough expects that every fault has occurred, in the whole drill as often as required.
func (d *drill) expectEnough() {
	GinkgoHelper()
	for _, fault := range faults() {
		times, _ := d.faultTimes(fault.name)
		Expect(times).To(BeNumerically(">=", 1), fault.name)
		if whole {
			Expect(times).To(BeNumerically(">=", fault.minimum), fault.name)
		}
	}
}

// faultTimes returns how often a fault has occurred in all lanes, and the other counts of these
// lanes.
func (d *drill) faultTimes(fault string) (times int, counted counts) {
	for _, l := range d.lanes {
		if l.fault == fault {
			times += l.faultCount
			counted = counted.plus(l.proxy.counts())
		}
	}
	return times, counted
}
