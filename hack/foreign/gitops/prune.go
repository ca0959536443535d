// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// prune shows that an object is deleted only after a confirmation, and that its service remains
// active at the carrier.
func (s *site) prune(ctx context.Context, w *watcher) error {
	revision, err := s.push(ctx, "Remove "+changed, s.repository.remove(changed+".yaml"))
	if err != nil {
		return err
	}
	expected := expectation{text: "the sync waits for the confirmation", holds: waitsForConfirmation}
	if err := w.awaitAll(ctx, expected); err != nil {
		return err
	}
	if err := s.expectHeld(ctx); err != nil {
		return err
	}
	w.logf("%s: argocd app confirm-deletion %s", s.users.maintainer.name, s.name)
	if _, err := s.cli(ctx, s.users.maintainer, "app", "confirm-deletion", s.name); err != nil {
		return err
	}
	if err := w.awaitAll(ctx, atCommit(revision, healthy)); err != nil {
		return err
	}
	return errors.Join(s.expectDeleted(ctx), s.expectActive(ctx, w))
}

func waitsForConfirmation(a *application) bool {
	operation := a.Status.OperationState
	return operation.Phase == running && strings.HasPrefix(operation.Message, "Waiting for pruning confirmation of ")
}

// expectHeld fails unless the object exists, is not being deleted, and has no finalizer that would
// delay its deletion.
func (s *site) expectHeld(ctx context.Context) error {
	service := &v1alpha1.BroadbandService{}
	err := s.cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: changed}, service)
	switch {
	case err != nil:
		return err
	case service.DeletionTimestamp != nil:
		return errors.New("it was deleted before the confirmation")
	case len(service.Finalizers) > 0:
		return fmt.Errorf("its deletion would wait for the finalizers %v", service.Finalizers)
	default:
		return nil
	}
}

// expectDeleted fails while the object exists.
func (s *site) expectDeleted(ctx context.Context) error {
	err := s.cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: changed}, &v1alpha1.BroadbandService{})
	if err == nil {
		return errors.New("it still exists")
	}
	return client.IgnoreNotFound(err)
}

// expectActive fails unless the service is unchanged at the carrier.
func (s *site) expectActive(ctx context.Context, w *watcher) error {
	var service simulator.Service
	if err := s.ReadJournal(ctx, "services/1000001", &service); err != nil {
		return err
	}
	if service.Plan != planFast || service.Cancellation != nil {
		return fmt.Errorf("the service is not as it was at the carrier: %+v", service)
	}
	w.logf("seen: the carrier still has service %d on %s, and no cancellation of it", service.ID, service.Plan)
	return nil
}

// restore shows that the object is created again and sends no request to the carrier.
func (s *site) restore(ctx context.Context, w *watcher) error {
	_, reverted := s.repository.git(ctx, "checkout", "--quiet", "HEAD~1", "--", s.repository.path(changed+".yaml"))
	revision, err := s.push(ctx, "Restore "+changed, reverted)
	if err != nil {
		return err
	}
	return w.awaitAll(ctx, atCommit(revision, healthy))
}
