// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"bytes"
	"context"
	"fmt"

	"sigs.k8s.io/yaml"
)

// RunKubectl runs kubectl as the administrator and returns its output.
func (m *Machine) RunKubectl(ctx context.Context, args ...string) (string, error) {
	return m.Finish(ctx, Program{Command: append([]string{m.Kubectl}, args...)})
}

// Apply applies manifests.
func (m *Machine) Apply(ctx context.Context, manifests string) error {
	_, err := m.Finish(ctx, Program{Command: []string{m.Kubectl, "apply", "--filename=-"}, Input: manifests})
	return err
}

// Manifests encodes objects as one file.
func Manifests[T any](objects []T) (string, error) {
	var all bytes.Buffer
	for _, object := range objects {
		content, err := yaml.Marshal(object)
		if err != nil {
			return "", fmt.Errorf("encode a manifest: %w", err)
		}
		all.WriteString("---\n")
		all.Write(content)
	}
	return all.String(), nil
}
