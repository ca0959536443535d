// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
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

// converge applies the samples and shows their progress: with --once until they are judged, else
// until Ctrl-C.
func (d *demo) converge(ctx context.Context) error {
	d.Sayf("demo: kubectl apply of %d manifests; they may take %s. kubectl get broadbandservices --watch:\n\n",
		len(d.samples), d.timeout)
	if err := d.startWatch(ctx); err != nil {
		return err
	}
	for _, file := range []string{secretsFile, samplesFile} {
		if _, err := d.RunKubectl(ctx, "apply", "--filename="+d.InState(file)); err != nil {
			return err
		}
	}
	judged := make(chan judgement, 1)
	go func() { judged <- d.judge(ctx) }()
	return d.watchOver(ctx, judged)
}

// watchOver keeps the processes running.
func (d *demo) watchOver(ctx context.Context, judged <-chan judgement) error {
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait: %w", ctx.Err())
		case p := <-d.Ended:
			if err := d.replace(ctx, p); err != nil {
				return err
			}
		case j := <-judged:
			d.report(j)
			if d.once {
				return j.err
			}
			d.explain(j.err)
		}
	}
}

// replace restarts the manager when it has ended, as a Deployment would. It fails if another
// process ended, and with --once if any process ended.
func (d *demo) replace(ctx context.Context, p *machine.Process) error {
	switch {
	case p.Name == watchName:
		return d.startWatch(ctx)
	case p.Name == machine.ManagerName && !d.once:
		d.Sayf("demo: the manager ended (%s); starting it again\n", p.State())
		return d.startManager(ctx)
	default:
		return p.Failure()
	}
}

// report prints the actual and the expected state of the samples.
func (d *demo) report(j judgement) {
	d.Sayf("\n")
	d.printOutcomes(j.outcomes)
	if j.err == nil {
		d.Sayf("\ndemo: every sample shows what it is to show, %.1f s after it was applied\n", j.took.Seconds())
	}
	if n := len(j.noticed); n > 0 {
		d.Sayf("demo: %d requests that had ended were noticed %.3f s after the carrier's notification, at most %.3f s\n",
			n, j.noticed[n/2].Seconds(), j.noticed[n-1].Seconds())
	}
}

func (d *demo) printOutcomes(outcomes []samples.Outcome) {
	table := tabwriter.NewWriter(d.Out, 0, 0, 2, ' ', 0)
	for _, o := range outcomes {
		mark := "as expected"
		if !o.Met {
			mark = "EXPECTED " + o.Expect.String()
		}
		fmt.Fprintf(table, "%s/%s\t%s\t%s\t%s\n", o.Kind, o.Name, o.Shows, mark, o.Message) //nolint:errcheck // as in Sayf
	}
	table.Flush() //nolint:errcheck,gosec // as in Sayf
}

// explain prints what the user can do next.
func (d *demo) explain(err error) {
	if err != nil {
		d.Sayf("\ndemo: %v\n", err)
	}
	d.Sayf(`
Go on in another terminal:
  export KUBECONFIG=%s
  %s describe broadbandservice
  kill -9 $(cat %s)      the manager; it is started again, and sends nothing twice
  curl -s http://%s/_sim/calls      what the carrier was asked
Change %s and apply it again; the logs are in %s.
Ctrl-C ends it all.
`, d.Admin.Path, d.Kubectl, d.InState(machine.ManagerPIDFile), d.Addresses.CarrierControls,
		d.InState(samplesFile), d.InState("logs"))
}
