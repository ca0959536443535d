// SPDX-License-Identifier: Apache-2.0

package prometheus_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"
)

const stateMetrics = "../../config/kube-state-metrics/config.yaml"

// stateConfig is a configuration of kube-state-metrics, as far as ours uses it. An unknown field is
// an error.
type stateConfig struct {
	Kind string `yaml:"kind"`
	Spec struct {
		Resources []stateResource `yaml:"resources"`
	} `yaml:"spec"`
}

type stateResource struct {
	Kind struct {
		Group   string `yaml:"group"`
		Version string `yaml:"version"`
		Kind    string `yaml:"kind"`
	} `yaml:"groupVersionKind"`
	Plural  string              `yaml:"resourcePlural"`
	Prefix  string              `yaml:"metricNamePrefix"`
	Labels  map[string][]string `yaml:"labelsFromPath"`
	Metrics []struct {
		Name string `yaml:"name"`
		Help string `yaml:"help"`
		Each struct {
			Type string `yaml:"type"`
			Info struct {
				Path   []string            `yaml:"path"`
				Labels map[string][]string `yaml:"labelsFromPath"`
			} `yaml:"info"`
		} `yaml:"each"`
	} `yaml:"metrics"`
}

// definition is a CustomResourceDefinition, as far as it is needed here.
type definition struct {
	Spec struct {
		Group string `yaml:"group"`
		Names struct {
			Kind   string `yaml:"kind"`
			Plural string `yaml:"plural"`
		} `yaml:"names"`
		Versions []struct {
			Name   string `yaml:"name"`
			Schema struct {
				Root schema `yaml:"openAPIV3Schema"`
			} `yaml:"schema"`
		} `yaml:"versions"`
	} `yaml:"spec"`
}

type schema struct {
	Properties map[string]schema `yaml:"properties"`
	Items      *schema           `yaml:"items"`
}

// at returns the schema at a path of kube-state-metrics; nil if there is none. [key=value] selects
// an element of a list.
func (s schema) at(path []string) *schema {
	if len(path) == 0 {
		return &s
	}
	if key, _, selects := strings.Cut(strings.Trim(path[0], "[]"), "="); selects {
		if s.Items == nil || s.Items.at([]string{key}) == nil {
			return nil
		}
		return s.Items.at(path[1:])
	}
	below, there := s.Properties[path[0]]
	if !there {
		return nil
	}
	return below.at(path[1:])
}

func decoded[T any](t *testing.T, file string, decode func([]byte, any) error) T {
	t.Helper()
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		t.Fatal(err)
	}
	var value T
	if err := decode(text, &value); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return value
}

func lenient(text []byte, into any) error { return yaml.Unmarshal(text, into) }
func strict(text []byte, into any) error  { return yaml.UnmarshalStrict(text, into) }

// schemas returns the schema of each kind, with its metadata, and its plural.
func schemas(t *testing.T) (roots map[string]schema, plurals map[string]string) {
	t.Helper()
	files, err := filepath.Glob("../../config/crd/bases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d CustomResourceDefinitions: %v", len(files), err)
	}
	roots, plurals = map[string]schema{}, map[string]string{}
	for _, file := range files {
		crd := decoded[definition](t, file, lenient)
		root := crd.Spec.Versions[0].Schema.Root
		root.Properties["metadata"] = schema{Properties: map[string]schema{"name": {}, "namespace": {}}}
		roots[crd.Spec.Names.Kind], plurals[crd.Spec.Names.Kind] = root, crd.Spec.Names.Plural
	}
	return roots, plurals
}

var labelName = regexp.MustCompile(`^[a-z][a-z_]*$`)

// Every kind has a metric, and every label has a field: kube-state-metrics leaves out a label
// without a value and says nothing.
func TestStateMetricsNameFieldsThatExist(t *testing.T) {
	roots, plurals := schemas(t)
	config := decoded[stateConfig](t, stateMetrics, strict)
	if config.Kind != "CustomResourceStateMetrics" {
		t.Errorf("the kind is %s", config.Kind)
	}
	for _, resource := range config.Spec.Resources {
		kind := resource.Kind.Kind
		root, known := roots[kind]
		if !known || resource.Plural != plurals[kind] {
			t.Errorf("%s with the plural %s is no kind", kind, resource.Plural)
		}
		checkLabels(t, kind, root, resource.Labels)
		for _, metric := range resource.Metrics {
			if metric.Each.Type != "Info" || metric.Help == "" || !strings.HasSuffix(metric.Name, "_info") {
				t.Errorf("%s: the metric %s is of type %s, and its help is %q", kind, metric.Name, metric.Each.Type, metric.Help)
			}
			checkLabels(t, kind, *element(t, root, metric.Each.Info.Path), metric.Each.Info.Labels)
		}
		delete(roots, kind)
	}
	for kind := range roots {
		t.Errorf("%s has no metric", kind)
	}
}

// element returns the schema of what a metric is about: the object, or an element of a list in it.
func element(t *testing.T, root schema, path []string) *schema {
	t.Helper()
	of := root.at(path)
	if len(path) > 0 && of != nil {
		of = of.Items
	}
	if of == nil {
		t.Fatalf("there is no list %v", path)
	}
	return of
}

func checkLabels(t *testing.T, kind string, of schema, labels map[string][]string) {
	t.Helper()
	for label, path := range labels {
		if !labelName.MatchString(label) {
			t.Errorf("%s: %s is no name of a label", kind, label)
		}
		if of.at(path) == nil {
			t.Errorf("%s: label %s: there is no field %v", kind, label, path)
		}
	}
}
