// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// settle ends all faults, and lets people help until nothing is left to do.
func (l *simulation) settle() {
	l.faultsOver = true
	l.apiServerDownUntil, l.carrierDownUntil = time.Time{}, time.Time{}
	l.world.Carrier.DisableHostile()
	l.world.Carrier.Disarm()
	for _, one := range l.managers[1:] {
		one.dead = true
	}
	l.replaceDead()
	const rounds = 6
	for range rounds {
		l.runUntilIdle()
		helped := false
		for _, one := range l.fleet.members {
			helped = one.kind != kindAccount && l.help(one) || helped
			l.checkWrites("")
		}
		if !helped {
			break
		}
	}
	l.checkEnd()
}

// runUntilIdle lets time pass until nothing more is done and no request is in progress.
func (l *simulation) runUntilIdle() {
	const step, steady, most = 15 * time.Minute, 4, 5 * 24 * 4
	steps := 0
	for quiet, began := 0, l.changes; quiet < steady; began = l.changes {
		l.runUntil(now().Add(step))
		quiet++
		open := l.inProgress()
		if l.changes != began || open != nil {
			quiet = 0
		}
		steps++
		if steps > most {
			l.report(8, fmt.Sprintf("the objects do not settle: %v is in progress, %v was active", open, l.lastActive))
			return
		}
	}
}

