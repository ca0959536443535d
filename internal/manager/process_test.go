// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// asManager in the environment makes this test binary run as the manager, in its own process, which
// can be killed.
const asManager = "BROADBAND_OPERATOR_TEST_AS_MANAGER"

func TestMain(m *testing.M) {
	if os.Getenv(asManager) != "" {
		os.Exit(Main(ctrl.SetupSignalHandler(), os.Args[1:]))
	}
	os.Exit(m.Run())
}

// everyLog is the log of all managers, including those that have ended, and everyLine their request
// logs.
var everyLog, everyLine = &buffer{}, &buffer{}

// kubeconfigOf is a kubeconfig file for a user.
func kubeconfigOf(user string) string {
	GinkgoHelper()
	credentials, err := plane.AddUser(user)
	Expect(err).NotTo(HaveOccurred())
	file := filepath.Join(GinkgoT().TempDir(), "kubeconfig")
	Expect(world.WriteKubeconfig(file, credentials)).To(Succeed())
	return file
}

// managerProcess is a manager in its own process.
type managerProcess struct {
	command *exec.Cmd
	log     *buffer
	once    sync.Once
	ended   *os.ProcessState // set once it has ended
}

// start starts a manager, which outlives the spec that starts it. The control plane has no admission
// policies.
func start(ctx context.Context, kubeconfig string, more ...string) *managerProcess {
	return startWithPolicies(ctx, kubeconfig, append(more, "--approval-checked-elsewhere")...)
}

// startWithPolicies starts a manager, which outlives the spec that starts it.
func startWithPolicies(ctx context.Context, kubeconfig string, more ...string) *managerProcess {
	GinkgoHelper()
	return launch(ctx, kubeconfig, everyLine, more...)
}

// startUnread is start with a standard output that nobody reads.
func startUnread(ctx context.Context, kubeconfig string) *managerProcess {
	GinkgoHelper()
	reader, writer, err := os.Pipe()
	Expect(err).NotTo(HaveOccurred())
	Expect(reader.Close()).To(Succeed())
	manager := launch(ctx, kubeconfig, writer, "--approval-checked-elsewhere")
	Expect(writer.Close()).To(Succeed())
	return manager
}

// launch starts a manager that writes its request log to out.
func launch(ctx context.Context, kubeconfig string, out io.Writer, more ...string) *managerProcess {
	GinkgoHelper()
	self, err := os.Executable()
	Expect(err).NotTo(HaveOccurred())
	manager := &managerProcess{log: everyLog}
	flags := append([]string{
		"--kubeconfig=" + kubeconfig, "--allow-insecure-carrier", "--leader-elect", "--health-probe-bind-address=0",
		"--log-level=debug-20", "--operator-namespace=" + world.OperatorName,
		"--leader-elect-lease-duration=6s", "--leader-elect-renew-deadline=5s", "--leader-elect-retry-period=500ms",
		"--metrics-bind-address=" + metricsAddress, "--metrics-cert-dir=" + certificates,
	}, more...)
	manager.command = exec.CommandContext(context.WithoutCancel(ctx), self, flags...) //nolint:gosec // this test binary
	manager.command.Env = append(os.Environ(), asManager+"=1", "GOTRACEBACK=single")
	manager.command.Stdout, manager.command.Stderr = out, manager.log
	Expect(manager.command.Start()).To(Succeed())
	return manager
}

// end stops the process and waits until it is gone and its log is complete.
func (r *managerProcess) end(signal os.Signal) {
	r.once.Do(func() {
		Expect(r.command.Process.Signal(signal)).To(Succeed())
		if err := r.command.Wait(); err != nil {
			Expect(err).To(BeAssignableToTypeOf(&exec.ExitError{}))
		}
		r.ended = r.command.ProcessState
	})
}

// buffer is a log that can be written and read concurrently.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends to the log.
func (b *buffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text)
}

// String returns the whole log.
func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// expectLines expects a line of the request log for each attempt that a ledger shows, in its phase,
// and returns how many attempts there are.
func expectLines(ctx context.Context, g Gomega, w *world.World) (attempts int) {
	written := everyLine.String()
	var list v1alpha1.RequestLedgerList
	g.Expect(w.List(ctx, &list)).To(Succeed())
	for i := range list.Items {
		for _, attempt := range list.Items[i].Summaries() {
			g.Expect(written).To(ContainSubstring(
				`"attempt":%q,"phase":%q,"operation":%q,`, attempt.AttemptID, attempt.Outcome, attempt.Operation))
			attempts++
		}
	}
	return attempts
}

// sendOne waits until a manager sends. The API server shows the account as Ready before the manager's
// cache does, and a pass in between would write that the account is not.
func sendOne(ctx SpecContext, w *world.World) {
	GinkgoHelper()
	const name = "first"
	Expect(w.Create(ctx, w.Check(name, w.Line()))).To(Succeed())
	Eventually(func(g Gomega, ctx SpecContext) {
		check, found := world.Fetch(ctx, w, name, &v1alpha1.HealthCheck{})
		g.Expect(found).To(BeTrue())
		g.Expect(check.Status.Request).NotTo(BeNil())
	}).WithContext(ctx).WithPolling(often).Should(Succeed())
}
