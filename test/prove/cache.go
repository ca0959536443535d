// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// Types of which a cache may show an old version, besides the type of the scenario's object.
const (
	ofAccount = "*v1alpha1.CarrierAccount"
	ofLedger  = "*v1alpha1.RequestLedger"
)

// cacheRead is one cache read of a type that may be shown late.
type cacheRead struct {
	of     string // the Go name of the type
	newest int64  // the version of the store at the time of the read
}

// cache is the state of the caches of a run. They show the newest version unless a fault makes them
// lag.
type cache struct {
	looks []cacheRead
	lags  map[string]lagging // by type
	late  bool               // it has caught up, and a watch event is due
}

// lagging is the state of a type of which a cache shows an older version.
type lagging struct {
	version int64
	looks   int // the number of further reads that it affects
}

// lag is the number of reads that a lagging cache affects.
const lag = 3

// looks reports whether the kind happens at a cache read and not at an effect.
func (k Kind) looks() bool { return k == Stale || k == Lagging || k == Again }

// cached returns the cache's view for a process. A list is as late as the objects in it.
func (r *run) cached(_ *port, into runtime.Object) client.Reader {
	of, version := strings.TrimSuffix(fmt.Sprintf("%T", into), "List"), r.store.Version()
	if of == r.kind || of == ofAccount || of == ofLedger {
		version = r.look(of, version)
	}
	return r.store.AsOf(version)
}

// look counts a cache read and returns the version that the cache shows.
func (r *run) look(of string, newest int64) int64 {
	r.cache.looks = append(r.cache.looks, cacheRead{of, newest})
	r.noteLook(of)
	for _, fault := range r.plan.Faults {
		if r.lastLook == 0 && fault.At == len(r.cache.looks) && fault.Kind.looks() {
			r.lagBehind(of, fault)
		}
	}
	behind, is := r.cache.lags[of]
	if !is {
		return newest
	}
	behind.looks--
	if behind.looks == 0 {
		r.cache.late = r.tell(of, behind.version) || r.cache.late
		delete(r.cache.lags, of)
	} else {
		r.cache.lags[of] = behind
	}
	return behind.version
}

func (r *run) lagBehind(of string, fault Fault) {
	if fault.Kind == Again {
		for _, manager := range r.managers {
			manager.again = true
		}
		return
	}
	looks := 1
	if fault.Kind == Lagging {
		looks = lag
	}
	r.cache.lags[of] = lagging{fault.Version, looks}
}

// catchUp ends all lag in the cache, and reports whether that brings news.
func (r *run) catchUp() bool {
	behind := false
	for of, lag := range r.cache.lags {
		behind = r.tell(of, lag.version) || behind
	}
	clear(r.cache.lags)
	if behind {
		r.alert()
	}
	return behind
}

// tell wakes the managers if a watch on the account has news, and reports whether there is news.
func (r *run) tell(of string, version int64) bool {
	news := r.news(of, version)
	if news && of == ofAccount {
		r.alertAccount()
	}
	return news
}

// news reports whether a watch sends an event once the cache has caught up from a version. The
// operator's own writes to a ledger wake no one (R32).
func (r *run) news(of string, version int64) bool {
	switch of {
	case ofLedger:
		return false
	case ofAccount:
		var was v1alpha1.CarrierAccount
		err := r.store.AsOf(version).Get(r.ctx, keyIn(r, world.AccountName), &was)
		return err != nil || was.ResourceVersion != r.accountVersion(r.ctx)
	}
	return r.newsOfObject(version)
}

// newsOfObject reports a changed generation, a changed annotation, or an object that is new or
// gone.
func (r *run) newsOfObject(version int64) bool {
	was, is := r.plan.Scenario.Empty(), r.subject()
	if err := r.store.AsOf(version).Get(r.ctx, r.name, was); err != nil || is == nil {
		return true
	}
	return was.GetUID() != is.GetUID() || was.GetGeneration() != is.GetGeneration() ||
		!maps.Equal(was.GetAnnotations(), is.GetAnnotations())
}

// versions returns the stored versions of all objects that may be shown late, by type.
func (r *run) versions() map[string][]int64 {
	object := r.plan.Scenario.Empty()
	object.SetName(r.name.Name)
	object.SetNamespace(r.name.Namespace)
	of := map[string][]int64{
		r.kind: r.store.Versions(object), ofAccount: r.store.Versions(r.account(r.ctx)),
	}
	var ledgers v1alpha1.RequestLedgerList
	must(r.store.Client().List(r.ctx, &ledgers))
	for i := range ledgers.Items {
		of[ofLedger] = append(of[ofLedger], r.store.Versions(&ledgers.Items[i])...)
	}
	slices.Sort(of[ofLedger])
	return of
}
