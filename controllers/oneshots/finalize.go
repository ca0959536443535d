// SPDX-License-Identifier: Apache-2.0

package oneshots

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
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
)

// finalize releases a deleted object. It does not call the carrier; a new object is a new request.
func finalize(ctx context.Context, p *pass.Pass) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(p.Subject, v1alpha1.Finalizer) {
		p.Protocol.Memory.Forget(p.Subject.GetUID())
		return ctrl.Result{}, nil
	}
	if err := p.Begin(ctx); err != nil {
		return p.Failed(ctx, err)
	}
	if p.Verdict != nil && hasOpenAttempt(p) {
		return p.Record(ctx, p.Decide(), 0) // the object stalls if its ledger may not be written (R30)
	}
	if err := recordResponses(ctx, p); err != nil {
		return p.Failed(ctx, err)
	}
	input := p.Input()
	departure := oneshots.Finalize(input)
	if !departure.WaitUntil.IsZero() {
		return status.Exit(input.Now, departure.WaitUntil), nil
	}
	if err := abandonOpen(ctx, p); err != nil {
		return p.Failed(ctx, err)
	}
	if departure.Warning != "" {
		p.Protocol.Events.Eventf(p.Subject, nil, corev1.EventTypeWarning, pass.EventRequestContinues, "Delete",
			"%s", departure.Warning)
	}
	if err := p.Protocol.RemoveFinalizer(ctx, p.Subject); err != nil {
		return p.Failed(ctx, err)
	}
	p.Protocol.Memory.Forget(p.Subject.GetUID())
	return ctrl.Result{}, nil
}

// hasOpenAttempt reports whether the ledger has an open attempt of the object.
func hasOpenAttempt(p *pass.Pass) bool {
	return slices.ContainsFunc(p.Subject.Record().OpenRequests(), func(open *v1alpha1.Request) bool {
		return p.Ledger.Current().IsOpen(open.AttemptID)
	})
}

// recordResponses records what this process knows of the requests in progress.
func recordResponses(ctx context.Context, p *pass.Pass) error {
	for _, open := range p.Subject.Record().OpenRequests() {
		if err := p.Protocol.RecordResponse(ctx, p.Scope(), open.AttemptID); err != nil {
			return fmt.Errorf("record the outcome of attempt %s: %w", open.AttemptID, err)
		}
	}
	return nil
}

// abandonOpen ends the open attempts of a deleted object in the ledger, because their outcome will
// not be tracked.
func abandonOpen(ctx context.Context, p *pass.Pass) error {
	for _, open := range p.Subject.Record().OpenRequests() {
		if !p.Ledger.Current().IsOpen(open.AttemptID) {
			continue
		}
		given := oneshots.Abandon(open)
		fact := operate.Decided(given, func(*v1alpha1.Request) {})
		if err := p.Protocol.Record(ctx, p.Scope(), open.AttemptID, fact); err != nil {
			return fmt.Errorf("abandon attempt %s of %s: %w", open.AttemptID, p.Subject.GetName(), err)
		}
	}
	return nil
}

// expire deletes an object after its ttlAfterFinished. The operator deletes users' objects only
// here. An object that has changed since the decision is kept.
func expire(ctx context.Context, p *pass.Pass) (ctrl.Result, error) {
	uid, version := p.Subject.GetUID(), p.Subject.GetResourceVersion()
	judged := client.Preconditions{UID: &uid, ResourceVersion: &version}
	err := client.IgnoreNotFound(p.Delete(ctx, p.Subject, judged))
	if err != nil {
		return pass.RetryAfter(fmt.Errorf("delete %s after its ttlAfterFinished: %w", p.Subject.GetName(), err))
	}
	return ctrl.Result{}, nil
}
