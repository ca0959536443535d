// SPDX-License-Identifier: Apache-2.0

package drill_test

import "fmt"

// The faults, as the report names them.
const (
	killed            = "SIGKILL before or after one effect"
	leaderKilled      = "fail-over, the leader got a SIGKILL"
	leaderStopped     = "fail-over, the leader got a SIGSTOP"
	leaderAsked       = "fail-over, the leader got a SIGTERM"
	stoppedBriefly    = "SIGSTOP for 2 s"
	stoppedLong       = "SIGSTOP for 12 s"
	doubled           = "SIGKILL of one of two active managers"
	restarted         = "SIGKILL and restart of the API server"
	etcdGone          = "SIGKILL and restart of etcd"
	cutOff            = "calls and watches cut off"
	apiServerDown     = "no API server for 20 s after a POST"
	carrierKilled     = "SIGKILL and restart of the carrier"
	forgettingCarrier = "the carrier forgets its ids"
)

// fault is a fault that a lane is exposed to.
type fault struct {
	name    string
	minimum int                    // how often it occurs at least in a full run
	details func(of counts) string // what else the report prints about it
}

// faults returns all faults, in the order of the report.
func faults() []fault {
	nothing := func(counts) string { return "" }
	givenUp := func(of counts) string { return fmt.Sprintf("%d intents were abandoned before the POST", of.notSent) }
	second := func(of counts) string { return fmt.Sprintf("%d writes got a conflict", of.conflicts) }
	silent := func(of counts) string { return fmt.Sprintf("%d calls got no response", of.unanswered) }
	away := func(of counts) string {
		return fmt.Sprintf("%d calls got no response, %d an error; %d watches were started",
			of.unanswered, of.failed, of.watches)
	}
	return []fault{
		{killed, 120, nothing},
		{leaderKilled, 20, nothing},
		{leaderStopped, 8, nothing},
		{leaderAsked, 30, nothing},
		{stoppedBriefly, 10, givenUp},
		{stoppedLong, 10, givenUp},
		{doubled, 8, second},
		{restarted, 10, away},
		{etcdGone, 10, away},
		{cutOff, 5, away},
		{apiServerDown, 6, away},
		{carrierKilled, 40, silent},
		{forgettingCarrier, 10, nothing},
	}
}
