// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/samples"
)

// judgement is the state that the samples reached. Its error describes what is not as expected.
type judgement struct {
	outcomes []samples.Outcome
	took     time.Duration
	noticed  []time.Duration // from each notification to the GET that found its result
	err      error
}

const judgeInterval = 500 * time.Millisecond

// judge waits until all samples show the expected state at the same time.
func (d *demo) judge(ctx context.Context) judgement {
	begun := d.Now()
	var j judgement
	cluster, err := client.New(d.Admin.REST(), client.Options{Scheme: runtime.NewScheme()})
	if err != nil {
		j.err = fmt.Errorf("make a client: %w", err)
		return j
	}
	look := func(ctx context.Context) (bool, error) {
		outcomes, err := samples.Judge(ctx, cluster, d.samples)
		if err != nil {
			return false, err
		}
		j.outcomes = outcomes
		return len(samples.Unmet(outcomes)) == 0, nil
	}
	j.err = wait.PollUntilContextTimeout(ctx, judgeInterval, d.timeout, true, look)
	j.took = d.Now().Sub(begun)
	switch {
	case j.err == nil:
		j.err = d.askTheCarrier(ctx, &j)
	case wait.Interrupted(j.err):
		j.err = fmt.Errorf("%d of %d samples do not show what they are to show, %s after they were applied",
			len(samples.Unmet(j.outcomes)), len(j.outcomes), d.timeout)
	}
	return j
}

// askTheCarrier fails if the carrier received a call that its specification forbids, and measures
// how soon each notification was followed by a GET.
func (d *demo) askTheCarrier(ctx context.Context, j *judgement) error {
	if err := d.Violations(ctx); err != nil {
		return err
	}
	var (
		sent  []simulator.Delivery
		calls []simulator.Call
	)
	for journal, into := range map[string]any{"events": &sent, "calls": &calls} {
		if err := d.AskCarrier(ctx, journal, into); err != nil {
			return err
		}
	}
	j.noticed = noticed(sent, calls)
	return nil
}
