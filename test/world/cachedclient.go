// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// CacheReads makes the clients of the control plane read our kinds from an informer cache, as a
// manager does. In a test that runs passes one by one, nine of ten requests are reads. A write
// returns once the cache shows it, so that a read after a write does not depend on the speed of a
// watch.
func (c *ControlPlane) CacheReads(ctx context.Context) error {
	started, stop, err := startCache(ctx, c)
	if err != nil {
		return err
	}
	c.closers = append(c.closers, stop)
	c.Client = cachedClient{Client: c.Client, cache: started}
	c.Operator = cachedClient{Client: c.Operator, cache: started}
	return nil
}

// CachedFor returns the control plane for processes that act as another user. They read our kinds from
// an informer cache, which is stopped at the end of the test.
func (c *ControlPlane) CachedFor(ctx context.Context, operator client.Client) (*ControlPlane, error) {
	cached := *c
	cached.Operator, cached.Live, cached.closers = operator, operator, nil
	if err := cached.CacheReads(ctx); err != nil {
		return nil, err
	}
	ginkgo.DeferCleanup(cached.closers[0])
	return &cached, nil
}

// cachedClient reads cached kinds from the cache, and all others from the API server.
type cachedClient struct {
	client.Client

	cache *sharedCache
}

// Get reads an object.
func (c cachedClient) Get(
	ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption,
) error {
	if _, kept := c.cache.kindOf(object); kept {
		return c.cache.Get(ctx, key, object, options...)
	}
	return c.Client.Get(ctx, key, object, options...)
}

// List reads objects.
func (c cachedClient) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	if _, kept := c.cache.kindOf(list); kept {
		return c.cache.List(ctx, list, options...)
	}
	return c.Client.List(ctx, list, options...)
}

// Create writes an object.
func (c cachedClient) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	return c.written(ctx, object, c.Client.Create(ctx, object, options...))
}

// Update writes an object.
func (c cachedClient) Update(ctx context.Context, object client.Object, options ...client.UpdateOption) error {
	return c.written(ctx, object, c.Client.Update(ctx, object, options...))
}

// Patch writes an object.
func (c cachedClient) Patch(
	ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption,
) error {
	return c.written(ctx, object, c.Client.Patch(ctx, object, patch, options...))
}

// Delete deletes an object, or marks it for deletion if it has finalizers.
func (c cachedClient) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	if err := c.Client.Delete(ctx, object, options...); err != nil {
		return err
	}
	return c.cache.await(ctx, object, func(cached client.Object) bool {
		return isGone(object, cached) || cached.GetDeletionTimestamp() != nil
	})
}

// Status returns the client for writing a status.
func (c cachedClient) Status() client.SubResourceWriter {
	return cachedStatus{SubResourceWriter: c.Client.Status(), client: c}
}

type cachedStatus struct {
	client.SubResourceWriter

	client cachedClient
}

// Update writes a status.
func (s cachedStatus) Update(
	ctx context.Context, object client.Object, options ...client.SubResourceUpdateOption,
) error {
	return s.client.written(ctx, object, s.SubResourceWriter.Update(ctx, object, options...))
}

// written waits until the cache has the result of a successful write. An object that is being
// deleted may be gone by then, because a manager has removed its last finalizer. A dry-run create
// leaves nothing and has no version.
func (c cachedClient) written(ctx context.Context, object client.Object, err error) error {
	if err != nil || object.GetResourceVersion() == "" {
		return err
	}
	deleting := object.GetDeletionTimestamp() != nil
	removed := deleting && len(object.GetFinalizers()) == 0
	return c.cache.await(ctx, object, func(cached client.Object) bool {
		if deleting && isGone(object, cached) {
			return true
		}
		return !removed && cached != nil && isAsNew(object, cached)
	})
}

func isGone(object, cached client.Object) bool {
	return cached == nil || object.GetUID() != "" && cached.GetUID() != object.GetUID()
}

func isAsNew(object, cached client.Object) bool {
	order, err := resourceversion.CompareResourceVersion(cached.GetResourceVersion(), object.GetResourceVersion())
	return err == nil && order >= 0
}

// DeleteAllOf does not wait for the cache.
func (cachedClient) DeleteAllOf(context.Context, client.Object, ...client.DeleteAllOfOption) error {
	return errNoSeam
}

// Apply does not wait for the cache.
func (cachedClient) Apply(context.Context, runtime.ApplyConfiguration, ...client.ApplyOption) error {
	return errNoSeam
}
