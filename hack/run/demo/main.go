// SPDX-License-Identifier: Apache-2.0

// Demo runs the operator on one machine: it starts etcd, kube-apiserver, the simulated carrier and
// the manager as processes, applies the samples, and shows how the services converge. It leaves
// nothing running.
package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/broadband-operator/broadband-operator/hack/internal/machine"
	"github.com/broadband-operator/broadband-operator/test/samples"
)

func main() {
	log.SetLogger(logr.Discard()) // the log of client libraries is no part of the demo
	machine.Main("demo", run)
}

// samplesNamespace is the namespace of the samples.
const samplesNamespace = "default"

// demo is one run: its settings and its processes.
type demo struct {
	*machine.Machine
	settings

	managerEvents string // address on which the manager receives notifications
	samples       []samples.Sample
}

// run is the whole program.
func run(ctx context.Context, args []string, out io.Writer) error {
	s, err := parse(args, out)
	if err != nil {
		return err
	}
	clock := time.Now //nolint:forbidigo // the only use of the real clock
	d := &demo{Machine: machine.New(s.machine, out, clock), settings: s}
	unlock, err := d.ClaimState()
	if err != nil {
		return err
	}
	defer unlock()
	if err := d.prepare(ctx); err != nil {
		return err
	}
	return errors.Join(d.start(ctx), d.Stop(ctx))
}

// prepare creates everything that does not need a running process.
func (d *demo) prepare(ctx context.Context) error {
	if err := d.FindAddresses(ctx, &d.managerEvents); err != nil {
		return err
	}
	var err error
	if d.samples, err = samples.Read(d.samplesDir, samplesNamespace); err != nil {
		return err
	}
	if d.wave > 0 {
		if d.samples, err = onlyAccount(d.samples); err != nil {
			return err
		}
	}
	return errors.Join(d.writeCertificate(), d.writeCarrierFiles(), d.writeSamples())
}

// start starts all processes, then applies and watches the samples.
func (d *demo) start(ctx context.Context) error {
	err := d.RunSteps(ctx, []machine.Step{
		{Name: "etcd", Do: d.StartEtcd},
		{Name: "kube-apiserver", Do: d.StartAPIServer},
		{Name: "the simulated carrier", Do: d.startCarrier},
		{Name: "CRDs and RBAC (make install)", Do: d.Install},
		{Name: "the manager, under its own ServiceAccount", Do: d.startManager},
	})
	if err != nil {
		return d.interrupted(ctx, err)
	}
	if d.wave > 0 {
		return d.interrupted(ctx, d.untilEnd(ctx, d.startWave))
	}
	return d.interrupted(ctx, d.converge(ctx))
}

// interrupted turns the error of an interrupted run into success. With --once it does not, because
// then the samples were not checked.
func (d *demo) interrupted(ctx context.Context, err error) error {
	switch {
	case err == nil || ctx.Err() == nil:
		return err
	case d.once:
		return errors.New("interrupted before every sample was checked")
	default:
		return nil
	}
}
