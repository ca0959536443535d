// SPDX-License-Identifier: Apache-2.0

package world

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
)

// Kubectl runs kubectl as an administrator, and returns what it printed.
func (c *ControlPlane) Kubectl(arguments ...string) (string, error) {
	administrator, err := c.AddUser("administrator", "system:masters")
	if err != nil {
		return "", err
	}
	kubectl, err := administrator.Kubectl()
	if err != nil {
		return "", fmt.Errorf("prepare kubectl: %w", err)
	}
	assets := cmp.Or(os.Getenv("KUBEBUILDER_ASSETS"), builtAssets())
	kubectl.Path = cmp.Or(os.Getenv("KUBECTL"), filepath.Join(assets, "kubectl"))
	stdout, stderr, err := kubectl.Run(arguments...)
	var printed, complaint bytes.Buffer
	if _, readErr := printed.ReadFrom(stdout); readErr != nil {
		return "", readErr
	}
	if _, readErr := complaint.ReadFrom(stderr); readErr != nil {
		return "", readErr
	}
	if err != nil {
		return "", fmt.Errorf("kubectl %v: %w: %s", arguments, err, complaint.String())
	}
	return printed.String(), nil
}
