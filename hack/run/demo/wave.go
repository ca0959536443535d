// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/samples"
)

// A wave changes the plan of every service of a fleet at the same time, from waveFrom to waveTo.
const (
	waveFrom  = "Home 50/20"
	waveTo    = "Home 100/20"
	waveFirst = int64(2_000_001) // the number of the first service
	waveTerm  = 12
)

// waveRate is the rate limit of the account, in calls per second. It replaces the limit of the
// sample, so that the wave shows how long the operator itself takes.
const waveRate = 1000

// stuck is the time after which a wave fails if no further service has become ready.
const stuck = 2 * time.Minute

// onlyAccount returns the only sample that a wave needs: the account, with the rate limit of a
// wave.
func onlyAccount(all []samples.Sample) ([]samples.Sample, error) {
	for _, sample := range all {
		if sample.Object.GetKind() != "CarrierAccount" {
			continue
		}
		limit := map[string]any{"requestsPerSecond": int64(waveRate), "burst": int64(waveRate)}
		err := unstructured.SetNestedMap(sample.Object.Object, limit, "spec", "rateLimit")
		if err != nil {
			return nil, fmt.Errorf("set the rate limit of CarrierAccount %s: %w", sample.Object.GetName(), err)
		}
		return []samples.Sample{sample}, nil
	}
	return nil, errors.New("the samples have no CarrierAccount")
}

// addWave adds the services of a wave to the carrier.
func (d *demo) addWave(seed *simulator.Seed) {
	for i := range d.wave {
		seed.Services = append(seed.Services, simulator.Service{
			ID: waveFirst + int64(i), Client: seed.Clients[0].Name, Plan: waveFrom, Term: waveTerm,
		})
	}
}

// startWave runs a wave, and keeps the manager's metrics if they are asked for.
func (d *demo) startWave(ctx context.Context) error {
	if d.scrapes == "" {
		return d.runWave(ctx)
	}
	return d.scraping(ctx, d.runPlotted)
}

