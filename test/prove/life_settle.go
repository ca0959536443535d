// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// resolve ends what goes wrong, and lets people help, until nobody can any more.
func (l *life) resolve() {
	l.peace = true
	l.noServer, l.noCarrier = time.Time{}, time.Time{}
	l.world.Carrier.Calm()
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

// rest lets time pass until nothing is done any more, and no request is under way.
func (l *life) rest() {
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

// underWay is an object with a request that is out and has no end yet, or nil.
func (l *life) underWay() *member {
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

// waits says whether an object waits for a person although a request of it has no end yet: the
// answer was lost, and a person has to allow that it is asked again.
func (l *life) waits(one *member) bool {
	subject := l.subject(one)
	if subject == nil {
		return false
	}
	reason, _, _ := stateOf(subject)
	return slices.Contains(waiting(), reason) || reason == v1alpha1.ReasonObserving
}

// helps has a person do for an object what only a person can. It says whether something was
// done.
func (l *life) helps(one *member) bool {
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

// encourages has a person change what an object waits for, or leave it as it is.
func (l *life) encourages(one *member, subject Subject) bool {
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

// correct has a person edit the object to what the carrier can do, and ask for it once more.
func (l *life) correct(one *member, subject Subject) {
	if len(one.edits) > 0 {
		one.edits[0](subject)
	}
	l.retries(one, subject)
}

// judge: 8 ESR. Every object is Ready, or waits for a person for a reason that it names.
func (l *life) judge() {
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

// end is how an object has ended, in a word.
func (l *life) end(one *member, subject Subject) string {
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

// waitingForAnother are the reasons for which an object waits for what a person has to bring
// about first.
func waitingForAnother() []string {
	return []string{v1alpha1.ReasonOrderNotReady, v1alpha1.ReasonServiceNotReady, v1alpha1.ReasonObserving}
}

// isCorrectedLater says whether what has drifted waits for its day: "Correct acts at most once in
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

// close: 16 Quiescent. From now on nothing is written and nobody is called, but where an
// interval says so, or the carrier does not find what it is asked for. A process that starts
// now reads what could not be read before, and knows no prices of what waits for a person.
func (l *life) close() {
	l.rest()
	l.quiet = true
	if l.fresh = l.chance(500); l.fresh {
		l.managers[0].dead = true
		l.replaceDead()
	}
	const hours = 7 // more than an interval
	l.until(now().Add(hours * time.Hour))
}

// disturbs: an effect of an object at rest.
func (l *life) disturbs(one *member, effect Effect) {
	if !l.quiet {
		return
	}
	excused := l.goesOn(one) || l.fresh && (one.unread || l.waits(one))
	if !excused && effect.Sort != Read && effect.Sort != Token {
		l.breaks(16, one.key.Name+" is at rest, and "+effect.What)
	}
}

// goesOn says whether an object is looked at for ever: at intervals, or every ten minutes
// because the carrier does not find what it is asked for.
func (l *life) goesOn(one *member) bool {
	return one.reads || one.seeks || one.kind == kindAccount
}
