// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// declareCost shows that no chargeable request is sent before someone approves it.
func (s *site) declareCost(ctx context.Context, w *watcher) error {
	revision, err := s.setPlan(ctx, costly, planSlow, planFaster)
	if err != nil {
		return err
	}
	return w.awaitAll(ctx, atCommit(revision, suspended))
}

// approveAsViewer shows that Argo CD denies the approval to a user with read-only access.
func (s *site) approveAsViewer(ctx context.Context, w *watcher) error {
	return s.expectDenied(ctx, w, s.users.viewer, "permission denied")
}

// approveWithoutRight shows that the API server denies every approval as long as Argo CD's server
// is not allowed to approve.
func (s *site) approveWithoutRight(ctx context.Context, w *watcher) error {
	return s.expectDenied(ctx, w, s.users.approver, "ValidatingAdmissionPolicy 'broadband-operator-approval'")
}

// expectDenied fails unless the approval is denied with the given reason.
func (s *site) expectDenied(ctx context.Context, w *watcher, who *user, reason string) error {
	denied := s.runApprove(ctx, w, who)
	if denied == nil {
		return errors.New("it was approved")
	}
	if !strings.Contains(denied.Error(), reason) {
		return denied
	}
	w.logf("seen: %s", reason)
	return w.awaitAll(ctx, atCommit(s.repository.head, suspended))
}

// approve shows that the request is sent after an approver has run the action.
func (s *site) approve(ctx context.Context, w *watcher) error {
	if _, err := s.RunKubectl(ctx, "apply", "--filename="+filepath.Join(s.example, accessFile)); err != nil {
		return err
	}
	offered, err := s.cli(ctx, s.users.approver, "app", "actions", "list", s.name,
		"--kind=BroadbandService", "--resource-name="+costly)
	if err != nil {
		return err
	}
	w.logf("its actions:\n%s", strings.TrimSpace(offered))
	if err := s.runApprove(ctx, w, s.users.approver); err != nil {
		return err
	}
	return w.awaitAll(ctx, atCommit(s.repository.head, progressing), atCommit(s.repository.head, healthy))
}

// runApprove runs the action approve on the service that requires approval. It calls the API as
// Argo CD's web UI does, because Argo CD's command line cannot pass parameters to actions.
func (s *site) runApprove(ctx context.Context, w *watcher, as *user) error {
	service := &v1alpha1.BroadbandService{}
	if err := s.cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: costly}, service); err != nil {
		return err
	}
	if service.Status.Pending == nil {
		return fmt.Errorf("nothing of %s waits for approval", costly)
	}
	hash := service.Status.Pending.Hash
	w.logf("%s: action approve of BroadbandService/%s, with the parameter hash=%s", as.name, costly, hash)
	return s.runAction(ctx, as, action{
		Namespace: namespace, ResourceName: costly, Group: v1alpha1.GroupVersion.Group,
		Version: v1alpha1.GroupVersion.Version, Kind: "BroadbandService", Action: "approve",
		Parameters: []actionParameter{{Name: "hash", Value: hash}},
	})
}
