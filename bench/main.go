// SPDX-License-Identifier: Apache-2.0

// Bench measures the operator against two others, in the same run: a naive operator for the same
// kinds, and the replay limit, a client that knows everything beforehand. Each runs as a process,
// against a real control plane and the simulated carrier. It writes docs/performance.md.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

func main() {
	ctx, stop := signal.NotifyContext(
		context.Background(), //nolint:forbidigo // the root context of the program
		os.Interrupt, syscall.SIGTERM)
	log.SetLogger(logr.Discard())
	isRole, err := runRole(ctx, os.Args[1:])
	if !isRole {
		err = run(ctx, os.Args[1:], os.Stdout)
	}
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// roleCarrier is the name of the role of the simulated carrier. The other roles have the names of
// the contestants.
const roleCarrier = "carrier"

// runRole runs the program as one of the processes of a run, if its arguments say so: the name of a
// role, and the file with its settings.
func runRole(ctx context.Context, args []string) (isRole bool, err error) {
	const roleAndFile = 2
	if len(args) != roleAndFile {
		return false, nil
	}
	switch role, file := args[0], args[1]; role {
	case roleCarrier:
		return true, runWith(ctx, file, runCarrier)
	case naiveName:
		return true, runWith(ctx, file, runNaive)
	case limitName:
		return true, runWith(ctx, file, runLimit)
	default:
		return false, nil
	}
}

func runWith[S any](ctx context.Context, file string, run func(context.Context, S) error) error {
	var with S
	content, err := os.ReadFile(file) //nolint:gosec // written by the program that started this one
	if err == nil {
		err = json.Unmarshal(content, &with)
	}
	if err != nil {
		return fmt.Errorf("read the settings: %w", err)
	}
	return run(ctx, with)
}

// settings are the command line flags.
type settings struct {
	manager, state, page string
	self                 string // this program
	scale                float64
	only                 string
}

func parse(args []string, out io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&s.manager, "manager", "bin/manager", "`program` of the operator")
	flags.StringVar(&s.state, "state", "bin/bench", "`folder` for logs and credentials, emptied at the start")
	flags.StringVar(&s.page, "page", "",
		"`file` for the figures, with its plots in the folder of the same name; none if empty")
	flags.Float64Var(&s.scale, "scale", 1, "`factor` of all numbers of services")
	flags.StringVar(&s.only, "only", "", "comma-separated `names` of the scenarios to run; all if empty")
	if err := flags.Parse(args); err != nil {
		return settings{}, err //nolint:wrapcheck // the flag package reports it in full
	}
	var err error
	if s.self, err = os.Executable(); err != nil {
		return settings{}, fmt.Errorf("find this program: %w", err)
	}
	return s, nil
}

// run is the whole program.
func run(ctx context.Context, args []string, out io.Writer) error {
	with, err := parse(args, out)
	if err != nil {
		return err
	}
	gomega.RegisterFailHandler(func(message string, _ ...int) { panic(message) }) // package world expects with it
	machine, err := describeMachine(ctx)
	if err != nil {
		return err
	}
	shown := page{Scale: with.scale, Machine: machine}
	_, err = runAll(ctx, with, out, func(results []result) error {
		wasRun := func(s scenario) bool {
			return slices.ContainsFunc(results, func(r result) bool { return r.scenario == s.Name })
		}
		shown.Results, shown.Figures = results, figures(results)
		shown.Scenarios = slices.DeleteFunc(chosen(with), func(s scenario) bool { return !wasRun(s) })
		shown.Missing = slices.DeleteFunc(scenarios(), wasRun)
		if with.page == "" {
			return nil
		}
		return writePage(with.page, shown)
	})
	show(out, shown.Figures)
	return err
}

// chosen returns the scenarios to run, at the wanted size.
func chosen(with settings) []scenario {
	only := strings.Split(with.only, ",")
	all := slices.DeleteFunc(scenarios(), func(s scenario) bool {
		return with.only != "" && !slices.Contains(only, s.Name)
	})
	for i := range all {
		all[i] = all[i].scale(with.scale)
	}
	return all
}

// runAll runs the scenarios, prints each result, and passes on all results so far after each scenario.
func runAll(
	ctx context.Context, with settings, out io.Writer, each func(soFar []result) error,
) (results []result, err error) {
	for _, one := range chosen(with) {
		place, err := newArena(ctx, with, one.Name)
		if err != nil {
			return nil, err
		}
		measured, err := place.run(ctx, one)
		if failed := errors.Join(err, place.plane.Stop()); failed != nil {
			return nil, failed
		}
		for i := range measured {
			fmt.Fprintln(out, measured[i].line()) //nolint:errcheck // there is nowhere to report the error
		}
		results = append(results, measured...)
		if err := each(results); err != nil {
			return nil, err
		}
	}
	return results, nil
}

func now() time.Time { return time.Now() } //nolint:forbidigo // the bench runs in real time

// pause waits for a time, or until the context ends.
func pause(ctx context.Context, long time.Duration) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("wait: %w", ctx.Err())
	case <-time.After(long): //nolint:forbidigo // the bench runs in real time
		return nil
	}
}

// step is a part of a run.
type step = func(context.Context) error

// inTurn takes steps until one fails.
func inTurn(ctx context.Context, steps ...step) error {
	for _, one := range steps {
		if err := one(ctx); err != nil {
			return err
		}
	}
	return nil
}

// until waits until something is true.
func until(ctx context.Context, most time.Duration, is func() bool) error {
	const often = 200 * time.Millisecond
	for began := now(); !is(); {
		if now().Sub(began) > most {
			return fmt.Errorf("nothing has changed in %s", most)
		}
		if err := pause(ctx, often); err != nil {
			return err
		}
	}
	return nil
}
