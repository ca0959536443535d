// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// The files of config/argocd/example.
const (
	projectFile     = "project.yaml"
	applicationFile = "application.yaml"
	accessFile      = "access.yaml"
)

// createApplication creates the project and the Application of the example.
func (s *site) createApplication(ctx context.Context) error {
	project, err := s.readExample(projectFile)
	if err != nil {
		return err
	}
	application, err := s.readExample(applicationFile)
	if err != nil {
		return err
	}
	if err := pruneInBackground(application); err != nil {
		return err
	}
	s.name = application.GetName()
	if err := s.cluster.Create(ctx, project); err != nil {
		return err
	}
	return s.cluster.Create(ctx, application)
}

// readExample reads a manifest of the example and replaces its repository URL with this run's.
func (s *site) readExample(name string) (*unstructured.Unstructured, error) {
	content, err := os.ReadFile(filepath.Join(s.example, name)) //nolint:gosec // the path is the user's own
	if err != nil {
		return nil, fmt.Errorf("read the example: %w", err)
	}
	object := &unstructured.Unstructured{}
	ours := strings.ReplaceAll(string(content), "https://git.example/reseller/sites", s.repository.url())
	if err := yaml.Unmarshal([]byte(ours), object); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return object, nil
}

// pruneInBackground makes Argo CD delete without a finalizer for the garbage collector, because
// this control plane has no garbage collector.
func pruneInBackground(application *unstructured.Unstructured) error {
	path := []string{"spec", "syncPolicy", "syncOptions"}
	options, _, err := unstructured.NestedStringSlice(application.Object, path...)
	if err != nil {
		return fmt.Errorf("%s: %w", applicationFile, err)
	}
	options = append(options, "PrunePropagationPolicy=background")
	if err := unstructured.SetNestedStringSlice(application.Object, options, path...); err != nil {
		return fmt.Errorf("%s: %w", applicationFile, err)
	}
	return nil
}
