// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"time"
)

// runner runs the tests on mutants.
type runner struct {
	root string
	now  func() time.Time
}

// verdict is the result of a layer of tests for a mutant.
type verdict struct {
	layer    string
	by       string // the first test that failed; "" when none did
	duration time.Duration
}

// trial is a mutant and the verdicts of all its layers.
type trial struct {
	mutant   mutant
	verdicts []verdict
	err      error // why it could not be tried: its old text is not in the code, or it does not compile
}

// errNotBuilt means that a mutant does not compile, which proves nothing about the tests.
var errNotBuilt = errors.New("it does not compile, or its tests cannot start")

// passes runs the tests of all mutants on the unchanged code, where all of them must pass.
func (b runner) passes(ctx context.Context, all []mutant) error {
	for _, tests := range united(all) {
		if text, err := b.goTest(ctx, tests, ""); err != nil {
			return fmt.Errorf("layer %s fails without a mutant: %w\n%s", tests.name, err, text)
		}
	}
	return nil
}

// tryAll tries mutants, up to jobs at a time, and yields the results in the order of the mutants.
func tryAll[M, T any](ctx context.Context, all []M, jobs int, try func(context.Context, M) T) <-chan T {
	slots, done := make(chan struct{}, max(jobs, 1)), make([]chan T, len(all))
	for i := range all {
		done[i] = make(chan T, 1)
	}
	go func() {
		for i, m := range all {
			slots <- struct{}{} // taken in order, so that the results can be shown as they come
			go func() {
				done[i] <- try(ctx, m)
				<-slots
			}()
		}
	}()
	inOrder := make(chan T)
	go func() {
		defer close(inOrder)
		for _, next := range done {
			inOrder <- <-next
		}
	}()
	return inOrder
}

// try breaks the operator and runs the layers that must detect the mutant.
func (b runner) try(ctx context.Context, m mutant) trial {
	tried := trial{mutant: m}
	folder, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		tried.err = fmt.Errorf("make a folder: %w", err)
		return tried
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a leftover temporary folder is harmless
	overlay, err := m.overlay(b.root, folder)
	if err != nil {
		tried.err = err
		return tried
	}
	for _, tests := range m.layers() {
		found, err := b.verdict(ctx, tests, overlay)
		if err != nil {
			tried.err = err
			return tried
		}
		tried.verdicts = append(tried.verdicts, found)
	}
	return tried
}

// verdict runs the tests of a layer with the broken file of an overlay.
func (b runner) verdict(ctx context.Context, tests chosen, overlay string) (verdict, error) {
	began := b.now()
	text, failed := b.goTest(ctx, tests, overlay)
	found := verdict{layer: tests.name, duration: b.now().Sub(began)}
	switch {
	case ctx.Err() != nil:
		return found, fmt.Errorf("interrupted: %w", ctx.Err())
	case notBuilt.Match(text):
		return found, fmt.Errorf("%w:\n%s", errNotBuilt, text)
	case failed != nil:
		found.by = killer(tests, text)
	}
	return found, nil
}

// goTest runs the tests of a layer, with the broken file of an overlay if one is named.
func (b runner) goTest(ctx context.Context, tests chosen, overlay string) ([]byte, error) {
	return b.run(ctx, tests.arguments(), tests.env, overlay)
}

// run calls go, with the broken file of an overlay if one is named. The overlay is in GOFLAGS, so
// that programs that a test builds contain the mutant too.
func (b runner) run(ctx context.Context, arguments, env []string, overlay string) ([]byte, error) {
	command := exec.CommandContext(ctx, "go", arguments...) //nolint:gosec // our own arguments
	command.Env = append(os.Environ(), env...)
	if overlay != "" {
		command.Env = append(command.Env, "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay)
	}
	command.Dir = b.root
	var text bytes.Buffer
	command.Stdout, command.Stderr = &text, &text
	if err := command.Run(); err != nil {
		return text.Bytes(), fmt.Errorf("%s: %w", command, err)
	}
	return text.Bytes(), nil
}

var (
	notBuilt   = regexp.MustCompile(`\[(build|setup) failed\]`)
	failedSpec = regexp.MustCompile(`\[(?:FAIL|PANICKED!|TIMEDOUT)\] (.*\[It\].*)`)
	failedTest = regexp.MustCompile(`--- FAIL: (\S+)`)
	failedPart = regexp.MustCompile(`--- FAIL: ([^\s/]+/[^\s/]+)`)
)

// killer returns the test that detected a mutant, "" for none. A control plane that did not start
// or a run that timed out does not count.
func killer(tests chosen, text []byte) string {
	failed := failedTest
	switch {
	case tests.suite != "":
		failed = failedSpec
	case tests.parent != "":
		failed = failedPart
	}
	if found := failed.FindSubmatch(text); len(found) > 1 {
		return string(found[1])
	}
	return ""
}

// killers returns how many layers detected a mutant.
func (t trial) killers() int {
	killers := 0
	for _, v := range t.verdicts {
		if v.by != "" {
			killers++
		}
	}
	return killers
}
