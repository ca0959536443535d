// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/accounts"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Operator has what the reconcilers of all kinds that send requests share.
type Operator struct {
	client.Client // reads from the cache, writes to the API server

	Protocol *operate.Protocol
	Ledgers  *operate.Ledgers
	Marker   *Marker
	Policies *Policies
	Accounts *accounts.Registry
	Submit   bool // whether requests may be sent at all

	Namespaces   []string      // the namespaces that it watches; none: all
	RecheckAfter time.Duration // delay before an object that became less settled is checked again
	Leads        func() bool   // whether this process reconciles objects; nil: it does

	claiming sync.Mutex // held while the ledger of a login records that the login has records
}

func (o *Operator) isLeading() bool { return o.Leads == nil || o.Leads() }

// warnOfOpenRequests emits Events about requests that continue at the carrier although their object
// is deleted. A standby, which watches the objects, too, emits none.
func (o *Operator) warnOfOpenRequests(
	ctx context.Context, object client.Object, reason string,
	by client.MatchingFields, left func(*v1alpha1.RequestLedger) string,
) {
	if !o.isLeading() {
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

// Subject is an object that a pass can reconcile.
type Subject interface {
	operate.Subject
	decide.Subject
	v1alpha1.Described
}

// secretInterval is the longest pause between two reads of a missing or wrong Secret: the keys of
// an account, the signing secret of its notifications, a contact. Secrets are not watched.
const secretInterval = 5 * time.Second
