// SPDX-License-Identifier: Apache-2.0

// Package machine runs the operator and its dependencies as processes on this machine: etcd,
// kube-apiserver, the simulated carrier and the manager. The demo and the end-to-end test use it.
// They leave nothing running.
package machine

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Machine is one run: its files and its processes.
type Machine struct {
	Settings

	Out       io.Writer
	Now       func() time.Time
	Addresses Addresses
	Admin     *Kubeconfig   // of the administrator; the manager has its own
	Ended     chan *Process // receives every process that ends

	processes []*Process // in the order in which they were started
}

// New returns a machine on which nothing runs yet.
func New(settings Settings, out io.Writer, now func() time.Time) *Machine {
	m := &Machine{Settings: settings, Out: out, Now: now, Ended: make(chan *Process)}
	m.Admin = &Kubeconfig{Path: m.InState("kubeconfig"), user: "admin", token: rand.Text()}
	return m
}

// Step is a step of a program.
type Step struct {
	Name string
	Do   func(context.Context) error
}

// RunSteps runs steps one after the other, and prints how long each took.
func (m *Machine) RunSteps(ctx context.Context, steps []Step) error {
	for _, step := range steps {
		begun := m.Now()
		m.Printf("%s: %s ... ", m.Name, step.Name)
		if err := step.Do(ctx); err != nil {
			m.Printf("failed\n")
			return err
		}
		m.Printf("%.1f s\n", m.Now().Sub(begun).Seconds())
	}
	return nil
}

// Printf prints to the screen.
func (m *Machine) Printf(format string, args ...any) {
	fmt.Fprintf(m.Out, format, args...) //nolint:errcheck // there is nowhere to report the error
}

// Only the owner may read these files: they contain keys and tokens.
const (
	FolderMode = 0o700
	fileMode   = 0o600
)

// ClaimState locks and empties the state folder, and fails if another run uses it. The returned
// function unlocks the folder.
func (m *Machine) ClaimState() (func(), error) {
	if err := os.MkdirAll(m.StateDir, FolderMode); err != nil {
		return nil, fmt.Errorf("make the state folder: %w", err)
	}
	lock, err := os.OpenFile(m.StateDir+".lock", os.O_CREATE|os.O_RDWR, fileMode)
	if err != nil {
		return nil, fmt.Errorf("open the lock: %w", err)
	}
	unlock := func() { _ = lock.Close() } //nolint:errcheck // nothing was written
	if err := lockFile(lock); err != nil {
		unlock()
		return nil, fmt.Errorf("another %s runs in %s: %w", m.Name, m.StateDir, err)
	}
	if err := os.RemoveAll(m.StateDir); err != nil {
		unlock()
		return nil, fmt.Errorf("empty the state folder: %w", err)
	}
	if err := os.MkdirAll(m.InState("logs"), FolderMode); err != nil {
		unlock()
		return nil, fmt.Errorf("make the state folder: %w", err)
	}
	return unlock, nil
}

// InState returns the path of a file of this run.
func (m *Machine) InState(name ...string) string {
	return filepath.Join(append([]string{m.StateDir}, name...)...)
}

// WriteFile writes a file of this run.
func (m *Machine) WriteFile(name, content string) error {
	if err := os.WriteFile(m.InState(name), []byte(content), fileMode); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
