// SPDX-License-Identifier: Apache-2.0

// Package oneshots sends one request for each object of the kinds that make one request.
package oneshots

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
)

// Reconciler sends one request to the carrier for each object of one kind.
type Reconciler struct {
	*pass.Operator

	newObject func() oneShot // returns an empty object of the kind, with the functions of the kind
}

// +kubebuilder:rbac:groups=wholesale.broadband,resources=diagnostictests,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=wholesale.broadband,resources=fibrebuildquotes;planoptionsqueries;healthchecks,verbs=get;list;watch;delete
// +kubebuilder:rbac:groups=wholesale.broadband,resources=diagnostictests/status;fibrebuildquotes/status;planoptionsqueries/status;healthchecks/status,verbs=update

// Reconcile takes one object as far as possible now.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	g := gathered{oneShot: r.newObject()}
	if err := r.Get(ctx, request.NamespacedName, g.subject); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	kind := g.kind()
	if object, ok := g.subject.(*v1alpha1.DiagnosticTest); ok {
		kind = (&test{object: object, gathered: g}).kind()
	}
	p := pass.New(r.Operator, g.subject, kind)
	if !g.subject.GetDeletionTimestamp().IsZero() {
		return finalize(ctx, p)
	}
	if at := oneshots.Expires(g.input(p.Input())); !at.IsZero() && !p.Protocol.Now().Before(at) {
		return expire(ctx, p)
	}
	return p.Run(ctx)
}
