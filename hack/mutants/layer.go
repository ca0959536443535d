// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"slices"
	"strings"
)

// layer is a kind of tests: what they have in common is how they drive the code.
type layer struct {
	name   string
	folder string   // of the package, below the root
	suite  string   // the Go test that runs the package's specs; "": it has none
	parent string   // the Go tests that the tests are parts of, separated by "|"; "": they stand by themselves
	env    []string // what is set for it, each "NAME=value"
}

// The packages that are broken, and have tests of their own.
const (
	ofDecisions   = "pkg/decide"
	ofSteps       = "controllers/internal/operate"
	ofControllers = "controllers"
	ofProof       = "test/prove"

	suiteOfControllers = "TestControllers" // the Go test that fails with any spec of controllers
)

// layers are all of them, the quick ones first.
func layers() []layer {
	return []layer{
		{name: "decisions", folder: ofDecisions},                                // tables of what is decided of a view
		{name: "fuzzSeeds", folder: ofDecisions},                                // the rules that hold for every view
		{name: "client", folder: "pkg/carrier"},                                 // the client against servers of its tests
		{name: "steps", folder: ofSteps},                                        // the protocol's steps by themselves
		{name: "accounts", folder: "controllers/internal/accounts"},             // what objects of an account share
		{name: "controllers", folder: ofControllers, suite: suiteOfControllers}, // with an API server and the simulator
		{ // all that can happen at one effect of a story, and the plans that once found something
			name: "enumeration", folder: ofProof, parent: "TestProve|TestFound", env: []string{"PROVE=alone"},
		},
		{name: "rules", folder: ofProof},                                     // scenes of the rules that no plan has
		{name: "managers", folder: "test/lifecycle", suite: "TestLifecycle"}, // whole managers with both
	}
}

// chosen is what of a layer is to run.
type chosen struct {
	layer

	tests []string // Go tests by name, or specs by a part of their text
}

// layers are the tests that are to notice a mutant.
func (m mutant) layers() []chosen {
	var all []chosen
	for _, l := range layers() {
		if tests := m.KilledBy[l.name]; len(tests) > 0 {
			all = append(all, chosen{l, tests})
		}
	}
	return all
}

// arguments are those of `go test`.
func (c chosen) arguments() []string {
	run, specs := whole(anyOf(c.tests)), []string(nil)
	switch {
	case c.suite != "":
		run, specs = whole(c.suite), []string{"-ginkgo.no-color", "-ginkgo.focus=" + anyOf(c.tests)}
	case c.parent != "":
		run = whole(c.parent) + "/" + strings.ReplaceAll(run, " ", "_")
	}
	return slices.Concat(
		[]string{"test", "-count=1", "-vet=off", "-ldflags=-s -w", "-timeout=10m"},
		[]string{"-run=" + run, "./" + c.folder}, specs)
}

// whole is the pattern of names that a pattern matches whole.
func whole(pattern string) string { return "^(" + pattern + ")$" }

// anyOf is the pattern of what holds one of these texts.
func anyOf(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = regexp.QuoteMeta(text)
	}
	return strings.Join(quoted, "|")
}

// united are the tests of all mutants, by layer.
func united(all []mutant) []chosen {
	together := mutant{KilledBy: map[string][]string{}}
	for _, m := range all {
		for name, tests := range m.KilledBy {
			together.KilledBy[name] = append(together.KilledBy[name], tests...)
		}
	}
	for name, tests := range together.KilledBy {
		slices.Sort(tests)
		together.KilledBy[name] = slices.Compact(tests)
	}
	return together.layers()
}
