// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

type (
	schema = apiextensionsv1.JSONSchemaProps
	crd    = apiextensionsv1.CustomResourceDefinition
)

// definitions are the CustomResourceDefinitions of all kinds, by kind.
func definitions(t *testing.T) map[string]*crd {
	t.Helper()
	files, err := filepath.Glob("../../config/crd/bases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	found := map[string]*crd{}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			t.Fatal(err)
		}
		var definition crd
		if err := yaml.UnmarshalStrict(text, &definition); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		found[definition.Spec.Names.Kind] = &definition
	}
	return found
}

// walk visits a schema and everything in it.
func walk(at string, node *schema, visit func(at string, node *schema)) {
	visit(at, node)
	for name := range node.Properties {
		property := node.Properties[name]
		walk(at+"."+name, &property, visit)
	}
	if node.Items != nil && node.Items.Schema != nil {
		walk(at+"[]", node.Items.Schema, visit)
	}
	if node.AdditionalProperties != nil && node.AdditionalProperties.Schema != nil {
		walk(at+"{}", node.AdditionalProperties.Schema, visit)
	}
}

// everyRule visits the rules of all kinds.
func everyRule(t *testing.T, visit func(at string, node *schema, rule apiextensionsv1.ValidationRule)) {
	t.Helper()
	count := 0
	for kind, definition := range definitions(t) {
		for _, version := range definition.Spec.Versions {
			walk(kind, version.Schema.OpenAPIV3Schema, func(at string, node *schema) {
				for _, rule := range node.XValidations {
					visit(at, node, rule)
					count++
				}
			})
		}
	}
	if count == 0 {
		t.Error("there are no rules")
	}
}

// If a rule on an object concerns only one field, it must name that field. Otherwise it would be
// reported at the object, or at "<nil>".
func TestEachRuleNamesItsField(t *testing.T) {
	t.Parallel()
	everyRule(t, func(at string, node *schema, rule apiextensionsv1.ValidationRule) {
		if node.Type == "object" && rule.FieldPath == "" && rule.Rule != "self == oldSelf" {
			t.Errorf("%s: %q names no field", at, rule.Message)
		}
	})
}

func TestWhatIsImmutableIsForbidden(t *testing.T) {
	t.Parallel()
	everyRule(t, func(at string, _ *schema, rule apiextensionsv1.ValidationRule) {
		transition := strings.Contains(rule.Rule, "oldSelf")
		forbidden := rule.Reason != nil && *rule.Reason == apiextensionsv1.FieldValueForbidden
		if transition && !forbidden {
			t.Errorf("%s: %q has the reason %v", at, rule.Message, rule.Reason)
		}
	})
}

func TestWhatIsMissingIsRequiredAndWhatIsTooMuchIsForbidden(t *testing.T) {
	t.Parallel()
	reasons := map[string]apiextensionsv1.FieldValueErrorReason{
		"is required":    apiextensionsv1.FieldValueRequired,
		"must be absent": apiextensionsv1.FieldValueForbidden,
		"exclude":        apiextensionsv1.FieldValueForbidden,
	}
	everyRule(t, func(at string, _ *schema, rule apiextensionsv1.ValidationRule) {
		for words, reason := range reasons {
			if strings.Contains(rule.Message, words) && (rule.Reason == nil || *rule.Reason != reason) {
				t.Errorf("%s: %q has the reason %v, want %s", at, rule.Message, rule.Reason, reason)
			}
		}
	})
}

// If a text is longer than its limit, the API server evaluates no rule, and says only that it is too
// long. So a text whose rule says what it has to look like has room for one that is wrong.
func TestTheRuleOfAShortTextIsWhatPeopleSee(t *testing.T) {
	t.Parallel()
	const room = 40
	everyRule(t, func(at string, node *schema, rule apiextensionsv1.ValidationRule) {
		if node.Type == "string" && node.MaxLength != nil && *node.MaxLength < room {
			t.Errorf("%s has at most %d characters, so few see %q", at, *node.MaxLength, rule.Message)
		}
	})
}
