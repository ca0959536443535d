// SPDX-License-Identifier: Apache-2.0

// Package helm_test tests the chart with Helm itself, and the commands of docs/install.md, against a
// real kube-apiserver.
package helm_test

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/yaml"
)

const (
	root    = "../../.."
	chart   = root + "/charts/broadband-operator"
	release = "broadband-operator" // and its namespace
)

// programs are the paths of the programs that a user has on the PATH.
type programs struct{ helm, kubectl string }

// TestMain silences controller-runtime, which has a logger of its own.
func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

func find(t *testing.T) programs {
	t.Helper()
	g := gomega.NewWithT(t)
	helm, err := filepath.Abs(root + "/bin/helm") // make bin/helm
	g.Expect(err).NotTo(gomega.HaveOccurred())
	kubectl, err := filepath.Abs(cmp.Or(os.Getenv("KUBECTL"), root+"/bin/controlplane/kubectl"))
	g.Expect(err).NotTo(gomega.HaveOccurred())
	return programs{helm: helm, kubectl: kubectl}
}

// command prepares a program whose home is an empty folder.
func command(ctx context.Context, home, program string, args ...string) *exec.Cmd {
	made := exec.CommandContext(ctx, program, args...) //nolint:gosec // our own programs
	made.Env = append(os.Environ(), "HOME="+home, "KUBECONFIG="+filepath.Join(home, "kubeconfig"))
	return made
}

// run runs a program and returns what it printed to stdout and to stderr.
func run(made *exec.Cmd) (string, string, error) {
	var out, complaint bytes.Buffer
	made.Stdout, made.Stderr = &out, &complaint
	err := made.Run()
	return out.String(), complaint.String(), err
}

// must runs a program that must succeed, and returns its output.
func must(t *testing.T, made *exec.Cmd) string {
	t.Helper()
	out, complaint, err := run(made)
	gomega.NewWithT(t).Expect(err).NotTo(gomega.HaveOccurred(), "%s\n%s%s", made, out, complaint)
	return out
}

// template renders the chart.
func (p programs) template(t *testing.T, args ...string) string {
	t.Helper()
	args = append([]string{"template", release, chart, "--namespace=" + release}, args...)
	return must(t, command(t.Context(), t.TempDir(), p.helm, args...))
}

// parse returns the objects of manifests by kind, namespace and name.
func parse(t *testing.T, manifests string) map[string]*unstructured.Unstructured {
	t.Helper()
	g := gomega.NewWithT(t)
	objects := map[string]*unstructured.Unstructured{}
	for text := range strings.SplitSeq("\n"+manifests, "\n---\n") {
		one := &unstructured.Unstructured{}
		g.Expect(yaml.UnmarshalStrict([]byte(text), &one.Object)).To(gomega.Succeed(), text)
		if one.Object == nil {
			continue
		}
		g.Expect(objects).NotTo(gomega.HaveKey(id(one)), "rendered twice")
		objects[id(one)] = one
	}
	return objects
}

func id(one *unstructured.Unstructured) string {
	return strings.TrimPrefix(one.GetNamespace()+"/", "/") + one.GetKind() + "/" + one.GetName()
}

// cluster is an API server in which nothing is installed.
type cluster struct {
	programs
	client.Client

	home string // has the administrator's kubeconfig
}

// planeTimeout is how long a control plane may take to start and to stop on a busy machine.
const planeTimeout = 2 * time.Minute

// startCluster starts a control plane that ends with the test.
func startCluster(t *testing.T) cluster {
	t.Helper()
	g := gomega.NewWithT(t)
	env := &envtest.Environment{ControlPlaneStartTimeout: planeTimeout, ControlPlaneStopTimeout: planeTimeout}
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		env.BinaryAssetsDirectory = root + "/bin/controlplane"
	}
	config, err := env.Start()
	g.Expect(err).NotTo(gomega.HaveOccurred())
	t.Cleanup(func() { g.Expect(env.Stop()).To(gomega.Succeed()) })
	access, err := client.New(config, client.Options{})
	g.Expect(err).NotTo(gomega.HaveOccurred())
	home := t.TempDir()
	kubeconfig := clientcmdapi.NewConfig()
	kubeconfig.Clusters[release] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	kubeconfig.AuthInfos[release] = &clientcmdapi.AuthInfo{
		ClientCertificateData: config.CertData, ClientKeyData: config.KeyData,
	}
	kubeconfig.Contexts[release] = &clientcmdapi.Context{Cluster: release, AuthInfo: release}
	kubeconfig.CurrentContext = release
	g.Expect(clientcmd.WriteToFile(*kubeconfig, filepath.Join(home, "kubeconfig"))).To(gomega.Succeed())
	return cluster{programs: find(t), Client: access, home: home}
}

// command prepares a program as the administrator.
func (c cluster) command(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	return command(t.Context(), c.home, program, args...)
}
