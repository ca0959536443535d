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
	return w.sees(ctx, atCommit(revision, suspended))
}

// presume shows that Argo CD denies the approval to a user with read-only access.
func (s *site) presume(ctx context.Context, w *watcher) error {
	return s.isDenied(ctx, w, s.people.viewer, "permission denied")
}

// lack shows that the API server denies every approval as long as Argo CD's server is not allowed
// to approve.
func (s *site) lack(ctx context.Context, w *watcher) error {
	return s.isDenied(ctx, w, s.people.approver, "ValidatingAdmissionPolicy 'broadband-operator-approval'")
}

// isDenied fails unless the approval is denied with the given reason.
func (s *site) isDenied(ctx context.Context, w *watcher, who *person, reason string) error {
	denied := s.runApprove(ctx, w, who)
	if denied == nil {
		return errors.New("it was approved")
	}
	if !strings.Contains(denied.Error(), reason) {
		return denied
	}
	w.sayf("seen: %s", reason)
	return w.sees(ctx, atCommit(s.repository.head, suspended))
}

// agree shows that the request is sent after an approver has run the action.
func (s *site) agree(ctx context.Context, w *watcher) error {
	if _, err := s.RunKubectl(ctx, "apply", "--filename="+filepath.Join(s.example, accessFile)); err != nil {
		return err
	}
	offered, err := s.cli(ctx, s.people.approver, "app", "actions", "list", s.name,
		"--kind=BroadbandService", "--resource-name="+costly)
	if err != nil {
		return err
	}
	w.sayf("the actions that it has:\n%s", strings.TrimSpace(offered))
	if err := s.runApprove(ctx, w, s.people.approver); err != nil {
		return err
	}
	return w.sees(ctx, atCommit(s.repository.head, progressing), atCommit(s.repository.head, healthy))
}

// runApprove runs the action approve on the service that requires approval. It calls the API as
// Argo CD's web UI does, because Argo CD's command line cannot pass parameters to actions.
func (s *site) runApprove(ctx context.Context, w *watcher, as *person) error {
	service := &v1alpha1.BroadbandService{}
	if err := s.cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: costly}, service); err != nil {
		return err
	}
	if service.Status.Pending == nil {
		return fmt.Errorf("nothing of %s waits for approval", costly)
	}
	hash := service.Status.Pending.Hash
	w.sayf("%s: action approve of BroadbandService/%s, with the parameter hash=%s", as.name, costly, hash)
	return s.act(ctx, as, action{
		Namespace: namespace, ResourceName: costly, Group: v1alpha1.GroupVersion.Group,
		Version: v1alpha1.GroupVersion.Version, Kind: "BroadbandService", Action: "approve",
		Parameters: []actionParameter{{Name: "hash", Value: hash}},
	})
}
