// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// found returns what exists in this cluster, in the namespaces of this manager.
func (m *Marker) found(ctx context.Context) (found decide.Found, err error) {
	namespaces := m.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{metav1.NamespaceAll}
	}
	for _, namespace := range namespaces {
		for _, list := range []client.ObjectList{
			&v1alpha1.BroadbandServiceList{}, &v1alpha1.ServiceOrderList{}, &v1alpha1.DiagnosticTestList{},
		} {
			if err = m.List(ctx, list, client.InNamespace(namespace)); err != nil {
				return found, fmt.Errorf("look for what was applied before: %w", err)
			}
			found.Objects = found.Objects || meta.LenList(list) > 0
			found.Restored = found.Restored || meta.EachListItem(list, unledgered) != nil
		}
	}
	found.Clusters, err = m.named(ctx)
	return found, err
}

// unledgered fails for an object whose status names a ledger.
func unledgered(object runtime.Object) error {
	var shown *v1alpha1.LedgerReference
	switch object := object.(type) {
	case *v1alpha1.BroadbandService:
		shown = object.Status.Ledger
	case *v1alpha1.ServiceOrder:
		shown = object.Status.Ledger
	case *v1alpha1.DiagnosticTest:
		shown = object.Status.Ledger
	}
	if shown == nil || operate.Plausible(shown.Revision) == 0 {
		return nil
	}
	return fmt.Errorf("RequestLedger %s is named by a status", shown.Name)
}

// named returns the clusters that the ledgers name.
func (m *Marker) named(ctx context.Context) ([]string, error) {
	var ledgers v1alpha1.RequestLedgerList
	if err := m.List(ctx, &ledgers); err != nil {
		return nil, fmt.Errorf("look for the clusters of the RequestLedgers: %w", err)
	}
	seen := map[string]bool{}
	var named []string
	for i := range ledgers.Items {
		spec := &ledgers.Items[i].Spec
		if spec.Marker == nil && spec.Cluster != "" && !seen[spec.Cluster] {
			seen[spec.Cluster], named = true, append(named, spec.Cluster)
		}
	}
	return named, nil
}

// isMarker reports whether a ledger is a marker. A change of the marker concerns all objects that
// wait for it.
func isMarker(object client.Object) bool {
	ledger, is := object.(*v1alpha1.RequestLedger)
	return is && ledger.Spec.Marker != nil
}

// ofMarker passes changes of the marker. Its creation is ignored: each process reads it before
// anything else.
func ofMarker() builder.WatchesOption {
	changed := predicate.Funcs{CreateFunc: func(event.CreateEvent) bool { return false }}
	return builder.WithPredicates(predicate.NewPredicateFuncs(isMarker), changed)
}

// everyOne enqueues every object of a list.
func everyOne(from client.Reader, list client.ObjectList) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, _ client.Object) []reconcile.Request {
		empty, is := list.DeepCopyObject().(client.ObjectList)
		if !is {
			return nil
		}
		return listed(ctx, from, empty)
	})
}

// lacksLedger reports whether sending for an object would have to create a ledger.
func (p *pass) lacksLedger() bool { return p.ledger != nil && p.ledger.ledger == nil }

// installation returns what the marker means for an object.
func (p *pass) installation() decide.Installation {
	here := p.here
	here.Gone = here.Gone && p.lacksLedger()
	return here
}

// reportImplausible emits an Event for an implausible revision: "A revision above 2^53 is ignored
// and reported" (R5).
func (p *pass) reportImplausible(kind ledgered) {
	shown := *kind.shownLedger(p.subject).at
	if shown == nil || operate.Plausible(shown.Revision) == shown.Revision {
		return
	}
	p.Protocol.Events.Eventf(p.subject, nil, corev1.EventTypeWarning, "LedgerRevisionIgnored", "Read",
		"%s", decide.ImplausibleRevision(*shown))
}
