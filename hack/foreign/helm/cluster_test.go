// SPDX-License-Identifier: Apache-2.0

package helm_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	. "github.com/onsi/gomega"
)

// live returns the objects as they are in the cluster; one that is not there is left out.
func (c cluster) live(
	t *testing.T, objects map[string]*unstructured.Unstructured,
) map[string]*unstructured.Unstructured {
	t.Helper()
	found := map[string]*unstructured.Unstructured{}
	for id, one := range objects {
		there := &unstructured.Unstructured{}
		there.SetGroupVersionKind(one.GroupVersionKind())
		err := c.Get(t.Context(), client.ObjectKeyFromObject(one), there)
		if !apierrors.IsNotFound(err) {
			NewWithT(t).Expect(err).NotTo(HaveOccurred(), id)
			found[id] = there
		}
	}
	return found
}

// versions returns the resourceVersion of each object.
func versions(objects map[string]*unstructured.Unstructured) map[string]string {
	found := map[string]string{}
	for id, one := range objects {
		found[id] = one.GetResourceVersion()
	}
	return found
}

func (c cluster) apply(t *testing.T, args ...string) {
	t.Helper()
	must(t, c.command(t, c.kubectl,
		append([]string{"apply", "--server-side", "--field-manager=broadband-operator", "--validate=strict"}, args...)...))
}

// upgrade runs `helm upgrade --install` for the chart, and returns what it printed to stderr.
func (c cluster) upgrade(t *testing.T, args ...string) (string, error) {
	t.Helper()
	_, said, err := run(c.command(t, c.helm, append([]string{
		"upgrade", "--install", release, chart, "--namespace=" + release,
	}, args...)...))
	return said, err
}

func TestTheChartTakesOverWhatKubectlInstalled(t *testing.T) {
	t.Parallel()
	g, c := NewWithT(t), startCluster(t)
	installed := c.kustomize(t, "default")
	c.apply(t, "--kustomize="+root+"/config/default")
	before := c.live(t, installed)
	g.Expect(before).To(HaveLen(len(installed)))

	said, err := c.upgrade(t)
	g.Expect(err).To(HaveOccurred())
	g.Expect(said).To(ContainSubstring("invalid ownership metadata"))

	for range 2 {
		said, err = c.upgrade(t, "--take-ownership", "--force-conflicts")
		g.Expect(err).NotTo(HaveOccurred(), said)
	}
	adopted := c.live(t, installed)
	for id, one := range adopted {
		g.Expect(one.GetUID()).To(Equal(before[id].GetUID()), id)
		g.Expect(withoutMetadata(one)).To(BeComparableTo(withoutMetadata(before[id])), "%s: nothing restarts", id)
		if one.GetKind() != "Namespace" {
			g.Expect(one.GetLabels()).To(HaveKeyWithValue("app.kubernetes.io/managed-by", "Helm"), id)
			g.Expect(one.GetAnnotations()).To(HaveKeyWithValue("meta.helm.sh/release-name", release), id)
		}
	}
	c.apply(t, "--kustomize="+root+"/config/default") // again: there is no conflict
	g.Expect(versions(c.live(t, installed))).To(Equal(versions(adopted)), "and no change")
}

func withoutMetadata(one *unstructured.Unstructured) map[string]any {
	content := maps.Clone(one.Object)
	delete(content, "metadata")
	delete(content, "status")
	return content
}

// With almost all options set together, most of an API server's rules apply.
func TestAClusterAcceptsTheChart(t *testing.T) {
	t.Parallel()
	g, c := NewWithT(t), startCluster(t)
	must(t, c.command(t, c.kubectl, "create", "namespace", release))
	var all []string
	for name, option := range options() {
		switch {
		case strings.HasPrefix(name, "serviceMonitor"), strings.HasPrefix(name, "prometheusRule"):
		case strings.HasPrefix(option[1], "!"), name == "image.digest", name == "namespace.create":
		case name == "namespaces":
			all = append(all, "--set=namespaces={default,kube-system}")
		case name == "topologySpreadConstraints":
			all = append(all, "--set=topologySpreadConstraints[0].maxSkew=1,topologySpreadConstraints[0].whenUnsatisfiable="+
				"ScheduleAnyway,topologySpreadConstraints[0].topologyKey=zone")
		default:
			all = append(all, "--set="+name+option[0])
		}
	}
	for _, values := range [][]string{nil, all} {
		rendered := c.template(t, values...)
		apply := c.command(t, c.kubectl, "apply", "--server-side", "--field-manager=test", "--force-conflicts",
			"--validate=strict", "--filename=-")
		apply.Stdin = strings.NewReader(rendered)
		must(t, apply)
		g.Expect(c.live(t, parse(t, rendered))).To(HaveLen(len(parse(t, rendered))))
	}
}

func TestUninstallingTheChartKeepsTheObjectsOfUsers(t *testing.T) {
	t.Parallel()
	g, c := NewWithT(t), startCluster(t)
	said, err := c.upgrade(t, "--create-namespace", "--set=crds.keep=false")
	g.Expect(err).NotTo(HaveOccurred(), said)
	installed := c.live(t, parse(t, c.template(t)))
	g.Expect(len(installed)).To(BeNumerically(">", 30))
	must(t, c.command(t, c.helm, "uninstall", release, "--namespace="+release))
	g.Eventually(func() []string {
		return slices.Sorted(maps.Keys(c.live(t, installed)))
	}).WithTimeout(deletion).Should(ConsistOf("CustomResourceDefinition/requestledgers.wholesale.broadband"))

	said, err = c.upgrade(t, "--take-ownership")
	g.Expect(err).NotTo(HaveOccurred(), said)
	must(t, c.command(t, c.helm, "uninstall", release, "--namespace="+release))
	g.Eventually(func() []string {
		return slices.Sorted(maps.Keys(c.live(t, installed)))
	}).WithTimeout(deletion).Should(And(HaveLen(9), HaveEach(HavePrefix("CustomResourceDefinition/"))))
}
