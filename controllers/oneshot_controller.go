// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
)

// OneShotReconciler sends one request to the carrier for each object of one kind.
type OneShotReconciler struct {
	*Operator

	newObject func() oneShot // returns an empty object of the kind, with the functions of the kind
}

// +kubebuilder:rbac:groups=wholesale.broadband,resources=diagnostictests,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=wholesale.broadband,resources=fibrebuildquotes;planoptionsqueries;healthchecks,verbs=get;list;watch;delete
// +kubebuilder:rbac:groups=wholesale.broadband,resources=diagnostictests/status;fibrebuildquotes/status;planoptionsqueries/status;healthchecks/status,verbs=update

// Reconcile takes one object as far as possible now.
func (r *OneShotReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	held := r.newObject()
	if err := r.Get(ctx, request.NamespacedName, held.subject); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	p := &oneShotPass{pass: &pass{Operator: r.Operator, subject: held.subject}, shot: held}
	p.kind = p
	if test, is := held.subject.(*v1alpha1.DiagnosticTest); is {
		p.kind, p.addsFinalizer = &testPass{oneShotPass: p, test: test}, true
	}
	if !held.subject.GetDeletionTimestamp().IsZero() {
		return p.finalize(ctx)
	}
	if at := oneshots.Expires(p.taskInput(p.input())); !at.IsZero() && !p.Protocol.Now().Before(at) {
		return p.expire(ctx)
	}
	return p.run(ctx)
}
