// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"regexp"
	"strings"
	"testing"
)

// unavailable matches a reference to a document that a user of kubectl explain does not have.
var unavailable = regexp.MustCompile(`(?i)\bsections? [0-9]|§|\bspecification\b` +
	`|\bR[0-9]+\b|\b(docs|design|shared|spec)/|\bdesign notes?\b|\bADR\b|[a-z]\.(md|go)\b`)

// ofKubernetes is the page that kubectl explain names for the fields apiVersion and kind.
var ofKubernetes = regexp.MustCompile(`https://git\.k8s\.io/\S+`)

// kubectl explain shows the description of a kind, of every field, and for a list or a map also that
// of its items.
func TestKubectlExplainDescribesEveryField(t *testing.T) {
	t.Parallel()
	everyDescription(t, func(at, description string, needed bool) {
		if needed && strings.TrimSpace(description) == "" {
			t.Errorf("kubectl explain shows no description of %s", at)
		}
	})
}

func TestDescriptionsCiteOnlyWhatAUserHas(t *testing.T) {
	t.Parallel()
	everyDescription(t, func(at, description string, _ bool) {
		text := strings.Join(strings.Fields(ofKubernetes.ReplaceAllString(description, "")), " ")
		if cited := unavailable.FindString(text); cited != "" {
			t.Errorf("the description of %s cites %q, which a user of kubectl explain does not have: %s", at, cited, text)
		}
	})
}

func TestCitationsOfUnavailableDocumentsAreFound(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a time (specification section 2)", "see section 5.1", "by rule R12", "spec §9", "see docs/access.md",
		"shared/spec/wholesale-api", "design note 4",
	} {
		if !unavailable.MatchString(text) {
			t.Errorf("not found: %q", text)
		}
	}
	for _, text := range []string{"spec.plan differs", "CarrierAccount's status.identity", "needs API version 6"} {
		if cited := unavailable.FindString(text); cited != "" {
			t.Errorf("%q is mistaken for a citation in %q", cited, text)
		}
	}
}

// everyDescription visits the description of everything that kubectl explain shows, and says whether
// one is needed. Items of a list and values of a map need one of their own only if they are
// objects: of any other, kubectl explain shows the description of the list or map. The API server
// describes metadata.
func everyDescription(t *testing.T, visit func(at, description string, needed bool)) {
	t.Helper()
	count := 0
	for kind, definition := range definitions(t) {
		for _, version := range definition.Spec.Versions {
			walk(kind, version.Schema.OpenAPIV3Schema, func(at string, node *schema) {
				item := strings.HasSuffix(at, "[]") || strings.HasSuffix(at, "{}")
				visit(at, node.Description, at != kind+".metadata" && (!item || node.Type == "object"))
				count++
			})
		}
	}
	if count == 0 {
		t.Error("there are no descriptions")
	}
}
