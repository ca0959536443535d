// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// expectNoConflict shows that Argo CD and the operator do not conflict.
func (s *site) expectNoConflict(ctx context.Context, w *watcher) error {
	for _, check := range []stepFunc{s.writesNothing, s.countSyncs, s.countGenerations} {
		if err := check(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// writesNothing fails if any object is written while Argo CD refreshes repeatedly.
func (s *site) writesNothing(ctx context.Context, w *watcher) error {
	before, beforeErr := s.versions(ctx)
	const refreshes = 3
	var refreshErr error
	for range refreshes {
		refreshErr = errors.Join(refreshErr, s.refresh(ctx, "hard"))
	}
	after, afterErr := s.versions(ctx)
	if err := errors.Join(beforeErr, refreshErr, afterErr); err != nil {
		return err
	}
	if !maps.Equal(before, after) {
		return fmt.Errorf("settled objects were written: resourceVersions %v became %v", before, after)
	}
	w.logf("seen: %d hard refreshes, and none of %d objects was written", refreshes, len(after))
	return nil
}

// versions returns the resourceVersions of all objects that are in Git.
func (s *site) versions(ctx context.Context) (map[string]string, error) {
	versions := map[string]string{}
	for _, kind := range []string{"CarrierAccount", "ServiceOrder", "BroadbandService"} {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind + "List"))
		if err := s.cluster.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return nil, err
		}
		for _, object := range list.Items {
			versions[kind+"/"+object.Name] = object.ResourceVersion
		}
	}
	return versions, nil
}

// countSyncs fails unless there was one sync for each commit and one for each reverted edit.
func (s *site) countSyncs(ctx context.Context, w *watcher) error {
	syncs, err := s.syncs(ctx)
	if err != nil {
		return err
	}
	if want := s.repository.commits + s.reverted; syncs != want {
		return fmt.Errorf("%d syncs for %d commits and %d edits outside Git", syncs, s.repository.commits, s.reverted)
	}
	a, err := s.readApplication(ctx)
	if err != nil {
		return err
	}
	if deployed := len(a.Status.History); deployed != s.repository.commits {
		return fmt.Errorf("the Application's history has %d entries for %d commits", deployed, s.repository.commits)
	}
	w.logf("seen: %d syncs: %d commits and %d reverted edit", syncs, s.repository.commits, s.reverted)
	return nil
}

// countGenerations fails unless every spec was written exactly as often as the scenario changed it,
// so that no two writers reverted each other.
func (s *site) countGenerations(ctx context.Context, w *watcher) error {
	services := &v1alpha1.BroadbandServiceList{}
	if err := s.cluster.List(ctx, services, client.InNamespace(namespace)); err != nil {
		return err
	}
	want := map[string]int64{
		changed:  1, // created again
		mistyped: 3, // created, mistyped, corrected
		costly:   4, // created, changed, edited outside Git, reverted
	}
	seen := map[string]int64{}
	for _, service := range services.Items {
		seen[service.Name] = service.Generation
	}
	if !maps.Equal(seen, want) {
		return fmt.Errorf("generations are %v, not %v", seen, want)
	}
	w.logf("seen: every spec was written as often as it was declared or edited: generations %v", seen)
	return nil
}
