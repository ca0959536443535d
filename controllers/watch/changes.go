// SPDX-License-Identifier: Apache-2.0

// Package watch says which changes of objects start a pass, and of which objects.
package watch

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
)

// Requests begins the controller of a kind that sends requests. It reconciles an object when a user
// changes it, when its account changes, when the state of the admission policies changes, and some
// time after it became less settled (see [Recheck]). The memory of a deleted object is dropped.
func Requests(
	mgr ctrl.Manager, operator *pass.Operator, workers Workers, kind client.Object, list client.ObjectList,
) *builder.Builder {
	forget := func(_ context.Context, object client.Object) []reconcile.Request {
		operator.Protocol.Memory.Forget(object.GetUID())
		return nil
	}
	return ctrl.NewControllerManagedBy(mgr).
		For(kind, builder.WithPredicates(UserChanges())).
		Watches(kind, Recheck(operator.RecheckAfter)).
		Watches(kind, WhenDeleted(forget)).
		Watches(&v1alpha1.CarrierAccount{}, Naming(operator, list, index.Account),
			builder.WithPredicates(AccountChanges())).
		WatchesRawSource(operator.Policies.Waiting(list)).
		WithOptions(workers.Options(kind))
}

// UserChanges passes changes made by a user. Our own status writes do not trigger a pass.
func UserChanges() predicate.Predicate {
	return predicate.Or(SpecChanges(), predicate.AnnotationChangedPredicate{})
}

// SpecChanges passes changes of a spec.
func SpecChanges() predicate.Predicate {
	return predicate.Or(predicate.GenerationChangedPredicate{}, predicate.Funcs{UpdateFunc: replaced})
}

// replaced reports whether an object has replaced another of the same name. If a watch is
// interrupted while the old object is deleted and the new one is created, they appear as one
// updated object.
func replaced(update event.UpdateEvent) bool {
	return update.ObjectOld.GetUID() != update.ObjectNew.GetUID()
}

// AccountChanges passes account changes that may unblock the account's objects. It excludes two
// changes that no object waits for: the first response of the carrier, which was caused by a call
// for one of the objects, and the change that shows that the carrier has stopped responding.
func AccountChanges() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(update event.UpdateEvent) bool {
		before, isAccount := update.ObjectOld.(*v1alpha1.CarrierAccount)
		after, isStill := update.ObjectNew.(*v1alpha1.CarrierAccount)
		return !isAccount || !isStill || answersAgain(before, after) || !isOnlyCarrier(before, after)
	}}
}

// answersAgain reports whether the condition Carrier has changed from False to True.
func answersAgain(before, after *v1alpha1.CarrierAccount) bool {
	return meta.IsStatusConditionFalse(before.Status.Conditions, v1alpha1.ConditionCarrier) &&
		meta.IsStatusConditionTrue(after.Status.Conditions, v1alpha1.ConditionCarrier)
}

// isOnlyCarrier reports whether nothing but the condition Carrier has changed.
func isOnlyCarrier(before, after *v1alpha1.CarrierAccount) bool {
	was, is := before.DeepCopy(), after.DeepCopy()
	if equality.Semantic.DeepEqual(was.Status.Conditions, is.Status.Conditions) {
		return false
	}
	meta.RemoveStatusCondition(&was.Status.Conditions, v1alpha1.ConditionCarrier)
	meta.RemoveStatusCondition(&is.Status.Conditions, v1alpha1.ConditionCarrier)
	is.ResourceVersion, is.ManagedFields = was.ResourceVersion, was.ManagedFields
	return equality.Semantic.DeepEqual(was, is)
}

// WhenDeleted reconciles the objects that are found for a deleted object. If an object has
// replaced another of the same name, only the replaced one counts as deleted.
func WhenDeleted(find handler.MapFunc) handler.Funcs {
	enqueue := func(ctx context.Context, gone client.Object, queue workQueue) {
		for _, one := range find(ctx, gone) {
			queue.Add(one)
		}
	}
	return handler.Funcs{
		DeleteFunc: func(ctx context.Context, deletion event.DeleteEvent, queue workQueue) {
			enqueue(ctx, deletion.Object, queue)
		},
		UpdateFunc: func(ctx context.Context, update event.UpdateEvent, queue workQueue) {
			if replaced(update) {
				enqueue(ctx, update.ObjectOld, queue)
			}
		},
	}
}

