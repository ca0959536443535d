// SPDX-License-Identifier: Apache-2.0

package imports_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/imports"
)

// kept is a folder with two services in one file, the second of which a person has edited.
const kept = `# our own comment
apiVersion: wholesale.broadband/v1alpha1
kind: BroadbandService
metadata:
  name: site-a
  namespace: sites
  labels: {area: north} # who pays
  annotations:
    team: "7"
spec:
  accountRef: {name: default}
  serviceID: "1001"
  managementPolicy: Manage
  # agreed in March
  plan: {name: 'Home 50/20', term: 12} # as ordered
  trustDeclared:
  - Plan
---
kind: Secret
metadata: {name: site-b}
---
apiVersion: wholesale.broadband/v1alpha1
kind: BroadbandService
metadata: {name: site-b}
spec:
  accountRef: {name: default}
  serviceID: "1002"
  plan:
    name: Home 50/20
    term: 12
`

func heldOf(t *testing.T) []imports.Held {
	t.Helper()
	services, err := imports.Services([]byte(kept))
	if err != nil || len(services) != 2 {
		t.Fatal(len(services), err)
	}
	held := make([]imports.Held, 0, len(services))
	for _, service := range services {
		held = append(held, imports.Held{File: "fleet/kept.yaml", Service: service})
	}
	return held
}

func TestOnlyServicesAreReadFromAFile(t *testing.T) {
	t.Parallel()
	for text, fails := range map[string]bool{
		"# a comment\n": false, "kind: Other\nspec: {plan: 7}\n": false, "kind: BroadbandService\nspec: {plan: 7}\n": true,
		"a: [b": true,
	} {
		if services, err := imports.Services([]byte(text)); (err != nil) != fails || len(services) > 0 {
			t.Errorf("%q: %v %v", text, services, err)
		}
	}
}

// A list that has changed never adds a second manifest for a service, and never a second number for
// a name.
func TestAListIsComparedWithTheFolder(t *testing.T) {
	t.Parallel()
	const second = "Site B,1002,Home 50/20,12,"
	for name, row := range map[string]struct {
		rows    string
		written int
		same    int
		changed string
		missing string
	}{
		"as before":     {"Site A,1001,home  50/20,12,\n" + second, 0, 2, "", ""},
		"a new service": {"Site A,1001,Home 50/20,12,\n" + second + "\nSite C,1003,,,", 1, 2, "", ""},
		"one is left out": {
			"Site A,1001,Home 50/20,12,", 0, 1, "", `Not in the list, and kept: "site-b".`,
		},
		"renamed": {
			"Site Z,1001,Home 50/20,12,\n" + second, 0, 1,
			`line 2: the service 1001 is "site-a" in fleet/kept.yaml, and "site-z" in the list`, "",
		},
		"another number": {
			"Site A,1009,Home 50/20,12,\n" + second, 0, 1,
			`line 2: "site-a" is the service 1001 in fleet/kept.yaml, and 1009 in the list`, "",
		},
		"two have swapped": {
			"Site B,1001,Home 50/20,12,\nSite A,1002,Home 50/20,12,", 0, 0, `line 3: the service 1002 is "site-b"`, "",
		},
		"another plan": {
			"Site A,1001,Home 100/20,12,\n" + second, 0, 1,
			`line 2: plan.name is "Home 50/20" in fleet/kept.yaml, and "Home 100/20" in the list`, "",
		},
		"another term": {"Site A,1001,Home 50/20,24,\n" + second, 0, 1, `plan.term is "12"`, ""},
		"no plan": {
			"Site A,1001,,,\n" + second, 0, 1,
			`plan.name is "Home 50/20" in fleet/kept.yaml, and "" in the list`, "",
		},
		"an SLA more":       {"Site A,1001,Home 50/20,12,Gold\n" + second, 0, 1, `restorationSLA is "" in`, ""},
		"a number as digit": {"Site A,01001,Home 50/20,12,\n" + second, 0, 2, "", ""},
	} {
		against := againstKept(t, row.rows)
		if len(against.New) != row.written || against.Same != row.same || (len(against.Changed) > 0) != (row.changed != "") ||
			(len(against.Missing) > 0) != (row.missing != "") {
			t.Errorf("%s: %+v", name, against)
		}
		expectAll(t, strings.Join(against.Notes(), "\n"), row.changed, row.missing)
	}
}

// againstKept compares the rows of a list with the folder.
func againstKept(t *testing.T, rows string) *imports.Against {
	t.Helper()
	read, err := imports.Read([]byte("name,service id,plan,term,sla\n"+rows+"\n"), imports.Options{})
	if err != nil {
		t.Fatal(err)
	}
	manifests, err := read.Manifests(t.Context(), target, rules(t))
	if err != nil {
		t.Fatal(err)
	}
	return imports.CompareFolder(manifests, heldOf(t))
}

