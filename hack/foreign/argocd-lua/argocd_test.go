// SPDX-License-Identifier: Apache-2.0

// Package argocd_test runs the scripts of config/argocd as Argo CD does: Argo CD's settings manager
// reads argocd-cm, and its Lua VM runs the scripts on objects from our own test runs (`make
// argocd-testdata`). health_test.yaml and action_test.yaml are in Argo CD's own format.
package argocd_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apiclient/application"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/argo/normalizers"
	"github.com/argoproj/argo-cd/v3/util/lua"
	"github.com/argoproj/argo-cd/v3/util/settings"
	"github.com/argoproj/gitops-engine/pkg/health"
	jsonpatch "github.com/evanphx/json-patch"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/yaml"

	. "github.com/onsi/gomega"
)

const (
	config = "../../../config/argocd"          // the folder of the tested configuration
	kinds  = config + "/wholesale.broadband/*" // a folder for each kind
	states = kinds + "/testdata/*.yaml"        // an object in every state
)

func TestHealth(t *testing.T) {
	overrides := lua.ResourceHealthOverrides(customized(t))
	for _, folder := range found(t, kinds) {
		var cases struct{ Tests []healthTest }
		read(t, filepath.Join(folder, "health_test.yaml"), &cases)
		for _, test := range cases.Tests {
			t.Run(filepath.Join(filepath.Base(folder), test.InputPath), func(t *testing.T) {
				object := object(t, filepath.Join(folder, test.InputPath))
				NewWithT(t).Expect(overrides.GetResourceHealth(object)).To(HaveValue(Equal(test.HealthStatus)))
			})
		}
	}
}

type healthTest struct {
	InputPath    string
	HealthStatus health.HealthStatus
}

// A status that is missing or describes an earlier spec is outdated. A sync must not complete
// because of it, and nobody may approve an outdated plan of changes.
func TestUnseenIsProgressing(t *testing.T) {
	overrides := customized(t)
	for _, path := range found(t, states) {
		edited, created := object(t, path), object(t, path)
		edited.SetGeneration(edited.GetGeneration() + 1)
		delete(created.Object, "status")
		for _, unseen := range []*unstructured.Unstructured{edited, created} {
			g := NewWithT(t)
			g.Expect(lua.ResourceHealthOverrides(overrides).GetResourceHealth(unseen)).
				To(HaveField("Status", health.HealthStatusProgressing), path)
			g.Expect(enabled(t, overrides, unseen)).To(Or(BeEmpty(), ConsistOf("reconcile")), path)
		}
	}
}

func TestActions(t *testing.T) {
	overrides := customized(t)
	for _, folder := range found(t, kinds+"/actions") {
		var cases struct {
			DiscoveryTests []discoveryTest
			ActionTests    []actionTest
		}
		read(t, filepath.Join(folder, "action_test.yaml"), &cases)
		for _, test := range cases.DiscoveryTests {
			t.Run(filepath.Join(folder, test.InputPath), func(t *testing.T) {
				on := object(t, filepath.Join(folder, test.InputPath))
				NewWithT(t).Expect(discovered(t, overrides, on)).To(ConsistOf(test.Result))
			})
		}
		for _, test := range cases.ActionTests {
			t.Run(filepath.Join(folder, test.Action), func(t *testing.T) { test.run(t, overrides, folder) })
		}
	}
}

type discoveryTest struct {
	InputPath string
	Result    []v1alpha1.ResourceAction
}

type actionTest struct {
	Action             string
	InputPath          string
	ExpectedOutputPath string
	Parameters         map[string]string
}

func (a actionTest) run(t *testing.T, overrides customizations, folder string) {
	t.Helper()
	input := object(t, filepath.Join(folder, a.InputPath))
	got := patch(t, input, acted(t, overrides, a.Action, input, a.Parameters))
	want := patch(t, input, object(t, filepath.Join(folder, a.ExpectedOutputPath)))
	if a.Action == "reconcile" { // its value is the current time
		got, want = times.ReplaceAllString(got, ""), times.ReplaceAllString(want, "")
	}
	NewWithT(t).Expect(got).To(Equal(want))
}

