// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Recorder keeps the Kubernetes Events of a world.
type Recorder struct {
	mu     sync.Mutex
	events []recorded
}

// recorded is an Event of an object.
type recorded struct {
	about                              runtime.Object
	eventtype, reason, action, message string
}

// Eventf records an Event.
//
//nolint:revive // argument-limit: the parameters are those of Kubernetes' events.EventRecorder
func (r *Recorder) Eventf(about, _ runtime.Object, eventtype, reason, action, note string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, recorded{about.DeepCopyObject(), eventtype, reason, action, fmt.Sprintf(note, args...)})
}

// All returns the Events so far, each as `Type Reason message`.
func (r *Recorder) All() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]string, 0, len(r.events))
	for _, event := range r.events {
		all = append(all, event.eventtype+" "+event.reason+" "+event.message)
	}
	return all
}

// PublishEvents makes Kubernetes' own recorder write the Events so far, and waits until they exist.
func (w *World) PublishEvents(ctx context.Context) {
	ginkgo.GinkgoHelper()
	cluster, err := kubernetes.NewForConfig(w.Plane.Config)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: cluster.EventsV1()})
	defer broadcaster.Shutdown()
	gomega.Expect(broadcaster.StartRecordingToSinkWithContext(ctx)).To(gomega.Succeed())
	kinds, objects := w.Events.replay(broadcaster.NewRecorder(w.Scheme(), "broadband-operator"))
	gomega.Eventually(ctx, func() ([]eventsv1.Event, error) {
		var there eventsv1.EventList // those of a cluster-scoped object are in another namespace
		err := w.List(ctx, &there)
		return slices.DeleteFunc(there.Items, func(event eventsv1.Event) bool {
			return !objects[client.ObjectKey{Namespace: event.Regarding.Namespace, Name: event.Regarding.Name}]
		}), err
	}).Should(gomega.HaveLen(kinds))
}

// replay makes a recorder write the Events so far. It returns their objects, and the number of
// Events that differ, because Kubernetes treats equal Events as a series.
func (r *Recorder) replay(to events.EventRecorder) (kinds int, objects map[client.ObjectKey]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	differ := map[string]bool{}
	objects = map[client.ObjectKey]bool{}
	for _, event := range r.events {
		to.Eventf(event.about, nil, event.eventtype, event.reason, event.action, "%s", event.message)
		about, is := event.about.(client.Object)
		gomega.Expect(is).To(gomega.BeTrue())
		differ[fmt.Sprintf("%s %s %s %T %s", event.eventtype, event.reason, event.action, about, about.GetName())] = true
		objects[client.ObjectKeyFromObject(about)] = true
	}
	return len(differ), objects
}
