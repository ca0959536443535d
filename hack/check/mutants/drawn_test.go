// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// small is a package with a site for each operator, and with code that is never drawn.
const small = `package small

import (
	"log"
	"time"
)

const limit = 2 * time.Minute

type thing struct{ seen, wrong bool }

func (t *thing) look(waited time.Duration, tries int) *thing {
	log.Print(tries + 1)
	if t.wrong && tries < 3 {
		return nil
	}
	switch {
	case tries == 0:
		t.seen = true
	case !t.wrong:
		t.note()
	}
	list := make([]int, 0, 7)
	if waited > limit || t.ready() {
		panic(len(list) == 8)
	}
	return t
}

func (t *thing) note() { t.seen = beside }

func (t *thing) ready() bool { return t.seen }

func (t *thing) turn() thing {
	t.seen, t.wrong = t.wrong, t.seen
	switch {
	case t.seen, t.wrong:
		t.note()
	}
	return thing{seen: beside, wrong: t.wrong}
}
`

// wantSites are all its sites: line number, operator, and the changed line.
var wantSites = []string{
	"8 limit: doubles the duration: const limit = 2*(2 * time.Minute)",
	"14 (*thing).look: negates the condition: if !(t.wrong && tries < 3) {",
	"14 (*thing).look: replaces && by ||: if t.wrong || tries < 3 {",
	"14 (*thing).look: drops an operand: t.wrong &&",
	"14 (*thing).look: drops an operand: && tries < 3",
	"14 (*thing).look: replaces < by <=: if t.wrong && tries <= 3 {",
	"14 (*thing).look: raises the number by one: if t.wrong && tries < 4 {",
	"14 (*thing).look: lowers the number by one: if t.wrong && tries < 2 {",
	"18 (*thing).look: replaces == by !=: case tries != 0:",
	"18 (*thing).look: raises the number by one: case tries == 1:",
	"18 (*thing).look: lowers the number by one: case tries == -1:",
	"19 (*thing).look: removes the statement: t.seen = true",
	"19 (*thing).look: replaces true by false: t.seen = false",
	"20 (*thing).look: drops the !: case t.wrong:",
	"21 (*thing).look: removes the statement: t.note()",
	"24 (*thing).look: negates the condition: if !(waited > limit || t.ready()) {",
	"24 (*thing).look: replaces || by &&: if waited > limit && t.ready() {",
	"24 (*thing).look: drops an operand: waited > limit ||",
	"24 (*thing).look: drops an operand: || t.ready()",
	"24 (*thing).look: replaces > by >=: if waited >= limit || t.ready() {",
	"24 (*thing).look: doubles the duration: if waited > 2*(limit) || t.ready() {",
	"27 (*thing).look: returns nil: return t",
	"30 (*thing).note: removes the statement: func (t *thing) note() { t.seen = beside }",
	"32 (*thing).ready: negates the result: func (t *thing) ready() bool { return !(t.seen) }",
	"35 (*thing).turn: removes the statement: t.seen, t.wrong = t.wrong, t.seen",
	"35 (*thing).turn: drops one of the assignments: _, t.wrong = t.wrong, t.seen",
	"35 (*thing).turn: drops one of the assignments: t.seen, _ = t.wrong, t.seen",
	"37 (*thing).turn: negates the condition: case !(t.seen), t.wrong:",
	"37 (*thing).turn: negates the condition: case t.seen, !(t.wrong):",
	"37 (*thing).turn: drops an element: t.seen,",
	"37 (*thing).turn: drops an element: , t.wrong",
	"38 (*thing).turn: removes the statement: t.note()",
	"40 (*thing).turn: drops an element: seen: beside,",
	"40 (*thing).turn: drops an element: , wrong: t.wrong",
}

