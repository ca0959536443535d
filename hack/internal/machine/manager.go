// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
)

// Install installs the operator as a user would on their own cluster, and waits until the API
// server serves the operator's kinds, because the manager does not start without them.
func (m *Machine) Install(ctx context.Context) error {
	if _, err := m.Finish(ctx, Program{Command: []string{"make", "--no-print-directory", "install"}}); err != nil {
		return err
	}
	_, err := m.RunKubectl(ctx, "wait", "--for=condition=Established", "--timeout=1m", "crd",
		"--selector=app.kubernetes.io/part-of=broadband-operator")
	return err
}

// Metrics returns the metrics of the manager. It has to be started with --metrics-secure=false.
func (m *Machine) Metrics(ctx context.Context) (string, error) {
	var page strings.Builder
	err := Get(ctx, "http://"+m.Addresses.managerMetrics+"/metrics", func(response io.Reader) error {
		_, err := io.Copy(&page, response)
		return err //nolint:wrapcheck // Get says what it reads
	})
	return page.String(), err
}

const operatorNamespace = "broadband-operator"

// ManagerName is the name of the manager's process.
const ManagerName = "manager"

// ManagerPIDFile is the file with the manager's process ID, in the state folder.
const ManagerPIDFile = "manager.pid"

// StartManager starts the manager with its own ServiceAccount.
func (m *Machine) StartManager(ctx context.Context, flags ...string) error {
	identity, err := m.ServiceAccount(ctx, operatorNamespace, "broadband-operator-manager")
	if err != nil {
		return err
	}
	manager, err := m.Start(ctx, Program{Name: ManagerName, Command: append([]string{
		filepath.Join(m.BinDir, "manager"),
		"--kubeconfig=" + identity.Path,
		"--operator-namespace=" + operatorNamespace,
		"--allow-insecure-carrier",
		"--leader-elect=false",
		"--metrics-bind-address=" + m.Addresses.managerMetrics,
		"--health-probe-bind-address=" + m.Addresses.managerHealth,
	}, flags...)})
	if err != nil {
		return err
	}
	return errors.Join(
		m.WriteFile(ManagerPIDFile, strconv.Itoa(manager.cmd.Process.Pid)+"\n"),
		manager.Await(ctx, &http.Client{}, "http://"+m.Addresses.managerHealth+"/readyz"))
}
