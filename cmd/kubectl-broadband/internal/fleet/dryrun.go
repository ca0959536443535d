// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// DryRun returns the object that would result from applying a manifest. The API server adds the
// defaults, and refuses an invalid object. Nothing is written. An object that kubectl apply has
// written is merged as kubectl apply would do it; any other object is applied on the server side.
func (c *Cluster) DryRun(ctx context.Context, manifest *unstructured.Unstructured) (Object, error) {
	kind, err := KindNamed(manifest.GetKind())
	if err != nil {
		return nil, err
	}
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(manifest.GroupVersionKind())
	err = c.Get(ctx, client.ObjectKeyFromObject(manifest), live)
	if client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	applied := manifest.DeepCopy()
	last := live.GetAnnotations()[corev1.LastAppliedConfigAnnotation]
	if !apierrors.IsNotFound(err) && last != "" {
		applied, err = c.merge(ctx, live, manifest, []byte(last))
	} else {
		err = c.Apply(ctx, client.ApplyConfigurationFromUnstructured(applied), client.DryRunAll, client.ForceOwnership)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s/%s: %w", manifest.GetKind(), manifest.GetNamespace(), manifest.GetName(), err)
	}
	object := kind.New()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(applied.Object, object); err != nil {
		return nil, fmt.Errorf("read the %s that the API server returned: %w", kind.Name, err)
	}
	return object, nil
}

// merge merges a manifest into the live object as kubectl apply does. It removes what the last
// applied manifest contained and this one does not.
func (c *Cluster) merge(
	ctx context.Context, live, manifest *unstructured.Unstructured, last []byte,
) (*unstructured.Unstructured, error) {
	modified, modifiedErr := json.Marshal(manifest)
	current, currentErr := json.Marshal(live)
	if modifiedErr != nil || currentErr != nil {
		return nil, fmt.Errorf("build the patch: %w, %w", modifiedErr, currentErr)
	}
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(last, modified, current)
	if err != nil {
		return nil, fmt.Errorf("build the patch: %w", err)
	}
	merged := live.DeepCopy()
	return merged, c.Patch(ctx, merged, client.RawPatch(types.MergePatchType, patch), client.DryRunAll)
}
