// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// The contestants: who makes the changes.
const (
	product    = "operator"
	naiveName  = "naive"
	limitName  = "limit"
	roundTrips = simulator.Duration(200 * time.Millisecond)
)

// scenario is what is measured: services in sync, and what then happens to them.
type scenario struct {
	Name, About string
	Services    int // in sync at first
	WarmUp      int // of them changed before the measurement, from which the operator may learn
	Changes     int // of them changed in the measurement
	Rate        int // calls a second that the account may make
	Approval    v1alpha1.Approval
	times       times
	Lost        int           // responses to plan changes that are lost, of services evenly spread
	Kills       int           // how often the contestant is killed while the changes are made
	Quiet       time.Duration // how long nothing happens, before and after a restart
	contestants []string
	drive       func(*lane, context.Context) error
}

// scale returns the scenario with another number of services.
func (s scenario) scale(by float64) scenario {
	const least, learns = 4, 24 // from fewer requests, the operator learns nothing
	for count, least := range map[*int]int{&s.Services: least, &s.WarmUp: learns, &s.Changes: least} {
		if *count > 0 {
			*count = max(least, int(float64(*count)*by))
		}
	}
	if s.Quiet > 0 {
		s.Quiet = max(5*time.Second, time.Duration(min(1, by)*float64(s.Quiet)))
	}
	s.Services = max(s.Services, s.WarmUp+s.Changes)
	if s.Lost > 0 {
		s.Lost = max(1, int(float64(s.Lost)*by))
	}
	return s
}

// unlimited is the highest rate of calls that an account can have.
const unlimited = 1000

// constant are times of requests that all take as long.
func constant(health, change time.Duration) times {
	all := make(times)
	all[simulator.OpHealth] = law{Median: simulator.Duration(health)}
	all[simulator.OpPlanOptions] = all[simulator.OpHealth]
	all[simulator.OpPlanChange] = law{Median: simulator.Duration(change)}
	return all
}

// spread are the times of a slow carrier: lognormal plan changes, cut at three minutes, which 4 % of
// them would exceed, so that a run ends.
func spread() times {
	const median, most = simulator.Duration(30 * time.Second), simulator.Duration(3 * time.Minute)
	all := constant(2*time.Second, 0)
	all[simulator.OpPlanChange] = law{Median: median, Sigma: 1, Most: most}
	return all
}

// The names of the scenarios.
const (
	idle, burst, busy, slow = "idle", "burst", "busy", "slow"
	kills, lost, limited    = "kills", "lost", "rate"
	inFlight                = "in-flight"
)

// scenarios are measured in this order, each on a new control plane.
func scenarios() []scenario {
	quick := constant(2*time.Second, 2*time.Second)
	all, both := []string{product, naiveName, limitName}, []string{product, naiveName}
	return append([]scenario{
		{
			Name:     burst,
			About:    "all are edited at once, and the price has to be read first; every request takes 2 s",
			Services: 324, WarmUp: 24, Changes: 300, Rate: unlimited,
			Approval: v1alpha1.ApprovalOnCost, times: quick, contestants: all, drive: (*lane).driveBurst,
		},
		{
			Name:     limited,
			About:    "all are edited at once; 20 calls a second are allowed",
			Services: 324, WarmUp: 24, Changes: 300, Rate: 20,
			Approval: v1alpha1.ApprovalAutomatic, times: quick, contestants: all, drive: (*lane).driveBurst,
		},
		{
			Name:     busy,
			About:    "single edits, first alone, then beside polls and while all services are looked at",
			Services: 1000, WarmUp: 100, Changes: 40, Rate: unlimited,
			Approval: v1alpha1.ApprovalAutomatic, times: constant(2*time.Second, 3*time.Minute),
			contestants: []string{product}, drive: (*lane).driveBusy,
		},
		{
			Name:     lost,
			About:    "all are edited at once, and the responses to a tenth of the plan changes are lost",
			Services: 100, Changes: 100, Rate: unlimited,
			Approval: v1alpha1.ApprovalAutomatic, times: quick, Lost: 10, contestants: both,
			drive: (*lane).driveBurst,
		},
		{
			Name:     slow,
			About:    "all are edited at once; plan changes take lognormal times with a median of 30 s and a sigma of 1",
			Services: 300, WarmUp: 100, Changes: 200, Rate: unlimited,
			Approval: v1alpha1.ApprovalAutomatic, times: spread(), contestants: all,
			drive: (*lane).driveBurst,
		},
	}, withRestart(quick, both)...)
}

// withRestart are the scenarios in which the contestant ends and is started again.
func withRestart(quick times, both []string) []scenario {
	return []scenario{
		{
			Name:     kills,
			About:    "all are edited at once, and the contestant is killed 8 times",
			Services: 100, Changes: 100, Rate: unlimited,
			Approval: v1alpha1.ApprovalAutomatic, times: quick, Kills: 8, contestants: both,
			drive: (*lane).driveBurst,
		},
		{
			Name:     idle,
			About:    "nothing changes for half a minute, before and after a restart",
			Services: 1000, Rate: unlimited, Quiet: 30 * time.Second,
			Approval: v1alpha1.ApprovalAutomatic, times: quick, contestants: both, drive: (*lane).driveIdle,
		},
		{
			Name:     inFlight,
			About:    "the contestant is killed, and started half a minute later, while all changes are in progress",
			Services: 1000, Changes: 1000, Rate: unlimited, Quiet: 30 * time.Second,
			Approval: v1alpha1.ApprovalAutomatic, times: constant(2*time.Second, 10*time.Minute),
			contestants: both, drive: (*lane).driveInFlight,
		},
	}
}
