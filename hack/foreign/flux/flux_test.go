// SPDX-License-Identifier: Apache-2.0

// Package flux_test evaluates the health checks of config/flux as Flux does, with its own CEL
// environment and kstatus, on objects from our own test runs (`make argocd-testdata`).
package flux_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	. "github.com/onsi/gomega"
)

// kinds are the folders with the objects of each kind and their health in Argo CD.
const kinds = "../../../config/argocd/wholesale.broadband/*"

// Argo CD shows an object that waits for a user as Suspended; for Flux it is Current.
func TestHealthChecks(t *testing.T) {
	want := map[string]status.Status{
		"Healthy": status.CurrentStatus, "Suspended": status.CurrentStatus,
		"Progressing": status.InProgressStatus, "Degraded": status.FailedStatus,
	}
	checks, evaluated := evaluators(t), map[string]int{}
	for path, shown := range pictures(t) {
		object := read(t, path)
		check, has := checks[object.GetKind()]
		if !has {
			continue
		}
		got, err := check.Evaluate(t.Context(), object)
		g := NewWithT(t)
		g.Expect(err).NotTo(HaveOccurred(), path)
		g.Expect(got.Status).To(Equal(want[shown]), path)
		evaluated[object.GetKind()]++
	}
	t.Logf("objects: %v", evaluated)
	NewWithT(t).Expect(evaluated).To(HaveLen(len(checks)))
}

// Without the expressions kstatus gives the same result, except that objects that wait for a user
// are in progress. An account never waits for a user, so it needs no expression.
func TestKstatus(t *testing.T) {
	want := map[string]status.Status{
		"Healthy": status.CurrentStatus, "Suspended": status.InProgressStatus,
		"Progressing": status.InProgressStatus, "Degraded": status.FailedStatus,
	}
	for path, shown := range pictures(t) {
		got, err := status.Compute(read(t, path))
		g := NewWithT(t)
		g.Expect(err).NotTo(HaveOccurred(), path)
		g.Expect(got.Status).To(Equal(want[shown]), path)
	}
}

// An object that the operator has not reconciled yet is in progress.
func TestUnseenIsInProgress(t *testing.T) {
	checks := evaluators(t)
	for path := range pictures(t) {
		edited, created := read(t, path), read(t, path)
		edited.SetGeneration(edited.GetGeneration() + 1)
		created.Object["status"] = map[string]any{}
		check, has := checks[edited.GetKind()]
		if !has {
			continue
		}
		for _, unseen := range []*unstructured.Unstructured{edited, created} {
			got, err := check.Evaluate(t.Context(), unseen)
			g := NewWithT(t)
			g.Expect(err).NotTo(HaveOccurred(), path)
			g.Expect(got.Status).To(Equal(status.InProgressStatus), path)
		}
	}
}

// evaluators returns the health checks of config/flux, by kind.
func evaluators(t *testing.T) map[string]*cel.StatusEvaluator {
	t.Helper()
	g := NewWithT(t)
	text, err := os.ReadFile("../../../config/flux/sites.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	_, second, _ := strings.Cut(string(text), "\n---\n")
	var kustomization struct {
		Spec struct {
			HealthCheckExprs []kustomize.CustomHealthCheck
		}
	}
	g.Expect(yaml.Unmarshal([]byte(second), &kustomization)).To(Succeed())
	checks := map[string]*cel.StatusEvaluator{}
	for _, check := range kustomization.Spec.HealthCheckExprs {
		evaluator, err := cel.NewStatusEvaluator(&check.HealthCheckExpressions)
		g.Expect(err).NotTo(HaveOccurred(), check.Kind)
		checks[check.Kind] = evaluator
	}
	return checks
}

// pictures returns the paths of the objects and the health that Argo CD shows for each.
func pictures(t *testing.T) map[string]string {
	t.Helper()
	g := NewWithT(t)
	lists, err := filepath.Glob(kinds + "/health_test.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(lists).NotTo(BeEmpty())
	shown := map[string]string{}
	for _, list := range lists {
		for _, test := range tests(t, list) {
			shown[filepath.Join(filepath.Dir(list), test.InputPath)] = test.HealthStatus.Status
		}
	}
	return shown
}

type healthTest struct {
	InputPath    string
	HealthStatus struct{ Status string }
}

func tests(t *testing.T, path string) []healthTest {
	t.Helper()
	var list struct{ Tests []healthTest }
	load(t, path, &list)
	return list.Tests
}

func read(t *testing.T, path string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	load(t, path, object)
	return object
}

func load(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path) //nolint:gosec // a file of the repository
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(yaml.Unmarshal(text, into)).To(Succeed(), path)
}
