// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
)

// sharedCache is an informer cache of all our kinds, with a signal for changes.
type sharedCache struct {
	cache.Cache

	scheme  *runtime.Scheme
	mu      sync.Mutex
	changed chan struct{} // closed at the next change
}

// startCache fills a cache with the controllers' own indexes. The returned function stops it.
func startCache(ctx context.Context, plane *ControlPlane) (started *sharedCache, stop func() error, err error) {
	informers, err := cache.New(plane.Config, cache.Options{Scheme: plane.Scheme})
	if err != nil {
		return nil, nil, fmt.Errorf("create the cache: %w", err)
	}
	c := &sharedCache{Cache: informers, scheme: plane.Scheme, changed: make(chan struct{})}
	err = errors.Join(index.Fields(ctx, c), c.watchAll(ctx))
	if err != nil {
		return nil, nil, err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- c.Start(running) }()
	stop = func() error { cancel(); return <-ended }
	if !c.WaitForCacheSync(ctx) {
		return nil, nil, errors.Join(errors.New("the cache was not filled"), stop())
	}
	return c, stop, nil
}

// watchAll caches the objects of each kind in both forms.
func (c *sharedCache) watchAll(ctx context.Context) error {
	signal := toolscache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { c.signal() }, UpdateFunc: func(any, any) { c.signal() }, DeleteFunc: func(any) { c.signal() },
	}
	for kind := range c.scheme.KnownTypes(v1alpha1.GroupVersion) {
		for _, form := range c.forms(v1alpha1.GroupVersion.WithKind(kind)) {
			informer, err := c.GetInformer(ctx, form, cache.BlockUntilSynced(false))
			if err != nil {
				return fmt.Errorf("watch %s: %w", kind, err)
			}
			if _, err = informer.AddEventHandler(signal); err != nil {
				return fmt.Errorf("watch %s: %w", kind, err)
			}
		}
	}
	return nil
}

// forms returns empty objects of a kind: as our type, and as any other client sees it. A type that
// is not an object, such as a list, has none.
func (c *sharedCache) forms(kind schema.GroupVersionKind) []client.Object {
	empty, err := c.scheme.New(kind)
	typed, isObject := empty.(client.Object)
	if err != nil || !isObject {
		return nil
	}
	untyped := &unstructured.Unstructured{}
	untyped.SetGroupVersionKind(kind)
	return []client.Object{typed, untyped}
}

func (c *sharedCache) signal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *sharedCache) nextChange() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// kindOf returns the kind of an object or a list, and whether the cache keeps it.
func (c *sharedCache) kindOf(object runtime.Object) (kind schema.GroupVersionKind, kept bool) {
	kind, err := apiutil.GVKForObject(object, c.scheme)
	return kind, err == nil && kind.GroupVersion() == v1alpha1.GroupVersion
}

// await waits until both forms of an object are as expected; nil means the object does not exist.
func (c *sharedCache) await(ctx context.Context, object client.Object, reached func(client.Object) bool) error {
	const atMost = 30 * time.Second
	kind, kept := c.kindOf(object)
	if !kept {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), atMost)
	defer cancel()
	for _, form := range c.forms(kind) {
		if err := c.awaitForm(ctx, client.ObjectKeyFromObject(object), form, reached); err != nil {
			return fmt.Errorf("wait for the cache to have %s %s as it was written: %w", kind.Kind, object.GetName(), err)
		}
	}
	return nil
}

func (c *sharedCache) awaitForm(
	ctx context.Context, key client.ObjectKey, form client.Object, reached func(client.Object) bool,
) error {
	for {
		change, cached := c.nextChange(), form
		err := c.Get(ctx, key, form)
		if apierrors.IsNotFound(err) {
			cached, err = nil, nil
		}
		if err != nil || reached(cached) {
			return err
		}
		select {
		case <-change:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
