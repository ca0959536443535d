// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/status"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// OneShotReconciler sends one request to the carrier for each object of one kind: "one request
// each, like a Scope".
type OneShotReconciler struct {
	*Operator

	shape func() shot // returns an empty object of the kind, with the functions of the kind
}

// +kubebuilder:rbac:groups=wholesale.broadband,resources=diagnostictests,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=wholesale.broadband,resources=fibrebuildquotes;planoptionsqueries,verbs=get;list;watch;delete
// +kubebuilder:rbac:groups=wholesale.broadband,resources=diagnostictests/status;fibrebuildquotes/status;planoptionsqueries/status,verbs=update

// Reconcile takes one object as far as possible now.
func (r *OneShotReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	held := r.shape()
	if err := r.Get(ctx, request.NamespacedName, held.subject); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	p := &shotPass{pass: &pass{Operator: r.Operator, subject: held.subject}, shot: held}
	p.kind = p
	if test, is := held.subject.(*v1alpha1.DiagnosticTest); is {
		p.kind = &testPass{shotPass: p, test: test}
	}
	if !held.subject.GetDeletionTimestamp().IsZero() {
		return p.leave(ctx)
	}
	if at := decide.Expires(p.taskInput(p.input())); !at.IsZero() && !p.Protocol.Now().Before(at) {
		return p.expire(ctx)
	}
	return p.run(ctx)
}

// expire deletes an object after its ttlAfterFinished. The operator deletes users' objects only
// here. An object that has changed since the decision is kept.
func (p *shotPass) expire(ctx context.Context) (ctrl.Result, error) {
	uid, version := p.subject.GetUID(), p.subject.GetResourceVersion()
	judged := client.Preconditions{UID: &uid, ResourceVersion: &version}
	err := client.IgnoreNotFound(p.Delete(ctx, p.subject, judged))
	if err != nil {
		return p.again(fmt.Errorf("delete %s after its ttlAfterFinished: %w", p.subject.GetName(), err))
	}
	return ctrl.Result{}, nil
}

// giveUp ends the open attempts of a deleted object in the ledger: their outcome will not be
// tracked.
func (p *shotPass) giveUp(ctx context.Context) error {
	for _, open := range p.subject.OpenRequests() {
		if !p.ledger.held().IsOpen(open.AttemptID) {
			continue
		}
		given := decide.GiveUp(open)
		fact := operate.Decided(given, func(*v1alpha1.Request) {})
		if err := p.Protocol.Record(ctx, p.scope(), open.AttemptID, fact); err != nil {
			return fmt.Errorf("give up attempt %s of %s: %w", open.AttemptID, p.subject.GetName(), err)
		}
	}
	return nil
}

// recordAnswers records what this process knows of the requests in progress.
func (p *shotPass) recordAnswers(ctx context.Context) error {
	for _, open := range p.subject.OpenRequests() {
		if err := p.Protocol.RecordAnswer(ctx, p.scope(), open.AttemptID); err != nil {
			return fmt.Errorf("record what became of attempt %s: %w", open.AttemptID, err)
		}
	}
	return nil
}

// leavesOpen reports whether the ledger has an open attempt of the object.
func (p *shotPass) leavesOpen() bool {
	return slices.ContainsFunc(p.subject.OpenRequests(), func(open *v1alpha1.Request) bool {
		return p.ledger.held().IsOpen(open.AttemptID)
	})
}

// leave releases a deleted object. It does not call the carrier; a new object is a new request.
func (p *shotPass) leave(ctx context.Context) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(p.subject, v1alpha1.Finalizer) {
		p.Protocol.Memory.Forget(p.subject.GetUID())
		return ctrl.Result{}, nil
	}
	if err := p.begin(ctx); err != nil {
		return p.again(err)
	}
	if p.verdict != nil && p.leavesOpen() {
		return p.record(ctx, p.decide(), 0) // a ledger that may not be written "stalls what it is about" (R30)
	}
	if err := p.recordAnswers(ctx); err != nil {
		return p.failed(ctx, err)
	}
	input := p.input()
	departure := decide.LeaveOneShot(input)
	if !departure.WaitUntil.IsZero() {
		return status.Exit(input.Now, departure.WaitUntil), nil
	}
	if err := p.giveUp(ctx); err != nil {
		return p.again(err)
	}
	if departure.Warning != "" {
		p.Protocol.Events.Eventf(p.subject, nil, corev1.EventTypeWarning, "RequestInFlight", "Delete",
			"%s", departure.Warning)
	}
	if err := p.Protocol.Release(ctx, p.subject); err != nil {
		return p.failed(ctx, err)
	}
	p.Protocol.Memory.Forget(p.subject.GetUID())
	return ctrl.Result{}, nil
}