// smallCode parses and type-checks that package.
func smallCode(t *testing.T) []code {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":              "module small\n\ngo 1.26\n",
		"small/small.go":      small,
		"small/beside.go":     "package small\n\nvar beside bool\n",
		"small/small_test.go": "package small\n\nvar tested bool\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	read, err := readCode(t.Context(), root, []target{allOf("small")})
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// described formats sites as in wantSites.
func described(all []site) []string {
	lines := make([]string, len(all))
	for i, found := range all {
		lines[i] = found.described()
	}
	return lines
}

func (s site) described() string {
	_, name, _ := strings.Cut(s.function, ".")
	return strings.TrimPrefix(s.place(), s.file+":") + ": " + s.shown + " in " + name
}

func TestOperatorsFindTheirSites(t *testing.T) {
	t.Parallel()
	want := make([]string, len(wantSites))
	for i, line := range wantSites {
		number, rest, _ := strings.Cut(line, " ")
		name, rest, _ := strings.Cut(rest, ": ")
		want[i] = number + " " + rest + " in " + name
	}
	got := described(smallCode(t)[0].sites())
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sites (-want +got):\n%s", diff)
	}
}

func TestDrawnMutantsCompile(t *testing.T) {
	t.Parallel()
	read := smallCode(t)[0]
	for path, text := range read.texts {
		if filepath.Base(path) != "small.go" {
			continue
		}
		if !read.compiles(path, text) {
			t.Error("the package itself does not compile")
		}
		for old, broken := range map[string]string{
			"case !t.wrong:": "case !t.wrong",               // a syntax error
			"list := ":       "list, unused := 1, ",         // an unused variable
			"return t\n":     "t.note()\n",                  // a missing return
			"tries < 3":      "tries < \"3\"",               // another type
			"log.Print(":     "_ = (",                       // an unused import
			"t.seen = true":  "t.seen, _ = true, 1/(2-2)\n", // a division by zero
		} {
			if read.compiles(path, bytes.Replace(text, []byte(old), []byte(broken), 1)) {
				t.Errorf("compiles with %q in the place of %q", broken, old)
			}
		}
	}
}

func TestDrawDependsOnlyOnTheSeed(t *testing.T) {
	t.Parallel()
	read := smallCode(t)
	places := func(seed uint64, many int) []string {
		mutants := draw(read, seed, many)
		sites := make([]site, len(mutants))
		for i, m := range mutants {
			sites[i] = m.site
		}
		return described(sites)
	}
	first := places(1, 5)
	if again := places(1, 5); len(first) != 5 || !slices.Equal(first, again) {
		t.Errorf("seed 1 draws %q, and then %q", first, again)
	}
	if more := places(1, 9); !slices.Equal(first, more[:5]) {
		t.Errorf("of a larger draw the first are %q, want %q", more[:5], first)
	}
	if other := places(2, 5); slices.Equal(first, other) {
		t.Errorf("seed 2 draws the same: %q", other)
	}
	all := places(3, 1000)
	slices.Sort(all)
	if len(all) != len(wantSites) || len(slices.Compact(all)) != len(wantSites) {
		t.Errorf("draws %d of %d sites, or some twice: %q", len(all), len(wantSites), all)
	}
}

func TestMutantIsTheFileWithOneChange(t *testing.T) {
	t.Parallel()
	for _, m := range draw(smallCode(t), 1, 1000) {
		want := strings.ReplaceAll(small[:m.from]+m.becomes+small[m.to:], "\r", "")
		if got := string(m.text); got != want || got == small {
			t.Errorf("%s: %s", m.place(), got)
		}
	}
}

func TestExplainedSurvivorsAreInTheCode(t *testing.T) {
	t.Parallel()
	accepted, err := survivors()
	if err != nil {
		t.Fatal(err)
	}
	all, err := readCode(t.Context(), tree, targets())
	if err != nil {
		t.Fatal(err)
	}
	var sites []site
	for _, one := range all {
		sites = append(sites, one.sites()...)
	}
	if len(sites) == 0 {
		t.Error("there is nothing to draw")
	}
	for _, s := range accepted {
		if s.Why == "" || !slices.ContainsFunc(sites, s.explains) {
			t.Errorf("not in the code, or without a reason: %+v", s)
		}
	}
}

