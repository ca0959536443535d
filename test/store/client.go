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

// storeClient is a client of the store that reads the current state.
type storeClient struct {
	reader
}

var _ client.WithWatch = storeClient{}

// Client reads and writes the store as an administrator.
func (s *Store) Client() client.WithWatch { return storeClient{s.live()} }

// Create creates an object.
func (c storeClient) Create(_ context.Context, object client.Object, _ ...client.CreateOption) error {
	return c.store.create(object)
}

// Update replaces an object, but not its status. A dry run changes nothing.
func (c storeClient) Update(_ context.Context, object client.Object, options ...client.UpdateOption) error {
	wanted := client.UpdateOptions{}
	wanted.ApplyOptions(options)
	if len(wanted.DryRun) > 0 {
		return nil
	}
	return c.store.update(object, everything)
}

// Delete deletes an object, or marks it for deletion if it has finalizers.
func (c storeClient) Delete(_ context.Context, object client.Object, options ...client.DeleteOption) error {
	wanted := client.DeleteOptions{}
	wanted.ApplyOptions(options)
	return c.store.remove(object, wanted.Preconditions)
}

// Patch applies a merge patch to the newest version. If the patch names a version, it must be the
// newest.
func (c storeClient) Patch(
	_ context.Context, object client.Object, patch client.Patch, _ ...client.PatchOption,
) error {
	if patch.Type() != types.MergePatchType {
		return fmt.Errorf("%w: %s", errNotSupported, patch.Type())
	}
	changes, err := patch.Data(object)
	if err != nil {
		return fmt.Errorf("make the patch: %w", err)
	}
	return c.store.patch(object, changes)
}

// Status returns the client for writing a status.
func (c storeClient) Status() client.SubResourceWriter { return c.SubResource("status") }

// SubResource returns the client of the status; there is no other.
func (c storeClient) SubResource(string) client.SubResourceClient { return statusClient{c} }

// Scheme returns the scheme of the store.
func (c storeClient) Scheme() *runtime.Scheme { return c.store.scheme }

// RESTMapper returns an empty mapper: the kinds of the store are those of its scheme.
func (storeClient) RESTMapper() meta.RESTMapper { return meta.NewDefaultRESTMapper(nil) }

// GroupVersionKindFor returns the kind of an object.
func (c storeClient) GroupVersionKindFor(object runtime.Object) (schema.GroupVersionKind, error) {
	return c.store.kindOf(object)
}

// IsObjectNamespaced returns true for all objects except namespaces and ledgers.
func (c storeClient) IsObjectNamespaced(object runtime.Object) (bool, error) {
	group, err := c.store.kindOf(object)
	return group.Kind != "Namespace" && group.Kind != "RequestLedger", err
}

// Watch is not supported: the tests decide when a pass runs.
func (storeClient) Watch(context.Context, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
	return nil, errNotSupported
}

// Apply is not supported.
func (storeClient) Apply(context.Context, runtime.ApplyConfiguration, ...client.ApplyOption) error {
	return errNotSupported
}

// DeleteAllOf is not supported.
func (storeClient) DeleteAllOf(context.Context, client.Object, ...client.DeleteAllOfOption) error {
	return errNotSupported
}

// statusClient writes statuses.
type statusClient struct{ storeClient }

var _ client.SubResourceClient = statusClient{}

// Update writes only the status of an object.
func (w statusClient) Update(_ context.Context, object client.Object, _ ...client.SubResourceUpdateOption) error {
	return w.store.update(object, statusOnly)
}

// Get is not supported.
func (statusClient) Get(context.Context, client.Object, client.Object, ...client.SubResourceGetOption) error {
	return errNotSupported
}

// Create is not supported.
func (statusClient) Create(context.Context, client.Object, client.Object, ...client.SubResourceCreateOption) error {
	return errNotSupported
}

// Patch is not supported.
func (statusClient) Patch(context.Context, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
	return errNotSupported
}

// Apply is not supported.
func (statusClient) Apply(context.Context, runtime.ApplyConfiguration, ...client.SubResourceApplyOption) error {
	return errNotSupported
}
