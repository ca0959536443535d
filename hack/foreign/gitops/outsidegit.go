// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// editOutsideGit shows that Argo CD reverts a manual edit, and that the edit cost nothing because
// the service requires approval.
func (s *site) editOutsideGit(ctx context.Context, w *watcher) error {
	before, err := s.syncs(ctx)
	if err != nil {
		return err
	}
	if err := s.editPlan(ctx, w, planFaster, planDearest); err != nil {
		return err
	}
	s.reverted++
	if err := s.waitFor(ctx, "the edit is reverted", s.moreSyncs(before)); err != nil {
		return err
	}
	if err := w.awaitAll(ctx, atCommit(s.repository.head, healthy)); err != nil {
		return err
	}
	if _, err := s.onPlan(ctx, planFaster); err != nil {
		return err
	}
	w.logf("seen: one more sync, and the plan is %s", planFaster)
	return nil
}

// editPlan changes the plan as a user with kubectl edit would.
func (s *site) editPlan(ctx context.Context, w *watcher, from, to string) error {
	service, err := s.onPlan(ctx, from)
	if err != nil {
		return err
	}
	edited := service.DeepCopy()
	edited.Spec.Plan.Name = to
	w.logf("kubectl edit: %s -> %s", from, to)
	return s.cluster.Patch(ctx, edited, client.MergeFrom(service))
}

// onPlan returns the service that requires approval, and fails if it does not declare that plan.
func (s *site) onPlan(ctx context.Context, plan string) (*v1alpha1.BroadbandService, error) {
	service := &v1alpha1.BroadbandService{}
	if err := s.cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: costly}, service); err != nil {
		return nil, err
	}
	if service.Spec.Plan.Name != plan {
		return nil, fmt.Errorf("%s declares %s, not %s", costly, service.Spec.Plan.Name, plan)
	}
	return service, nil
}
