// SPDX-License-Identifier: Apache-2.0

// Package fairqueue shares the workers of a controller by namespace first, and then by account. A
// call is made by the worker that needs it and can take 45 seconds, so one tenant's carriers could
// otherwise occupy all workers.
package fairqueue

import (
	"slices"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Group is what shares workers: an account in a namespace. Objects without an account have none.
type Group struct{ Namespace, Account string }

// Standing says whether the carrier of an account answers.
type Standing string

// The standings.
const (
	Answering Standing = "Answering" // the last call was answered
	Unheard   Standing = "Unheard"   // no call for an object was answered yet
	Silent    Standing = "Silent"    // the last call was not answered
)

// Queue is the work queue of one controller. An object for which no worker is free is set aside
// until another object returns its worker.
//
//   - A namespace holds at most as many workers as it leaves free: half of them for the first
//     namespace, half of what is left for the next, and so on.
//   - Accounts whose carrier does not answer, or of which that is not known, hold at most a quarter of
//     the workers together, which their namespaces share in the same way.
//   - An account whose carrier does not answer holds one. Any other begins with one, too, and may hold
//     twice as many after each pass that ends soon.
type Queue struct {
	priorityqueue.PriorityQueue[reconcile.Request]

	Workers    int // of the controller
	Now        func() time.Time
	GroupOf    func(reconcile.Request) Group // of an object, as the cache shows it
	StandingOf func(Group) Standing

	mu      sync.Mutex
	running map[reconcile.Request]holder // the objects that hold a worker, or are about to be handed to one
	held    held
	aside   map[Group][]waiting // the objects that wait for a worker, by account
	order   []Group             // the accounts of waiting objects, in the order of their turns
	windows map[Group]int       // how many workers an account may hold, if that is more than one

	asideFor map[reconcile.Request]Group // the account with which an object waits
}

// holder is the account for which an object holds a worker.
type holder struct {
	Group

	answering bool // whether the carrier answered then
	since     time.Time
}

// held counts the workers that are held.
type held struct {
	all, unanswered int // the total, and those held for carriers that did not answer
	namespace       map[string]int
	account         map[Group]int
	unansweredBy    map[string]int // by namespace
}

// add adds to the number of workers of a holder.
func (h *held) add(of holder, count int) {
	h.all += count
	if !of.answering {
		h.unanswered += count
		add(h.unansweredBy, of.Namespace, count)
	}
	add(h.namespace, of.Namespace, count)
	add(h.account, of.Group, count)
}

// add adds to the count of a key, and deletes a count of zero.
func add[K comparable](counts map[K]int, key K, count int) {
	if counts[key] += count; counts[key] == 0 {
		delete(counts, key)
	}
}

// waiting is an object that was set aside.
type waiting struct {
	object   reconcile.Request
	priority int
}

// New returns a queue on top of another one.
func New(
	inner priorityqueue.PriorityQueue[reconcile.Request], workers int, now func() time.Time,
	groupOf func(reconcile.Request) Group, standingOf func(Group) Standing,
) *Queue {
	return &Queue{
		PriorityQueue: inner, Workers: workers, Now: now, GroupOf: groupOf, StandingOf: standingOf,
		windows: map[Group]int{},
		running: map[reconcile.Request]holder{}, aside: map[Group][]waiting{},
		held:     held{namespace: map[string]int{}, account: map[Group]int{}, unansweredBy: map[string]int{}},
		asideFor: map[reconcile.Request]Group{},
	}
}

// Get is GetWithPriority without the priority.
func (q *Queue) Get() (object reconcile.Request, shutdown bool) {
	object, _, shutdown = q.GetWithPriority()
	return object, shutdown
}

// GetWithPriority returns the next object that may hold a worker.
func (q *Queue) GetWithPriority() (object reconcile.Request, priority int, shutdown bool) {
	for {
		object, priority, shutdown = q.PriorityQueue.GetWithPriority()
		if shutdown || q.enter(waiting{object, priority}) {
			return object, priority, shutdown
		}
	}
}

// enter takes a worker for an object, or sets the object aside. An object that has waited already
// has a worker.
func (q *Queue) enter(next waiting) bool {
	group := q.GroupOf(next.object)
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, taken := q.running[next.object]; taken {
		return true
	}
	of, fits := q.fits(group)
	if !fits {
		q.setAside(group, next)
		return false
	}
	q.hold(next.object, of)
	return true
}

// hold takes a worker for an object. The lock must be held.
func (q *Queue) hold(object reconcile.Request, of holder) {
	q.running[object] = of
	q.held.add(of, 1)
}

// fits reports whether an account may hold one more worker. The lock must be held.
func (q *Queue) fits(group Group) (of holder, fits bool) {
	standing := q.StandingOf(group)
	of = holder{Group: group, answering: standing == Answering, since: q.Now()}
	switch {
	case q.held.namespace[group.Namespace] >= q.Workers-q.held.all, q.held.account[group] >= max(q.windows[group], 1):
		return of, false
	case of.answering:
		return of, true
	}
	few := q.held.unansweredBy[group.Namespace] < max(q.Workers/4, 1)-q.held.unanswered
	return of, few && (standing != Silent || q.held.account[group] == 0)
}

// setAside keeps an object, behind those of its account with the same priority. The lock must be
// held.
func (q *Queue) setAside(group Group, next waiting) {
	if len(q.aside[group]) == 0 {
		q.order = append(q.order, group)
	}
	at, _ := slices.BinarySearchFunc(q.aside[group], next, func(one, other waiting) int {
		if one.priority >= other.priority {
			return -1
		}
		return 1
	})
	q.aside[group] = slices.Insert(q.aside[group], at, next)
	q.asideFor[next.object] = group
}

// Add is AddWithOpts without options.
func (q *Queue) Add(object reconcile.Request) { q.AddWithOpts(priorityqueue.AddOpts{}, object) }

// AddWithOpts adds objects. An object that waits for a worker is evaluated again: its priority or
// account may have changed. It is taken back first, because an added object may be handed out,
// and set aside, before this returns.
func (q *Queue) AddWithOpts(options priorityqueue.AddOpts, objects ...reconcile.Request) {
	var waited []reconcile.Request
	if options.After <= 0 && !options.RateLimited {
		waited = slices.DeleteFunc(slices.Clone(objects), func(object reconcile.Request) bool { return !q.takeBack(object) })
	}
	q.PriorityQueue.AddWithOpts(options, objects...)
	for _, object := range waited {
		q.PriorityQueue.Done(object)
	}
}

// takeBack removes an object from those that wait, and reports whether it was one of them.
func (q *Queue) takeBack(object reconcile.Request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	group, waits := q.asideFor[object]
	if !waits {
		return false
	}
	at := slices.IndexFunc(q.aside[group], func(one waiting) bool { return one.object == object })
	q.take(group, at)
	return true
}

// take removes an object of an account from those that wait. The lock must be held.
func (q *Queue) take(group Group, at int) waiting {
	taken := q.aside[group][at]
	delete(q.asideFor, taken.object)
	if q.aside[group] = slices.Delete(q.aside[group], at, at+1); len(q.aside[group]) == 0 {
		delete(q.aside, group)
		q.order = slices.DeleteFunc(q.order, func(one Group) bool { return one == group })
	}
	return taken
}

// Done takes the worker from an object, and offers it to those that wait. Only then may the
// object be handed out again, to another worker.
func (q *Queue) Done(object reconcile.Request) {
	waiting := q.leave(object)
	q.PriorityQueue.Done(object)
	for _, next := range waiting {
		q.PriorityQueue.AddWithOpts(priorityqueue.AddOpts{Priority: &next.priority}, next.object)
		q.PriorityQueue.Done(next.object)
	}
}

// leave takes the worker from an object. It returns the objects that now hold a worker instead,
// with the accounts taking turns.
func (q *Queue) leave(object reconcile.Request) (next []waiting) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.widen(q.running[object])
	q.held.add(q.running[object], -1)
	delete(q.running, object)
	for turn := 0; turn < len(q.order); {
		of, fits := q.fits(q.order[turn])
		if !fits {
			turn++
			continue
		}
		first := q.takeFirst(turn)
		q.hold(first.object, of)
		next = append(next, first)
	}
	return next
}

// soon is the longest time that a pass takes if its carrier answers as usual.
const soon = 5 * time.Second

// mostWindows is the maximum number of remembered accounts that may hold more than one worker. If
// there are more, all begin with one again.
const mostWindows = 10_000

// widen lets an account hold twice as many workers after a pass that has ended soon, and one worker
// after a slower pass. The lock must be held.
func (q *Queue) widen(ended holder) {
	if q.Now().Sub(ended.since) > soon {
		delete(q.windows, ended.Group)
		return
	}
	if len(q.windows) >= mostWindows { // accounts that are deleted are among them
		clear(q.windows)
	}
	q.windows[ended.Group] = min(2*max(q.windows[ended.Group], 1), q.Workers)
}

// takeFirst removes the first object of the account whose turn it is, and gives the account the last
// turn. The lock must be held.
func (q *Queue) takeFirst(turn int) waiting {
	group := q.order[turn]
	q.order = append(slices.Delete(q.order, turn, turn+1), group)
	return q.take(group, 0)
}
