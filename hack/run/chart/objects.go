// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// object is an object of a kustomization, and what its template is wrapped in.
type object struct {
	unstructured.Unstructured

	before, after string
}

func (o *object) id() string { return o.GetKind() + "/" + o.GetNamespace() + "/" + o.GetName() }

// The namespaces in the manifests: that of the operator, and one that stands for each namespace
// that the operator is restricted to.
const (
	ownNamespace     = "broadband-operator"
	exampleNamespace = "sites"
)

// withConditions adds the conditions under which the chart has an object. Some rights exist only in a
// manager that is restricted to namespaces, and others only in one that is not.
func withConditions(installed, restricted []object) []object {
	var all []object
	for _, one := range installed {
		one.wrapIf(conditions()[one.GetKind()])
		if !contains(restricted, &one) {
			one.wrapIf("not .Values.namespaces")
		}
		all = append(all, one)
	}
	for _, one := range restricted {
		switch {
		case contains(installed, &one):
		case one.GetNamespace() == "", one.GetNamespace() == metav1.NamespaceDefault:
			one.wrapIf(".Values.namespaces")
			all = append(all, one)
		case one.GetNamespace() == exampleNamespace:
			one.SetNamespace("{{ . }}")
			one.before, one.after = "{{- range .Values.namespaces }}\n", "{{- end }}\n"
			all = append(all, one)
		}
	}
	return all
}

func (o *object) wrapIf(condition string) {
	if condition != "" {
		o.before, o.after = "{{- if "+condition+" }}\n"+o.before, o.after+"{{- end }}\n"
	}
}

func contains(objects []object, one *object) bool {
	return slices.ContainsFunc(objects, func(other object) bool { return other.id() == one.id() })
}

// usernames is the condition for config/usernames: Kubernetes serves such policies since version 1.36.
const usernames = `and .Values.usernames ` +
	`(.Capabilities.APIVersions.Has "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy")`

// conditions returns, by kind, the condition under which the chart has objects of that kind.
func conditions() map[string]string {
	return map[string]string{
		"CustomResourceDefinition":       ".Values.crds.install",
		"Namespace":                      ".Values.namespace.create",
		"MutatingAdmissionPolicy":        usernames,
		"MutatingAdmissionPolicyBinding": usernames,
		"PriorityClass":                  `eq .Values.priorityClassName "broadband-operator-manager"`,
		"NetworkPolicy":                  ".Values.networkPolicy.enabled",
		"ServiceAccount":                 ".Values.serviceAccount.create",
		"PodDisruptionBudget":            "and .Values.podDisruptionBudget.enabled (gt (int .Values.replicas) 1)",
	}
}

// patch is a change that the templates make to an object, or to every object of a kind.
type patch struct {
	Kind  string          `json:"kind"` // empty: every kind
	Name  string          `json:"name"` // empty: every object of the kind
	Patch jsonpatch.Patch `json:"patch"`
}

func readPatches(file string) ([]patch, error) {
	text, err := os.ReadFile(file) //nolint:gosec // a file of the repository
	if err != nil {
		return nil, fmt.Errorf("read the patches: %w", err)
	}
	var patches []patch
	if err := yaml.UnmarshalStrict(text, &patches); err != nil {
		return nil, fmt.Errorf("read the patches: %w", err)
	}
	return patches, nil
}

// apply changes an object by the patches for it.
func apply(patches []patch, one *object) error {
	for _, change := range patches {
		if !change.isFor(one) {
			continue
		}
		text, err := json.Marshal(one.Object)
		if err != nil {
			return fmt.Errorf("encode %s: %w", one.id(), err)
		}
		text, err = change.Patch.Apply(text)
		if err != nil {
			return fmt.Errorf("patch %s: %w", one.id(), err)
		}
		if err := json.Unmarshal(text, &one.Object); err != nil {
			return fmt.Errorf("decode %s: %w", one.id(), err)
		}
	}
	return nil
}

func (p *patch) isFor(one *object) bool {
	return (p.Kind == "" || p.Kind == one.GetKind()) && (p.Name == "" || p.Name == one.GetName())
}

// moveNamespace replaces the operator's namespace, wherever it is named, by that of the release.
func moveNamespace(one *object) {
	if one.GetKind() == "Namespace" {
		one.SetName(releaseNamespace)
	}
	moved("", one.Object)
}

const releaseNamespace = "{{ $.Release.Namespace }}"

// moved returns a value with the namespace replaced: in fields named namespace, in a flag, and in
// the user name of the ServiceAccount. Maps and lists are changed in place.
func moved(field string, value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			value[name] = moved(name, inner)
		}
	case []any:
		for i, inner := range value {
			value[i] = moved(field, inner)
		}
	case string:
		if field == "namespace" && value == ownNamespace {
			return releaseNamespace
		}
		return strings.NewReplacer(
			"--operator-namespace="+ownNamespace, "--operator-namespace="+releaseNamespace,
			"system:serviceaccount:"+ownNamespace+":", "system:serviceaccount:"+releaseNamespace+":",
		).Replace(value)
	}
	return value
}
