// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Sort is what an effect acts on. It decides which faults are possible.
type Sort int

// The sorts of effects.
const (
	Write Sort = iota // of an object
	Read              // past the cache
	Key               // the account's key, read past the cache for a login
	Post              // to the carrier
	Poll              // a GET of the carrier
	Token             // an exchange with the identity provider
	Look              // a cache read of the scenario's object
)

// Effect is one action of a process on the world outside it, or one read from it.
type Effect struct {
	Number int // the position in the run, from 1
	Sort   Sort
	What   string

	at     time.Time
	looked []key // what was read from the cache between this effect and the next
}

// Kind is what happens at an effect.
type Kind string

// What can happen at an effect. The first group are faults, the second are acts of other actors
// immediately before it, and the third are stale cache reads.
const (
	nothing     Kind = ""
	CrashBefore Kind = "crash before"
	CrashAfter  Kind = "crash after"
	Refused     Kind = "error without effect"
	Lost        Kind = "error after the effect"
	Conflict    Kind = "conflict"
	Unavailable Kind = "500"
	BadGateway  Kind = "502 after the effect"
	Denied      Kind = "401"
	Missing     Kind = "404"
	Invalid     Kind = "422"
	Throttled   Kind = "429"
	Late        Kind = "the answer comes late"
	LostLate    Kind = "the answer is lost, which is noticed late"
	Forgotten   Kind = "the carrier forgets every request"

	Overtaken   Kind = "another manager takes a pass"
	Preempted   Kind = "another manager goes on"
	Deleted     Kind = "a user deletes"
	Recreated   Kind = "a user deletes and creates"
	Edited      Kind = "a user edits"
	Restored    Kind = "a restore loses the status"
	MisResolved Kind = "a person resolves another attempt"
	Resolved    Kind = "a person says the truth"

	PutBack    Kind = "a restore shows an older status"
	Forged     Kind = "somebody forges the status"
	Dropped    Kind = "somebody forces the ledger away"
	RolledBack Kind = "a restore shows an older ledger"
	Emptied    Kind = "a restore shows an empty ledger"
	Outdated   Kind = "a newer version writes the ledger"
	ForcedOff  Kind = "somebody forces the object away"
	Suspended  Kind = "a user suspends"
	Unlisted   Kind = "the account no longer lists the service"
	Demanded   Kind = "the account asks for approval"
	Replaced   Kind = "the account is deleted and created"
	Retried    Kind = "a person asks for a retry"
	ReadAnew   Kind = "a person asks for a reading"
	Early      Kind = "a person says the truth too early"
	Lied       Kind = "a person says the untruth"
	Elsewhere  Kind = "somebody else changes the plan"
	Trusted    Kind = "a person has unknown values believed"

	Stale   Kind = "the cache lags behind"
	Lagging Kind = "the cache lags behind for three looks"
	Again   Kind = "an observation is delivered twice"
)

// common are the faults that every service has now and then.
func common(sort Sort) []Kind {
	return [...][]Kind{
		Write: {CrashBefore, CrashAfter, Refused, Lost, Conflict},
		Read:  {CrashBefore, Refused},
		Key:   {CrashBefore, Refused},
		Post:  {CrashBefore, CrashAfter, Refused, Lost, Unavailable, BadGateway, Denied, Throttled},
		Poll:  {CrashBefore, CrashAfter, Refused, Lost, Unavailable, Denied},
		Token: {CrashBefore, CrashAfter, Refused, Lost, Unavailable},
		Look:  {},
	}[sort]
}

// rare are the other faults.
func rare(sort Sort) []Kind {
	return [...][]Kind{
		Write: {Late},
		Read:  {Late},
		Key:   {},
		Post:  {Missing, Invalid, Late, LostLate, Forgotten},
		Poll:  {Missing, Invalid, Throttled, Late, Forgotten},
		Token: {Denied, Late},
		Look:  {},
	}[sort]
}