var times = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z\b`)

// Every action, on every object that offers it, writes exactly one of our annotations and is then
// no longer offered; only reconcile can be run repeatedly.
func TestActionsWriteOneAnnotation(t *testing.T) {
	overrides, ran := customized(t), map[string]int{}
	for _, path := range found(t, states) {
		before := object(t, path)
		for _, action := range enabled(t, overrides, before) {
			ran[action]++
			after := acted(t, overrides, action, before, pending(t, before))
			g := NewWithT(t)
			g.Expect(patch(t, before, after)).To(
				MatchRegexp(`^{"metadata":{"annotations":{"wholesale\.broadband/[a-z]+":"[^"]+"}}}$`), path)
			g.Expect(action == "reconcile" || !slices.Contains(enabled(t, overrides, after), action)).To(BeTrue(), path)
		}
	}
	t.Logf("actions run: %v", ran)
	NewWithT(t).Expect(ran).To(HaveLen(5), "every action was offered somewhere")
}

// R21: a retry request names the attempt that it applies to. If several attempts have failed, this
// is the newest one, regardless of their order.
func TestR21RetryNamesTheNewestFailure(t *testing.T) {
	overrides := customized(t)
	path := filepath.Join(config, "wholesale.broadband/BroadbandService/testdata/CarrierRejected-stalled.yaml")
	for order, newest := range map[string][]int{"last": {1, 2}, "first": {2, 1}} {
		t.Run(order, func(t *testing.T) {
			g, failed := NewWithT(t), object(t, path)
			requests, _, err := unstructured.NestedSlice(failed.Object, "status", "requests")
			g.Expect(err).NotTo(HaveOccurred())
			var all []any
			for _, at := range newest {
				request, is := runtime.DeepCopyJSONValue(requests[0]).(map[string]any)
				g.Expect(is).To(BeTrue())
				request["attemptID"] = fmt.Sprintf("attempt-%d", at)
				request["finishedAt"] = fmt.Sprintf("2026-03-02T09:00:0%dZ", at)
				all = append(all, request)
			}
			g.Expect(unstructured.SetNestedSlice(failed.Object, all, "status", "requests")).To(Succeed())
			g.Expect(acted(t, overrides, "retry", failed, nil).GetAnnotations()).
				To(HaveKeyWithValue("wholesale.broadband/retry", "attempt-2"))
		})
	}
}

// R23: an approval names the plan of changes that the button showed. If the price has changed
// since, it is a different plan.
func TestR23ApproveTakesThePlanThatWasShown(t *testing.T) {
	overrides := customized(t)
	path := filepath.Join(config, "wholesale.broadband/BroadbandService/testdata/AwaitingApproval-waiting.yaml")
	for name, test := range map[string]struct {
		with map[string]string
		says string
	}{
		"the one that waits":  {with: pending(t, object(t, path))},
		"another":             {with: map[string]string{"hash": "p0"}, says: "and not p0: look at it again"},
		"none":                {with: map[string]string{"hash": ""}, says: "the parameter hash names the plan"},
		"without a parameter": {says: "the parameter hash names the plan"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			impacted, err := act(t, overrides, "approve", object(t, path), test.with)
			if test.says != "" {
				g.Expect(err).To(MatchError(ContainSubstring(test.says)))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(impacted).To(HaveLen(1))
		})
	}
}

// Without parameters, the action would approve whatever is pending when it runs (R23).
func TestR23ApproveIsNotOfferedWithoutParameters(t *testing.T) {
	g, vm := NewWithT(t), lua.VM{ResourceOverrides: customized(t)}
	waiting := object(t, filepath.Join(config, "wholesale.broadband/BroadbandService/testdata/AwaitingApproval-waiting.yaml"))
	scripts, err := vm.GetResourceActionDiscovery(waiting)
	g.Expect(err).NotTo(HaveOccurred())
	offered, err := vm.ExecuteResourceActionDiscovery(waiting, scripts)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(offered).To(ContainElement(HaveField("Name", "approve")))
	for i, script := range scripts {
		scripts[i] = "actionParams = nil\n" + script
	}
	offered, err = vm.ExecuteResourceActionDiscovery(waiting, scripts)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(offered).NotTo(Or(BeEmpty(), ContainElement(HaveField("Name", "approve"))))
}