// inProgress returns an object with a request in progress, or nil.
func (l *simulation) inProgress() *member {
	for _, one := range l.fleet.members {
		if one.kind == kindAccount || one.notFound || l.waitsForPerson(one) {
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

// waitsForPerson reports whether an object waits for a person although one of its requests has not
// ended: the response was lost, and a person has to allow another request.
func (l *simulation) waitsForPerson(one *member) bool {
	subject := l.subject(one)
	if subject == nil {
		return false
	}
	reason, _, _ := stateOf(subject)
	return slices.Contains(waitingReasons(), reason) || reason == v1alpha1.ReasonObserving
}

// help does for an object what only a person can. It reports whether anything was done.
func (l *simulation) help(one *member) bool {
	subject := l.subject(one)
	if subject == nil {
		again := one.recreate
		if again {
			l.create(one)
		}
		return again
	}
	if l.resolveAttempt(one, subject) {
		return true
	}
	const enough = 2
	one.timesHelped++
	return one.timesHelped <= enough && l.unblock(one, subject)
}

// unblock changes what an object waits for, or leaves it as it is.
func (l *simulation) unblock(one *member, subject Subject) bool {
	reason, ready, stuck := stateOf(subject)
	switch {
	case ready:
		return false
	case stuck:
		l.correct(one, subject)
	case reason == v1alpha1.ReasonAwaitingApproval && l.chance(500):
		l.approve(one, subject)
	case reason == v1alpha1.ReasonSuspended && l.chance(500):
		l.toggleSuspend(one, subject)
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
	l.requestRetry(one, subject)
}

// checkEnd checks invariant 8, ESR: every object is Ready, or waits for a person with a reason that
// says so.
func (l *simulation) checkEnd() {
	for _, one := range l.fleet.members {
		if one.kind == kindAccount {
			continue
		}
		subject := l.subject(one)
		if subject == nil {
			l.tally.countEnd(one.kind, "gone")
			if !one.removed {
				l.report(8, one.key.Name+" is gone, and nobody has deleted it")
			}
			continue
		}
		l.tally.countEnd(one.kind, l.endState(one, subject))
		l.countFollowed(subject)
	}
}

// endState returns the state in which an object has ended.
func (l *simulation) endState(one *member, subject Subject) string {
	reason, ready, stuck := stateOf(subject)
	switch {
	case !subject.GetDeletionTimestamp().IsZero():
		l.report(8, one.key.Name+" is being deleted, and is not removed: "+reason)
		return "deleting"
	case ready:
		l.expectReadyIsTrue(one, subject, l.unreadOf(one, subject))
		return "Ready"
	case reason == v1alpha1.ReasonOutcomeUnknown || reason == v1alpha1.ReasonStatusLost ||
		reason == v1alpha1.ReasonLedgerLost:
		return reason
	case stuck:
		return "Stalled"
	case slices.Contains(waitingReasons(), reason), slices.Contains(waitingForAnother(), reason):
		return reason
	case reason == v1alpha1.ReasonDrifted && isCorrectedLater(subject):
		return reason
	}
	l.report(8, fmt.Sprintf("%s %s is neither Ready nor Stalled, nor does it wait for a person: %s",
		one.kind, one.key.Name, reason))
	return reason
}

// waitingForAnother returns the reasons of objects that wait for another object, about which a
// person has to decide first.
func waitingForAnother() []string {
	return []string{v1alpha1.ReasonOrderNotReady, v1alpha1.ReasonServiceNotReady, v1alpha1.ReasonObserving}
}

// isCorrectedLater reports whether the correction of a drift waits, because a request was sent
// within a day.
func isCorrectedLater(subject Subject) bool {
	service, isService := subject.(*v1alpha1.BroadbandService)
	if !isService || service.Spec.DriftPolicy != v1alpha1.DriftCorrect {
		return false
	}
	return slices.ContainsFunc(service.Status.Requests, func(done v1alpha1.Request) bool {
		return now().Sub(done.SubmittedAt.Time) < 24*time.Hour
	})
}

// checkIdle checks invariant 16, Quiescent. From now on nothing is written or called, except at
// intervals or if the carrier responds with 404. A process that starts now repeats reads that have
// failed. It also calls the carrier because it does not know the prices of changes that wait for a
// person, or that the carrier has refused to describe services.
func (l *simulation) checkIdle() {
	l.runUntilIdle()
	l.idle = true
	if l.newProcess = l.chance(500); l.newProcess {
		l.managers[0].dead = true
		l.replaceDead()
	}
	const hours = 7 // more than an interval
	l.runUntil(now().Add(hours * time.Hour))
	for _, one := range l.fleet.members {
		if one.kind == kindAccount {
			continue
		}
		if subject := l.subject(one); subject != nil {
			var unread []string
			if !one.readAtInterval {
				unread = l.unreadOf(one, subject)
			}
			l.expectReadyIsTrue(one, subject, unread)
		}
	}
}

// expectReadyIsTrue checks invariant 33, ReadyIsTrue.
func (l *simulation) expectReadyIsTrue(one *member, subject Subject, unread []string) {
	isOther := func(sent *post) bool { return l.memberOf[sent].subject != one.subject }
	why := falselyReady(subject, &records{
		carrier: l.world.Carrier, healthPrefix: l.healthPrefix, trusted: one.subject.trusted || one.subject.planSets > 0,
		sent:            slices.DeleteFunc(slices.Clone(l.sent), isOther),
		excused:         func(what string) bool { return slices.Contains(unread, what) },
		resolvedFalsely: func(attempt string) bool { return l.resolvedFalsely[attempt] },
	})
	if why != "" {
		l.report(33, why)
	}
}

// changedByCarrier returns the values of a service that the carrier has ever changed by itself.
func (s *requestSubject) changedByCarrier() (values []string) {
	if !s.planSetAt.IsZero() {
		values = append(values, namePlan, nameTerm)
	}
	if !s.endSetAt.IsZero() {
		values = append(values, nameCancellation)
	}
	return values
}

// unreadOf returns the values of a service that the carrier has changed by itself since the operator
// has last read or requested them.
func (l *simulation) unreadOf(one *member, subject Subject) (unread []string) {
	service, is := subject.(*v1alpha1.BroadbandService)
	if !is || service.Status.Carrier == nil {
		return nil
	}
	if known := service.Status.Carrier.Cancellation; known != nil {
		if known.Since.Add(-maxSkew).Before(one.subject.endSetAt) {
			unread = append(unread, nameCancellation)
		}
	}
	if known := service.Status.Carrier.Plan; known != nil {
		since := known.Since.Add(-maxSkew)
		if known.Source != v1alpha1.SourceHealth && known.Source != v1alpha1.SourceService {
			since = l.requestedAt(one)
		}
		if since.Before(one.subject.planSetAt) {
			unread = append(unread, namePlan, nameTerm)
		}
	}
	return unread
}

// requestedAt returns when a plan change of a service was last sent.
func (l *simulation) requestedAt(one *member) (at time.Time) {
	for _, sent := range l.sent {
		if sent.operation == v1alpha1.OperationPlanChange && l.memberOf[sent].subject == one.subject {
			at = sent.at
		}
	}
	return at
}

// checkIdleEffect checks an effect of an object that should be settled.
func (l *simulation) checkIdleEffect(one *member, effect Effect) {
	if !l.idle || effect.Op == Read || effect.Op == Token || l.provesLogin(effect) {
		return
	}
	excused := false
	switch {
	case one.kind == kindAccount:
		excused = !l.changesAccount(effect)
	case one.notFound:
		excused = one.idling.isRetry(effect.Op)
	case one.readAtInterval, l.isFollowed(one), l.newProcess && l.isRepeatedAfterStart(one):
		excused = one.idling.isFew(effect.Op)
	}
	if !excused {
		l.report(16, one.key.Name+" is settled, and "+effect.What)
	}
}

// changesAccount reports whether an effect writes an account without need. The reads of an account
// are those of its services, and change nothing. Accounts whose carrier has an extension are not
// checked, because these reads may show a new process that the carrier has the extension after all.
func (l *simulation) changesAccount(effect Effect) bool {
	return effect.Op == Write && len(l.extensions()) == 0
}

// isReconciledForever reports whether an object is reconciled forever: at intervals, or every ten
// minutes because the carrier responds with 404.
func (l *simulation) isReconciledForever(one *member) bool {
	return one.readAtInterval || one.notFound || one.kind == kindAccount || l.isFollowed(one)
}

// isRepeatedAfterStart reports whether a process that starts now calls the carrier about an object.
func (l *simulation) isRepeatedAfterStart(one *member) bool {
	return one.callFailed || l.waitsForPerson(one) || l.holdsChange(one) || l.isUndescribed(one)
}

// isUndescribed reports whether a carrier that describes its services has not described the service
// of this object. That happens if the carrier has refused to describe another service, because the
// description of this one is then not requested.
func (l *simulation) isUndescribed(one *member) bool {
	service, is := l.subject(one).(*v1alpha1.BroadbandService)
	if !is || !l.described || service.Status.Carrier == nil {
		return is && l.described
	}
	known := service.Status.Carrier
	values := []*v1alpha1.KnownValue{known.Plan, known.RestorationSLA, known.AggregationMethod, known.DSLStabilityProfile}
	return !slices.ContainsFunc(values, func(value *v1alpha1.KnownValue) bool {
		return value != nil && value.Source == v1alpha1.SourceService
	})
}

// isFollowed reports whether an accepted order is still read at growing pauses.
func (l *simulation) isFollowed(one *member) bool {
	order, is := l.subject(one).(*v1alpha1.ServiceOrder)
	return is && l.followed && order.Status.OrderID != "" && order.Status.ServiceID == ""
}

// followedToEnd is the name under which a simulation counts orders that were read until their end.
const followedToEnd = "an order was read until it had become a service"

// countFollowed counts an order that shows its service, which only a read can have shown.
func (l *simulation) countFollowed(subject Subject) {
	order, is := subject.(*v1alpha1.ServiceOrder)
	if is && l.followed && order.Status.ServiceID != "" && order.Spec.ServiceID == "" {
		l.tally.Actions[followedToEnd]++
	}
}

// holdsChange reports whether a change of a service waits for a person. It is judged by new readings
// after a start, also while Ready says that another change of the service cannot be made at all.
func (l *simulation) holdsChange(one *member) bool {
	service, is := l.subject(one).(*v1alpha1.BroadbandService)
	return is && service.Status.Pending != nil
}
