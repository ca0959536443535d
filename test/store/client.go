// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// clientOf is a client of the store that reads the current state.
type clientOf struct {
	reader
}

var _ client.WithWatch = clientOf{}

// Client reads and writes the store as an administrator.
func (s *Store) Client() client.WithWatch { return clientOf{s.live()} }

// Create creates an object.
func (c clientOf) Create(_ context.Context, object client.Object, _ ...client.CreateOption) error {
	return c.store.create(object)
}

// Update replaces an object without its status.
func (c clientOf) Update(_ context.Context, object client.Object, _ ...client.UpdateOption) error {
	return c.store.update(object, everything)
}

// Delete deletes an object, or marks it for deletion if it has finalizers.
func (c clientOf) Delete(_ context.Context, object client.Object, options ...client.DeleteOption) error {
	wanted := client.DeleteOptions{}
	wanted.ApplyOptions(options)
	return c.store.remove(object, wanted.Preconditions)
}

// Patch applies a merge patch to the newest version, or to the one that the patch names.
func (c clientOf) Patch(
	_ context.Context, object client.Object, patch client.Patch, _ ...client.PatchOption,
) error {
	if patch.Type() != types.MergePatchType {
		return fmt.Errorf("%w: %s", errNotHere, patch.Type())
	}
	changes, err := patch.Data(object)
	if err != nil {
		return fmt.Errorf("make the patch: %w", err)
	}
	return c.store.patch(object, changes)
}

// Status returns the client for writing a status.
func (c clientOf) Status() client.SubResourceWriter { return c.SubResource("status") }

// SubResource returns the client of the status; there is no other.
func (c clientOf) SubResource(string) client.SubResourceClient { return statusOf{c} }

// Scheme returns the scheme of the store.
func (c clientOf) Scheme() *runtime.Scheme { return c.store.scheme }

// RESTMapper returns an empty mapper: the kinds of the store are those of its scheme.
func (clientOf) RESTMapper() meta.RESTMapper { return meta.NewDefaultRESTMapper(nil) }

// GroupVersionKindFor returns the kind of an object.
func (c clientOf) GroupVersionKindFor(object runtime.Object) (schema.GroupVersionKind, error) {
	return c.store.kindOf(object)
}

// IsObjectNamespaced returns true for all objects except namespaces and ledgers.
func (c clientOf) IsObjectNamespaced(object runtime.Object) (bool, error) {
	group, err := c.store.kindOf(object)
	return group.Kind != "Namespace" && group.Kind != "RequestLedger", err
}

// Watch is not supported: the tests decide when a pass runs.
func (clientOf) Watch(context.Context, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
	return nil, errNotHere
}

// Apply is not supported.
func (clientOf) Apply(context.Context, runtime.ApplyConfiguration, ...client.ApplyOption) error {
	return errNotHere
}

// DeleteAllOf is not supported.
func (clientOf) DeleteAllOf(context.Context, client.Object, ...client.DeleteAllOfOption) error {
	return errNotHere
}

// statusOf writes statuses.
type statusOf struct{ clientOf }

var _ client.SubResourceClient = statusOf{}

// Update writes only the status of an object.
func (w statusOf) Update(_ context.Context, object client.Object, _ ...client.SubResourceUpdateOption) error {
	return w.store.update(object, statusOnly)
}

// Get is not supported.
func (statusOf) Get(context.Context, client.Object, client.Object, ...client.SubResourceGetOption) error {
	return errNotHere
}

// Create is not supported.
func (statusOf) Create(context.Context, client.Object, client.Object, ...client.SubResourceCreateOption) error {
	return errNotHere
}

// Patch is not supported.
func (statusOf) Patch(context.Context, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
	return errNotHere
}

// Apply is not supported.
func (statusOf) Apply(context.Context, runtime.ApplyConfiguration, ...client.SubResourceApplyOption) error {
	return errNotHere
}