// Argo CD compares an Application again when the health of an object changes, but not for other
// changes of its status. This is Argo CD's default, so we need no ignoreResourceUpdates.
func TestStatusAloneIsNoNews(t *testing.T) {
	g := NewWithT(t)
	overrides, err := manager(t).GetIgnoreResourceUpdatesOverrides()
	g.Expect(err).NotTo(HaveOccurred())
	normalizer, err := normalizers.NewIgnoreNormalizer(nil, overrides, normalizers.IgnoreNormalizerOpts{})
	g.Expect(err).NotTo(HaveOccurred())
	for _, path := range found(t, states) {
		before, later := object(t, path), object(t, path)
		later.Object["status"] = map[string]any{"observedGeneration": int64(1)}
		g.Expect(normalizer.Normalize(before)).To(Succeed())
		g.Expect(normalizer.Normalize(later)).To(Succeed())
		g.Expect(later.Object).To(Equal(before.Object), path)
	}
}

// customizations are the settings for each kind in argocd-cm.
type customizations = map[string]v1alpha1.ResourceOverride

func customized(t *testing.T) customizations {
	t.Helper()
	overrides, err := manager(t).GetResourceOverrides()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return overrides
}

// manager returns Argo CD's settings manager for our argocd-cm.
func manager(t *testing.T) *settings.SettingsManager {
	t.Helper()
	configMap := &corev1.ConfigMap{}
	read(t, config+"/component/argocd-cm.yaml", configMap)
	configMap.Namespace = "argocd"
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Name: "argocd-secret", Namespace: configMap.Namespace, Labels: configMap.Labels,
	}}
	return settings.NewSettingsManager(t.Context(), fake.NewClientset(configMap, secret), configMap.Namespace)
}

// discovered returns the actions of an object; none for a kind without actions.
func discovered(t *testing.T, overrides customizations, on *unstructured.Unstructured) []v1alpha1.ResourceAction {
	t.Helper()
	vm := lua.VM{ResourceOverrides: overrides}
	scripts, err := vm.GetResourceActionDiscovery(on)
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	if len(scripts) == 0 {
		return nil
	}
	actions, err := vm.ExecuteResourceActionDiscovery(on, scripts)
	g.Expect(err).NotTo(HaveOccurred())
	return actions
}

// enabled returns the names of the actions that are enabled for an object.
func enabled(t *testing.T, overrides customizations, on *unstructured.Unstructured) []string {
	t.Helper()
	var names []string
	for _, action := range discovered(t, overrides, on) {
		if !action.Disabled {
			names = append(names, action.Name)
		}
	}
	return names
}

// pending returns the hash of an object's plan of changes, as the parameter that approves it.
func pending(t *testing.T, on *unstructured.Unstructured) map[string]string {
	t.Helper()
	hash, _, err := unstructured.NestedString(on.Object, "status", "pending", "hash")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return map[string]string{"hash": hash}
}

// acted returns the object after an action.
func acted(
	t *testing.T, overrides customizations, action string, on *unstructured.Unstructured, with map[string]string,
) *unstructured.Unstructured {
	t.Helper()
	impacted, err := act(t, overrides, action, on, with)
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(impacted).To(ConsistOf(HaveField("K8SOperation", lua.PatchOperation)))
	return impacted[0].UnstructuredObj
}

// act runs an action with parameters.
func act(
	t *testing.T, overrides customizations, action string, on *unstructured.Unstructured, with map[string]string,
) ([]lua.ImpactedResource, error) {
	t.Helper()
	vm := lua.VM{ResourceOverrides: overrides}
	definition, err := vm.GetResourceAction(on, action)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	parameters := make([]*application.ResourceActionParameters, 0, len(with))
	for name, value := range with {
		parameters = append(parameters, &application.ResourceActionParameters{Name: &name, Value: &value})
	}
	return vm.ExecuteResourceAction(on, definition.ActionLua, parameters)
}

// patch returns the patch that Argo CD sends to the API server after an action changed an object.
func patch(t *testing.T, before, after *unstructured.Unstructured) string {
	t.Helper()
	g := NewWithT(t)
	was, err := before.MarshalJSON()
	g.Expect(err).NotTo(HaveOccurred())
	is, err := after.MarshalJSON()
	g.Expect(err).NotTo(HaveOccurred())
	written, err := jsonpatch.CreateMergePatch(was, is)
	g.Expect(err).NotTo(HaveOccurred())
	return string(written)
}

func object(t *testing.T, path string) *unstructured.Unstructured {
	t.Helper()
	manifest := &unstructured.Unstructured{}
	read(t, path, manifest)
	return manifest
}

func found(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(paths).NotTo(BeEmpty(), pattern)
	return paths
}

func read(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path) //nolint:gosec // a file of the repository
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(yaml.Unmarshal(text, into)).To(Succeed(), path)
}
