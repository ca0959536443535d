// SPDX-License-Identifier: Apache-2.0

package pass

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/installation"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/controllers/internal/sessions"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Operator has what the reconcilers of all kinds that send requests share.
type Operator struct {
	client.Client // reads from the cache, writes to the API server

	Protocol *operate.Protocol
	Ledgers  *requestledger.Store
	Logins   *requestledger.Logins
	Marker   *installation.Marker
	Policies *installation.Policies
	Sessions *sessions.Registry
	Submit   bool // whether requests may be sent at all

	Namespaces   []string      // the namespaces that it watches; none: all
	RecheckAfter time.Duration // how long watch.Recheck waits before it reconciles an object again
	Leads        func() bool   // whether this process reconciles objects; nil: it does
}

// IsLeading reports whether this process reconciles objects.
func (o *Operator) IsLeading() bool { return o.Leads == nil || o.Leads() }

// WarnOfOpenRequests emits Events about requests that continue at the carrier although their object
// is deleted. A standby, which watches the objects, too, emits none.
func (o *Operator) WarnOfOpenRequests(
	ctx context.Context, object client.Object, reason string,
	by client.MatchingFields, left func(*v1alpha1.RequestLedger) string,
) {
	if !o.IsLeading() {
		return
	}
	var ledgers v1alpha1.RequestLedgerList
	if err := o.List(ctx, &ledgers, by); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "cannot list the open requests of a deleted object")
		return
	}
	for i := range ledgers.Items {
		if message := left(&ledgers.Items[i]); message != "" {
			o.Protocol.Events.Eventf(object, nil, corev1.EventTypeWarning, reason, "Delete", "%s", message)
		}
	}
}

// Reasons of the Events of this package, beside the reasons of Ready, and those of the notifications
// that are shown.
const (
	eventAnnotationUnused = "AnnotationUnused"
	eventRevisionIgnored  = "LedgerRevisionIgnored"
)

// EventRequestContinues is the reason of the Event about a request that continues although its object
// is deleted.
const EventRequestContinues = "RequestContinues"

// Subject is an object that a pass can reconcile.
type Subject interface {
	operate.Subject
	decide.Subject
	v1alpha1.Described
}

// SecretInterval is the longest pause between two reads of a missing or wrong Secret: the keys of
// an account, the signing secret of its notifications, a contact. Secrets are not watched.
const SecretInterval = 5 * time.Second

// Watches reports whether this manager watches a namespace, and sees the objects in it.
func (o *Operator) Watches(namespace string) bool {
	return len(o.Namespaces) == 0 || slices.Contains(o.Namespaces, namespace)
}

// MayManage reports whether the object of a ledger may be in a namespace that this manager watches. A
// ledger of diagnostic tests does not say where they are.
func (o *Operator) MayManage(ledger *v1alpha1.RequestLedger) bool {
	namespace := ledger.Spec.Holder.Namespace
	return namespace == "" || o.Watches(namespace)
}
