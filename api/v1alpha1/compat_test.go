// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// kept is the folder of the schemas with which v1alpha1 stays compatible, so that an API server
// keeps accepting what it accepted before.
const kept = "testdata/schemas"

// The rules of a compatible change, in the words with which the test reports a violation.
const (
	notRemoved   = "a field is not removed"
	notNarrowed  = "what a field takes does not become less"
	notRequired  = "a field does not become required, and a new one is optional"
	sameDefault  = "a default stays as it is"
	sameListType = "a list stays of its type and keys"
)

// TestSchemasAreCompatible compares each schema with the stored one. GOLDEN=1 stores additions.
func TestSchemasAreCompatible(t *testing.T) {
	t.Parallel()
	for _, kind := range gone(storedKinds(t), definitions(t)) {
		t.Errorf("v1alpha1 is kept compatible: a kind is not removed: %s", kind)
	}
	for kind, definition := range definitions(t) {
		is := schemaOf(definition)
		if is == nil {
			continue // reported above, if it was ever served
		}
		file := filepath.Join(kept, kind+".yaml")
		broken := []string(nil)
		if was := readSchema(t, file); was != nil {
			broken = incompatible(kind, was, is)
		}
		for _, words := range broken {
			t.Errorf("v1alpha1 is kept compatible: %s", words)
		}
		if len(broken) == 0 {
			keep(t, file, is)
		}
	}
}

// storedKinds returns the kinds whose schemas are stored.
func storedKinds(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(kept, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := make([]string, 0, len(files))
	for _, file := range files {
		kinds = append(kinds, strings.TrimSuffix(filepath.Base(file), ".yaml"))
	}
	return kinds
}

// gone returns the kinds that are stored and no longer serve v1alpha1.
func gone(stored []string, served map[string]*crd) []string {
	return slices.DeleteFunc(slices.Clone(stored), func(kind string) bool {
		return served[kind] != nil && schemaOf(served[kind]) != nil
	})
}

// schemaOf returns the schema of v1alpha1, without its descriptions; nil if it is not served.
func schemaOf(definition *crd) *schema {
	for _, version := range definition.Spec.Versions {
		if version.Name == v1alpha1.GroupVersion.Version && version.Served {
			return undescribed(version.Schema.OpenAPIV3Schema)
		}
	}
	return nil
}

func undescribed(node *schema) *schema {
	bare := node.DeepCopy()
	bare.Description = ""
	for name, property := range bare.Properties {
		bare.Properties[name] = *undescribed(&property)
	}
	if bare.Items != nil && bare.Items.Schema != nil {
		bare.Items.Schema = undescribed(bare.Items.Schema)
	}
	if bare.AdditionalProperties != nil && bare.AdditionalProperties.Schema != nil {
		bare.AdditionalProperties.Schema = undescribed(bare.AdditionalProperties.Schema)
	}
	return bare
}

// readSchema reads a stored schema; nil for a new kind.
func readSchema(t *testing.T, file string) *schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Clean(file))
	if os.IsNotExist(err) {
		return nil
	}
	was := &schema{}
	if err == nil {
		err = yaml.UnmarshalStrict(text, was)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return was
}