// The two values change, and nothing else does.
func TestTheCarriersPlanTakesThePlaceOfTheDeclaredOne(t *testing.T) {
	t.Parallel()
	left := []imports.Difference{
		{Namespace: "sites", Name: "site-a", Kind: imports.Unreadable, Field: "restorationSLA", Declared: "Fast"},
		{Namespace: "sites", Name: "site-x", Kind: imports.OtherPlan, Field: "plan.name", Carrier: "Home 100/20"},
		{Namespace: "other", Name: "site-a", Kind: imports.OtherPlan, Field: "plan.name", Carrier: "Home 100/20"},
	}
	text, rest, err := imports.Accept([]byte(kept), append([]imports.Difference{
		{Namespace: "sites", Name: "site-a", Kind: imports.OtherPlan, Field: "plan.name", Carrier: "12"},
		{Namespace: "sites", Name: "site-a", Kind: imports.OtherTerm, Field: "plan.term", Carrier: "24"},
		{Namespace: "sites", Name: "site-b", Kind: imports.Spelling, Field: "plan.name", Carrier: "HOME 50/20"},
	}, left...))
	want := strings.Replace(kept, "{name: 'Home 50/20', term: 12}", "{name: '12', term: 24}", 1)
	want = strings.Replace(want, "    name: Home 50/20\n", "    name: HOME 50/20\n", 1)
	if err != nil || string(text) != want || len(rest) != len(left) {
		t.Fatalf("%v %v\n%s", err, rest, text)
	}
	same, rest, err := imports.Accept([]byte(kept), left)
	if err != nil || string(same) != kept || len(rest) != len(left) {
		t.Fatalf("%v %v\n%s", err, rest, same)
	}
	if _, _, err := imports.Accept([]byte("a: [b"), left); err == nil {
		t.Fatal("this is YAML")
	}
}

func TestTheManifestThatNamesTheNamespaceIsChanged(t *testing.T) {
	t.Parallel()
	const one = "apiVersion: wholesale.broadband/v1alpha1\nkind: BroadbandService\nmetadata: {name: s1%s}\n" +
		"spec: {plan: {name: %s}}\n"
	text := fmt.Sprintf(one, "", "Old") + "---\n" + fmt.Sprintf(one, ", namespace: other", "Old")
	changed, left, err := imports.Accept([]byte(text), []imports.Difference{
		{Namespace: "other", Name: "s1", Kind: imports.OtherPlan, Field: "plan.name", Carrier: "New"},
	})
	want := fmt.Sprintf(one, "", "Old") + "---\n" + fmt.Sprintf(one, ", namespace: other", "New")
	if err != nil || len(left) > 0 || string(changed) != want {
		t.Errorf("%v %v\n%s", err, left, changed)
	}
}

func TestAManifestWithOtherLineBreaksIsLeftToAPerson(t *testing.T) {
	t.Parallel()
	text := "# a remark\u2028\napiVersion: wholesale.broadband/v1alpha1\nkind: BroadbandService\nmetadata: {name: s1}\n" +
		"spec: {plan: {name: Old}}\n"
	difference := imports.Difference{Name: "s1", Kind: imports.OtherPlan, Field: "plan.name", Carrier: "New"}
	changed, left, err := imports.Accept([]byte(text), []imports.Difference{difference})
	if err != nil || len(left) != 1 || string(changed) != text {
		t.Errorf("%v %v\n%s", err, left, changed)
	}
}

// Whatever the form of a value, the rest of the file stays as a person has laid it out.
func TestAPlanIsReplacedInTheFormThatItHas(t *testing.T) {
	t.Parallel()
	const start = "kind: BroadbandService\n\nmetadata: {name: a, labels: {Zürich: é}}\nspec:\n    plan:   "
	for before, row := range map[string]struct{ carrier, after string }{
		"\n        name:   Home # note\n\n        term: 12\n": {
			"Home 100/20", "\n        name:   Home 100/20 # note\n\n        term: 12\n",
		},
		"{term: 12, name: Home, x: 1} # note\r\n": {"A, B", "{term: 12, name: 'A, B', x: 1} # note\r\n"},
		`{name: "Ho\"me", term: 12}`:              {`B: "C"`, `{name: "B: \"C\"", term: 12}`},
		`{name: 'It''s', term: 12}`:               {"No. '2'", `{name: 'No. ''2''', term: 12}`},
		"{name: Zürich é, term: 12}":              {"true", `{name: "true", term: 12}`},
		"{name: Home, term: 12} \n\n# the end\n":  {"100", "{name: \"100\", term: 12} \n\n# the end\n"},
		"{name: &x Home, term: 12}":               {"Home 2", ""},
		"{name: !!str Home, term: 12}":            {"Home 2", ""},
		"\n      name: >-\n        Home\n":        {"Home 2", ""},
		"{term: 12}":                              {"Home 2", ""},
	} {
		difference := imports.Difference{Name: "a", Kind: imports.OtherPlan, Field: "plan.name", Carrier: row.carrier}
		text, left, err := imports.Accept([]byte(start+before), []imports.Difference{difference})
		if row.after == "" {
			row.after = before
		}
		if err != nil || string(text) != start+row.after || (len(left) == 0) != (row.after != before) {
			t.Errorf("%s: %v %v\n%s", before, err, left, text)
		}
	}
}
