// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/broadband-operator/broadband-operator/hack/internal/machine"
	"github.com/broadband-operator/broadband-operator/test/samples"
)

const watchName = "kubectl"

// startWatch prints the changes of the services to the screen.
func (d *demo) startWatch(ctx context.Context) error {
	_, err := d.Launch(ctx, machine.Program{Name: watchName, Command: []string{
		d.Kubectl, "--kubeconfig=" + d.Admin.Path, "get", "broadbandservices", "--watch",
	}}, d.Out)
	return err
}

// converge applies the samples and shows their progress. It ends with Ctrl-C or, with --once, --try or
// --kill, when the samples, and what is tried on them then, have been checked.
func (d *demo) converge(ctx context.Context) error {
	d.Printf("demo: kubectl apply of %d manifests; they may take %s. kubectl get broadbandservices --watch:\n\n",
		len(d.samples), d.timeout)
	if err := errors.Join(d.writeEnvironment(), d.startWatch(ctx)); err != nil {
		return err
	}
	if err := d.applySamples(ctx); err != nil {
		return err
	}
	results := make(chan result, 1)
	go func() { results <- d.awaitSamples(ctx) }()
	return d.supervise(ctx, results)
}

func (d *demo) applySamples(ctx context.Context) error {
	for _, file := range []string{secretsFile, samplesFile} {
		if _, err := d.RunKubectl(ctx, "apply", "--filename="+d.InState(file)); err != nil {
			return err
		}
	}
	return nil
}

// untilEnd does something, and fails if a process ends meanwhile.
func (d *demo) untilEnd(ctx context.Context, do func(context.Context) error) error {
	done := make(chan error, 1)
	go func() { done <- do(ctx) }()
	select {
	case err := <-done:
		return err
	case p := <-d.Ended:
		return p.Failure()
	}
}

// supervise restarts what may be restarted, and reports on the samples, until the demo ends.
func (d *demo) supervise(ctx context.Context, results <-chan result) error {
	tried := make(chan error, 1)
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait: %w", ctx.Err())
		case p := <-d.Ended:
			if err := d.replace(ctx, p); err != nil {
				return err
			}
		case r := <-results:
			d.report(r)
			go func() { tried <- d.continueWith(ctx, r.err) }()
		case err := <-tried:
			return err
		}
	}
}

// continueWith ends the demo with the result of the samples, tries what can be tried before that, or
// says what can be tried and waits for Ctrl-C.
func (d *demo) continueWith(ctx context.Context, err error) error {
	switch {
	case d.try || d.kill:
		err = d.tryAll(ctx, err)
	case !d.once:
		d.printNextSteps(ctx, err)
		<-ctx.Done()
		err = fmt.Errorf("wait: %w", ctx.Err())
	}
	return err
}

// tryAll tries what printNextSteps prints, or with --kill only what happens if the manager is killed.
func (d *demo) tryAll(ctx context.Context, err error) error {
	if err != nil {
		return err
	}
	if d.kill {
		return d.killBetween(ctx)
	}
	all, err := d.experiments(ctx)
	for i := range all {
		all[i].print(d, i+1)
		err = errors.Join(err, all[i].try(ctx, d))
	}
	return err
}

// replace restarts the watch or, as a Deployment would, the manager when it has ended. It fails if
// another process ended and, with --once but without --kill, also if the manager ended.
func (d *demo) replace(ctx context.Context, p *machine.Process) error {
	switch {
	case p.Name == watchName:
		return d.startWatch(ctx)
	case p.Name == machine.ManagerName && (d.kill || !d.once):
		d.Printf("demo: the manager ended (%s); restarting it\n", p.State())
		return d.startManager(ctx)
	default:
		return p.Failure()
	}
}

// report prints the actual and the expected state of the samples.
func (d *demo) report(r result) {
	d.Printf("\n")
	d.printOutcomes(r.outcomes)
	if r.err == nil {
		d.Printf("\ndemo: every sample has the expected state, %.1f s after it was applied\n", r.took.Seconds())
	}
	if n := len(r.delays); n > 0 {
		d.Printf("demo: %d results were read %.3f s after the carrier's notification (median), at most %.3f s after it\n",
			n, r.delays[n/2].Seconds(), r.delays[n-1].Seconds())
	}
}

func (d *demo) printOutcomes(outcomes []samples.Outcome) {
	table := tabwriter.NewWriter(d.Out, 0, 0, 2, ' ', 0)
	for _, o := range outcomes {
		mark := "as expected"
		if !o.Met {
			mark = "EXPECTED " + o.Expect.String()
		}
		fmt.Fprintf(table, "%s/%s\t%s\t%s\t%s\n", o.Kind, o.Name, o.Actual, mark, o.Message) //nolint:errcheck // as in Sayf
	}
	table.Flush() //nolint:errcheck,gosec // as in Sayf
}

// printNextSteps prints what the user can do next.
func (d *demo) printNextSteps(ctx context.Context, err error) {
	if err != nil {
		d.Printf("\ndemo: %v\n", err)
	}
	all, err := d.experiments(ctx)
	if err != nil {
		d.Printf("\ndemo: %v\n", err)
	}
	d.Printf("\nTry this in another terminal:\n\n   source %s\n", d.InState(environmentFile))
	for i := range all {
		all[i].print(d, i+1)
	}
	d.Printf(`
docs/tutorial.md orders a service and changes it, step by step.
What the carrier sees: http://%s/_sim/
kill -9 $(cat %s) kills the manager; it is restarted, and sends no request twice.
Change %s and apply it again; the logs are in %s.
Ctrl-C stops everything.
`, d.Addresses.CarrierControls, d.InState(machine.ManagerPIDFile), d.InState(samplesFile), d.InState("logs"))
}
