// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// lowerThem ends the report of a figure that has fallen.
const lowerThem = "run go run ./hack/check/layout -lower\n"

// sample is testdata with a list of its own.
func sample(t *testing.T, limits string) tree {
	t.Helper()
	list := filepath.Join(t.TempDir(), "limits.yaml")
	if limits != "" {
		if err := os.WriteFile(list, []byte(limits), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return tree{"testdata", list, "sample", []start{{"sample", "server.Serve"}}}
}

const figuresOfSample = `files: {}
lines:
  all: 35
  sample: 35
references against the order:
  sample: 2
walk files:
  sample.server.Serve: 3
walk functions:
  sample.server.Serve: 5
walk returns:
  sample.server.Serve: 1
`

// Each case states what the check reports, the list that -lower leaves, and what that cannot lower.
func TestAFigureMustBeItsLimitAndOnlyFalls(t *testing.T) {
	t.Parallel()
	risen := strings.Replace(figuresOfSample, "Serve: 5", "Serve: 4", 1)
	const hasRisen = "sample.server.Serve: 5 functions, at most 4: move what belongs together into one file, " +
		"or join functions, or raise the limit in hack/check/layout/limits.yaml and give the reason in the commit\n"
	for name, in := range map[string]struct {
		limits, reports, lowered, remains string
	}{
		"every figure is its limit": {limits: figuresOfSample, lowered: figuresOfSample},
		"a figure has risen, and another has fallen": {
			limits:  strings.Replace(risen, "Serve: 3", "Serve: 4", 1),
			reports: "sample.server.Serve: 3 files, fewer than the limit of 4: " + lowerThem + hasRisen,
			lowered: risen,
			remains: hasRisen,
		},
		"a figure has fallen": {
			limits:  strings.Replace(figuresOfSample, "sample: 2", "sample: 3", 1),
			reports: "sample: 2 references against the order, fewer than the limit of 3: " + lowerThem,
			lowered: figuresOfSample,
		},
		"a package is new": {
			limits:  strings.Replace(figuresOfSample, "  sample: 35\n", "", 1),
			reports: "sample: 35 lines, and no limit: run go run ./hack/check/layout -lower\n",
			lowered: figuresOfSample,
		},
		"a folder is gone": {
			limits:  strings.Replace(figuresOfSample, "files: {}", "files:\n  nowhere: 21", 1),
			reports: "nowhere: 0 files, fewer than the limit of 21: run go run ./hack/check/layout -lower\n",
			lowered: figuresOfSample,
		},
	} {
		measured := sample(t, in.limits)
		var reported, remains strings.Builder
		if err := measured.check(t.Context(), &reported); (err != nil) != (in.reports != "") {
			t.Errorf("%s: the check returns %v", name, err)
		}
		if err := measured.lower(t.Context(), &remains); (err != nil) != (in.remains != "") {
			t.Errorf("%s: lowering returns %v", name, err)
		}
		list, err := os.ReadFile(measured.list)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{in.reports, in.remains, header + in.lowered}
		if diff := cmp.Diff(want, []string{reported.String(), remains.String(), string(list)}); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestAListIsWrittenWhereThereIsNone(t *testing.T) {
	t.Parallel()
	measured := sample(t, "")
	var reported strings.Builder
	if err := measured.check(t.Context(), &reported); err == nil || strings.Count(reported.String(), "no limit") != 6 {
		t.Errorf("%v: %s", err, reported.String())
	}
	if err := measured.lower(t.Context(), &reported); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(measured.list)
	if diff := cmp.Diff(header+figuresOfSample, string(list)); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

func TestACheckFailsOnWhatItCannotMeasure(t *testing.T) {
	t.Parallel()
	unreadable, noPackage, noFunction := sample(t, "files: 3"), sample(t, ""), sample(t, "")
	noPackage.walks = []start{{"nowhere", "Start"}}
	noFunction.walks = []start{{"sample", "End"}}
	for words, measured := range map[string]tree{
		"read the limits":                                             unreadable,
		"it is not one package that compiles":                         noPackage,
		"follow sample.End, which hack/check/layout/measure.go names": noFunction,
	} {
		if err := measured.check(t.Context(), &strings.Builder{}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, want %q", err, words)
		}
		if err := measured.lower(t.Context(), &strings.Builder{}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, want %q", err, words)
		}
	}
}

// The sections that do not list small figures.
func TestSmallFiguresNeedNoLimit(t *testing.T) {
	t.Parallel()
	none, exceeds := map[string]int{}, map[string]int{"a": 21}
	for name, in := range map[string]struct {
		limits, measured, lowered map[string]int
		reports                   int
	}{
		"a folder of 20 files":                      {none, map[string]int{"a": 20}, none, 0},
		"the first folder that exceeds 20":          {none, exceeds, none, 1},
		"a folder that exceeds 20 in a new list":    {nil, map[string]int{"a": 21, "b": 20}, exceeds, 1},
		"a folder that has fallen, to more than 20": {map[string]int{"a": 25}, exceeds, exceeds, 1},
		"a folder that has fallen to 20":            {map[string]int{"a": 25}, map[string]int{"a": 20}, none, 1},
	} {
		limits, measured := figures{filesOfFolder: in.limits}, figures{filesOfFolder: in.measured}
		if diff := cmp.Diff(in.lowered, limits.lowered(measured)[filesOfFolder]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if found := limits.differences(measured); len(found) != in.reports {
			t.Errorf("%s: %q", name, found)
		}
	}
}

func TestFilesAndLinesAreCounted(t *testing.T) {
	t.Parallel()
	code := &fstest.MapFile{Data: []byte("package a\n\nvar b int\n")}
	found := figures{}
	if err := found.count(fstest.MapFS{
		"main.go": code, "a/a.go": code, "a/b.go": code, "a/a_test.go": code, "a/c.txt": code,
		"a/zz_generated.go": {Data: []byte("// Code generated by a program. DO NOT EDIT.\n\npackage a\n")},
		"test/a/a.go":       code, "hack/a.go": code, "testing/a.go": code,
		"bin/a.go": code, "dist/a.go": code, "a/testdata/a.go": code, ".cache/a.go": code, "_a/a.go": code,
	}); err != nil {
		t.Fatal(err)
	}
	want := figures{
		filesOfFolder:  {".": 1, "a": 4, "test/a": 1, "hack": 1, "testing": 1},
		linesOfPackage: {".": 3, "a": 6, "testing": 3, "all": 12},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
	for name, unreadable := range map[string]string{"a.go": "pack", "b.go": ""} {
		err := found.count(fstest.MapFS{name: {Data: []byte(unreadable)}})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