// runWave applies a fleet, changes all plans, shows the progress, and prints what it took.
func (d *demo) runWave(ctx context.Context) error {
	if err := d.applySamples(ctx); err != nil {
		return err
	}
	cluster, err := d.cluster()
	if err != nil {
		return err
	}
	d.Printf("demo: %d services are applied as they are at the carrier\n", d.wave)
	err = d.change(ctx, cluster, waveFrom, func(service *v1alpha1.BroadbandService) error {
		return cluster.Create(ctx, service)
	})
	if err != nil {
		return err
	}
	before, err := d.measure(ctx)
	if err != nil {
		return err
	}
	d.Printf("demo: their plans are changed from %s to %s\n", waveFrom, waveTo)
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"plan":{"name":"`+waveTo+`"}}}`))
	err = d.change(ctx, cluster, waveTo, func(service *v1alpha1.BroadbandService) error {
		return cluster.Patch(ctx, service, patch)
	})
	if err != nil {
		return err
	}
	return d.printWave(ctx, before)
}

// change writes every service, and shows the progress until all have the given plan and are ready.
func (d *demo) change(
	ctx context.Context, cluster client.Client, plan string, write func(*v1alpha1.BroadbandService) error,
) error {
	written := make(chan error, 1)
	go func() {
		var err error
		for i := 0; i < d.wave && err == nil; i++ {
			err = write(waveService(i))
		}
		written <- err
	}()
	return d.follow(ctx, cluster, plan, written)
}

// waveID is the number of a service at the carrier.
func waveID(number int) string { return strconv.FormatInt(waveFirst+int64(number), 10) }

func waveService(number int) *v1alpha1.BroadbandService {
	return &v1alpha1.BroadbandService{
		ObjectMeta: metav1.ObjectMeta{Namespace: samplesNamespace, Name: fmt.Sprintf("site-%06d", number+1)},
		Spec: v1alpha1.BroadbandServiceSpec{
			AccountRef: v1alpha1.AccountReference{Name: "default"},
			ServiceID:  v1alpha1.CarrierIDOf(waveFirst + int64(number)),
			Plan:       &v1alpha1.Plan{Name: waveFrom, Term: waveTerm},
		},
	}
}

// follow shows how many services have the given plan and are ready, until all of them are, a write
// has failed, or none becomes ready anymore.
func (d *demo) follow(ctx context.Context, cluster client.Client, plan string, written <-chan error) error {
	line := progressLine{demo: d, begun: d.Now()}
	gained := d.Now()
	for last := 0; ; {
		ready, inProgress, err := countReady(ctx, cluster, plan)
		if err != nil {
			return err
		}
		line.show(ready, inProgress)
		switch {
		case ready == d.wave:
			return nil
		case ready > last:
			last, gained = ready, d.Now()
		case d.Now().Sub(gained) > stuck:
			return fmt.Errorf("%d of %d services are ready, and none became ready in the last %s", ready, d.wave, stuck)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait: %w", ctx.Err())
		case err := <-written:
			if err != nil {
				return fmt.Errorf("write a service: %w", err)
			}
			written = nil
		case <-time.After(pollInterval): //nolint:forbidigo // the demo runs in real time
		}
	}
}

// countReady counts the services that are ready for a plan, and those with a request in progress.
func countReady(ctx context.Context, cluster client.Client, plan string) (ready, inProgress int, err error) {
	var all v1alpha1.BroadbandServiceList
	if err := cluster.List(ctx, &all, client.InNamespace(samplesNamespace)); err != nil {
		return 0, 0, fmt.Errorf("list the services: %w", err)
	}
	for i := range all.Items {
		service := &all.Items[i]
		condition := meta.FindStatusCondition(service.Status.Conditions, v1alpha1.ConditionReady)
		current := condition != nil && condition.ObservedGeneration == service.Generation
		switch {
		case current && condition.Status == metav1.ConditionTrue && service.Spec.Plan.Name == plan:
			ready++
		case len(service.Status.Requests) > 0:
			inProgress++
		}
	}
	return ready, inProgress, nil
}

// figures are counts since the start of the demo.
type figures struct {
	at     time.Time
	calls  int // to the carrier, without polls
	polls  int // that found a request still in progress; how many depends on when they are made
	writes int // of objects of the operator, by anybody
}

func (d *demo) measure(ctx context.Context) (figures, error) {
	var calls []simulator.Call
	now := figures{at: d.Now()}
	if err := d.ReadJournal(ctx, "calls", &calls); err != nil {
		return now, err
	}
	for i := range calls {
		if calls[i].Status == http.StatusAccepted {
			now.polls++
		}
	}
	now.calls = len(calls) - now.polls
	text, err := d.RunKubectl(ctx, "get", "--raw=/metrics")
	if err != nil {
		return now, err
	}
	now.writes, err = countWrites(text)
	return now, err
}

// printWave prints what the wave took, and fails unless the carrier has carried out exactly one plan
// change of each service.
func (d *demo) printWave(ctx context.Context, before figures) error {
	after, err := d.measure(ctx)
	if err != nil {
		return err
	}
	for i := range d.wave {
		sent, err := d.planChanges(ctx, waveID(i))
		if err == nil && sent != 1 {
			err = fmt.Errorf("the carrier carried out %d plan changes of service %d", sent, waveFirst+int64(i))
		}
		if err != nil {
			return err
		}
	}
	took, count := after.at.Sub(before.at).Seconds(), float64(d.wave)
	calls, polls := after.calls-before.calls, after.polls-before.polls
	writes := after.writes - before.writes - d.wave // without the edits of the specs
	d.Printf("demo: %d plan changes in %.1f s, one for each service: %d calls to the carrier, "+
		"%d polls while a request was in progress, %d writes\n", d.wave, took, calls, polls, writes)
	d.Printf("demo: each change took %.2f calls, %.2f polls, %.2f writes and %.3f s\n",
		float64(calls)/count, float64(polls)/count, float64(writes)/count, took/count)
	return d.Violations(ctx)
}

// progressLine is redrawn in place on a terminal. Elsewhere, a line is printed for each tenth.
type progressLine struct {
	demo  *demo
	begun time.Time
	shown int // tenths that were printed
}

func (l *progressLine) show(ready, inProgress int) {
	const tenths = 10
	all := l.demo.wave
	text := fmt.Sprintf("demo: %d of %d are InSync, %d have a request, %.0f s",
		ready, all, inProgress, l.demo.Now().Sub(l.begun).Seconds())
	switch now := ready * tenths / all; {
	case isTerminal(l.demo.Out):
		const clearLine = "\x1b[K"
		l.demo.Printf("\r%s%s", text, clearLine)
		if ready == all {
			l.demo.Printf("\n")
		}
	case now > l.shown:
		l.shown = now
		l.demo.Printf("%s\n", text)
	}
}
