// SPDX-License-Identifier: Apache-2.0

package kubestatemetrics_test

import (
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	. "github.com/onsi/gomega"
)

const (
	root = "../../.."
	// states has an object of each kind in every state that our tests reach, as written by `make
	// argocd-testdata`.
	states = root + "/config/argocd/wholesale.broadband/*/testdata/*.yaml"
	// ledgers are RequestLedgers of a real manager, as kept by internal/manager/metrics_ledgers_test.go.
	ledgers = "testdata/requestledgers.yaml"
	role    = root + "/config/kube-state-metrics/role.yaml"

	builtService = "1234567" // the number of the service that an order became

	// user has the ClusterRole that we give to kube-state-metrics, and no other right.
	user = "kube-state-metrics"

	// planeTimeout is how long a control plane may take to start and to stop on a busy machine.
	planeTimeout = 2 * time.Minute
)

// cluster is an API server with our kinds, and with real objects of each of them.
type cluster struct {
	client.Client

	kubeconfig string // of the user
}

func startCluster(t *testing.T) cluster {
	t.Helper()
	g := NewWithT(t)
	env := &envtest.Environment{
		ControlPlaneStartTimeout: planeTimeout, ControlPlaneStopTimeout: planeTimeout,
		CRDDirectoryPaths: []string{root + "/config/crd/bases"}, ErrorIfCRDPathMissing: true,
	}
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		env.BinaryAssetsDirectory = root + "/bin/controlplane"
	}
	config, err := env.Start()
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(env.Stop()).To(Succeed()) })
	access, err := client.New(config, client.Options{})
	g.Expect(err).NotTo(HaveOccurred())
	added, err := env.AddUser(envtest.User{Name: user}, nil)
	g.Expect(err).NotTo(HaveOccurred())
	kubeconfig, err := added.KubeConfig()
	g.Expect(err).NotTo(HaveOccurred())
	made := cluster{Client: access, kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	g.Expect(os.WriteFile(made.kubeconfig, kubeconfig, 0o600)).To(Succeed())
	made.bind(t)
	return made
}

// bind creates our ClusterRole, and gives it to the user.
func (c cluster) bind(t *testing.T) {
	t.Helper()
	granted := read(t, role)
	c.create(t, granted)
	c.create(t, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
		"metadata": map[string]any{"name": user},
		"roleRef": map[string]any{
			"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": granted.GetName(),
		},
		"subjects": []any{map[string]any{
			"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user,
		}},
	}})
}

// create creates an object with its status. The API server checks both against their schema.
func (c cluster) create(t *testing.T, object *unstructured.Unstructured) {
	t.Helper()
	g := NewWithT(t)
	strict := client.FieldValidation("Strict")
	made := object.DeepCopy()
	g.Expect(c.Create(t.Context(), made, strict)).To(Succeed(), object.GetName())
	if status, has := object.Object["status"]; has {
		made.Object["status"] = status
		g.Expect(c.Status().Update(t.Context(), made, strict)).To(Succeed(), object.GetName())
	}
}

func read(t *testing.T, file string) *unstructured.Unstructured {
	t.Helper()
	g, object := NewWithT(t), &unstructured.Unstructured{}
	text, err := os.ReadFile(filepath.Clean(file))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(yaml.Unmarshal(text, &object.Object)).To(Succeed(), file)
	return object
}

// fill creates the objects of all states, each named after its state, and the ledgers.
func (c cluster) fill(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	g := NewWithT(t)
	c.create(t, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace},
	}})
	files, err := filepath.Glob(states)
	g.Expect(err).NotTo(HaveOccurred())
	all := make([]*unstructured.Unstructured, 0, len(files))
	for _, file := range files {
		object := read(t, file)
		object.SetName(strings.ToLower(strings.TrimSuffix(filepath.Base(file), ".yaml")))
		complete(g, object)
		all = append(all, object)
	}
	list, err := read(t, ledgers).ToList()
	g.Expect(err).NotTo(HaveOccurred())
	for i := range list.Items {
		all = append(all, &list.Items[i])
	}
	for _, object := range all {
		c.create(t, object)
	}
	return all
}

// complete adds what an object has in a cluster but the shortest object of its state lacks: the
// service of a completed order, and the condition Carrier of an account that is in use.
func complete(g Gomega, object *unstructured.Unstructured) {
	switch object.GetKind() + "/" + object.GetName() {
	case "ServiceOrder/submitted-ready":
		g.Expect(unstructured.SetNestedField(object.Object, builtService, "status", "serviceID")).To(Succeed())
	case "CarrierAccount/tokenissued-ready":
		conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
		g.Expect(err).NotTo(HaveOccurred())
		conditions = append(conditions, map[string]any{
			"type": "Carrier", "status": "True", "reason": "Answering", "message": "the carrier answers",
			"lastTransitionTime": "2026-03-02T09:00:00Z",
		})
		g.Expect(unstructured.SetNestedSlice(object.Object, conditions, "status", "conditions")).To(Succeed())
	}
}

// freePort returns a port on which nothing listens. As in test/ports, of another module, it is below
// the range for outgoing connections, and a UDP socket reserves it.
func freePort(t *testing.T) string {
	t.Helper()
	g := NewWithT(t)
	var listening net.ListenConfig
	for {
		port := strconv.Itoa(20000 + rand.IntN(12000)) //nolint:gosec // a port is no secret
		reserved, err := listening.ListenPacket(t.Context(), "udp", "127.0.0.1:"+port)
		if err != nil {
			continue
		}
		t.Cleanup(func() { g.Expect(reserved.Close()).To(Succeed()) })
		listener, err := listening.Listen(t.Context(), "tcp", "127.0.0.1:"+port)
		if err == nil {
			g.Expect(listener.Close()).To(Succeed())
			return port
		}
	}
}
