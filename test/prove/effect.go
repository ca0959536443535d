// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"net/http"
)

// Sort is what an effect acts on, which says what can go wrong with it.
type Sort int

// The sorts of effects.
const (
	Write Sort = iota // of an object
	Read              // past the cache
	Post              // to the carrier
	Poll              // a GET of the carrier
	Token             // an exchange with the identity provider
	Look              // a read from the cache, of the object that the story is about
)

// Effect is one thing that a process does to the world outside it, or asks of it.
type Effect struct {
	Number int // the how-manieth of its run, from 1
	Sort   Sort
	What   string
}

// Kind is what happens at an effect.
type Kind string

// What can happen at an effect. The first group goes wrong, the second is what somebody else
// does just before it, the third is what a cache shows.
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
	Throttled   Kind = "429"

	Overtaken   Kind = "another manager takes a pass"
	Deleted     Kind = "a user deletes"
	Recreated   Kind = "a user deletes and creates"
	Edited      Kind = "a user edits"
	Restored    Kind = "a restore loses the status"
	MisResolved Kind = "a person resolves another attempt"

	Stale   Kind = "the cache lags behind"
	Lagging Kind = "the cache lags behind for three looks"
	Again   Kind = "an observation is delivered twice"
)

// faults are what can go wrong with an effect of a sort.
func faults(sort Sort) []Kind {
	switch sort {
	case Write:
		return []Kind{CrashBefore, CrashAfter, Refused, Lost, Conflict}
	case Read:
		return []Kind{CrashBefore, Refused}
	case Post:
		return []Kind{CrashBefore, CrashAfter, Refused, Lost, Unavailable, BadGateway, Denied, Throttled}
	case Poll:
		return []Kind{CrashBefore, CrashAfter, Refused, Lost, Unavailable, Denied}
	case Token:
		return []Kind{CrashBefore, CrashAfter, Refused, Lost, Unavailable}
	case Look:
	}
	return nil
}

// acts are what somebody else can do between two effects.
func acts() []Kind {
	return []Kind{Overtaken, Deleted, Recreated, Edited, Restored, MisResolved}
}

// refuses says whether the process hears an error, and nothing happens.
func (k Kind) refuses() bool {
	return k == Refused || k == Conflict || k == Unavailable || k == Denied || k == Throttled
}

// status is what the carrier, or what stands before it, answers; 0 when that is nothing.
func (k Kind) status() int {
	for _, answer := range []struct {
		kind   Kind
		status int
	}{
		{Unavailable, http.StatusInternalServerError},
		{BadGateway, http.StatusBadGateway},
		{Denied, http.StatusUnauthorized},
		{Throttled, http.StatusTooManyRequests},
	} {
		if answer.kind == k {
			return answer.status
		}
	}
	return 0
}

// crashes says whether a process ends by it.
func (k Kind) crashes() bool { return k == CrashBefore || k == CrashAfter }

// clean says whether whoever hears of the error at an effect can know what has happened: there
// an alarm would be in vain.
func (k Kind) clean(sort Sort) bool {
	if sort == Post {
		return k == Refused || k == Denied || k == Throttled
	}
	return !k.crashes()
}

// Fault is what happens at one effect of a run.
type Fault struct {
	At      int // the number of the effect, or of the look
	Kind    Kind
	Version int64 // what a stale cache shows
}

// String names the fault so that it can be found again.
func (f Fault) String() string {
	if f.Kind == Stale || f.Kind == Lagging {
		return fmt.Sprintf("%d: %s (%d)", f.At, f.Kind, f.Version)
	}
	return fmt.Sprintf("%d: %s", f.At, f.Kind)
}

// Plan is one way in which a story can go.
type Plan struct {
	Story    *Story
	Managers int
	Faults   []Fault
}

// String names the plan so that it can be run again.
func (p Plan) String() string {
	return fmt.Sprintf("%s, %d managers, %v", p.Story.Name, p.Managers, p.Faults)
}
