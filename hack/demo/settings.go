// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/broadband-operator/broadband-operator/test/samples"
)

// settings are the command line, and the folders as absolute paths.
type settings struct {
	once       bool
	timeout    time.Duration
	stateDir   string
	binDir     string
	samplesDir string
	carrier    string
	assets     string // folder of etcd and kube-apiserver
	kubectl    string
}

const usage = `Usage: demo [flags], from the top of the repository: make demo

`

// parse reads the command line; KUBEBUILDER_ASSETS and KUBECTL are defaults of two flags.
func parse(args []string, out io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.BoolVar(&s.once, "once", false,
		"end when every sample shows what its annotation "+samples.ExpectAnnotation+" names, or fail")
	flags.DurationVar(&s.timeout, "timeout", 2*time.Minute, "how long the samples may take to get there")
	flags.StringVar(&s.stateDir, "state", "bin/demo", "`folder` of logs, credentials and data, emptied at the start")
	flags.StringVar(&s.binDir, "bin", "bin", "`folder` of manager and simulator")
	flags.StringVar(&s.samplesDir, "samples", "config/samples", "`folder` of the manifests to apply")
	flags.StringVar(&s.carrier, "carrier", "hack/demo/carrier.yaml", "`file` with the carrier's plans and services")
	flags.StringVar(&s.assets, "assets", os.Getenv("KUBEBUILDER_ASSETS"),
		"`folder` of etcd and kube-apiserver; default: $KUBEBUILDER_ASSETS")
	flags.StringVar(&s.kubectl, "kubectl", os.Getenv("KUBECTL"), "kubectl `program`; default: $KUBECTL")
	flags.Usage = func() {
		fmt.Fprint(out, usage) //nolint:errcheck // nowhere else to say it
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

// complete fills in what depends on other settings.
func (s *settings) complete() error {
	if s.assets == "" {
		s.assets = filepath.Join(s.binDir, "controlplane")
	}
	if s.kubectl == "" {
		s.kubectl = filepath.Join(s.assets, "kubectl")
	}
	for _, path := range []*string{&s.stateDir, &s.binDir, &s.assets} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return fmt.Errorf("find %s: %w", *path, err)
		}
		*path = absolute
	}
	return nil
}

// inState is the path of a file of this run.
func (s *settings) inState(name ...string) string {
	return filepath.Join(append([]string{s.stateDir}, name...)...)
}

// Only the owner reads what the demo writes: there are keys and tokens in it.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// claimState empties the state folder, once no other demo uses it. What it returns gives
// the folder up.
func (d *demo) claimState() (func(), error) {
	if err := os.MkdirAll(d.stateDir, folderMode); err != nil {
		return nil, fmt.Errorf("make the state folder: %w", err)
	}
	lock, err := os.OpenFile(d.stateDir+".lock", os.O_CREATE|os.O_RDWR, fileMode)
	if err != nil {
		return nil, fmt.Errorf("open the lock: %w", err)
	}
	unlock := func() { _ = lock.Close() } //nolint:errcheck // nothing was written
	if err := lockFile(lock); err != nil {
		unlock()
		return nil, fmt.Errorf("another demo runs in %s: %w", d.stateDir, err)
	}
	if err := os.RemoveAll(d.stateDir); err != nil {
		unlock()
		return nil, fmt.Errorf("empty the state folder: %w", err)
	}
	if err := os.MkdirAll(d.inState("logs"), folderMode); err != nil {
		unlock()
		return nil, fmt.Errorf("make the state folder: %w", err)
	}
	return unlock, nil
}

// addresses are where the processes listen: free ports of the loopback interface.
type addresses struct {
	etcd, etcdPeer, apiServer, carrier, carrierControls, managerHealth, managerMetrics, managerEvents string
}

func freeAddresses(ctx context.Context) (addresses, error) {
	var (
		a      addresses
		config net.ListenConfig
		held   []io.Closer // until all are found, so that they differ
		failed error
	)
	for _, address := range []*string{
		&a.etcd, &a.etcdPeer, &a.apiServer, &a.carrier, &a.carrierControls, &a.managerHealth, &a.managerMetrics,
		&a.managerEvents,
	} {
		listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			failed = fmt.Errorf("find a free port: %w", err)
			break
		}
		held = append(held, listener)
		*address = listener.Addr().String()
	}
	for _, listener := range held {
		failed = errors.Join(failed, listener.Close())
	}
	return a, failed
}
