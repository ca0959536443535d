// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// mostFinalizers is how many finalizers of an object the cache keeps. A patch replaces the whole list
// and would remove those that the cache has dropped, so an object that may have more is not patched.
const mostFinalizers = 32

var errFinalizers = fmt.Errorf("the object has %d finalizers or more: remove those of others", mostFinalizers)

// KeptFinalizers returns the operator's finalizer, and as many others as are needed to patch the
// list.
func KeptFinalizers(all []string) []string {
	if len(all) <= mostFinalizers {
		return all
	}
	kept := slices.Clone(all[:mostFinalizers])
	if slices.Contains(all, v1alpha1.Finalizer) {
		kept[0] = v1alpha1.Finalizer
	}
	return kept
}

// AddFinalizer adds the finalizer to an object that has requests to track. It comes after the first
// intent and before its POST, and again if somebody has removed it.
func (p *Protocol) AddFinalizer(ctx context.Context, subject client.Object) error {
	if controllerutil.ContainsFinalizer(subject, v1alpha1.Finalizer) || !subject.GetDeletionTimestamp().IsZero() {
		return nil
	}
	return p.changeFinalizer(ctx, subject, controllerutil.AddFinalizer)
}

// RemoveFinalizer removes the finalizer, so that a deleted object can go away.
func (p *Protocol) RemoveFinalizer(ctx context.Context, subject client.Object) error {
	if !controllerutil.ContainsFinalizer(subject, v1alpha1.Finalizer) {
		return nil
	}
	return client.IgnoreNotFound(p.changeFinalizer(ctx, subject, controllerutil.RemoveFinalizer))
}

// changeFinalizer patches only the list of finalizers, under the resourceVersion that the decision
// was based on. It does not take over the status that the API server returns, because that status
// may be older than what is recorded in the ledger.
func (p *Protocol) changeFinalizer(
	ctx context.Context, subject client.Object, change func(client.Object, string) bool,
) error {
	if len(subject.GetFinalizers()) >= mostFinalizers {
		return errFinalizers
	}
	changed, ok := subject.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%T is not a Kubernetes object", subject)
	}
	change(changed, v1alpha1.Finalizer)
	patch := client.MergeFromWithOptions(subject, client.MergeFromWithOptimisticLock{})
	if err := p.Cluster.Patch(ctx, changed, patch); err != nil {
		return fmt.Errorf("change the finalizer: %w", err)
	}
	subject.SetFinalizers(changed.GetFinalizers())
	subject.SetResourceVersion(changed.GetResourceVersion())
	subject.SetManagedFields(changed.GetManagedFields())
	return nil
}