// keep expects the file to contain exactly this schema, because an addition that is not stored
// could be removed again unnoticed. With GOLDEN=1, it stores the schema first.
func keep(t *testing.T, file string, is *schema) {
	t.Helper()
	text, err := yaml.Marshal(is)
	if err == nil && os.Getenv("GOLDEN") != "" {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if held, err := os.ReadFile(filepath.Clean(file)); err != nil || !bytes.Equal(held, text) {
		t.Errorf("%s is not the schema that there is now, which is compatible: keep it with GOLDEN=1", file)
	}
}

// incompatible returns the rules that a schema violates, and where.
func incompatible(kind string, before, after *schema) []string {
	was, is := nodesOf(kind, before), nodesOf(kind, after)
	var broken []string
	for _, at := range slices.Sorted(maps.Keys(was)) {
		now, stands := is[at]
		switch {
		case stands:
			for _, words := range changed(was[at], now) {
				broken = append(broken, words+": "+at)
			}
		case is[parentOf(at)] != nil:
			broken = append(broken, notRemoved+": "+at)
		}
	}
	return broken
}

// nodesOf returns a schema and everything in it, by path.
func nodesOf(kind string, root *schema) map[string]*schema {
	nodes := map[string]*schema{}
	walk(kind, root, func(at string, node *schema) { nodes[at] = node.DeepCopy() })
	return nodes
}

func parentOf(at string) string {
	if parent, isItem := strings.CutSuffix(at, "[]"); isItem {
		return parent
	}
	if parent, isValue := strings.CutSuffix(at, "{}"); isValue {
		return parent
	}
	return at[:max(strings.LastIndex(at, "."), 0)]
}

// changed returns the rules that a change of one node violates.
func changed(was, is *schema) []string {
	var broken []string
	if narrowed(was, is) {
		broken = append(broken, notNarrowed)
	}
	for _, name := range missing(was.Required, is.Required) {
		broken = append(broken, fmt.Sprintf("%s (%s)", notRequired, name))
	}
	if !equality.Semantic.DeepEqual(was.Default, is.Default) {
		broken = append(broken, sameDefault)
	}
	if !equality.Semantic.DeepEqual(was.XListType, is.XListType) ||
		!slices.Equal(was.XListMapKeys, is.XListMapKeys) || !equality.Semantic.DeepEqual(was.XMapType, is.XMapType) {
		broken = append(broken, sameListType)
	}
	return broken
}

// missing returns the elements of the second list that the first does not contain.
func missing[E comparable](from, of []E) []E {
	return slices.DeleteFunc(slices.Clone(of), func(one E) bool { return slices.Contains(from, one) })
}

// narrowed reports whether the second schema may refuse a value that the first accepts.
func narrowed(was, is *schema) bool {
	return otherType(was, is) || outOfBounds(was, is) || fewerValues(was.Enum, is.Enum) ||
		was.Pattern != is.Pattern && is.Pattern != "" || len(missing(rulesOf(was), rulesOf(is))) > 0
}

func otherType(was, is *schema) bool {
	return was.Type != is.Type || was.Format != is.Format && is.Format != "" ||
		was.XIntOrString && !is.XIntOrString || was.Nullable && !is.Nullable
}

func fewerValues(was, is []apiextensionsv1.JSON) bool {
	words := func(values []apiextensionsv1.JSON) (all []string) {
		for _, value := range values {
			all = append(all, string(value.Raw))
		}
		return all
	}
	return len(is) > 0 && (len(was) == 0 || len(missing(words(is), words(was))) > 0)
}

func outOfBounds(was, is *schema) bool {
	return less(was.MaxLength, is.MaxLength) || less(was.MaxItems, is.MaxItems) ||
		less(was.MaxProperties, is.MaxProperties) || less(was.Maximum, is.Maximum) ||
		more(was.MinLength, is.MinLength) || more(was.MinItems, is.MinItems) ||
		more(was.MinProperties, is.MinProperties) || more(was.Minimum, is.Minimum)
}

func less[N int64 | float64](was, is *N) bool { return is != nil && (was == nil || *is < *was) }

func more[N int64 | float64](was, is *N) bool { return is != nil && (was == nil || *is > *was) }

func rulesOf(node *schema) []string {
	rules := make([]string, 0, len(node.XValidations))
	for _, rule := range node.XValidations {
		rules = append(rules, rule.Rule)
	}
	return rules
}

// Every incompatible change is reported, and no compatible one is.
func TestAnIncompatibleChangeIsNoticed(t *testing.T) {
	t.Parallel()
	plan := func(in *schema) *schema {
		spec := in.Properties["spec"]
		node := spec.Properties["plan"]
		return &node
	}
	change := func(field string, edit func(*schema)) func(*schema) {
		return func(root *schema) {
			node := plan(root).Properties[field]
			edit(&node)
			plan(root).Properties[field] = node
		}
	}
	term := "BroadbandService.spec.plan.term"
	name := "BroadbandService.spec.plan.name"
	for what, c := range map[string]struct {
		edit func(*schema)
		want string
	}{
		"nothing":            {func(*schema) {}, ""},
		"another text":       {change("name", func(s *schema) { s.Description = "x" }), ""},
		"a longer name":      {change("name", func(s *schema) { s.MaxLength = new(int64(500)) }), ""},
		"a new field":        {func(s *schema) { plan(s).Properties["x"] = schema{Type: "string"} }, ""},
		"a field is removed": {func(s *schema) { delete(plan(s).Properties, "term") }, notRemoved + ": " + term},
		"another type":       {change("term", func(s *schema) { s.Type = "string" }), notNarrowed + ": " + term},
		"a shorter name":     {change("name", func(s *schema) { s.MaxLength = new(int64(1)) }), notNarrowed + ": " + name},
		"a bound":            {change("term", func(s *schema) { s.MaxLength = new(int64(1)) }), notNarrowed + ": " + term},
		"a longer least name": {
			change("name", func(s *schema) { s.MinLength = new(int64(99)) }), notNarrowed + ": " + name,
		},
		"a pattern": {change("name", func(s *schema) { s.Pattern = "^a$" }), notNarrowed + ": " + name},
		"a rule": {
			change("name", func(s *schema) {
				s.XValidations = append(s.XValidations, apiextensionsv1.ValidationRule{Rule: "false"})
			}), notNarrowed + ": " + name,
		},
		"an enum": {
			change("name", func(s *schema) { s.Enum = []apiextensionsv1.JSON{{Raw: []byte(`"a"`)}} }),
			notNarrowed + ": " + name,
		},
		"a value less": {
			func(root *schema) {
				spec := root.Properties["spec"]
				policy := spec.Properties["driftPolicy"]
				policy.Enum = policy.Enum[1:]
				spec.Properties["driftPolicy"] = policy
			}, notNarrowed + ": BroadbandService.spec.driftPolicy",
		},
		"a default": {
			change("name", func(s *schema) { s.Default = &apiextensionsv1.JSON{Raw: []byte(`"a"`)} }), sameDefault + ": " + name,
		},
	} {
		was := schemaOf(definitions(t)["BroadbandService"])
		is := was.DeepCopy()
		c.edit(is)
		if said := strings.Join(incompatible("BroadbandService", was, undescribed(is)), "; "); said != c.want {
			t.Errorf("%s: %q, want %q", what, said, c.want)
		}
	}
}

// A later version beside v1alpha1 changes nothing for those who use v1alpha1.
func TestAKindThatIsGoneIsNoticed(t *testing.T) {
	t.Parallel()
	served := definitions(t)
	if missing := gone(storedKinds(t), served); len(missing) > 0 {
		t.Errorf("%v are gone", missing)
	}
	later := served["BroadbandService"].DeepCopy()
	version := later.Spec.Versions[0].DeepCopy()
	version.Name, version.Schema.OpenAPIV3Schema = "v1beta1", &schema{Type: "object"}
	later.Spec.Versions = append([]apiextensionsv1.CustomResourceDefinitionVersion{*version}, later.Spec.Versions...)
	if !equality.Semantic.DeepEqual(schemaOf(later), schemaOf(served["BroadbandService"])) {
		t.Error("the schema of another version is compared")
	}
	later.Spec.Versions[1].Served = false
	served["BroadbandService"] = later
	delete(served, "ServiceOrder")
	if missing := gone(storedKinds(t), served); !slices.Equal(missing, []string{"BroadbandService", "ServiceOrder"}) {
		t.Errorf("%v are gone, want BroadbandService and ServiceOrder", missing)
	}
}

func TestAFieldDoesNotBecomeRequired(t *testing.T) {
	t.Parallel()
	was := schemaOf(definitions(t)["BroadbandService"])
	is := was.DeepCopy()
	spec := is.Properties["spec"]
	spec.Required = append(spec.Required, "plan")
	is.Properties["spec"] = spec
	want := notRequired + " (plan): BroadbandService.spec"
	if said := strings.Join(incompatible("BroadbandService", was, is), "; "); said != want {
		t.Errorf("%q, want %q", said, want)
	}
}
