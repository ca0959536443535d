// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/broadband-operator/broadband-operator/hack/internal/machine"
)

const program = "e2e-argocd"

// settings are the command line flags.
type settings struct {
	machine        machine.Settings
	timeout        time.Duration
	argocd         string // folder of Argo CD
	customizations string // folder of this project's configuration for Argo CD
	accounts       string // folder of the configuration for the scenario's users
	example        string // folder of the project and the Application
	manifests      string // folder of the manifests in the first commit
	carrier        string
	git            string
}

const usage = `Usage: gitops [flags], from the top of the repository: make e2e-argocd

`

func parse(args []string, out io.Writer) (settings, error) {
	s := settings{machine: machine.Settings{Name: program}}
	flags := flag.NewFlagSet("gitops", flag.ContinueOnError)
	flags.SetOutput(out)
	s.machine.AddFlags(flags)
	flags.DurationVar(&s.timeout, "timeout", 2*time.Minute, "how long to wait for each expected state")
	flags.StringVar(&s.argocd, "argocd", "bin/argocd", "`folder` of Argo CD, as hack/foreign/argocd/build.sh makes it")
	flags.StringVar(&s.customizations, "customizations", "config/argocd",
		"`folder` of the kustomization for the ConfigMap argocd-cm: health and actions of our kinds")
	flags.StringVar(&s.accounts, "accounts", "hack/foreign/gitops/people",
		"`folder` of the kustomize component with the scenario's users, and what each may do")
	flags.StringVar(&s.example, "example", "config/argocd/example", "`folder` of the project and the Application")
	flags.StringVar(&s.manifests, "manifests", "hack/foreign/gitops/site",
		"`folder` of the manifests that are committed first")
	flags.StringVar(&s.carrier, "carrier", "hack/foreign/gitops/carrier.yaml",
		"`file` with the carrier's plans and services")
	flags.Usage = func() {
		fmt.Fprint(out, usage) //nolint:errcheck // there is nowhere to report the error
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return settings{}, fmt.Errorf("read flags: %w", err)
	}
	if err := s.complete(); err != nil {
		return settings{}, err
	}
	return s, nil
}

// complete makes the folders absolute and finds git.
func (s *settings) complete() error {
	for _, folder := range []*string{&s.argocd, &s.accounts} {
		absolute, err := filepath.Abs(*folder)
		if err != nil {
			return fmt.Errorf("find %s: %w", *folder, err)
		}
		*folder = absolute
	}
	git, err := exec.LookPath("git")
	if err != nil {
		return fmt.Errorf("git is needed, for Argo CD too: %w", err)
	}
	s.git = git
	return s.machine.Complete()
}