// faults returns all faults that are possible at an effect of a sort.
func faults(sort Sort) []Kind { return slices.Concat(common(sort), rare(sort)) }

// typical reports whether a fault represents others that the process cannot tell from it, for
// example a poll without a response or with an inconclusive one.
func typical(sort Sort, kind Kind) bool {
	return slices.Contains([...][]Kind{
		Write: {CrashAfter, Refused, Lost},
		Read:  {CrashBefore, Refused},
		Key:   {Refused},
		Post:  {CrashAfter, Lost, Denied},
		Poll:  {CrashAfter, Missing, Invalid},
		Token: {Refused},
		Look:  {},
	}[sort], kind)
}

// happensTo reports whether the kind can happen at an effect of a sort.
func (k Kind) happensTo(sort Sort) bool {
	return k.acts() || k == Preempted && preemptible(sort) || slices.Contains(faults(sort), k)
}

// late reports whether the other managers run for a while before the response arrives.
func (k Kind) late() bool { return k == Late || k == LostLate }

// loses reports whether the process does not learn what has happened.
func (k Kind) loses() bool { return k == Lost || k == LostLate || k == BadGateway }

// calls reports whether an effect is a call to the carrier.
func (s Sort) calls() bool { return s == Post || s == Poll }

// refuses reports whether the process gets an error and nothing happens.
func (k Kind) refuses() bool {
	return k == Refused || k == Conflict || k.status() != 0 && k != BadGateway
}

// status is the HTTP status of the carrier or of a proxy in front of it; 0 for none.
func (k Kind) status() int {
	for _, answer := range []struct {
		kind   Kind
		status int
	}{
		{Unavailable, http.StatusInternalServerError},
		{BadGateway, http.StatusBadGateway},
		{Denied, http.StatusUnauthorized},
		{Missing, http.StatusNotFound},
		{Invalid, http.StatusUnprocessableEntity},
		{Throttled, http.StatusTooManyRequests},
	} {
		if answer.kind == k {
			return answer.status
		}
	}
	return 0
}

// crashes reports whether the fault ends the process.
func (k Kind) crashes() bool { return k == CrashBefore || k == CrashAfter }

// clean reports whether the error alone tells what has happened. After such an error, a call for a
// person would be a false alarm.
func (k Kind) clean(sort Sort) bool {
	if sort == Post {
		return slices.Contains([]Kind{Refused, Denied, Missing, Invalid, Throttled}, k)
	}
	return !k.crashes() && !k.late() && k != Forgotten
}

// Fault is what happens at one effect of a run.
type Fault struct {
	At      int // the number of the effect, or of the cache read; 0 if the effect is named
	Kind    Kind
	Version int64 // the version that a stale cache shows

	What string // the prefix of the effect's name, if it has no number
	Nth  int    // which of the effects with that prefix, from 1
}

// isDue reports whether a fault happens at the newest of these effects.
func (f Fault) isDue(effects []Effect) bool {
	newest := effects[len(effects)-1]
	if f.What == "" {
		return f.At == newest.Number
	}
	named := 0
	for _, effect := range effects {
		if strings.HasPrefix(effect.What, f.What) {
			named++
		}
	}
	return named == f.Nth && strings.HasPrefix(newest.What, f.What)
}

// String returns a name by which the fault can be found again.
func (f Fault) String() string {
	if f.Kind == Stale || f.Kind == Lagging {
		return fmt.Sprintf("%d: %s (%d)", f.At, f.Kind, f.Version)
	}
	if f.What != "" {
		return fmt.Sprintf("%s #%d: %s", f.What, f.Nth, f.Kind)
	}
	return fmt.Sprintf("%d: %s", f.At, f.Kind)
}

// Plan is a fault plan: a scenario, the number of managers and the faults.
type Plan struct {
	Scenario *Scenario
	Managers int
	Faults   []Fault
}

// String returns a name by which the plan can be run again.
func (p Plan) String() string {
	return fmt.Sprintf("%s, %d managers, %v", p.Scenario.Name, p.Managers, p.Faults)
}
