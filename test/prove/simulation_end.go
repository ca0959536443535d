// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// resolve ends all faults, and lets people help until nothing is left to do.
func (l *simulation) resolve() {
	l.peace = true
	l.noServer, l.noCarrier = time.Time{}, time.Time{}
	l.world.Carrier.DisableHostile()
	l.world.Carrier.Disarm()
	for _, one := range l.managers[1:] {
		one.dead = true
	}
	l.replaceDead()
	const rounds = 6
	for range rounds {
		l.rest()
		helped := false
		for _, one := range l.fleet.members {
			helped = one.kind != kindAccount && l.helps(one) || helped
			l.notice("")
		}
		if !helped {
			break
		}
	}
	l.judge()
}

// rest lets time pass until nothing more is done and no request is in progress.
func (l *simulation) rest() {
	const step, steady, most = 15 * time.Minute, 4, 5 * 24 * 4
	steps := 0
	for quiet, began := 0, l.deeds; quiet < steady; began = l.deeds {
		l.until(now().Add(step))
		quiet++
		under := l.underWay()
		if l.deeds != began || under != nil {
			quiet = 0
		}
		steps++
		if steps > most {
			l.breaks(8, fmt.Sprintf("the objects do not come to rest: %v is under way, %v was busy", under, l.busy))
			return
		}
	}
}

// underWay returns an object with a request in progress, or nil.
func (l *simulation) underWay() *member {
	for _, one := range l.fleet.members {
		if one.kind == kindAccount || one.seeks || l.waits(one) {
			continue
		}
		for _, request := range openOf(l.subject(one)) {
			if request.Phase == v1alpha1.PhaseSubmitting || request.Phase == v1alpha1.PhaseInProgress {
				return one
			}
		}
	}
	return nil
}

// waits reports whether an object waits for a person although one of its requests has no end yet:
// the response was lost, and a person has to allow another request.
func (l *simulation) waits(one *member) bool {
	subject := l.subject(one)
	if subject == nil {
		return false
	}
	reason, _, _ := stateOf(subject)
	return slices.Contains(waiting(), reason) || reason == v1alpha1.ReasonObserving
}

// helps does for an object what only a person can. It reports whether anything was done.
func (l *simulation) helps(one *member) bool {
	subject := l.subject(one)
	if subject == nil {
		again := one.again
		if again {
			l.creates(one)
		}
		return again
	}
	if l.answers(one, subject) {
		return true
	}
	const enough = 2
	one.helped++
	return one.helped <= enough && l.encourages(one, subject)
}

// encourages changes what an object waits for, or leaves it as it is.
func (l *simulation) encourages(one *member, subject Subject) bool {
	reason, ready, stuck := stateOf(subject)
	switch {
	case ready:
		return false
	case stuck:
		l.correct(one, subject)
	case reason == v1alpha1.ReasonAwaitingApproval && l.chance(500):
		l.approves(one, subject)
	case reason == v1alpha1.ReasonSuspended && l.chance(500):
		l.suspends(one, subject)
	default:
		return false
	}
	return true
}

// correct edits the object to values that the carrier accepts, and sets a retry request.
func (l *simulation) correct(one *member, subject Subject) {
	if len(one.edits) > 0 {
		one.edits[0](subject)
	}
	l.retries(one, subject)
}

// judge checks 8 ESR: every object is Ready, or waits for a person with a reason that says so.
func (l *simulation) judge() {
	for _, one := range l.fleet.members {
		if one.kind == kindAccount {
			continue
		}
		subject := l.subject(one)
		if subject == nil {
			l.tally.ended(one.kind, "gone")
			if !one.removed {
				l.breaks(8, one.key.Name+" is gone, and nobody has deleted it")
			}
			continue
		}
		l.tally.ended(one.kind, l.end(one, subject))
	}
}

// end returns a word for how an object has ended.
func (l *simulation) end(one *member, subject Subject) string {
	reason, ready, stuck := stateOf(subject)
	switch {
	case !subject.GetDeletionTimestamp().IsZero():
		l.breaks(8, one.key.Name+" is being deleted, and does not go: "+reason)
		return "leaving"
	case ready:
		return "Ready"
	case reason == v1alpha1.ReasonOutcomeUnknown || reason == v1alpha1.ReasonStatusLost ||
		reason == v1alpha1.ReasonLedgerLost:
		return reason
	case stuck:
		return "Stalled"
	case slices.Contains(waiting(), reason), slices.Contains(waitingForAnother(), reason):
		return reason
	case reason == v1alpha1.ReasonDrifted && isCorrectedLater(subject):
		return reason
	}
	l.breaks(8, fmt.Sprintf("%s %s is neither Ready nor Stalled, nor does it wait for a person: %s",
		one.kind, one.key.Name, reason))
	return reason
}

// waitingForAnother returns the reasons of objects that wait for another object, which needs a
// person first.
func waitingForAnother() []string {
	return []string{v1alpha1.ReasonOrderNotReady, v1alpha1.ReasonServiceNotReady, v1alpha1.ReasonObserving}
}

// isCorrectedLater reports whether the correction of a drift waits: "Correct acts at most once in
// 24 h".
func isCorrectedLater(subject Subject) bool {
	service, isService := subject.(*v1alpha1.BroadbandService)
	if !isService || service.Spec.DriftPolicy != v1alpha1.DriftCorrect {
		return false
	}
	return slices.ContainsFunc(service.Status.Requests, func(done v1alpha1.Request) bool {
		return now().Sub(done.SubmittedAt.Time) < 24*time.Hour
	})
}

// close checks 16 Quiescent. From now on nothing is written or called, except at intervals or if
// the carrier answers with 404. A process that starts now repeats reads that have failed, and does
// not know the prices of changes that wait for a person.
func (l *simulation) close() {
	l.rest()
	l.quiet = true
	if l.fresh = l.chance(500); l.fresh {
		l.managers[0].dead = true
		l.replaceDead()
	}
	const hours = 7 // more than an interval
	l.until(now().Add(hours * time.Hour))
}

// disturbs checks an effect of an object that should be at rest.
func (l *simulation) disturbs(one *member, effect Effect) {
	if !l.quiet {
		return
	}
	excused := l.goesOn(one) || l.fresh && (one.unread || l.waits(one))
	if !excused && effect.Sort != Read && effect.Sort != Token {
		l.breaks(16, one.key.Name+" is at rest, and "+effect.What)
	}
}

// goesOn reports whether an object is reconciled forever: at intervals, or every ten minutes
// because the carrier answers with 404.
func (l *simulation) goesOn(one *member) bool {
	return one.reads || one.seeks || one.kind == kindAccount
}
