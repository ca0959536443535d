// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"time"
)

// round is a layer of tests that runs on a drawn mutant unless an earlier round has killed it.
type round struct {
	name     string
	packages []string
	timeout  string   // of a package; a mutant that takes longer counts as killed
	specs    []string // arguments for its Ginkgo specs, if it has any
}

// rounds returns all rounds, the quickest first.
func rounds() []round {
	return []round{
		{
			name: "units", timeout: "2m",
			packages: []string{allDecisions, ofControllers + "/...", ofTypes},
		},
		{name: "prove", timeout: "5m", packages: []string{ofProof}}, // at the reduced size of `make test`
		{
			name: ofControllers, timeout: "15m", packages: []string{ofSpecs + "/..."},
			specs: quickFailure(),
		},
	}
}

// of returns the rounds for a mutant. The tests of its own package come first if they are quick,
// because most mutants need no others, and linking the others takes longer than running them. The
// operator does not contain the plugin, so the only other tests of its mutants are its specs.
func of(m drawn, deep []round) []round {
	own := path.Dir(m.file)
	first := []round{{name: "own package", timeout: "2m", packages: []string{own}}}
	if own == ofJudgment {
		return append(first, round{
			name: "commands", timeout: "15m", packages: []string{ofCommands}, specs: quickFailure(),
		})
	}
	return append(first, deep...)
}

// quickFailure returns the arguments with which specs end at the first failure.
func quickFailure() []string { return []string{"-ginkgo.no-color", "-ginkgo.fail-fast"} }

var errNoRound = errors.New("there is no such layer")

// roundsUpTo returns the rounds up to and including the named one; all of them for "".
func roundsUpTo(name string) ([]round, error) {
	all := rounds()
	if name == "" {
		return all, nil
	}
	last := slices.IndexFunc(all, func(r round) bool { return r.name == name })
	if last < 0 {
		return nil, fmt.Errorf("%w: %s", errNoRound, name)
	}
	return all[:last+1], nil
}

// arguments returns the arguments of the go command.
func (r round) arguments() []string {
	arguments := []string{"test", "-failfast", "-vet=off", "-ldflags=-s -w", "-timeout=" + r.timeout}
	for _, folder := range r.packages {
		arguments = append(arguments, "./"+folder)
	}
	return append(arguments, r.specs...)
}

// result is the result for a drawn mutant.
type result struct {
	mutant   drawn
	layer    string // the last round that ran on it
	by       string // what killed it there; "" if it survived
	duration time.Duration
	err      error // why it could not be tried
}

// tryDrawn draws mutants, runs the tests on each, and fails if too few are killed.
func tryDrawn(ctx context.Context, runner runner, set settings, out io.Writer) error {
	deep, err := roundsUpTo(set.upTo)
	if err != nil {
		return err
	}
	accepted, err := survivors()
	if err != nil {
		return err
	}
	all, err := readCode(ctx, runner.root, targets())
	if err != nil {
		return err
	}
	if set.sound {
		err = runner.passesRounds(ctx, deep)
	}
	if err != nil {
		return err
	}
	mutants, err := numbered(draw(all, set.seed, set.draw), set.only)
	if err != nil {
		return err
	}
	results := tryAll(ctx, mutants, set.jobs, func(ctx context.Context, m drawn) result {
		return runner.tryRounds(ctx, m, deep)
	})
	total := tally{accepted: accepted}
	for f := range results {
		total.add(f)
		f.show(out)
	}
	total.show(out, set.seed)
	return total.verdict()
}

// passesRounds runs the tests on the unchanged code, where all of them must pass.
func (b runner) passesRounds(ctx context.Context, deep []round) error {
	for _, r := range deep {
		if text, err := b.run(ctx, r.arguments(), nil, ""); err != nil {
			return fmt.Errorf("layer %s fails without a mutant: %w\n%s", r.name, err, text)
		}
	}
	return nil
}

// tryRounds runs one round after another on a drawn mutant until one kills it.
func (b runner) tryRounds(ctx context.Context, m drawn, deep []round) result {
	got, began := result{mutant: m}, b.now()
	got.err = b.withOverlay(m, func(overlay string) error {
		for _, r := range of(m, deep) {
			text, failed := b.run(ctx, r.arguments(), nil, overlay)
			switch {
			case ctx.Err() != nil:
				return fmt.Errorf("interrupted: %w", ctx.Err())
			case notBuilt.Match(text):
				return fmt.Errorf("%w:\n%s", errNotBuilt, text)
			case failed != nil:
				got.by = killerOfDrawn(text)
			}
			if got.layer = r.name; got.by != "" {
				return nil
			}
		}
		return nil
	})
	got.duration = b.now().Sub(began)
	return got
}

// withOverlay calls a function with the overlay of a drawn mutant, which exists only during the
// call.
func (runner) withOverlay(m drawn, call func(overlay string) error) error {
	folder, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a leftover temporary folder is harmless
	overlay, err := writeOverlay(m.path, m.text, folder)
	if err != nil {
		return err
	}
	return call(overlay)
}

// A spec of a Ginkgo suite may also fail in a node that runs before or after each spec. A suite
// that cannot start or fails as a whole does not show that the mutant was detected.
var (
	anySpec  = regexp.MustCompile(`\[(?:FAIL|PANICKED!|TIMEDOUT)\] (.*\[(?:It|\w+Each|DeferCleanup \(Each\))\].*)`)
	anyTest  = regexp.MustCompile(`--- FAIL: (\S+)`)
	endedAll = regexp.MustCompile(`(?m)^(?:panic|fatal error): (.*)`)
)

// killerOfDrawn returns what detected a drawn mutant, "" for nothing. Unlike a listed mutant, it
// may also be killed by a test that times out or whose process crashes.
func killerOfDrawn(text []byte) string {
	if found := anySpec.FindSubmatch(text); found != nil {
		return string(found[1])
	}
	if found := endedAll.FindSubmatch(text); found != nil {
		return string(found[1])
	}
	for _, found := range anyTest.FindAllSubmatch(text, -1) {
		if name := string(found[1]); name != suiteOfControllers {
			return name
		}
	}
	return ""
}
