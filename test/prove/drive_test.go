// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/watch"
	"github.com/broadband-operator/broadband-operator/test/world"
)

const (
	// horizon is longer than any wait of a request: a day of inconclusive responses, and then a poll.
	horizon = 36 * time.Hour
	// longestWork is the longest time that the carrier takes to process a request.
	longestWork = time.Minute
	// maxHelp is how often a person helps at the end: an approved request may become unknown, and
	// then needs another approval.
	maxHelp = 6
	// maxPasses is more than any scenario needs: two managers may poll a lost Location for a day.
	maxPasses = 2000
	// idleTime is how long nothing has to change before an object that is only re-read at intervals
	// counts as settled. It is longer than the delay of any response, and longer than the pause after
	// two 403 responses.
	idleTime = 25 * time.Minute
)

// execute runs a scenario with its fault plan, to its end.
func (r *run) execute(ctx context.Context) {
	r.drive(ctx)
	if then := r.plan.Scenario.DeleteAfter; then != nil && r.subject() != nil && then(r.subject()) {
		r.remove(ctx)
		r.notifyManagers()
		r.drive(ctx)
	}
	r.recordEnd()
	for range maxHelp {
		sleep(longestWork)
		if !r.resolve(ctx, isUnknown) && !r.answer(ctx) && !r.approve(ctx) {
			break
		}
		r.drive(ctx)
	}
	r.readOnce(ctx)
	r.checkEnd(ctx)
	sleep(responseDelay) // time stops when the run ends, and a login may still wait for its response
}

// drive runs passes when they are due. It ends when none is due within the horizon, or when all
// that is left is to re-read an object that waits for a person.
func (r *run) drive(ctx context.Context) {
	done := now()
	for range maxPasses {
		manager := r.next(none)
		if manager == nil && r.catchUp() {
			manager = r.next(none)
		}
		if manager == nil || r.isOver(ctx, manager.next().Sub(done)) && !r.catchUp() {
			return
		}
		if r.runPass(ctx, manager) {
			done = now()
		}
	}
	r.report(8, fmt.Sprintf("after %d passes the object is still not settled", maxPasses))
}

// isOver reports whether a run may end, because nothing will have happened to a settled object for
// long enough when the next pass is due.
func (r *run) isOver(ctx context.Context, idle time.Duration) bool {
	return idle > idleTime && r.isSettled() && idle > r.settlesAfter(ctx)
}

// runPass runs a pass of a manager when it is due, and handles what follows from it. It reports
// whether that has moved the run.
func (r *run) runPass(ctx context.Context, manager *process) bool {
	sleep(manager.next().Sub(now()))
	before, account := r.progress(), r.accountVersion(ctx)
	manager.pass(ctx)
	r.finish()
	r.replaceDead()
	if r.accountVersion(ctx) != account || r.cache.overdue {
		r.cache.overdue = false
		r.notifyManagers()
	}
	if r.recreate && r.subject() == nil {
		r.recreate = false
		r.create(ctx)
		r.notifyManagers()
	}
	return r.progress() != before
}

// recheck schedules another pass of every manager if the object has become less settled. The
// watches of a real manager do the same.
func (r *run) recheck(before, after Subject) {
	if !becameLessSettled(before, after) {
		return
	}
	for _, manager := range r.managers {
		if at := now().Add(watch.RecheckAfter); manager.recheck.IsZero() || at.Before(manager.recheck) {
			manager.recheck = at
		}
	}
}

func none(*process) bool { return false }

// next returns the manager whose pass is due first, without those that are excluded; nil if no pass
// is due within the horizon.
func (r *run) next(but func(*process) bool) *process {
	var first *process
	for _, manager := range r.managers {
		at := manager.next()
		wants := !at.IsZero() && at.Before(now().Add(horizon)) && !but(manager)
		if wants && (first == nil || at.Before(first.next())) {
			first = manager
		}
	}
	return first
}

// replaceDead starts a new process for each one that has ended.
func (r *run) replaceDead() {
	for i, manager := range r.managers {
		if manager.dead {
			r.managers[i] = r.start()
		}
	}
}

// changes counts the writes and POSTs.
func (r *run) changes() int {
	changes := 0
	for _, effect := range r.effects {
		if effect.Op == Write || effect.Op == Post {
			changes++
		}
	}
	return changes
}

func (r *run) accountVersion(ctx context.Context) string { return r.account(ctx).ResourceVersion }

// account returns the account as stored in the API server.
func (r *run) account(ctx context.Context) *v1alpha1.CarrierAccount {
	account := &v1alpha1.CarrierAccount{}
	must(r.store.Client().Get(ctx, keyIn(r, world.AccountName), account))
	return account
}

// isSettled reports whether only a person can move the object further. An object that is being
// deleted is not settled: it still has to be removed.
func (r *run) isSettled() bool {
	subject := r.subject()
	if subject == nil {
		return true
	}
	if !subject.GetDeletionTimestamp().IsZero() {
		return false
	}
	_, ready, stuck := stateOf(subject)
	return ready || stuck || r.isWaiting()
}
