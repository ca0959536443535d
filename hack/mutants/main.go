// SPDX-License-Identifier: Apache-2.0

// Mutants breaks the operator on purpose, one rule of the submission protocol at a time, and
// fails unless two layers of tests at least notice each of them. The broken copies are given
// to `go test -overlay`: the tree is never written to, and production code knows no switch
// for it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(
		context.Background(), //nolint:forbidigo // a main function is where contexts come from
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

// run is the whole program.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	root := flags.String("root", ".", "the operator's `folder`")
	only := flags.Int("only", 0, "the `number` of the one mutant to try; 0: all")
	jobs := flags.Int("jobs", 2, "how many mutants are tried at a time")
	sound := flags.Bool("sound", true, "first run all tests without a mutant: they have to pass")
	flags.SetOutput(out)
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("read the command line: %w", err)
	}
	all, err := mutants()
	if err != nil {
		return err
	}
	all = numbered(all, *only)
	place := bench{root: *root, now: time.Now} //nolint:forbidigo // the one place where the clock comes from
	if *sound {
		if err := place.passes(ctx, all); err != nil {
			return err
		}
	}
	if killed, total := report(out, place.tryAll(ctx, all, *jobs)); killed < total {
		return errSurvived
	}
	return nil
}

// numbered is the one mutant with a number, or all of them.
func numbered(all []mutant, number int) []mutant {
	if number < 1 || number > len(all) {
		return all
	}
	return all[number-1 : number]
}
