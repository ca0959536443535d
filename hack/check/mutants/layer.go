// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"slices"
	"strings"
)

// layer is a group of tests that drive the code in the same way.
type layer struct {
	name   string
	folder string   // of the package, below the root, or of several packages: "pkg/decide/..."
	suite  string   // the Go test that runs the package's specs; "" if it has none
	parent string   // the Go tests whose subtests are run, separated by "|"; "" for top-level tests
	env    []string // additional environment variables, each "NAME=value"
}

// The folders of the packages that are mutated, and of their tests.
const (
	ofDecisions   = "pkg/decide"
	allDecisions  = ofDecisions + "/..."
	ofSteps       = "controllers/internal/operate"
	ofLedgers     = "controllers/internal/requestledger"
	ofSessions    = "controllers/internal/sessions"
	ofStatus      = "controllers/internal/status"
	ofControllers = "controllers"
	ofTypes       = "api/v1alpha1"
	ofClient      = "pkg/carrier"
	ofJudgment    = "cmd/kubectl-broadband/internal/judge"
	ofCommands    = "cmd/kubectl-broadband/internal/command"
	ofProof       = "test/prove"
	ofSpecs       = "test/controllers"

	suiteOfControllers = "TestControllers" // the Go test that fails if any spec of a folder of ofSpecs fails
)

// layers returns all layers, the quickest first.
func layers() []layer {
	return slices.Concat([]layer{
		{name: "decisions", folder: allDecisions}, // tables of views and decisions
		{name: "fuzzSeeds", folder: allDecisions}, // properties that hold for every view
		{name: "client", folder: ofClient},        // the client against test servers
		{name: "steps", folder: ofSteps},          // the protocol's steps in isolation
		{name: "ledgers", folder: ofLedgers},      // the record of what was sent
		{name: "sessions", folder: ofSessions},    // the state shared by objects of an account
	}, specs(), []layer{
		{ // every single fault of a run, and the fault plans that once found a bug
			name: "enumeration", folder: ofProof, parent: "TestProve|TestRegressions", env: []string{"PROVE=alone"},
		},
		{name: "rules", folder: ofProof},                                     // rules that no fault plan covers
		{name: "managers", folder: "test/lifecycle", suite: "TestLifecycle"}, // whole managers with both
		{name: "rights", folder: "test/privilege", suite: "TestPrivilege"},   // the rights and policies of an installation
	})
}

// specs returns the layers with an API server and the simulator: the folders of test/controllers.
func specs() []layer {
	subjects := []string{
		"account", "appointments", "cancellation", "kubectl", "ledger", "notifications", "oneshots", "orders", "reading",
		"requests", "services",
	}
	all := make([]layer, 0, len(subjects))
	for _, subject := range subjects {
		all = append(all, layer{name: subject, folder: ofSpecs + "/" + subject, suite: suiteOfControllers})
	}
	return all
}

// chosen is a selection of a layer's tests.
type chosen struct {
	layer

	tests []string // names of Go tests, or parts of the texts of specs
}

// layers returns the tests that must detect a mutant.
func (m mutant) layers() []chosen {
	var all []chosen
	for _, l := range layers() {
		if tests := m.KilledBy[l.name]; len(tests) > 0 {
			all = append(all, chosen{l, tests})
		}
	}
	return all
}

// arguments returns the arguments of the go command.
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

// whole anchors a pattern so that it must match the whole name.
func whole(pattern string) string { return "^(" + pattern + ")$" }

// anyOf returns a pattern that matches any of the texts literally.
func anyOf(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = regexp.QuoteMeta(text)
	}
	return strings.Join(quoted, "|")
}

// united merges the tests of all mutants, by layer.
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
