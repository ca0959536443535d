// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"path/filepath"

	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// manager is a process of the built program, with its own connection to the API server.
type manager struct {
	*process

	link *world.Link
}

// start starts a manager of a lane.
func (l *lane) start() *manager {
	GinkgoHelper()
	m := &manager{link: &world.Link{}}
	m.process = launch(l.log, program, append([]string{
		"--kubeconfig=" + l.kubeconfig(m), "--allow-insecure-carrier", "--namespaces=" + l.Namespace,
		"--leader-elect", "--operator-namespace=" + l.namespace,
		"--health-probe-bind-address=0", "--events-bind-address=0",
		"--approval-checked-elsewhere", // the control plane of all lanes has no policies
	}, l.flags...)...)
	l.managers = append(l.managers, m)
	return m
}

// kubeconfig writes a file that connects a manager to the API server through the lane's proxy.
func (l *lane) kubeconfig(m *manager) string {
	GinkgoHelper()
	cluster := rest.CopyConfig(l.access)
	m.link.Wrap(cluster)
	through, err := rest.TransportFor(cluster)
	Expect(err).NotTo(HaveOccurred())
	if l.allLead {
		through = leaseConfirmer{through}
	}
	config := clientcmdapi.NewConfig()
	config.Clusters[user] = &clientcmdapi.Cluster{Server: l.proxy.serve(m, cluster.Host, through)}
	config.Contexts[user] = &clientcmdapi.Context{Cluster: user}
	config.CurrentContext = user
	file := filepath.Join(l.folder, string(uuid.NewUUID()))
	Expect(clientcmd.WriteToFile(*config, file)).To(Succeed())
	return file
}
