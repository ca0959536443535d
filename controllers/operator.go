// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/accounts"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Operator is what the reconcilers of all kinds that send requests share.
type Operator struct {
	client.Client // reads from the cache, writes to the API server

	Protocol *operate.Protocol
	Ledgers  *operate.Ledgers
	Marker   *Marker
	Accounts *accounts.Registry
	Submit   bool // whether requests may be sent at all

	Namespaces []string      // those that it looks after; none: all
	DoubtAfter time.Duration // how long a step back stands before it is doubted
}

// isNews: "own writes do not" wake anybody (R32). That a ledger is being deleted, and that it is gone,
// is not written by us.
func (o *Operator) isNews(object client.Object) bool {
	ledger, is := object.(*v1alpha1.RequestLedger)
	return is && (isMarker(ledger) || !ledger.DeletionTimestamp.IsZero() ||
		o.Ledgers.IsNews(ledger.Name, ledger.Spec.Revision))
}

// warnOf says what goes on at the carrier although its object is gone.
func (o *Operator) warnOf(
	ctx context.Context, object client.Object, reason string,
	by client.MatchingFields, left func(*v1alpha1.RequestLedger) string,
) {
	var ledgers v1alpha1.RequestLedgerList
	if err := o.List(ctx, &ledgers, by); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "cannot look for what a deleted object leaves behind")
		return
	}
	for i := range ledgers.Items {
		if words := left(&ledgers.Items[i]); words != "" {
			o.Protocol.Events.Eventf(object, nil, corev1.EventTypeWarning, reason, "Delete", "%s", words)
		}
	}
}

// Subject is an object that a pass can take as far as it can go.
type Subject interface {
	operate.Subject
	decide.Subject
	v1alpha1.Described
}
