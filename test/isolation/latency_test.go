// SPDX-License-Identifier: Apache-2.0

package isolation_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// expectation is an object that has to become Ready at a generation.
type expectation struct {
	name       string
	generation int64
}

// readyWatcher waits for objects to be Ready.
type readyWatcher struct {
	mu      sync.Mutex
	waiting map[expectation]chan time.Time
}

// watchServices starts to watch a namespace.
func watchServices(ctx context.Context, w *world.World) *readyWatcher {
	GinkgoHelper()
	watched, err := cache.New(plane.Config, cache.Options{
		Scheme: plane.Scheme, DefaultNamespaces: map[string]cache.Config{w.Namespace: {}},
	})
	Expect(err).NotTo(HaveOccurred())
	informer, err := watched.GetInformer(ctx, &v1alpha1.BroadbandService{}, cache.BlockUntilSynced(false))
	Expect(err).NotTo(HaveOccurred())
	o := &readyWatcher{waiting: map[expectation]chan time.Time{}}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{UpdateFunc: func(_, now any) { o.notify(now) }})
	Expect(err).NotTo(HaveOccurred())
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- watched.Start(ctx) }()
	DeferCleanup(func() { stop(); Eventually(ended).Should(Receive(Succeed())) })
	Expect(watched.WaitForCacheSync(ctx)).To(BeTrue())
	return o
}

func (o *readyWatcher) notify(object any) {
	service, isService := object.(*v1alpha1.BroadbandService)
	if !isService || world.Ready(service).Status != metav1.ConditionTrue {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	wanted := expectation{service.Name, world.Ready(service).ObservedGeneration}
	if notified := o.waiting[wanted]; notified != nil {
		notified <- realTime()
		delete(o.waiting, wanted)
	}
}

func (o *readyWatcher) await(wanted expectation) <-chan time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	notified := make(chan time.Time, 1)
	o.waiting[wanted] = notified
	return notified
}

// longest is longer than any wait, even on a slow machine.
const longest = 10 * time.Minute

// measure edits all services of a tenant at once, and keeps how long each took from the edit to
// Ready=True, the shortest first. An edit creates the generation.
func (t *tenant) measure(ctx context.Context, edit edit) {
	GinkgoHelper()
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	t.durations, t.edited = make([]time.Duration, len(t.services)), make([]time.Time, len(t.services))
	var group sync.WaitGroup
	for i := range t.services {
		group.Go(func() {
			defer GinkgoRecover()
			t.durations[i], t.edited[i] = t.watcher.time(ctx, t.world, t.services[i], edit)
		})
	}
	group.Wait()
	slices.Sort(t.durations)
}

// edit is a patch of a spec, and the generation that it creates.
type edit struct {
	patch      string
	generation int64
}

// time measures one edit. It returns how long it took, and when the API server had accepted it.
func (o *readyWatcher) time(
	ctx context.Context, w *world.World, name string, edit edit,
) (took time.Duration, edited time.Time) {
	GinkgoHelper()
	notified, began := o.await(expectation{name, edit.generation}), realTime()
	service := &v1alpha1.BroadbandService{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name}}
	// With five hundred patches at once an API server may drop one of them. Repeating it has the same
	// result.
	Eventually(ctx, func() error {
		return w.Patch(ctx, service, client.RawPatch(types.MergePatchType, []byte(edit.patch)))
	}).WithTimeout(longest).Should(Succeed())
	edited = realTime()
	select {
	case at := <-notified:
		return at.Sub(began), edited
	case <-ctx.Done():
		Fail(describe(context.WithoutCancel(ctx), w, name))
		return 0, edited
	}
}

// describe says what the status of a service shows.
func describe(ctx context.Context, w *world.World, name string) string {
	GinkgoHelper()
	service := w.Read(ctx, name)
	return fmt.Sprintf("%s at generation %d: %+v", name, service.Generation, service.Status)
}

// percentile returns the duration that the given percentage of the durations does not exceed.
func percentile(durations []time.Duration, percent int) time.Duration {
	return durations[(len(durations)*percent+99)/100-1]
}
