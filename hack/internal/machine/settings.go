// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// Settings are the folders and programs of a run.
type Settings struct {
	Name     string // of the program, in messages
	StateDir string
	BinDir   string
	Assets   string // folder of etcd and kube-apiserver
	Kubectl  string
}

// AddFlags adds the settings to a command line; KUBEBUILDER_ASSETS and KUBECTL are the defaults of
// two of them.
func (s *Settings) AddFlags(flags *flag.FlagSet) {
	flags.StringVar(&s.StateDir, "state", "bin/"+s.Name,
		"`folder` for logs, credentials and data, emptied at the start")
	flags.StringVar(&s.BinDir, "bin", "bin", "`folder` with the programs manager and simulator")
	flags.StringVar(&s.Assets, "assets", os.Getenv("KUBEBUILDER_ASSETS"),
		"`folder` of etcd and kube-apiserver; default: $KUBEBUILDER_ASSETS")
	flags.StringVar(&s.Kubectl, "kubectl", os.Getenv("KUBECTL"), "kubectl `program`; default: $KUBECTL")
}

// Complete sets the settings that depend on others, and makes the folders absolute.
func (s *Settings) Complete() error {
	if s.Assets == "" {
		s.Assets = filepath.Join(s.BinDir, "controlplane")
	}
	if s.Kubectl == "" {
		s.Kubectl = filepath.Join(s.Assets, "kubectl")
	}
	for _, path := range []*string{&s.StateDir, &s.BinDir, &s.Assets} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return fmt.Errorf("find %s: %w", *path, err)
		}
		*path = absolute
	}
	return nil
}
