// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
)

// sharedFolder is the environment variable with the folder of a control plane that was started for
// all packages, by hack/check/test.sh. Without it each package starts its own.
const sharedFolder = "TEST_CONTROLPLANE"

const sharedKubeconfig = "kubeconfig"

// StartSharedControlPlane starts a control plane that test packages can join, and returns the
// environment variable for them.
func StartSharedControlPlane(ctx context.Context, folder string) (plane *ControlPlane, variable string, err error) {
	audit, err := NewAudit(folder)
	if err != nil {
		return nil, "", err
	}
	plane, err = StartControlPlane(ctx, audit.Flags()...)
	if err != nil {
		return nil, "", err
	}
	if err = WriteKubeconfig(filepath.Join(folder, sharedKubeconfig), plane.Config); err != nil {
		return nil, "", errors.Join(fmt.Errorf("write the kubeconfig: %w", err), plane.Stop())
	}
	return plane, sharedFolder + "=" + folder, nil
}

// JoinControlPlane returns the control plane of all packages, or starts one for this package.
func JoinControlPlane(ctx context.Context) (*ControlPlane, error) {
	folder := os.Getenv(sharedFolder)
	if folder == "" {
		return StartControlPlane(ctx)
	}
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(folder, sharedKubeconfig))
	if err != nil {
		return nil, fmt.Errorf("read how to reach the shared control plane: %w", err)
	}
	return connect(config)
}

// JoinAudited does the same as StartAudited for the control plane of all packages. No other package
// may use the user.
func JoinAudited(ctx context.Context, folder, user string) (*ControlPlane, *Audit, error) {
	shared := os.Getenv(sharedFolder)
	if shared == "" {
		return StartAudited(ctx, folder, user)
	}
	plane, err := JoinControlPlane(ctx)
	if err != nil {
		return nil, nil, err
	}
	err = plane.useRoles(ctx, user)
	return plane, auditIn(shared), err
}
