// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// process is a running program.
type process struct {
	command *exec.Cmd
	ended   chan struct{} // closed when it has ended
}

// launch starts a process of a program, which is ended with the spec at the latest.
func launch(log *journal, program string, flags ...string) *process {
	GinkgoHelper()
	p := &process{ended: make(chan struct{})}
	p.command = exec.Command(program, flags...) //nolint:noctx,gosec // it is ended by signals; the program is ours
	p.command.Stderr = log
	Expect(p.command.Start()).To(Succeed())
	go func() {
		_ = p.command.Wait() //nolint:errcheck // it only matters that it is gone
		close(p.ended)
	}()
	DeferCleanup(func() { _ = p.end() }) //nolint:errcheck // it may have ended long before
	return p
}

// isRunning reports whether the process is running.
func (p *process) isRunning() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// end kills the process and waits until it is gone.
func (p *process) end() error {
	if err := p.command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.ended
	return nil
}

// stop stops the process, as happens on a machine that swaps or is migrated. It may resume at any
// time.
func (p *process) stop() error { return p.command.Process.Signal(syscall.SIGSTOP) }

// resume resumes a stopped process.
func (p *process) resume() error { return p.command.Process.Signal(syscall.SIGCONT) }

// journal is the log of processes.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends to the log.
func (j *journal) Write(text []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(text)
}

// String returns the whole log.
func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}
