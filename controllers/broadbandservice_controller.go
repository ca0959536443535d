// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/accounts"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/status"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// BroadbandServiceReconciler brings the carrier's state of a service in line with
// what its BroadbandService declares.
type BroadbandServiceReconciler struct {
	client.Client // reads from the cache, writes to the API server

	Protocol *operate.Protocol
	Orphans  *operate.Orphans
	Accounts *accounts.Book
	Orders   Orders // nil: there are none
	Submit   bool   // whether requests may be sent at all
}

// +kubebuilder:rbac:groups=wholesale.broadband,resources=broadbandservices,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=wholesale.broadband,resources=broadbandservices/status,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=core,resources=secrets,verbs=get
// +kubebuilder:rbac:groups=core,resources=configmaps,namespace=broadband-operator,verbs=get;create;update;delete

// maxSteps bounds one pass. A service needs at most a step of each kind between two waits:
// a fact in memory, a person's word, four readings, and a request of each lane with what
// becomes of it.
const maxSteps = 16

// Reconcile takes one service as far as it can go now.
func (r *BroadbandServiceReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	service := &v1alpha1.BroadbandService{}
	if err := r.Get(ctx, request.NamespacedName, service); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	pass := &servicePass{BroadbandServiceReconciler: r, service: service}
	if !service.DeletionTimestamp.IsZero() {
		return pass.leave(ctx)
	}
	if err := pass.open(ctx); err != nil {
		return pass.again(err)
	}
	for range maxSteps {
		decision := pass.decide()
		wait, err := pass.perform(ctx, decision)
		if err != nil {
			return pass.again(err)
		}
		if _, resting := decision.Step.(decide.Rest); resting || wait > 0 {
			return pass.record(ctx, decision, wait)
		}
	}
	return ctrl.Result{}, fmt.Errorf("%s took more than %d steps in one pass", request, maxSteps)
}

// again is the exit after an error. A conflict says that there is something newer to
// look at, which is no failure.
func (p *servicePass) again(err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	return ctrl.Result{}, err
}

// record writes the conditions, if anything about them changed, and says when to look
// again: the one exit of a pass. A pass that waits for its turn in the rate limit has
// nothing new to say, unless nothing was ever said.
func (p *servicePass) record(ctx context.Context, decision decide.Decision, wait time.Duration) (ctrl.Result, error) {
	now, lookAt := p.Protocol.Now(), decision.LookAt
	if wait > 0 {
		lookAt = now.Add(wait)
	}
	p.describe(decision)
	if p.changed() && (wait == 0 || p.written.ObservedGeneration <= 0) {
		if err := p.Status().Update(ctx, p.service); err != nil {
			return p.again(fmt.Errorf("update the status: %w", err))
		}
	}
	return status.Exit(now, lookAt), nil
}
