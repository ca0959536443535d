// SPDX-License-Identifier: Apache-2.0

// Package prove shows that no request is lost and none is sent twice, whatever fails, not by
// examples but by trying everything. The production controllers run against an object store
// and a carrier in this process. Whatever they do to the world outside passes through one
// seam, where it is counted; and each story is told again for everything that can go wrong
// at each of its effects, and for every ordered pair of such things.
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

	"github.com/broadband-operator/broadband-operator/test/store"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// run is one plan as it is carried out. It lives in a bubble of testing/synctest, whose clock
// is the only one.
type run struct {
	*witness

	ctx     context.Context //nolint:containedctx // that of the bubble: a run lives no longer
	plan    Plan
	scheme  *runtime.Scheme
	store   *store.Store
	world   *world.World
	carrier http.Handler
	kind    string // Go's name of the type that the story is about
	name    client.ObjectKey

	marker   string // of the processes that are started from now on; "": they look for none
	managers []*process
	started  int // processes so far
	effects  []Effect
	cache    cache
	recreate bool // a user creates the object again once it is gone
	hurried  bool // a login is under way, and what overtakes it must not be late

	lastEffect, lastLook int // of the story; later ones are of those who judge its end
}

// The clock of a bubble.
var (
	now   = time.Now   //nolint:forbidigo // virtual: everything here runs in a bubble of testing/synctest
	sleep = time.Sleep //nolint:forbidigo // virtual: it lets the bubble's time pass, and takes none
)

// beginning is when a story begins.
var beginning = time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)

// begin sets the stage for a plan.
func newRun(ctx context.Context, scheme *runtime.Scheme, plan Plan) *run {
	sleep(beginning.Sub(now()))
	uids := 0
	r := &run{ctx: ctx, plan: plan, scheme: scheme, cache: cache{lags: make(map[string]lagging)}}
	r.store = store.New(store.Options{Scheme: scheme, Now: now, NewUID: func() types.UID {
		uids++
		return types.UID(fmt.Sprintf("uid-%04d", uids))
	}})
	r.world = world.Offline(r.store.Client(), now)
	r.carrier = r.world.Carrier.Handler()
	r.witness = newWitness(r)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.world.Namespace}}
	must(r.world.Create(ctx, namespace))
	r.world.Login(ctx, declared)
	r.create(ctx)
	for range max(1, plan.Managers) {
		r.managers = append(r.managers, r.start())
	}
	return r
}

// create has a user apply the object that the story is about.
func (r *run) create(ctx context.Context) {
	object := r.plan.Story.Object(r.world)
	r.kind, r.name = fmt.Sprintf("%T", object), client.ObjectKeyFromObject(object)
	must(r.world.Create(ctx, object))
	delete(r.since, Suspended) // it is not
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// begin counts an effect, and says what the plan has happen at it.
func (r *run) begin(sort Sort, what string) (Effect, Kind) {
	effect := Effect{Number: len(r.effects) + 1, Sort: sort, What: what, at: now()}
	r.effects = append(r.effects, effect)
	for i := range r.plan.Faults {
		fault := &r.plan.Faults[i]
		if r.lastEffect == 0 && fault.Kind.happensTo(sort) && fault.isDue(r.effects) {
			fault.At = effect.Number // of one that is named, too
			return effect, fault.Kind
		}
	}
	return effect, nothing
}

// subject is the object that the story is about, as it is on record; nil when it is gone.
func (r *run) subject() Subject {
	object := r.plan.Story.Empty()
	if err := r.store.Client().Get(r.ctx, r.name, object); err != nil {
		return nil
	}
	return asRecorded(r.ctx, r.store.Client(), object)
}

// keyIn is the key of an object beside the story's.
func keyIn(r *run, name string) client.ObjectKey {
	return client.ObjectKey{Namespace: r.world.Namespace, Name: name}
}