func TestKillerOfDrawnMutant(t *testing.T) {
	t.Parallel()
	for _, run := range []struct{ text, want string }{
		{"ok  \tpkg/decide\t0.1s", ""},
		{"--- FAIL: TestX (0.00s)\n    x_test.go:1: no\nFAIL", "TestX"},
		{"panic: test timed out after 2m0s\nrunning tests:", "test timed out after 2m0s"},
		{"fatal error: sync: unlock of unlocked mutex\n", "sync: unlock of unlocked mutex"},
		{"  [FAIL] A spec [It] passes\n--- FAIL: TestControllers (1s)", "A spec [It] passes"},
		{"  [FAIL] A spec [AfterEach] passes\n--- FAIL: TestControllers", "A spec [AfterEach] passes"},
		{"  [FAIL] [BeforeSuite] \n--- FAIL: TestControllers (1s)\nFAIL", ""},
		{"--- FAIL: TestControllers (1s)\n--- FAIL: TestDoubt (0.00s)\nFAIL", "TestDoubt"},
		{"go: cannot find main module\n", ""},
		{"etcd: could not start\nFAIL\tcontrollers\t0.1s\nFAIL\n", ""},
	} {
		if got := killerOfDrawn([]byte(run.text)); got != run.want {
			t.Errorf("%q is detected by %q, want %q", run.text, got, run.want)
		}
	}
}

// resultsOf returns the given numbers of killed and of surviving mutants.
func resultsOf(killed, survived int) []result {
	all := slices.Repeat([]result{{layer: "units", by: "TestX"}}, killed)
	return append(all, slices.Repeat([]result{{layer: "prove"}}, survived)...)
}

func TestTooManySurvivorsFail(t *testing.T) {
	t.Parallel()
	known := survivor{Function: "decide.f", Operator: removes, Line: "x()", Why: "nobody reads x"}
	mutant := drawn{site: site{function: "decide.f", operator: removes, shown: "x()"}}
	for name, run := range map[string]struct {
		fates []result
		want  error
	}{
		"none":                    {nil, nil},
		"95 of 100":               {resultsOf(95, 5), nil},
		"94 of 100":               {resultsOf(94, 6), errShare},
		"one that is explained":   {append(resultsOf(95, 5), result{mutant: mutant}), nil},
		"explained, but killed":   {append(resultsOf(95, 0), result{mutant: mutant, by: "TestX"}), errStale},
		"one that was not tried":  {append(resultsOf(95, 0), result{err: errNotBuilt}), errNotTried},
		"all of them unexplained": {resultsOf(0, 2), errShare},
	} {
		total := tally{accepted: []survivor{known}}
		for _, f := range run.fates {
			total.add(f)
		}
		if got := total.verdict(); !errors.Is(got, run.want) {
			t.Errorf("%s: got %v, want %v", name, got, run.want)
		}
	}
}

func TestTheReportNamesSurvivorsAndTheSeed(t *testing.T) {
	t.Parallel()
	mutant := drawn{number: 7, site: site{
		file: "pkg/decide/x.go", line: 12, function: "pkg/decide.f", operator: removes, shown: "x()",
	}}
	var out bytes.Buffer
	total := tally{}
	for _, f := range append(resultsOf(3, 0), result{mutant: mutant, layer: "prove"}) {
		total.add(f)
		f.show(&out)
	}
	total.show(&out, 42)
	for _, want := range []string{
		"SURVIVES", "pkg/decide/x.go:12 removes the statement", "units: TestX", "function: pkg/decide.f",
		`line: "x()"`, "seed 42: 3 of 4 drawn mutants killed, 75.0 % (at least 95 %)",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

func TestRoundsUpToEndsAtALayer(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"": 3, "units": 1, "prove": 2, "controllers": 3} {
		if got, err := roundsUpTo(name); len(got) != want || err != nil {
			t.Errorf("up to %q: %d layers, %v", name, len(got), err)
		}
	}
	if _, err := roundsUpTo("other"); !errors.Is(err, errNoRound) {
		t.Errorf("another name: %v", err)
	}
}
