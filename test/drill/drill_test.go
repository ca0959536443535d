// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"context"
	"slices"
	"strings"

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
				AddReportEntry("log of "+l.trouble, l.log.String())
			}
		}
	})

	// One spec: the effects of one fault overlap with the next, and all lanes wait once.
	It("loses nothing and sends nothing twice, whatever it lives through", func(ctx SpecContext) {
		if soonest {
			d.loseControlPlane(ctx)
		}
		d.stages(
			stage{"it is killed, and the carrier forgets", func() []func() {
				return slices.Concat(d.kills(ctx), d.carrierKills(ctx), d.forgets(ctx))
			}},
			stage{"it fails over, is stopped, and acts twice at once", func() []func() {
				return slices.Concat(d.failOvers(ctx), d.stops(ctx), d.twins(ctx))
			}},
			stage{"it is cut off", func() []func() { return []func(){d.cutsOff(ctx), d.away(ctx)} }},
		)
		if !soonest {
			d.loseControlPlane(ctx)
		}
		d.run("it is left in peace", func() { d.judge(ctx) })
		d.expectEnough()
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
	var lives []func()
	for _, one := range all {
		names, lives = append(names, one.name), append(lives, one.lanes()...)
	}
	d.run(strings.Join(names, "; "), lives...)
}

// run runs lanes with their faults at the same time, and prints the duration.
func (*drill) run(what string, lives ...func()) {
	GinkgoHelper()
	By(what)
	began := realTime()
	together(lives)
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
	lanes := 10 // each waits for leases most of the time
	if !whole {
		lanes = 4
	}
	lives := make([]func(), 0, lanes)
	for _, share := range deal(thinned(cuts(), world.Scale(17, 9)), lanes) {
		l := d.add(newLane(ctx, killed))
		l.flags = shortLease()
		lives = append(lives, func() { l.killAt(ctx, share) })
	}
	return lives
}

// carrierKills returns lanes in which the carrier is killed: some once it has saved its state, the
// others at once, so that an accepted request may be lost with it.
func (d *drill) carrierKills(ctx SpecContext) []func() {
	GinkgoHelper()
	keeping, losing := 4, 2
	if !whole {
		keeping, losing = 1, 1
	}
	lives := make([]func(), 0, keeping+losing)
	for _, share := range deal(thinned(answers(), world.Scale(31, 15)), keeping) {
		lives = append(lives, d.carrierLane(ctx, share, kept))
	}
	for _, share := range deal(thinned(taken(), world.Scale(24, 12)), losing) {
		lives = append(lives, d.carrierLane(ctx, share, lost))
	}
	return lives
}

// carrierLane returns one of them.
func (d *drill) carrierLane(ctx SpecContext, share []cut, books remains) func() {
	GinkgoHelper()
	l := d.add(newLane(ctx, carrierKilled))
	return func() { l.killCarrierAt(ctx, share, books) }
}

// failOvers returns lanes in which leaders fail, in each of the ways.
func (d *drill) failOvers(ctx SpecContext) []func() {
	GinkgoHelper()
	points, killing, stopping, asking := chargeable(), 6, 2, 3
	if !whole {
		points, killing, stopping, asking = points[:2], 1, 1, 1
	}
	shares := deal(points, killing+stopping)
	return slices.Concat(
		d.failBy(ctx, leaderKilled, atOnce(), shares[:killing]),
		d.failBy(ctx, leaderStopped, unknowing(), shares[killing:]),
		d.failBy(ctx, leaderAsked, askedToGo(), deal(points, asking)),
	)
}

func (d *drill) failBy(ctx SpecContext, trouble string, way failure, shares [][]cut) []func() {
	GinkgoHelper()
	lives := make([]func(), 0, len(shares))
	for _, share := range shares {
		l := d.add(newLane(ctx, trouble))
		l.replicas = 2
		lives = append(lives, func() { l.failOver(ctx, share, way) })
	}
	return lives
}

// stops returns lanes in which a process is stopped, for less and for more time than an intent is
// valid.
func (d *drill) stops(ctx SpecContext) []func() {
	GinkgoHelper()
	points, lanes := stoppable(), 4
	if !whole {
		points, lanes = points[:2], 2
	}
	lives := make([]func(), 0, lanes)
	for i, share := range deal(points, lanes) {
		trouble, length := stoppedBriefly, shortStop
		if i%2 == 1 {
			trouble, length = stoppedLong, longStop
		}
		l := d.add(newLane(ctx, trouble))
		lives = append(lives, func() { l.stop(ctx, share, length) })
	}
	return lives
}

// twins returns a lane in which two managers are active.
func (d *drill) twins(ctx SpecContext) []func() {
	GinkgoHelper()
	l := d.add(newLane(ctx, doubled))
	l.replicas, l.allLead = 2, true
	return []func(){func() { l.besides(ctx, declarable(), thinned(intents(), world.Scale(6, 4))) }}
}

// cutsOff returns a lane whose manager cannot reach the API server for a while.
func (d *drill) cutsOff(ctx SpecContext) func() {
	GinkgoHelper()
	times := 5
	if !whole {
		times = 1
	}
	l := d.add(newLane(ctx, cutOff))
	return func() { l.cutOff(ctx, declarable(), times) }
}

// away returns a lane whose API server is unavailable for longer than a lease is valid.
func (d *drill) away(ctx SpecContext) func() {
	GinkgoHelper()
	times := 2
	if !whole {
		times = 1
	}
	l := d.add(newLane(ctx, gone))
	l.replicas = 2
	return func() { l.away(ctx, submitted(), times) }
}

// forgets returns a lane whose carrier loses its data.
func (d *drill) forgets(ctx SpecContext) []func() {
	GinkgoHelper()
	l := d.add(newLane(ctx, forgetful))
	return []func(){func() { l.forget(ctx, thinned(forgettable(), world.Scale(6, 4))) }}
}

// loseControlPlane makes one part of the control plane unavailable after the other: all lanes share
// it.
func (d *drill) loseControlPlane(ctx SpecContext) {
	GinkgoHelper()
	d.run("it loses the API server", d.outages(ctx, restarted, plane.KillAPIServer))
	d.run("the API server loses etcd", d.outages(ctx, etcdGone, plane.KillEtcd))
}

// outages returns a lane that loses a part of the control plane.
func (d *drill) outages(ctx SpecContext, trouble string, goesAway func(context.Context) error) func() {
	GinkgoHelper()
	l := d.add(newLane(ctx, trouble))
	return func() { l.outage(ctx, declarable(), thinned(writes(), 16), goesAway) }
}

// expectEnough expects that every fault has occurred, in the whole drill as often as required.
func (d *drill) expectEnough() {
	GinkgoHelper()
	for _, trouble := range troubles() {
		struck, _ := d.struck(trouble.name)
		Expect(struck).To(BeNumerically(">=", 1), trouble.name)
		if whole {
			Expect(struck).To(BeNumerically(">=", trouble.least), trouble.name)
		}
	}
}

// struck returns how often a fault has occurred in all lanes, and the other counts of these lanes.
func (d *drill) struck(trouble string) (times int, counted counts) {
	for _, l := range d.lanes {
		if l.trouble == trouble {
			times += l.struck
			counted = counted.plus(l.gate.counted())
		}
	}
	return times, counted
}
