// SPDX-License-Identifier: Apache-2.0

// Package gitops_test defines how Argo CD shows each state of our objects, and which actions it
// offers. It compares the tests of Argo CD's scripts with this definition:
// config/argocd/…/health_test.yaml and action_test.yaml. The scripts themselves run in Argo CD's
// own Lua VM: hack/foreign/argocd-lua.
package gitops_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/source"
)

var update = flag.Bool("update", false, "rewrite the tests of Argo CD's scripts")

// folder returns the folder of Argo CD's scripts, with a folder for each kind.
func folder() string {
	return filepath.Join(source.Root(), "config", "argocd", v1alpha1.GroupVersion.Group)
}

// Every new reason needs a health.
func TestEveryReasonHasAHealth(t *testing.T) {
	listed := slices.Sorted(maps.Keys(table()))
	if declared := source.Reasons(t); !slices.Equal(declared, listed) {
		t.Errorf("the reasons of api/v1alpha1 are\n%v, and those of the table\n%v", declared, listed)
	}
}

// Every row of the table occurs in an object from a test that was run, and every such object has a
// row.
func TestEveryHealthOccurs(t *testing.T) {
	seen := map[string][]health{}
	for _, one := range samples(t) {
		reason, sample := one.ready().Reason, one.health()
		if !slices.Contains(table()[reason], sample) {
			t.Errorf("%s is %s with the reason %s, and the table does not list that", one.path, sample, reason)
		}
		seen[reason] = append(seen[reason], sample)
	}
	for reason, healths := range table() {
		for _, sample := range healths {
			if !slices.Contains(seen[reason], sample) {
				t.Errorf("no object is %s with the reason %s: add a test for it in controllers/, and run make argocd-testdata",
					sample, reason)
			}
		}
	}
}

// sample is an object from a test that was run.
type sample struct {
	path   string
	object document
}

// document is what the kinds have in common.
type document struct {
	Kind     string
	Metadata metav1.ObjectMeta
	Status   struct {
		Conditions []metav1.Condition
		Pending    *v1alpha1.Pending
		Requests   []v1alpha1.Request
		Request    *v1alpha1.Request
	}
}

// samples returns all samples.
func samples(t *testing.T) []sample {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder(), "*", "testdata", "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no objects: %v; run make argocd-testdata", err)
	}
	all := make([]sample, 0, len(paths))
	for _, path := range paths {
		one := sample{path: path}
		text, err := os.ReadFile(path) //nolint:gosec // a file of the repository
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(text, &one.object); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, one)
	}
	return all
}

// kind returns the folder of the sample's kind.
func (p sample) kind() string { return filepath.Dir(filepath.Dir(p.path)) }

// inputPath returns the sample's path in a test of Argo CD, relative to the folder of the sample's
// kind.
func (p sample) inputPath() string { return filepath.Join("testdata", filepath.Base(p.path)) }

func (p sample) is(condition string) bool {
	return meta.IsStatusConditionTrue(p.object.Status.Conditions, condition)
}

func (p sample) ready() metav1.Condition {
	return *meta.FindStatusCondition(p.object.Status.Conditions, v1alpha1.ConditionReady)
}

// health returns the health that the sample's conditions mean.
func (p sample) health() health {
	switch {
	case p.is(v1alpha1.ConditionReady):
		return healthy
	case p.is(v1alpha1.ConditionStalled):
		return degraded
	case p.is(v1alpha1.ConditionReconciling):
		return progressing
	}
	return suspended
}
