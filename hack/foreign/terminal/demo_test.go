// SPDX-License-Identifier: Apache-2.0

package terminal_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// root is the top of the repository.
const root = "../../.."

// startDemo starts what make demo starts, with the one service that its suggestions need, and
// returns the folder that stands for the user's copy of the repository.
func startDemo(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	bin, samples := filepath.Join(folder, "bin"), filepath.Join(folder, "samples")
	for name, source := range map[string]string{
		"manager": ".", "simulator": "./hack/run/simulator", "kubectl-broadband": "./cmd/kubectl-broadband",
		"demo-run": "./hack/run/demo",
	} {
		must(t, command(t, "go", "build", "-o", filepath.Join(bin, name), source))
	}
	if err := os.Mkdir(samples, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, sample := range []string{"carrieraccount.yaml", "broadbandservice-approval.yaml"} {
		must(t, command(t, "cp", filepath.Join("config", "samples", sample), samples))
	}
	assets := os.Getenv("KUBEBUILDER_ASSETS")
	if assets == "" {
		assets = "bin/controlplane"
	}
	launch(t, command(t, filepath.Join(bin, "demo-run"), "-bin="+bin, "-state="+filepath.Join(bin, "demo"),
		"-samples="+samples, "-carrier=hack/run/demo/carrier.yaml", "-assets="+assets))
	return folder
}

// command returns a command that runs at the top of the repository. It does not end with the test.
func command(t *testing.T, name string, arguments ...string) *exec.Cmd {
	t.Helper()
	made := exec.CommandContext(context.WithoutCancel(t.Context()), name, arguments...) //nolint:gosec // our own
	made.Dir = root
	return made
}

func must(t *testing.T, run *exec.Cmd) {
	t.Helper()
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", run, err, out)
	}
}

// launch runs the demo until the test ends, and waits until it suggests what to try.
func launch(t *testing.T, demo *exec.Cmd) {
	t.Helper()
	printed := &output{ready: make(chan struct{})}
	demo.Stdout, demo.Stderr = printed, printed
	if err := demo.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- demo.Wait() }()
	select {
	case err := <-ended:
		t.Fatalf("the demo ended: %v:\n%s", err, printed)
	case <-printed.ready:
	}
	t.Cleanup(func() {
		demo.Process.Signal(syscall.SIGINT) //nolint:errcheck,gosec // it may have ended
		if err := <-ended; err != nil {
			t.Errorf("the demo ended: %v:\n%s", err, printed)
		}
	})
}

// output is what the demo has printed.
type output struct {
	mutex sync.Mutex
	text  bytes.Buffer
	ready chan struct{} // closed when it suggests what to try
}

func (o *output) Write(text []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	const last = "Ctrl-C stops everything."
	was := strings.Contains(o.text.String(), last)
	o.text.Write(text)
	if !was && strings.Contains(o.text.String(), last) {
		close(o.ready)
	}
	return len(text), nil
}

func (o *output) String() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.String()
}
