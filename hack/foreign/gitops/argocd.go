// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/broadband-operator/broadband-operator/hack/internal/machine"
)

// argocdName is the name of Argo CD's namespace and of the folder for the files it writes.
const argocdName = "argocd"

// loopback is the address on which all processes listen.
const loopback = "127.0.0.1"

// addresses are the addresses on which Argo CD's processes listen.
type addresses struct {
	redis, repoServer, repoServerMetrics, server, serverMetrics, controllerMetrics string
}

func (a *addresses) all() []*string {
	return []*string{
		&a.redis, &a.repoServer, &a.repoServerMetrics, &a.server, &a.serverMetrics, &a.controllerMetrics,
	}
}

// startRedis starts the installed redis-server, or the one built with Argo CD if none is installed.
func (s *site) startRedis(ctx context.Context) error {
	command := []string{filepath.Join(s.argocd, "redis"), "--listen=" + s.addresses.redis}
	if installed, missing := exec.LookPath("redis-server"); missing == nil {
		command = []string{
			installed, "--bind", loopback, "--port", port(s.addresses.redis), "--save", "", "--dir", s.StateDir,
		}
	}
	redis, err := s.Start(ctx, machine.Program{Name: "redis", Command: command})
	if err != nil {
		return err
	}
	return redis.AwaitListening(ctx, s.addresses.redis)
}

func (s *site) startRepoServer(ctx context.Context) error {
	for _, folder := range []string{"tmp", "plugins", "tls", "ssh"} {
		if err := os.MkdirAll(s.InState(argocdName, folder), machine.FolderMode); err != nil {
			return fmt.Errorf("make a folder for the repo server: %w", err)
		}
	}
	return s.startArgoCD(ctx, "argocd-repo-server", s.addresses.repoServerMetrics,
		"--address="+loopback, "--port="+port(s.addresses.repoServer),
		"--metrics-address="+loopback, "--metrics-port="+port(s.addresses.repoServerMetrics),
		"--disable-tls",
		"--redis="+s.addresses.redis)
}

// startServer starts Argo CD's API server, which users and their command line call.
func (s *site) startServer(ctx context.Context) error {
	return s.startArgoCD(ctx, "argocd-server", s.addresses.server,
		"--address="+loopback, "--port="+port(s.addresses.server),
		"--metrics-address="+loopback, "--metrics-port="+port(s.addresses.serverMetrics),
		"--insecure", "--namespace="+argocdName,
		"--repo-server="+s.addresses.repoServer, "--repo-server-plaintext",
		"--redis="+s.addresses.redis)
}

func (s *site) startController(ctx context.Context) error {
	return s.startArgoCD(ctx, "argocd-application-controller", s.addresses.controllerMetrics,
		// The controller compares right after a sync, sometimes before its watch has delivered the synced
		// objects. Without a delay it would then repeat the same sync immediately.
		"--self-heal-backoff-timeout-seconds=0", "--self-heal-timeout-seconds=5",
		"--metrics-port="+port(s.addresses.controllerMetrics),
		"--namespace="+argocdName,
		"--repo-server="+s.addresses.repoServer, "--repo-server-plaintext",
		"--redis="+s.addresses.redis)
}

// startArgoCD starts a component of Argo CD with its own ServiceAccount, and waits until its health
// endpoint responds.
func (s *site) startArgoCD(ctx context.Context, name, health string, flags ...string) error {
	identity, err := s.ServiceAccount(ctx, argocdName, name)
	if err != nil {
		return err
	}
	process, err := s.Start(ctx, machine.Program{
		Name:        name,
		Command:     append([]string{filepath.Join(s.argocd, name)}, flags...),
		Environment: append(s.argocdEnvironment(), "KUBECONFIG="+identity.Path, "ARGOCD_FAKE_IN_CLUSTER=true"),
	})
	if err != nil {
		return err
	}
	return process.Await(ctx, &http.Client{}, "http://"+health+"/healthz")
}

// argocdEnvironment makes Argo CD write all its files into the state folder, and keeps it from
// reading the user's own configuration.
func (s *site) argocdEnvironment() []string {
	return []string{
		"HOME=" + s.InState(argocdName), "XDG_CONFIG_HOME=" + s.InState(argocdName),
		"TMPDIR=" + s.InState(argocdName, "tmp"),
		"ARGOCD_TLS_DATA_PATH=" + s.InState(argocdName, "tls"),
		"ARGOCD_SSH_DATA_PATH=" + s.InState(argocdName, "ssh"),
		"ARGOCD_PLUGINSOCKFILEPATH=" + s.InState(argocdName, "plugins"),
		"ARGOCD_ASK_PASS_SOCK=" + s.InState(argocdName, "ask.sock"),
		"ARGOCD_GPG_ENABLED=false", // no gpg is needed, and no keys are created
	}
}

func port(address string) string { return strings.TrimPrefix(address, loopback+":") }
