// SPDX-License-Identifier: Apache-2.0

// Demo shows the operator at work on one machine: etcd, kube-apiserver, the simulated
// carrier and the manager as processes of their own, the samples applied, and the
// services converging. It leaves nothing running.
package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/broadband-operator/broadband-operator/hack/internal/machine"
	"github.com/broadband-operator/broadband-operator/test/samples"
)

func main() { machine.Main("demo", run) }

// samplesNamespace is where the samples go.
const samplesNamespace = "default"

// demo is one run: what was asked for, and what is running.
type demo struct {
	*machine.Machine
	settings

	managerEvents string // where the manager takes notifications
	samples       []samples.Sample
}

// run is the whole program.
func run(ctx context.Context, args []string, out io.Writer) error {
	s, err := parse(args, out)
	if err != nil {
		return err
	}
	clock := time.Now //nolint:forbidigo // the one place where the clock comes from
	d := &demo{Machine: machine.New(s.machine, out, clock), settings: s}
	unlock, err := d.ClaimState()
	if err != nil {
		return err
	}
	defer unlock()
	if err := d.prepare(ctx); err != nil {
		return err
	}
	return errors.Join(d.show(ctx), d.Stop(ctx))
}

// prepare makes everything that needs nothing to run.
func (d *demo) prepare(ctx context.Context) error {
	if err := d.FindAddresses(ctx, &d.managerEvents); err != nil {
		return err
	}
	var err error
	if d.samples, err = samples.Read(d.samplesDir, samplesNamespace); err != nil {
		return err
	}
	return errors.Join(d.writeCertificate(), d.writeCarrier(), d.writeSamples())
}

// show is the story that the demo tells.
func (d *demo) show(ctx context.Context) error {
	err := d.Take(ctx, []machine.Step{
		{Says: "etcd", Do: d.StartEtcd},
		{Says: "kube-apiserver", Do: d.StartAPIServer},
		{Says: "the simulated carrier", Do: d.startCarrier},
		{Says: "CRDs and RBAC (make install)", Do: d.Install},
		{Says: "the manager, under its own ServiceAccount", Do: d.startManager},
	})
	if err != nil {
		return d.interrupted(ctx, err)
	}
	return d.interrupted(ctx, d.converge(ctx))
}

// interrupted makes an end that was asked for a good one, except when there was a question
// to answer.
func (d *demo) interrupted(ctx context.Context, err error) error {
	switch {
	case err == nil || ctx.Err() == nil:
		return err
	case d.once:
		return errors.New("interrupted before every sample was judged")
	default:
		return nil
	}
}
