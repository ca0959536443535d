// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// written are the services that a manager has written, with their newest versions.
type written struct {
	mu     sync.Mutex
	newest map[client.ObjectKey]*v1alpha1.BroadbandService
}

// newClient creates the client of a manager and records its writes.
func (w *written) newClient(cluster *rest.Config, options client.Options) (client.Client, error) {
	direct, err := client.NewWithWatch(cluster, options)
	if err != nil {
		return nil, err
	}
	return interceptor.NewClient(direct, interceptor.Funcs{
		Patch: func(
			ctx context.Context, to client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption,
		) error {
			return w.note(object, to.Patch(ctx, object, patch, options...))
		},
		SubResourceUpdate: func(
			ctx context.Context, to client.Client, name string, object client.Object, options ...client.SubResourceUpdateOption,
		) error {
			return w.note(object, to.SubResource(name).Update(ctx, object, options...))
		},
	}), nil
}

func (w *written) note(object client.Object, err error) error {
	service, isService := object.(*v1alpha1.BroadbandService)
	if err != nil || !isService {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	version := &v1alpha1.BroadbandService{}
	version.ResourceVersion = service.ResourceVersion
	w.newest[client.ObjectKeyFromObject(service)] = version
	return nil
}

// unseen counts the written services that a cache shows in an older version.
func (w *written) unseen(ctx context.Context, cache client.Reader) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, version := range w.newest {
		cached := &v1alpha1.BroadbandService{}
		if err := cache.Get(ctx, key, cached); err != nil {
			return 0, err
		}
		if isAsNew(version, cached) {
			delete(w.newest, key)
		}
	}
	return len(w.newest), nil
}

// counting counts the responses to write calls, whatever their status.
type counting struct {
	writes  *atomic.Int64
	patient bool // whether reads of one object may take any time
	next    http.RoundTripper
}

// RoundTrip makes one call. The last reads before a POST have three seconds of real time each. If the
// test moves the clock, a read may take longer, so that a busy machine does not change the outcome.
func (c counting) RoundTrip(call *http.Request) (*http.Response, error) {
	if c.patient && call.Method == http.MethodGet && call.URL.RawQuery == "" {
		call = call.WithContext(context.WithoutCancel(call.Context()))
	}
	response, err := c.next.RoundTrip(call)
	if err == nil && call.Method != http.MethodGet {
		c.writes.Add(1)
	}
	return response, err
}
