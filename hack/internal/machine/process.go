// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Program is a program to run. Its environment is added to that of this process.
type Program struct {
	Name        string // in messages and of its log file
	Command     []string
	Folder      string // working directory; "" for the current one
	Environment []string
	Input       string // standard input, only for Finish
}

// Process is a child process. Its output is in its log, unless it prints to the screen.
type Process struct {
	Name string

	cmd   *exec.Cmd
	log   string
	ended chan struct{} // closed when it has ended
}

// Start starts a program that runs until Stop ends it, and appends its output to its log.
//
// Linux kills a child when the thread that started it ends, not when the process does. So only the
// main goroutine may call Start, locked to the main thread.
func (m *Machine) Start(ctx context.Context, program Program) (*Process, error) {
	path := m.InState("logs", program.Name+".log")
	log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, fileMode) //nolint:gosec // our own folder
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", program.Name, err)
	}
	defer log.Close() //nolint:errcheck // the child has its own handle
	p, err := m.Launch(ctx, program, log)
	if err != nil {
		return nil, err
	}
	p.log = path
	return p, nil
}

// Launch is Start for a program that writes to out. The program does not end with the context,
// because Stop ends the processes one after the other.
func (m *Machine) Launch(ctx context.Context, program Program, out io.Writer) (*Process, error) {
	cmd := m.command(context.WithoutCancel(ctx), program)
	cmd.Stdout, cmd.Stderr = out, out
	p := &Process{Name: program.Name, cmd: cmd, ended: make(chan struct{})}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program.Name, err)
	}
	m.processes = append(m.processes, p)
	go func() {
		_ = cmd.Wait() //nolint:errcheck // cmd.ProcessState has the result
		close(p.ended)
		select {
		case m.Ended <- p:
		case <-ctx.Done():
		}
	}()
	return p, nil
}

// Finish runs a program to completion as the administrator. It returns the output, or an error that
// contains the output.
func (m *Machine) Finish(ctx context.Context, program Program) (string, error) {
	var stdout, all bytes.Buffer
	cmd := m.command(ctx, program)
	cmd.Env = append(cmd.Env, "KUBECONFIG="+m.Admin.Path, "KUBECTL="+m.Kubectl, "MAKEFLAGS=")
	cmd.Stdin = strings.NewReader(program.Input)
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&stdout, &all), &all
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, bytes.TrimSpace(all.Bytes()))
	}
	return stdout.String(), nil
}

func (m *Machine) command(ctx context.Context, program Program) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program.Command[0], program.Command[1:]...) //nolint:gosec // our own programs
	cmd.Dir = program.Folder
	// Without a home kubectl would keep its cache in the working folder.
	cmd.Env = append(os.Environ(), "KUBECACHEDIR="+m.InState("kubectl"))
	cmd.Env = append(cmd.Env, program.Environment...)
	cmd.SysProcAttr = childAttributes()
	return cmd
}

// running reports whether the process is still running.
func (p *Process) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// State describes how a process ended.
func (p *Process) State() string { return p.cmd.ProcessState.String() }

// Failure returns an error that says how a process ended and contains the end of its log.
func (p *Process) Failure() error {
	const tail = 2000
	content, err := os.ReadFile(p.log)
	if err != nil {
		content = nil
	}
	content = bytes.TrimSpace(content[max(0, len(content)-tail):])
	return fmt.Errorf("%s ended (%s): %s\n%s", p.Name, p.cmd.ProcessState, p.log, content)
}

// Timeouts for the processes.
const (
	startTimeout    = 3 * time.Minute // on a busy machine
	requestTimeout  = 2 * time.Second // of a readiness check
	responseTimeout = 10 * time.Second
	pollInterval    = 100 * time.Millisecond
	stopTimeout     = 10 * time.Second
)

// Await waits until a URL responds with 200 or the process has ended.
func (p *Process) Await(ctx context.Context, web *http.Client, url string) error {
	web.Timeout = requestTimeout
	return p.awaitThat(ctx, func(ctx context.Context) (bool, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return false, fmt.Errorf("call %s: %w", p.Name, err)
		}
		response, err := web.Do(request)
		if err != nil {
			return false, nil //nolint:nilerr // it does not listen yet
		}
		// Closing the body fails if the time limit of this call has passed meanwhile: the next one may be quicker.
		return response.Body.Close() == nil && response.StatusCode == http.StatusOK, nil
	})
}

// awaitFile waits until the process has written a file.
func (p *Process) awaitFile(ctx context.Context, path string) error {
	return p.awaitThat(ctx, func(context.Context) (bool, error) {
		info, err := os.Stat(path)
		return err == nil && info.Size() > 0, nil
	})
}

// AwaitListening waits until an address accepts connections or the process has ended.
func (p *Process) AwaitListening(ctx context.Context, address string) error {
	dialer := &net.Dialer{Timeout: requestTimeout}
	return p.awaitThat(ctx, func(ctx context.Context) (bool, error) {
		connection, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			return false, nil //nolint:nilerr // not yet
		}
		return true, connection.Close()
	})
}

func (p *Process) awaitThat(ctx context.Context, ready wait.ConditionWithContextFunc) error {
	alive := func(ctx context.Context) (bool, error) {
		if !p.running() {
			return false, p.Failure()
		}
		return ready(ctx)
	}
	err := wait.PollUntilContextTimeout(ctx, pollInterval, startTimeout, true, alive)
	if wait.Interrupted(err) {
		return fmt.Errorf("%s is not ready (%s): %w", p.Name, p.log, err)
	}
	return err //nolint:wrapcheck // the condition's own error
}

// Stop stops all processes in reverse order of their start, and waits for each.
func (m *Machine) Stop(ctx context.Context) error {
	m.Printf("%s: stopping\n", m.Name)
	ctx = context.WithoutCancel(ctx)
	var failed []error
	for _, p := range slices.Backward(m.processes) {
		failed = append(failed, p.stop(ctx))
	}
	return errors.Join(failed...)
}

// stop asks the process to end, and kills it if it does not.
func (p *Process) stop(ctx context.Context) error {
	if !p.running() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", p.Name, err)
	}
	select {
	case <-p.ended:
		return nil
	case <-ctx.Done():
	}
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", p.Name, err)
	}
	<-p.ended
	return nil
}
