// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"

	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// manager is a process of the built program, and its own way to the API server.
type manager struct {
	command *exec.Cmd
	link    *world.Link
	gone    chan struct{} // closed when the process has ended
}

// start begins a manager that looks after a lane.
func (l *lane) start() *manager {
	GinkgoHelper()
	m := &manager{link: &world.Link{}, gone: make(chan struct{})}
	flags := append([]string{
		"--kubeconfig=" + l.kubeconfig(m), "--allow-insecure-carrier", "--namespaces=" + l.Namespace,
		"--operator-namespace=" + l.home, "--health-probe-bind-address=0", "--events-bind-address=0",
	}, l.flags...)
	m.command = exec.Command(program, flags...) //nolint:noctx,gosec // it is ended by signals; the program is ours
	m.command.Stderr = l.log
	Expect(m.command.Start()).To(Succeed())
	go func() {
		_ = m.command.Wait() //nolint:errcheck // that it is gone is all that is asked
		close(m.gone)
	}()
	DeferCleanup(func() { _ = m.end() }) //nolint:errcheck // it may have ended long before
	l.managers = append(l.managers, m)
	return m
}

// kubeconfig is a file that leads a manager to the API server through the lane's gate.
func (l *lane) kubeconfig(m *manager) string {
	GinkgoHelper()
	cluster := rest.CopyConfig(l.access)
	m.link.Lay(cluster)
	through, err := rest.TransportFor(cluster)
	Expect(err).NotTo(HaveOccurred())
	config := clientcmdapi.NewConfig()
	config.Clusters[user] = &clientcmdapi.Cluster{Server: l.gate.serve(m, cluster.Host, through)}
	config.Contexts[user] = &clientcmdapi.Context{Cluster: user}
	config.CurrentContext = user
	file := filepath.Join(l.folder, string(uuid.NewUUID()))
	Expect(clientcmd.WriteToFile(*config, file)).To(Succeed())
	return file
}

// lives says whether the process has not ended.
func (m *manager) lives() bool {
	select {
	case <-m.gone:
		return false
	default:
		return true
	}
}

// end kills the process and waits until it is gone.
func (m *manager) end() error {
	if err := m.command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-m.gone
	return nil
}

// halt stops the process as a machine does that swaps or is moved: it may go on any time.
func (m *manager) halt() error { return m.command.Process.Signal(syscall.SIGSTOP) }

// resume lets a halted process go on.
func (m *manager) resume() error { return m.command.Process.Signal(syscall.SIGCONT) }

// journal is what the managers of a lane have logged.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends.
func (j *journal) Write(text []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(text)
}

// String is all of it.
func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}
