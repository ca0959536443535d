// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// process is a child. Its output is in its log, unless it speaks to the screen.
type process struct {
	name string
	cmd  *exec.Cmd
	log  string
	gone chan struct{} // closed when it has ended
}

// start runs a program that goes on until the demo ends it, and appends what it prints to
// its log. Only the main goroutine may call it (see main).
func (d *demo) start(ctx context.Context, name string, command ...string) (*process, error) {
	path := d.inState(filepath.Join("logs", name+".log"))
	log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, fileMode) //nolint:gosec // our own folder
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", name, err)
	}
	defer log.Close() //nolint:errcheck // the child has its own handle
	p, err := d.launch(ctx, name, log, command...)
	if err != nil {
		return nil, err
	}
	p.log = path
	return p, nil
}

// launch runs a program that writes to out. It does not end with the context: the demo
// ends its processes one after the other.
func (d *demo) launch(ctx context.Context, name string, out io.Writer, command ...string) (*process, error) {
	//nolint:gosec // our own programs
	cmd := exec.CommandContext(context.WithoutCancel(ctx), command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = childAttributes()
	p := &process{name: name, cmd: cmd, gone: make(chan struct{})}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	d.processes = append(d.processes, p)
	go func() {
		_ = cmd.Wait() //nolint:errcheck // cmd.ProcessState tells
		close(p.gone)
		select {
		case d.ended <- p:
		case <-ctx.Done():
		}
	}()
	return p, nil
}

// finish runs a program to its end. What it prints is returned, or is part of the error.
func (d *demo) finish(ctx context.Context, program string, args ...string) (string, error) {
	var stdout, all bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // our own programs
	cmd.Env = append(os.Environ(), "KUBECONFIG="+d.admin.path, "KUBECTL="+d.kubectl, "MAKEFLAGS=")
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&stdout, &all), &all
	cmd.SysProcAttr = childAttributes()
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, bytes.TrimSpace(all.Bytes()))
	}
	return stdout.String(), nil
}

// running says whether the process has not ended.
func (p *process) running() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// failure says how a process ended, with the end of its log.
func (p *process) failure() error {
	const tail = 2000
	content, err := os.ReadFile(p.log)
	if err != nil {
		content = nil
	}
	content = bytes.TrimSpace(content[max(0, len(content)-tail):])
	return fmt.Errorf("%s ended (%s): %s\n%s", p.name, p.cmd.ProcessState, p.log, content)
}

// How long things of the machine may take; the carrier's have a flag.
const (
	startTimeout   = time.Minute
	requestTimeout = 2 * time.Second
	pollInterval   = 100 * time.Millisecond
	stopTimeout    = 10 * time.Second
)

// await waits until a URL is answered with 200, or the process has ended.
func (p *process) await(ctx context.Context, web *http.Client, url string) error {
	web.Timeout = requestTimeout
	return p.awaitThat(ctx, func(ctx context.Context) (bool, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return false, fmt.Errorf("ask %s: %w", p.name, err)
		}
		answer, err := web.Do(request)
		if err != nil {
			return false, nil //nolint:nilerr // it does not listen yet
		}
		return answer.StatusCode == http.StatusOK, answer.Body.Close()
	})
}

// awaitFile waits until the process has written a file.
func (p *process) awaitFile(ctx context.Context, path string) error {
	return p.awaitThat(ctx, func(context.Context) (bool, error) {
		info, err := os.Stat(path)
		return err == nil && info.Size() > 0, nil
	})
}

func (p *process) awaitThat(ctx context.Context, ready wait.ConditionWithContextFunc) error {
	alive := func(ctx context.Context) (bool, error) {
		if !p.running() {
			return false, p.failure()
		}
		return ready(ctx)
	}
	err := wait.PollUntilContextTimeout(ctx, pollInterval, startTimeout, true, alive)
	if wait.Interrupted(err) {
		return fmt.Errorf("%s is not ready (%s): %w", p.name, p.log, err)
	}
	return err //nolint:wrapcheck // the condition's own words
}

// stop ends every process, the one started last first, and waits for each.
func (d *demo) stop(ctx context.Context) error {
	d.sayf("demo: stopping\n")
	ctx = context.WithoutCancel(ctx)
	var failed []error
	for _, p := range slices.Backward(d.processes) {
		failed = append(failed, p.stop(ctx))
	}
	return errors.Join(failed...)
}

// stop asks the process to end, and makes it.
func (p *process) stop(ctx context.Context) error {
	if !p.running() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", p.name, err)
	}
	select {
	case <-p.gone:
		return nil
	case <-ctx.Done():
	}
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", p.name, err)
	}
	<-p.gone
	return nil
}
