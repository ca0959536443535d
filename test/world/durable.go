// SPDX-License-Identifier: Apache-2.0

package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Durable is a control plane whose processes can be killed and restarted: its data is in a folder
// that outlives them.
type Durable struct {
	*ControlPlane

	folder string
}

const (
	etcdProgram      = "etcd"
	apiServerProgram = "kube-apiserver"
)

// StartDurable starts a durable control plane in a folder.
func StartDurable(ctx context.Context, folder string) (*Durable, error) {
	env := &envtest.Environment{}
	data, certificates := filepath.Join(folder, "data"), filepath.Join(folder, "certificates")
	etcd, etcdErr := withPIDFile(folder, etcdProgram)
	server, serverErr := withPIDFile(folder, apiServerProgram)
	err := errors.Join(etcdErr, serverErr, os.Mkdir(data, 0o700), os.Mkdir(certificates, 0o700))
	if err != nil {
		return nil, err
	}
	env.ControlPlane.Etcd = &envtest.Etcd{Path: etcd, DataDir: data}
	env.ControlPlane.APIServer = &envtest.APIServer{Path: server, CertDir: certificates}
	plane, err := startWithCRDs(ctx, env)
	if err != nil {
		return nil, err
	}
	return &Durable{ControlPlane: plane, folder: folder}, nil
}

// withPIDFile writes a script that becomes a program of the control plane and records its process
// id, which envtest does not expose.
func withPIDFile(folder, program string) (string, error) {
	itself := filepath.Join(cmp.Or(os.Getenv("KUBEBUILDER_ASSETS"), builtAssets()), program)
	script := fmt.Sprintf("#!/bin/sh\necho $$ >'%s'\nexec '%s' \"$@\"\n", pidFile(folder, program), itself)
	path := filepath.Join(folder, program)
	return path, os.WriteFile(path, []byte(script), 0o700) //nolint:gosec // it is to be run
}

func pidFile(folder, program string) string { return filepath.Join(folder, program+".pid") }

// KillAPIServer kills the API server with SIGKILL and restarts it.
func (d *Durable) KillAPIServer(ctx context.Context) error {
	if err := d.kill(ctx, apiServerProgram); err != nil {
		return err
	}
	return d.env.ControlPlane.GetAPIServer().Start()
}

// KillEtcd kills etcd with SIGKILL and restarts it while the API server keeps running.
func (d *Durable) KillEtcd(ctx context.Context) error {
	if err := d.kill(ctx, etcdProgram); err != nil {
		return err
	}
	return d.env.ControlPlane.Etcd.Start()
}

// kill ends a process, and waits until it is gone.
func (d *Durable) kill(ctx context.Context, program string) error {
	const (
		often  = 10 * time.Millisecond
		atMost = time.Minute
	)
	process, err := d.process(program)
	if err != nil {
		return err
	}
	if err := process.Kill(); err != nil {
		return fmt.Errorf("kill %s: %w", program, err)
	}
	return wait.PollUntilContextTimeout(ctx, often, atMost, true, func(context.Context) (bool, error) {
		return errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone), nil
	})
}

// process returns the current process of a program.
func (d *Durable) process(program string) (*os.Process, error) {
	text, err := os.ReadFile(pidFile(d.folder, program))
	if err != nil {
		return nil, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("read the process id of %s: %w", program, err)
	}
	return os.FindProcess(pid)
}
