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

// sharedFolder is the variable with the folder of a control plane that hack/test.sh has started for
// all packages that want one. Without it each starts its own.
const sharedFolder = "TEST_CONTROLPLANE"

const sharedKubeconfig = "kubeconfig"

// StartSharedControlPlane starts a control plane that packages of tests can join, and returns the
// variable of the environment that tells them.
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

// JoinControlPlane is the control plane that is there for all packages, or one for this package alone.
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

// JoinAudited is StartAudited for the control plane that is there for all packages: the user must be
// this package's alone.
func JoinAudited(ctx context.Context, folder, user string) (*ControlPlane, *Audit, error) {
	shared := os.Getenv(sharedFolder)
	if shared == "" {
		return StartAudited(ctx, folder, user)
	}
	plane, err := JoinControlPlane(ctx)
	if err != nil {
		return nil, nil, err
	}
	err = plane.employ(ctx, user)
	return plane, auditIn(shared), err
}
