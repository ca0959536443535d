// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/hack/internal/machine"
)

// installArgoCD applies Argo CD's own manifests. This control plane runs no pods, so the processes
// are started on this machine, each with its ServiceAccount.
func (s *site) installArgoCD(ctx context.Context) error {
	if err := s.writeKustomization(); err != nil {
		return err
	}
	_, err := s.RunKubectl(ctx, "apply", "--server-side", "--kustomize="+s.InState(installFolder))
	return err
}

// customize applies the configuration that docs/gitops.md describes.
func (s *site) customize(ctx context.Context) error {
	_, err := s.RunKubectl(ctx, "apply", "--server-side", "--field-manager=broadband-operator",
		"--namespace="+argocdName, "--kustomize="+s.customizations)
	return err
}

const installFolder = "install"

// writeKustomization adds the scenario's user accounts to Argo CD's manifests.
func (s *site) writeKustomization() error {
	folder := s.InState(installFolder)
	if err := os.MkdirAll(folder, machine.FolderMode); err != nil {
		return fmt.Errorf("make a folder for Argo CD's manifests: %w", err)
	}
	argocd, argocdErr := relative(folder, filepath.Join(s.argocd, "manifests", "cluster-install"))
	users, peopleErr := relative(folder, s.accounts)
	content, encodeErr := yaml.Marshal(kustomization{
		Resources: []string{namespaceFile, argocd}, Components: []string{users}, Namespace: argocdName,
	})
	own, ownErr := yaml.Marshal(namespaceNamed(argocdName))
	if err := errors.Join(argocdErr, peopleErr, encodeErr, ownErr); err != nil {
		return fmt.Errorf("put Argo CD's manifests together: %w", err)
	}
	return errors.Join(
		s.WriteFile(filepath.Join(installFolder, namespaceFile), string(own)),
		s.WriteFile(filepath.Join(installFolder, "kustomization.yaml"), string(content)))
}

// relative returns the relative path from one folder to another, without symbolic links, because
// kustomize accepts neither absolute paths nor symbolic links.
func relative(from, to string) (string, error) {
	here, fromErr := filepath.EvalSymlinks(from)
	there, toErr := filepath.EvalSymlinks(to)
	if err := errors.Join(fromErr, toErr); err != nil {
		return "", err
	}
	path, err := filepath.Rel(here, there)
	return path, err //nolint:wrapcheck // the caller adds what it was for
}

const namespaceFile = "namespace.yaml"

// kustomization contains the fields of kustomization.yaml that are used here.
type kustomization struct {
	Namespace  string   `json:"namespace"`
	Resources  []string `json:"resources"`
	Components []string `json:"components"`
}
