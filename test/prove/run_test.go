// SPDX-License-Identifier: Apache-2.0

// Package prove shows that no request is lost and none is sent twice, whatever fails. It uses
// exhaustive fault enumeration instead of examples. The production controllers run against an
// in-process object store and carrier. All their external effects pass through one seam, where they
// are counted. Each scenario is then run again for everything that can happen at each effect, and
// for every ordered pair of such things.
package prove

import (
	"context"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/test/store"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// run carries out one fault plan. It runs in a synctest bubble, whose clock is the only one.
type run struct {
	*recorder

	ctx     context.Context //nolint:containedctx // of the synctest bubble: it lasts as long as the run
	plan    Plan
	scheme  *runtime.Scheme
	store   *store.Store
	world   *world.World
	carrier http.Handler
	kind    string // the Go name of the scenario's type
	name    client.ObjectKey

	marker       string // of the processes that start from now on; "": they look for none
	managers     []*process
	started      int // processes so far
	effects      []Effect
	cache        cache
	recreate     bool // a user creates the object again once it is gone
	loginPending bool // a login is in progress, and a process that overtakes it must not delay it

	lastEffect, lastCacheRead int // of the scenario; later ones belong to the final checks
}

// The clock of a bubble.
var (
	now   = time.Now   //nolint:forbidigo // virtual: everything here runs in a synctest bubble
	sleep = time.Sleep //nolint:forbidigo // virtual: it advances the bubble's clock, and takes no real time
)

// beginning is when a scenario starts.
var beginning = time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)

// newRun sets up a run for a plan.
func newRun(ctx context.Context, scheme *runtime.Scheme, plan Plan) *run {
	sleep(beginning.Sub(now()))
	uids := 0
	r := &run{ctx: ctx, plan: plan, scheme: scheme, cache: cache{lags: make(map[string]lagging)}}
	r.store = store.New(store.Options{Scheme: scheme, Now: now, NewUID: func() types.UID {
		uids++
		return types.UID(fmt.Sprintf("uid-%04d", uids))
	}})
	must(index.Fields(ctx, r.store))
	r.world = world.Offline(r.store.Client(), now, plan.Scenario.describe, plan.Scenario.follow, plan.Scenario.restrict)
	r.carrier = r.world.Carrier.Handler()
	r.recorder = newRecorder(r)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.world.Namespace}}
	must(r.world.Create(ctx, namespace))
	r.world.Login(ctx, plan.Scenario.configure)
	if plan.Scenario.Installed {
		r.install(ctx)
	}
	r.create(ctx)
	for range max(1, plan.Managers) {
		r.managers = append(r.managers, r.start())
	}
	return r
}

// create applies the scenario's object as a user would.
func (r *run) create(ctx context.Context) {
	object := r.plan.Scenario.Object(r.world)
	r.kind, r.name = fmt.Sprintf("%T", object), client.ObjectKeyFromObject(object)
	must(r.world.Create(ctx, object))
	delete(r.firstAt, Suspended) // a new object is not suspended
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// begin counts an effect. It returns the effect, and the fault or action that the plan has for it.
func (r *run) begin(op Op, what string) (Effect, FaultKind) {
	effect := Effect{Number: len(r.effects) + 1, Op: op, What: what, at: now()}
	r.effects = append(r.effects, effect)
	for i := range r.plan.Faults {
		fault := &r.plan.Faults[i]
		if r.lastEffect == 0 && fault.Kind.appliesTo(op) && fault.isDue(r.effects) {
			fault.At = effect.Number // also for a fault with a named effect
			r.happened++
			return effect, fault.Kind
		}
	}
	return effect, noFault
}

// subject returns the scenario's object as recorded; nil if it is gone.
func (r *run) subject() Subject {
	object := r.plan.Scenario.Empty()
	if err := r.store.Client().Get(r.ctx, r.name, object); err != nil {
		return nil
	}
	return asRecorded(r.ctx, r.store.Client(), object)
}

// keyIn returns the key of another object in the scenario's namespace.
func keyIn(r *run, name string) client.ObjectKey {
	return client.ObjectKey{Namespace: r.world.Namespace, Name: name}
}
