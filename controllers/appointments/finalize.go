// SPDX-License-Identifier: Apache-2.0

package appointments

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/decide/appointments"
)

// finalize cancels the appointment-request of a deleted object. It releases the object once there
// is nothing to cancel, no way to cancel it, or no time left.
func (a *appointment) finalize(ctx context.Context, p *pass.Pass) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(a.object, v1alpha1.Finalizer) {
		p.Protocol.Memory.Forget(a.object.UID)
		return ctrl.Result{}, nil
	}
	if err := p.Begin(ctx); err != nil {
		return p.Failed(ctx, err)
	}
	going, err := a.namespaceDeleting(ctx, p)
	if err != nil {
		return p.Failed(ctx, err)
	}
	if departure := appointments.Finalize(a.judged(p.Input()), going); departure.Remove {
		return a.release(ctx, p, departure)
	}
	result, err := p.Run(ctx)
	if err != nil {
		return result, err
	}
	if departure := appointments.Finalize(a.judged(p.Input()), going); departure.Remove {
		return a.release(ctx, p, departure)
	}
	return result, nil
}

// release removes the finalizer, and warns about what is left at the carrier.
func (a *appointment) release(
	ctx context.Context, p *pass.Pass, departure appointments.Finalization,
) (ctrl.Result, error) {
	if departure.Warning != "" {
		p.Protocol.Events.Eventf(a.object, nil, corev1.EventTypeWarning, eventNotCancelled, "Delete",
			"%s", departure.Warning)
	}
	if err := p.Protocol.RemoveFinalizer(ctx, a.object); err != nil {
		return p.Failed(ctx, err)
	}
	p.Protocol.Memory.Forget(a.object.UID)
	return ctrl.Result{}, nil
}

// namespaceDeleting reports whether the namespace is being deleted. It bypasses the cache, because
// one read per deletion is no reason to watch all namespaces.
func (a *appointment) namespaceDeleting(ctx context.Context, p *pass.Pass) (bool, error) {
	var namespace corev1.Namespace
	err := p.Protocol.Live.Get(ctx, client.ObjectKey{Name: a.object.Namespace}, &namespace)
	if apiserver.IsGone(err, a.object.Namespace) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("read Namespace %s: %w", a.object.Namespace, err)
	}
	return !namespace.DeletionTimestamp.IsZero(), nil
}
