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

// The types that a cache may show late, beside that of the story's object.
const (
	ofAccount = "*v1alpha1.CarrierAccount"
	ofLedger  = "*v1alpha1.RequestLedger"
)

// cacheRead is one read from a cache, of a type that may be shown late.
type cacheRead struct {
	of     string // Go's name of the type
	newest int64  // the version of the store at that time
}

// cache is what the caches of a run show: the newest version, unless a plan has them lag behind.
type cache struct {
	looks []cacheRead
	lags  map[string]lagging // by type
	late  bool               // it has caught up, with news
}

// lagging is a type of which a cache shows an older version.
type lagging struct {
	version int64
	looks   int // at how many more looks
}

// lag is how many looks a cache lags behind that does so for longer than one.
const lag = 3

// looks says whether it happens at a look into the cache, and not at an effect.
func (k Kind) looks() bool { return k == Stale || k == Lagging || k == Again }

// cached is what the cache shows to a process. A list is as late as what it lists.
func (r *run) cached(_ *port, into runtime.Object) client.Reader {
	of, version := strings.TrimSuffix(fmt.Sprintf("%T", into), "List"), r.store.Version()
	if of == r.kind || of == ofAccount || of == ofLedger {
		version = r.look(of, version)
	}
	return r.store.AsOf(version)
}

// look counts a look, and says which version the cache shows.
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

// catchUp ends what lag there is in the cache, and says whether there is news by that.
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

// tell has the managers look at the account if a watch has news of that, and says whether it has any.
func (r *run) tell(of string, version int64) bool {
	news := r.news(of, version)
	if news && of == ofAccount {
		r.alertAccount()
	}
	return news
}

// news says whether a watch has something to tell once the cache has caught up from a version. What
// this operator has written to a ledger wakes nobody (R32).
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

// newsOfObject: another generation, another annotation, or an object where there was none.
func (r *run) newsOfObject(version int64) bool {
	was, is := r.plan.Story.Empty(), r.subject()
	if err := r.store.AsOf(version).Get(r.ctx, r.name, was); err != nil || is == nil {
		return true
	}
	return was.GetUID() != is.GetUID() || was.GetGeneration() != is.GetGeneration() ||
		!maps.Equal(was.GetAnnotations(), is.GetAnnotations())
}

// versions are those of what may be shown late, by type.
func (r *run) versions() map[string][]int64 {
	object := r.plan.Story.Empty()
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
