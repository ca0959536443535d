// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	tree        = "../../.."
	wantMutants = 102
)

// loadMutants returns the listed mutants.
func loadMutants(t *testing.T) []mutant {
	t.Helper()
	all, err := mutants()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestEveryMutantFitsTheCodeAndCompiles(t *testing.T) {
	t.Parallel()
	all := loadMutants(t)
	if len(all) != wantMutants {
		t.Errorf("%d mutants, want %d", len(all), wantMutants)
	}
	packages := map[string]code{} // by folder
	for _, m := range all {
		text, err := m.broken(tree)
		if err != nil {
			t.Error(err)
			continue
		}
		folder := filepath.Dir(m.File)
		if _, read := packages[folder]; !read {
			if packages[folder], err = readPackage(t.Context(), tree, allOf(folder)); err != nil {
				t.Fatal(err)
			}
		}
		path := packages[folder].pathOf(filepath.Base(m.File))
		if !packages[folder].compiles(path, []byte(text)) {
			t.Errorf("mutant %d does not compile", m.number)
		}
	}
}

// pathOf returns the path of the package's file with the given name.
func (c code) pathOf(name string) string {
	for path := range c.texts {
		if filepath.Base(path) == name {
			return path
		}
	}
	return ""
}

func TestEveryMutantHasTwoLayersWithTests(t *testing.T) {
	t.Parallel()
	for _, m := range loadMutants(t) {
		found := m.layers()
		if len(found) < enough || len(found) < len(m.KilledBy) {
			t.Errorf("mutant %d is to be killed by %d known layers of %d", m.number, len(found), len(m.KilledBy))
		}
		for _, tests := range found {
			tests.expectThere(t)
		}
	}
}

// expectThere expects Go tests and named subtests to exist in their package. It does not check
// specs, because their texts are spread over several levels in the code. So a missing spec only
// shows when the mutant is tried.
func (c chosen) expectThere(t *testing.T) {
	t.Helper()
	if c.suite != "" {
		return
	}
	folder, _ := strings.CutSuffix(c.folder, "/...")
	var paths []string
	for _, pattern := range []string{"*.go", "*/*.go"} {
		found, err := filepath.Glob(filepath.Join(tree, folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	var text strings.Builder
	for _, path := range paths {
		read, err := os.ReadFile(path) //nolint:gosec // a file of this tree
		if err != nil {
			t.Fatal(err)
		}
		text.Write(read)
	}
	for _, test := range c.tests {
		declaration := "func " + test + "("
		if c.parent != "" {
			declaration = strconv.Quote(test)
		}
		if !strings.Contains(text.String(), declaration) {
			t.Errorf("package %s has no test %s", c.folder, test)
		}
	}
}

func TestEditThatDoesNotMatchFails(t *testing.T) {
	t.Parallel()
	fits := edit{Old: "one", New: "two"}
	if got, err := fits.apply("none"); got != "ntwo" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	for _, text := range []string{"", "three", "one and one"} {
		if got, err := fits.apply(text); err == nil {
			t.Errorf("%q is accepted, and becomes %q", text, got)
		}
	}
}

func TestKillerIsAFailedTest(t *testing.T) {
	t.Parallel()
	plain, specs := chosen{}, chosen{layer: layer{suite: "TestControllers"}}
	parts := chosen{layer: layer{parent: "TestProve|TestRegressions"}}
	for _, run := range []struct {
		tests      chosen
		text, want string
	}{
		{plain, "--- FAIL: TestX (0.00s)\n    x_test.go:1: no\nFAIL", "TestX"},
		{plain, "panic: test timed out after 10m0s", ""},
		{plain, "FAIL\tpkg/carrier [build failed]", ""},
		{specs, "  [FAIL] A spec [It] passes\n--- FAIL: TestControllers (1.00s)", "A spec [It] passes"},
		{specs, "  [PANICKED!] [It] A table an entry\n--- FAIL: TestControllers", "[It] A table an entry"},
		{parts, "--- FAIL: TestProve (0.00s)\n    --- FAIL: TestProve/Reclaim (0.00s)\n", "TestProve/Reclaim"},
		{parts, "--- FAIL: TestProve (0.00s)\n", ""},
		{specs, "  [FAIL] [BeforeSuite] \n--- FAIL: TestControllers (1.00s)", ""},
	} {
		if got := killer(run.tests, []byte(run.text)); got != run.want {
			t.Errorf("%q is killed by %q, want %q", run.text, got, run.want)
		}
	}
}

func TestNumberedSelectsMutants(t *testing.T) {
	t.Parallel()
	all := []int{1, 2, 3, 4}
	for text, want := range map[string][]int{"0": all, "2": {2}, "2-3": {2, 3}, "3-9": {3, 4}, "7": nil} {
		var only span
		if err := only.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := numbered(all, only); !slices.Equal(got, want) || (err != nil) != (want == nil) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, wrong := range []string{"", "a", "3-2", "1-"} {
		if err := new(span).UnmarshalText([]byte(wrong)); err == nil {
			t.Errorf("%q names mutants", wrong)
		}
	}
}
