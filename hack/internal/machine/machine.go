// SPDX-License-Identifier: Apache-2.0

// Package machine runs the operator and what it needs as processes of this machine: etcd,
// kube-apiserver, the simulated carrier and the manager. The programs that show the operator
// at work share it. They leave nothing running.
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

// Machine is one run: where its files are, and what is running.
type Machine struct {
	Settings

	Out       io.Writer
	Now       func() time.Time
	Addresses Addresses
	Admin     *Kubeconfig   // of the person who watches; the manager has its own
	Ended     chan *Process // every process that ends, in the order in which they do

	processes []*Process // in the order in which they were started
}

// New makes a machine on which nothing runs yet.
func New(settings Settings, out io.Writer, now func() time.Time) *Machine {
	m := &Machine{Settings: settings, Out: out, Now: now, Ended: make(chan *Process)}
	m.Admin = &Kubeconfig{Path: m.InState("kubeconfig"), user: "admin", token: rand.Text()}
	return m
}

// Step is a part of a program's story.
type Step struct {
	Says string
	Do   func(context.Context) error
}

// Take takes steps one after the other, and says how long each took.
func (m *Machine) Take(ctx context.Context, steps []Step) error {
	for _, step := range steps {
		begun := m.Now()
		m.Sayf("%s: %s ... ", m.Name, step.Says)
		if err := step.Do(ctx); err != nil {
			m.Sayf("failed\n")
			return err
		}
		m.Sayf("%.1f s\n", m.Now().Sub(begun).Seconds())
	}
	return nil
}

// Sayf writes to the screen.
func (m *Machine) Sayf(format string, args ...any) {
	fmt.Fprintf(m.Out, format, args...) //nolint:errcheck // a screen that is gone is told nothing
}

// Only the owner reads what is written here: there are keys and tokens in it.
const (
	FolderMode = 0o700
	fileMode   = 0o600
)

// ClaimState empties the state folder, once no other run uses it. What it returns gives the
// folder up.
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

// InState is the path of a file of this run.
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
