// SPDX-License-Identifier: Apache-2.0

// Gitops is an end-to-end test that manages services from Git with the real Argo CD: a Git
// repository, Argo CD's controller, repo server and API server, the manager, the simulated carrier
// and a control plane, all as processes on this machine. It fails if anything is not as expected,
// and leaves nothing running.
package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/broadband-operator/broadband-operator/hack/internal/machine"
)

func main() { machine.Main(program, run) }

// run is the whole program.
func run(ctx context.Context, args []string, out io.Writer) error {
	settings, err := parse(args, out)
	if err != nil {
		return err
	}
	clock := time.Now //nolint:forbidigo // the only use of the real clock
	s := newSite(machine.New(settings.machine, out, clock), settings)
	unlock, err := s.ClaimState()
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.prepare(ctx); err != nil {
		return err
	}
	failure := s.runUntilDone(ctx)
	if failure != nil {
		s.Printf("%s: failed; the logs are in %s\n", program, s.InState("logs"))
	}
	return errors.Join(failure, s.Stop(ctx))
}

// runUntilDone runs the scenario, and aborts it when a process ends unexpectedly.
func (s *site) runUntilDone(ctx context.Context) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() {
		select {
		case p := <-s.Ended:
			end(p.Failure())
		case <-ctx.Done():
		}
	}()
	err := s.runAll(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause //nolint:wrapcheck // the error itself describes what ended the run
	}
	return err
}

// runAll starts all processes and runs the scenario.
func (s *site) runAll(ctx context.Context) error {
	err := s.RunSteps(ctx, []machine.Step{
		{Name: "etcd", Do: s.StartEtcd},
		{Name: "kube-apiserver", Do: s.StartAPIServer},
		{Name: "the simulated carrier", Do: func(ctx context.Context) error { return s.StartCarrier(ctx) }},
		{Name: "CRDs and RBAC (make install)", Do: s.Install},
		{Name: "the manager", Do: func(ctx context.Context) error { return s.StartManager(ctx) }},
		{Name: "what is not in Git: a namespace and the carrier's key", Do: s.applySecrets},
		{Name: "Argo CD's own manifests", Do: s.installArgoCD},
		{Name: "our health and actions (docs/gitops.md)", Do: s.customize},
		{Name: "the passwords of three users", Do: s.setPasswords},
		{Name: "a redis", Do: s.startRedis},
		{Name: "argocd-repo-server", Do: s.startRepoServer},
		{Name: "argocd-server", Do: s.startServer},
		{Name: "argocd-application-controller", Do: s.startController},
		{Name: "three users log in", Do: s.logIn},
	})
	if err != nil {
		return err
	}
	return s.runSteps(ctx)
}
