// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
)

// install does what a user does on a cluster of their own.
func (d *demo) install(ctx context.Context) error {
	_, err := d.finish(ctx, "make", "--no-print-directory", "install")
	return err
}

const (
	operatorNamespace = "broadband-operator"
	managerName       = "manager"
	managerPIDFile    = "manager.pid"
)

// managerIdentity is the ServiceAccount that config/rbac gives the manager, so that a right
// it lacks is seen here.
func (d *demo) managerIdentity(ctx context.Context) (kubeconfig, error) {
	token, err := d.finish(ctx, d.kubectl, "create", "token", "broadband-operator-manager",
		"--namespace="+operatorNamespace, "--duration=720h")
	if err != nil {
		return kubeconfig{}, err
	}
	identity := d.admin
	identity.path, identity.user = d.inState("manager.kubeconfig"), managerName
	identity.token = strings.TrimSpace(token)
	return identity, identity.write()
}

func (d *demo) startManager(ctx context.Context) error {
	identity, err := d.managerIdentity(ctx)
	if err != nil {
		return err
	}
	manager, err := d.start(ctx, managerName, filepath.Join(d.binDir, "manager"),
		"--kubeconfig="+identity.path,
		"--operator-namespace="+operatorNamespace,
		"--allow-insecure-carrier",
		"--leader-elect=false",
		"--events-bind-address="+d.addresses.managerEvents,
		"--events-cert-dir="+d.inState(eventsFolder),
		"--metrics-bind-address="+d.addresses.managerMetrics,
		"--health-probe-bind-address="+d.addresses.managerHealth)
	if err != nil {
		return err
	}
	return errors.Join(
		d.writeFile(managerPIDFile, strconv.Itoa(manager.cmd.Process.Pid)+"\n"),
		manager.await(ctx, &http.Client{}, "http://"+d.addresses.managerHealth+"/readyz"))
}
