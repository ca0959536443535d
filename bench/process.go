// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"github.com/prometheus/procfs"
)

// process is a child process. Its output is in a file.
type process struct {
	command *exec.Cmd
	log     string
	ended   chan struct{} // closed when it has ended
}

// launch starts a program that runs until it is killed.
func launch(ctx context.Context, log string, command ...string) (*process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // in the folder of this run
	if err != nil {
		return nil, fmt.Errorf("open a log: %w", err)
	}
	defer out.Close() //nolint:errcheck // the child has its own handle
	p := &process{log: log, ended: make(chan struct{})}
	p.command = exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // our own programs
	p.command.Stdout, p.command.Stderr = out, out
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", command[0], err)
	}
	go func() {
		_ = p.command.Wait() //nolint:errcheck // it only matters that it has ended
		close(p.ended)
	}()
	return p, nil
}

// check fails if the process has ended by itself.
func (p *process) check() error {
	select {
	case <-p.ended:
		return fmt.Errorf("%s ended (%s): see %s", p.command.Path, p.command.ProcessState, p.log)
	default:
		return nil
	}
}

// kill ends the process with SIGKILL, and waits until it is gone.
func (p *process) kill() error {
	if err := p.command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", p.command.Path, err)
	}
	<-p.ended
	return nil
}

// usage is the CPU time and the memory of a process until now.
type usage struct {
	seconds float64
	most    uint64 // bytes of memory, at most
}

func usageOf(p *procfs.Proc) (usage, error) {
	stat, statErr := p.Stat()
	status, statusErr := p.NewStatus()
	if err := errors.Join(statErr, statusErr); err != nil {
		return usage{}, fmt.Errorf("read what process %d uses: %w", p.PID, err)
	}
	return usage{stat.CPUTime(), status.VmHWM}, nil
}

func (p *process) usage() (usage, error) {
	proc, err := procfs.NewProc(p.command.Process.Pid)
	if err != nil {
		return usage{}, fmt.Errorf("find process %d: %w", p.command.Process.Pid, err)
	}
	return usageOf(&proc)
}

// planeUsage adds up what the control plane that this process has started uses.
func planeUsage() (sum usage, err error) {
	all, err := procfs.AllProcs()
	if err != nil {
		return usage{}, fmt.Errorf("list the processes: %w", err)
	}
	for i := range all {
		stat, err := all[i].Stat()
		if err != nil || stat.PPID != os.Getpid() || !slices.Contains([]string{"etcd", "kube-apiserver"}, stat.Comm) {
			continue // it has ended, or is another
		}
		one, err := usageOf(&all[i])
		if err != nil {
			return usage{}, err
		}
		sum.seconds, sum.most = sum.seconds+one.seconds, sum.most+one.most
	}
	return sum, nil
}
