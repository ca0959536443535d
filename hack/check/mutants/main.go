// SPDX-License-Identifier: Apache-2.0

// Mutants breaks the operator on purpose, one rule of the submission protocol at a time, and
// fails unless at least two layers of tests detect each mutant. The broken copies are passed to
// `go test -overlay`, so the source tree is never modified and production code needs no switches.
// With -draw it ignores the listed rules and mutates places in the code that are drawn by a seed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(
		context.Background(), //nolint:forbidigo // the root context of the program
		os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// errSurvived ends a run in which a mutant was not killed, or not often enough.
var errSurvived = errors.New("tests are missing: see the mutants that survive")

// settings are the command line flags.
type settings struct {
	root  string
	only  span
	jobs  int
	sound bool
	draw  int
	seed  uint64
	upTo  string
}

// run is the whole program.
func run(ctx context.Context, args []string, out io.Writer) error {
	var set settings
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.StringVar(&set.root, "root", ".", "`folder` of the operator's source")
	flags.TextVar(&set.only, "only", span{}, "`numbers` of the mutants to try, such as 7 or 101-200; 0: all")
	flags.IntVar(&set.jobs, "jobs", 2, "number of mutants to try concurrently") //nolint:mnd // the default
	flags.BoolVar(&set.sound, "sound", true, "first require that all tests pass without a mutant")
	flags.IntVar(&set.draw, "draw", 0, "`number` of mutants to generate at random; 0: use the list")
	flags.Uint64Var(&set.seed, "seed", 1, "`number` that determines the random choice")
	flags.StringVar(&set.upTo, "upto", "", "last `layer` of tests for generated mutants: units, prove or controllers")
	flags.SetOutput(out)
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("read the command line: %w", err)
	}
	tests := runner{root: set.root, now: time.Now} //nolint:forbidigo // the only use of the real clock
	if set.draw > 0 {
		return tryDrawn(ctx, tests, set, out)
	}
	return tryListed(ctx, tests, set, out)
}

// tryListed tries the mutants listed in mutants.yaml.
func tryListed(ctx context.Context, runner runner, set settings, out io.Writer) error {
	all, err := mutants()
	if err != nil {
		return err
	}
	if all, err = numbered(all, set.only); err != nil {
		return err
	}
	if set.sound {
		if err := runner.passes(ctx, all); err != nil {
			return err
		}
	}
	if killed, total := report(out, tryAll(ctx, all, set.jobs, runner.try)); killed < total {
		return errSurvived
	}
	return nil
}

// span is a range of mutant numbers, starting at 1; the zero value means all.
type span struct{ first, last int }

var (
	errSpan = errors.New("numbers are as 7 or 101-200")
	errNone = errors.New("there is no mutant of that number")
)

// UnmarshalText parses a number, or two numbers separated by a dash.
func (s *span) UnmarshalText(text []byte) error {
	first, last, two := strings.Cut(string(text), "-")
	if !two {
		last = first
	}
	var wrong [2]error
	s.first, wrong[0] = strconv.Atoi(first)
	s.last, wrong[1] = strconv.Atoi(last)
	if err := errors.Join(wrong[:]...); err != nil || s.first > s.last {
		return fmt.Errorf("%w: %s", errSpan, text)
	}
	return nil
}

// MarshalText returns the form that UnmarshalText parses.
func (s span) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d-%d", s.first, s.last), nil }

// numbered returns the mutants whose numbers are in a span, and fails if there are none.
func numbered[M any](all []M, only span) ([]M, error) {
	switch {
	case only.first < 1:
		return all, nil
	case only.first > len(all):
		return nil, fmt.Errorf("%w: %d of %d", errNone, only.first, len(all))
	}
	return all[only.first-1 : min(only.last, len(all))], nil
}
