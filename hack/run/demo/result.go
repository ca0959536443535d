// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/samples"
)

// result is the state that the samples reached. Its error describes what is not as expected.
type result struct {
	outcomes []samples.Outcome
	took     time.Duration
	delays   []time.Duration // from each notification to the GET that found its result
	err      error
}

const pollInterval = 500 * time.Millisecond

// poll repeats a step until it is done, and returns the error of the last one. A step that fails is
// repeated unless it is done, because a busy API server may not answer. If there is no more time,
// the error says so.
func poll(ctx context.Context, within time.Duration, step func(context.Context) (done bool, err error)) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, pollInterval, within, true, func(ctx context.Context) (done bool, _ error) {
		done, last = step(ctx)
		return done, nil
	})
	return errors.Join(err, last)
}

// awaitSamples waits until all samples have the expected state at the same time.
func (d *demo) awaitSamples(ctx context.Context) result {
	started := d.Now()
	var r result
	cluster, err := d.cluster()
	if err != nil {
		r.err = err
		return r
	}
	done := func(ctx context.Context) (bool, error) {
		outcomes, err := samples.Check(ctx, cluster, d.samples)
		if err != nil {
			return false, err
		}
		r.outcomes = outcomes
		return len(samples.Unmet(outcomes)) == 0, nil
	}
	r.err = poll(ctx, d.timeout, done)
	r.took = d.Now().Sub(started)
	switch {
	case r.err == nil:
		r.err = d.checkCarrier(ctx, &r)
	case wait.Interrupted(r.err):
		r.err = fmt.Errorf("%d of %d samples do not have the expected state %s after they were applied: %w",
			len(samples.Unmet(r.outcomes)), len(r.outcomes), d.timeout, r.err)
	}
	return r
}

// checkCarrier fails if the carrier received a call that its specification forbids, and measures
// how soon each notification was followed by a GET.
func (d *demo) checkCarrier(ctx context.Context, r *result) error {
	if err := d.Violations(ctx); err != nil {
		return err
	}
	var (
		sent  []simulator.Delivery
		calls []simulator.Call
	)
	for journal, into := range map[string]any{"events": &sent, "calls": &calls} {
		if err := d.ReadJournal(ctx, journal, into); err != nil {
			return err
		}
	}
	r.delays = notificationDelays(sent, calls)
	return nil
}
