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
	"github.com/broadband-operator/broadband-operator/controllers/watch"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// Types whose old versions a cache may show, besides the type of the scenario's object.
const (
	ofAccount = "*v1alpha1.CarrierAccount"
	ofLedger  = "*v1alpha1.RequestLedger"
)

// cacheRead is one cache read of a type that may be shown late.
type cacheRead struct {
	of     string // the Go name of the type
	newest int64  // the version of the store at the time of the read
	after  int    // the number of the newest effect then
}

// cache is the state of the caches of a run. They show the newest version unless a fault makes them
// lag.
type cache struct {
	reads   []cacheRead
	lags    map[string]lagging // by type
	overdue bool               // it has caught up, and a watch event is due
}

// lagging is the state of a type whose cache shows an older version.
type lagging struct {
	version   int64
	remaining int // the number of further reads that it affects
}

// lagReads is the number of reads that a lagging cache affects.
const lagReads = 3

// isStaleRead reports whether a fault of this kind happens at a cache read and not at an effect.
func (k FaultKind) isStaleRead() bool { return k == Stale || k == Lagging || k == Redelivered }

// cached returns the cache's view for a process. A list lags as far as the objects in it.
func (r *run) cached(_ *port, into runtime.Object) client.Reader {
	of, version := strings.TrimSuffix(fmt.Sprintf("%T", into), "List"), r.store.Version()
	if of == r.kind || of == ofAccount || of == ofLedger {
		version = r.readCache(of, version)
	}
	return r.store.AsOf(version)
}

// readCache counts a cache read and returns the version that the cache shows.
func (r *run) readCache(of string, newest int64) int64 {
	r.cache.reads = append(r.cache.reads, cacheRead{of, newest, len(r.effects)})
	r.noteCacheRead(of)
	for _, fault := range r.plan.Faults {
		if r.lastCacheRead == 0 && fault.At == len(r.cache.reads) && fault.Kind.isStaleRead() {
			r.lagBehind(of, fault)
			r.happened++
		}
	}
	behind, is := r.cache.lags[of]
	if !is {
		return newest
	}
	behind.remaining--
	if behind.remaining == 0 {
		r.cache.overdue = r.deliverWatch(of, behind.version) || r.cache.overdue
		delete(r.cache.lags, of)
	} else {
		r.cache.lags[of] = behind
	}
	return behind.version
}

func (r *run) lagBehind(of string, fault Fault) {
	if fault.Kind == Redelivered {
		for _, manager := range r.managers {
			manager.redelivered = true
		}
		return
	}
	reads := 1
	if fault.Kind == Lagging {
		reads = lagReads
	}
	r.cache.lags[of] = lagging{fault.Version, reads}
}

// catchUp ends all lag in the cache, and reports whether that brings news.
func (r *run) catchUp() bool {
	behind := false
	for of, lag := range r.cache.lags {
		behind = r.deliverWatch(of, lag.version) || behind
	}
	clear(r.cache.lags)
	if behind {
		r.notifyManagers()
	}
	return behind
}

// deliverWatch notifies the managers of a changed account, and reports whether anything has
// changed.
func (r *run) deliverWatch(of string, version int64) bool {
	news := r.news(of, version)
	if news && of == ofAccount {
		r.notifyOfAccount()
	}
	return news
}

// news reports whether a watch sends an event once the cache has caught up from a version.
func (r *run) news(of string, version int64) bool {
	switch of {
	case ofLedger:
		return r.newsOfLedger(version)
	case ofAccount:
		var was v1alpha1.CarrierAccount
		err := r.store.AsOf(version).Get(r.ctx, keyIn(r, world.AccountName), &was)
		return err != nil || was.ResourceVersion != r.accountVersion(r.ctx)
	}
	return r.newsOfObject(version)
}

// newsOfLedger reports a ledger that anyone but the process itself has changed since a version.
// The process's own writes trigger no pass (R32).
func (r *run) newsOfLedger(version int64) bool {
	before, after := r.ledgersAt(r.store.AsOf(version)), r.ledgersAt(r.store.Client())
	names := slices.Concat(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(after)))
	return slices.ContainsFunc(names, func(name string) bool {
		was, is := before[name], after[name]
		changed := was == nil || is == nil || was.GetResourceVersion() != is.GetResourceVersion()
		return changed && slices.ContainsFunc(r.managers, func(manager *process) bool {
			return watch.IsLedgerNews(manager.reconcilers.Orders.Ledgers, was, is)
		})
	})
}

// ledgersAt returns the ledgers that a reader shows, by name.
func (r *run) ledgersAt(reader client.Reader) map[string]client.Object {
	var ledgers v1alpha1.RequestLedgerList
	must(reader.List(r.ctx, &ledgers))
	shown := map[string]client.Object{}
	for i := range ledgers.Items {
		shown[ledgers.Items[i].Name] = &ledgers.Items[i]
	}
	return shown
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
