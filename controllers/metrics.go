// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	own "github.com/broadband-operator/broadband-operator/controllers/internal/metrics"
	"github.com/broadband-operator/broadband-operator/controllers/ledgers"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
)

// setupMetrics registers the operator's own metrics with the manager's registry, and returns them.
func setupMetrics(ctx context.Context, reconcilers Reconcilers) (*own.Metrics, error) {
	counts, err := own.New(metrics.Registry)
	if err != nil {
		return counts, err
	}
	operator := reconcilers.Operator
	operator.Protocol.Metrics, operator.Sessions.Observe = counts.Requests, counts.Carrier.Observer()
	reconcilers.Receiver.CountIn(counts.Notifications)
	counts.State.ReadWith(func() *own.Fleet {
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), countWithin) // a scrape has no timeout
		defer cancel()
		return fleet(within, operator)
	})
	return counts, nil
}

// countWithin is the time limit for counting, because a cache that is not filled yet does not
// respond.
const countWithin = 2 * time.Second

// fleet counts the objects in the caches, and the accounts that this process uses. It returns nil
// if it cannot.
func fleet(ctx context.Context, o *pass.Operator) *own.Fleet {
	counted := own.NewFleet(o.Protocol.Now())
	if err := errors.Join(countObjects(ctx, o, counted), countLedgers(ctx, o, counted)); err != nil {
		ctrl.Log.Error(err, "cannot count the objects: their metrics are missing from this scrape")
		return nil
	}
	counted.Withheld = withheld(o)
	usage := o.Sessions.Usage()
	counted.Breakers, counted.OpenBreakers, counted.OldestToken = usage.Sessions, usage.OpenBreakers, usage.OldestToken
	return counted
}

// withheld returns why this process sends nothing, or no order; "" if it sends, or does not lead.
func withheld(o *pass.Operator) string {
	if !o.Submit {
		return own.WithheldByFlag
	}
	if o.Policies.Missing() {
		return own.WithheldByPolicy
	}
	return o.Marker.Awaited()
}

// countObjects counts the objects that users apply. They are read from the cache without a copy,
// because counting does not change them.
func countObjects(ctx context.Context, o *pass.Operator, fleet *own.Fleet) error {
	for kind, list := range own.Kinds() {
		err := apiserver.Each(ctx, o, list, func(object own.Object) { fleet.Add(kind, object) })
		if err != nil {
			return err
		}
	}
	return nil
}

// countLedgers counts the ledgers, and the open requests in them whose object is deleted.
func countLedgers(ctx context.Context, o *pass.Operator, fleet *own.Fleet) error {
	var all v1alpha1.RequestLedgerList
	if err := o.List(ctx, &all, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list RequestLedgers: %w", err)
	}
	left, err := ledgers.WithoutHolder(ctx, o, all.Items)
	fleet.Ledgers, fleet.WithoutHolder = len(all.Items), left
	return err
}
