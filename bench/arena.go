// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/broadband-operator/broadband-operator/test/world"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// arena is a control plane with an audit log, on which the contestants of one scenario run one after
// the other.
type arena struct {
	settings

	folder  string // of logs, credentials and the audit log
	plane   *world.ControlPlane
	audit   *world.Audit
	cluster client.WithWatch
	lanes   int // so far
}

// newArena starts a control plane. Each contestant is a user of its own, with the operator's roles.
func newArena(ctx context.Context, of settings, scenario string) (*arena, error) {
	folder := filepath.Join(of.state, scenario)
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o700)); err != nil {
		return nil, fmt.Errorf("make the folder of a scenario: %w", err)
	}
	plane, audit, err := world.StartAudited(ctx, folder, product)
	if err != nil {
		return nil, err
	}
	a := &arena{settings: of, folder: folder, plane: plane, audit: audit}
	err = errors.Join(plane.GrantRoles(ctx, naiveName), plane.GrantRoles(ctx, limitName))
	for _, user := range []string{product, naiveName, limitName} {
		err = errors.Join(err, a.writeKubeconfig(user))
	}
	var watchErr error
	a.cluster, watchErr = client.NewWithWatch(plane.Config, client.Options{Scheme: plane.Scheme})
	if err = errors.Join(err, watchErr); err != nil {
		return nil, errors.Join(err, plane.Stop())
	}
	return a, nil
}

func (a *arena) writeKubeconfig(user string) error {
	credentials, err := a.plane.AddUser(user)
	if err != nil {
		return err
	}
	return world.WriteKubeconfig(a.kubeconfig(user), credentials)
}

func (a *arena) kubeconfig(user string) string { return filepath.Join(a.folder, user+".kubeconfig") }

// writeSettings writes what a process is started with, and returns the file.
func (a *arena) writeSettings(name string, with any) (string, error) {
	file := filepath.Join(a.folder, name+".json")
	content, err := json.Marshal(with)
	if err == nil {
		err = os.WriteFile(file, content, 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("write %s: %w", file, err)
	}
	return file, nil
}

// run measures one scenario, once for each contestant.
func (a *arena) run(ctx context.Context, of scenario) ([]result, error) {
	var results []result
	for _, contestant := range of.contestants {
		measured, err := a.measure(ctx, of, contestant)
		if err != nil {
			return nil, fmt.Errorf("scenario %s, %s: %w", of.Name, contestant, err)
		}
		results = append(results, measured)
	}
	return results, nil
}

func (a *arena) measure(ctx context.Context, of scenario, contestant string) (result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := newLane(a, of, contestant)
	err := l.prepare(ctx)
	if err == nil {
		err = of.drive(l, ctx)
	}
	return l.result, errors.Join(err, l.stop())
}
