// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// goal is a generation of a service, which is to become ready.
type goal struct {
	name       string
	generation int64
}

// watcher notes when each service becomes ready. It is a client of its own, and reads no metrics of
// the contestant.
type watcher struct {
	mu      sync.Mutex
	ready   map[goal]time.Time
	reasons map[string]string // why a service is not ready, by name
	ended   chan error        // receives the failure of the watch
}

// newWatcher watches the services of a namespace until the context ends.
func newWatcher(ctx context.Context, cluster client.WithWatch, namespace string) *watcher {
	w := &watcher{ready: map[goal]time.Time{}, reasons: map[string]string{}, ended: make(chan error, 1)}
	go func() { w.ended <- follow(ctx, cluster, namespace, w.note) }()
	return w
}

// follow calls a function for each version of the services of a namespace until the context ends. An
// API server ends a watch whose client is slow, so another one begins, with the newest versions.
func follow(
	ctx context.Context, cluster client.WithWatch, namespace string, note func(*v1alpha1.BroadbandService),
) error {
	for ctx.Err() == nil {
		seen, err := cluster.Watch(ctx, &v1alpha1.BroadbandServiceList{}, client.InNamespace(namespace))
		if err != nil {
			return err
		}
		for event := range seen.ResultChan() {
			if service, is := event.Object.(*v1alpha1.BroadbandService); is {
				note(service)
			}
		}
		seen.Stop()
	}
	return nil
}

func (w *watcher) note(service *v1alpha1.BroadbandService) {
	at := goal{service.Name, service.Generation}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !isReady(service) {
		w.reasons[service.Name] = fmt.Sprintf("%+v", service.Status.Conditions)
		return
	}
	delete(w.reasons, service.Name)
	if _, known := w.ready[at]; !known {
		w.ready[at] = now()
	}
}

// missing returns how many goals are not reached, and what one of their services shows.
func (w *watcher) missing(goals []goal) (count int, shown string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range goals {
		if _, reached := w.ready[one]; !reached {
			count++
			shown = one.name + ": " + w.reasons[one.name]
		}
	}
	return count, shown
}

// readyAt returns when a goal was reached.
func (w *watcher) readyAt(one goal) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ready[one]
}

// await waits until all goals are reached. It fails if none is reached for a long time.
func (w *watcher) await(ctx context.Context, goals []goal, alive func() error) error {
	const often, stuck = 100 * time.Millisecond, 8 * time.Minute
	last, gained := len(goals)+1, now()
	for {
		count, shown := w.missing(goals)
		if count == 0 {
			return nil
		}
		if count < last {
			last, gained = count, now()
		}
		if now().Sub(gained) > stuck {
			return fmt.Errorf("%d of %d services are not ready, none in the last %s: %s", count, len(goals), stuck, shown)
		}
		if err := errors.Join(w.running(), alive()); err != nil {
			return err
		}
		if err := pause(ctx, often); err != nil {
			return err
		}
	}
}

// running fails if the watch has ended.
func (w *watcher) running() error {
	select {
	case err := <-w.ended:
		return errors.Join(err, errors.New("the watch of the services has ended"))
	default:
		return nil
	}
}
