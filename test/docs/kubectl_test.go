// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// namesResource is a command of kubectl that names a resource: kubectl -n sites get bbs/site-014.
var namesResource = regexp.MustCompile(
	`kubectl (?:-{1,2}[\w-]+(?:[= ][\w.$"-]+)? )*?(?:get|describe|annotate|label|patch|edit|wait|delete|explain) ` +
		`((?:-n \S+ |-{1,2}\S+ )*)([a-z]+)\b`)

// others are resources that the documentation names besides our kinds.
var others = []string{
	"ca",    // the short name of CarrierAccount before v0.1.0, in the notes on upgrading
	"shows", // in prose: what kubectl get shows
	"clusterrole", "clusterrolebinding", "configmap", "crd", "deployment", "deploy", "event", "events", "lease", "leases",
	"mutatingadmissionpolicybinding", "namespace", "ns", "pod", "pods", "priorityclass", "rolebinding", "secret",
	"secrets", "service", "svc", "validatingadmissionpolicy", "validatingadmissionpolicybinding",
}

// resources returns all names by which kubectl knows our kinds.
func resources(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../config/crd/bases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d CustomResourceDefinitions: %v", len(files), err)
	}
	var known []string
	for _, file := range files {
		read, err := os.ReadFile(file) //nolint:gosec // a file of this tree
		if err != nil {
			t.Fatal(err)
		}
		var crd struct {
			Spec struct {
				Names struct {
					Plural     string   `json:"plural"`
					Singular   string   `json:"singular"`
					ShortNames []string `json:"shortNames"`
				} `json:"names"`
			} `json:"spec"`
		}
		if err := yaml.Unmarshal(read, &crd); err != nil {
			t.Fatal(err)
		}
		names := crd.Spec.Names
		known = append(append(known, names.Plural, names.Singular), names.ShortNames...)
	}
	return known
}

// A name that kubectl does not know ends the newcomer's first command in an error.
func TestEveryDocumentedCommandNamesAResourceThatExists(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	known, found := append(resources(t), others...), 0
	for _, page := range append(pages, "../../README.md", "../../hack/run/simulator/README.md") {
		for _, command := range namesResource.FindAllStringSubmatch(text(t, strings.TrimPrefix(page, "../../")), -1) {
			found++
			if !slices.Contains(known, command[2]) {
				t.Errorf("%s: kubectl knows no resource %s: %s", page, command[2], command[0])
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d commands were found", found)
	}
}

// fieldSelector is a selector by a field, which the documentation uses for Events only.
var fieldSelector = regexp.MustCompile(`--field-selector[=\s]+([\w.]+)=`)

// The API server refuses a selector by another field. kubectl get events reads Events of core/v1,
// which have no field regarding.
func TestEveryDocumentedFieldSelectorIsOneForEvents(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	known, found := []string{"reason", "type", "involvedObject.kind", "involvedObject.name"}, 0
	for _, page := range pages {
		for _, selector := range fieldSelector.FindAllStringSubmatch(text(t, strings.TrimPrefix(page, "../../")), -1) {
			found++
			if !slices.Contains(known, selector[1]) {
				t.Errorf("%s: Events have no field %s", page, selector[1])
			}
		}
	}
	if found == 0 {
		t.Error("there is no selector")
	}
}
