// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/test/world"
)

const (
	// horizon is longer than any wait of a request: a day of answers that prove nothing, and then a poll.
	horizon = 36 * time.Hour
	// longestWork is how long the carrier is at work on a request, at the most.
	longestWork = time.Minute
	// mostHelp is how often a person helps in the end: what is approved may become unknown, and has to be
	// approved anew.
	mostHelp = 6
	// mostPasses is more than any story needs.
	mostPasses = 600
	// calm is how long nothing is done by those who look again and again at an object at rest: longer
	// than any answer is late, and than what was forbidden twice is left alone.
	calm = 25 * time.Minute
)

// play tells a story by its plan, to its end.
func (r *run) play(ctx context.Context) {
	r.drive(ctx)
	if then := r.plan.Story.Then; then != nil && r.subject() != nil && then(r.subject()) {
		r.remove(ctx)
		r.alert()
		r.drive(ctx)
	}
	r.noteEnd()
	for range mostHelp {
		sleep(longestWork)
		if !r.resolve(ctx, unknown) && !r.approve(ctx) {
			break
		}
		r.drive(ctx)
	}
	r.judgeEnd(ctx)
	sleep(lateness) // time stops with the story, and a login may still wait for its answer
}

// drive takes passes, each when it is due, until nobody wants one within the horizon, or all
// that is left is to look again and again at what waits for a person.
func (r *run) drive(ctx context.Context) {
	done := now()
	for range mostPasses {
		manager := r.next(nobody)
		if manager == nil && r.catchUp() {
			manager = r.next(nobody)
		}
		if manager == nil || manager.next().Sub(done) > calm && r.atRest() {
			return
		}
		if r.take(ctx, manager) {
			done = now()
		}
	}
	r.breaks(8, fmt.Sprintf("after %d passes the object is still not at rest", mostPasses))
}

// take has a manager take a pass when it is due, with what follows from it. It says whether
// anything was done.
func (r *run) take(ctx context.Context, manager *process) bool {
	sleep(manager.next().Sub(now()))
	before, account := r.deeds(), r.accountVersion(ctx)
	manager.pass(ctx)
	r.finish()
	r.replaceDead()
	if r.accountVersion(ctx) != account || r.cache.late {
		r.cache.late = false
		r.alert()
	}
	if r.recreate && r.subject() == nil {
		r.recreate = false
		r.create(ctx)
		r.alert()
	}
	return r.deeds() != before
}

// doubt has every manager look again some time after the object was called less settled than
// before, as the watches do.
func (r *run) doubt(before, after Subject) {
	if !doubted(before, after) {
		return
	}
	for _, manager := range r.managers {
		if at := now().Add(controllers.DoubtAfter); manager.doubts.IsZero() || at.Before(manager.doubts) {
			manager.doubts = at
		}
	}
}

func nobody(*process) bool { return false }

// next is the manager whose look comes first, but for some; nil when there is none within the
// horizon.
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

// replaceDead starts a process in the place of one that has ended.
func (r *run) replaceDead() {
	for i, manager := range r.managers {
		if manager.dead {
			r.managers[i] = r.start()
		}
	}
}

// deeds counts what was written and sent.
func (r *run) deeds() int {
	deeds := 0
	for _, effect := range r.effects {
		if effect.Sort == Write || effect.Sort == Post {
			deeds++
		}
	}
	return deeds
}

func (r *run) accountVersion(ctx context.Context) string { return r.account(ctx).ResourceVersion }

// account is the account as the API server has it.
func (r *run) account(ctx context.Context) *v1alpha1.CarrierAccount {
	account := &v1alpha1.CarrierAccount{}
	must(r.store.Client().Get(ctx, keyIn(r, world.AccountName), account))
	return account
}

// atRest says whether the object has come to where only a person can take it further. One
// that is being deleted has not: it still has to go.
func (r *run) atRest() bool {
	subject := r.subject()
	if subject == nil {
		return true
	}
	if !subject.GetDeletionTimestamp().IsZero() {
		return false
	}
	_, ready, stuck := stateOf(subject)
	return ready || stuck
}