// Changes passes the changes that a function picks. The function gets nil as the former object
// after a creation, and as the present one after a deletion.
func Changes(picks func(before, after client.Object) bool) predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(create event.CreateEvent) bool { return picks(nil, create.Object) },
		UpdateFunc:  func(update event.UpdateEvent) bool { return picks(update.ObjectOld, update.ObjectNew) },
		DeleteFunc:  func(deletion event.DeleteEvent) bool { return picks(deletion.Object, nil) },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

// LedgerNews passes the ledger changes for which [IsLedgerNews] returns true.
func LedgerNews(ledgers *requestledger.Store) predicate.Predicate {
	return Changes(func(before, after client.Object) bool { return IsLedgerNews(ledgers, before, after) })
}

// IsLedgerNews reports whether a ledger change is not our own: our own writes start no pass
// (R32). A change that removes a ledger, or takes it back to an older revision, is not our own.
// The objects of the ledger must then report that it is lost (R5, R6).
func IsLedgerNews(ledgers *requestledger.Store, before, after client.Object) bool {
	ledger, is := after.(*v1alpha1.RequestLedger)
	if !is {
		return true
	}
	was, had := before.(*v1alpha1.RequestLedger)
	wentBack := had && ledger.Spec.Revision < was.Spec.Revision
	return wentBack || IsMarker(ledger) || !ledger.DeletionTimestamp.IsZero() ||
		ledgers.IsNews(ledger.Name, ledger.Spec.Revision)
}

// IsMarker reports whether a ledger is a marker. A change to the marker concerns all objects that
// wait for it.
func IsMarker(object client.Object) bool {
	ledger, is := object.(*v1alpha1.RequestLedger)
	return is && ledger.Spec.Marker != nil
}

// MarkerChanges passes changes to the marker. Its creation is ignored, because each process reads
// the marker before anything else.
func MarkerChanges() builder.WatchesOption {
	changed := predicate.Funcs{CreateFunc: func(event.CreateEvent) bool { return false }}
	return builder.WithPredicates(predicate.NewPredicateFuncs(IsMarker), changed)
}

// RequestsFor returns requests to reconcile the objects of a list. It needs only their names, so
// the cache does not copy them.
func RequestsFor(
	ctx context.Context, from client.Reader, list client.ObjectList, options ...client.ListOption,
) []reconcile.Request {
	var requests []reconcile.Request
	err := apiserver.Each(ctx, from, list, func(object client.Object) {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
	}, options...)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "cannot list the objects to reconcile")
		return nil
	}
	return requests
}

// Naming enqueues the objects of a list that name an object of their namespace in an indexed field.
func Naming(from client.Reader, list client.ObjectList, field string) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, named client.Object) []reconcile.Request {
		return RequestsFor(ctx, from, apiserver.Empty(list),
			client.InNamespace(named.GetNamespace()), client.MatchingFields{field: named.GetName()})
	})
}

// EnqueueAll enqueues every object of a list.
func EnqueueAll(from client.Reader, list client.ObjectList) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, _ client.Object) []reconcile.Request {
		return RequestsFor(ctx, from, apiserver.Empty(list))
	})
}

// ServicesNumbered returns the objects of a service, in all namespaces.
func ServicesNumbered(ctx context.Context, from client.Reader, number v1alpha1.CarrierID) []reconcile.Request {
	declared := client.MatchingFields{index.ServiceID: string(number)}
	learned := client.MatchingFields{index.LearnedID: string(number)}
	return append(RequestsFor(ctx, from, &v1alpha1.BroadbandServiceList{}, declared),
		RequestsFor(ctx, from, &v1alpha1.BroadbandServiceList{}, learned)...)
}

// HolderChanged reports whether a ledger has a new holder. From then on the other objects of its
// service or customerReference are in conflict with it (R2). They are reconciled even if this
// process wrote the change. In that case only the holder is not reconciled (R32).
func HolderChanged(before, after client.Object) bool {
	held, is := after.(*v1alpha1.RequestLedger)
	if !is || held.Spec.Holder.UID == "" {
		return false
	}
	was, had := before.(*v1alpha1.RequestLedger)
	return !had || was.Spec.Holder.UID != held.Spec.Holder.UID
}

// HolderChanges passes changes that give a ledger another holder.
func HolderChanges() builder.WatchesOption { return builder.WithPredicates(Changes(HolderChanged)) }

// ExceptHolder enqueues the objects of a ledger, except its holder.
func ExceptHolder(of handler.MapFunc) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, object client.Object) []reconcile.Request {
		return slices.DeleteFunc(of(ctx, object), func(one reconcile.Request) bool {
			ledger, is := object.(*v1alpha1.RequestLedger)
			return is && one.Namespace == ledger.Spec.Holder.Namespace && one.Name == ledger.Spec.Holder.Name
		})
	})
}
