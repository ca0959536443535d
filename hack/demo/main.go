// SPDX-License-Identifier: Apache-2.0

// Demo shows the operator at work on one machine: etcd, kube-apiserver, the simulated
// carrier and the manager as processes of their own, the samples applied, and the
// services converging. It leaves nothing running.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/broadband-operator/broadband-operator/test/samples"
)

func main() {
	// Linux ends a child when the thread that started it does, not the process. The
	// main thread lives as long as the demo: every child is started from here.
	runtime.LockOSThread()
	ctx, stop := signal.NotifyContext(
		context.Background(), //nolint:forbidigo // a main function is where contexts come from
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// samplesNamespace is where the samples go.
const samplesNamespace = "default"

// demo is one run: what was asked for, and what is running.
type demo struct {
	settings

	out       io.Writer
	now       func() time.Time
	addresses addresses
	admin     kubeconfig // of the person who watches; the manager has its own
	samples   []samples.Sample
	processes []*process // in the order in which they were started
	ended     chan *process
}

// run is the whole program.
func run(ctx context.Context, args []string, out io.Writer) error {
	s, err := parse(args, out)
	if err != nil {
		return err
	}
	d := &demo{
		settings: s, out: out, ended: make(chan *process),
		now: time.Now, //nolint:forbidigo // the one place where the clock comes from
	}
	unlock, err := d.claimState()
	if err != nil {
		return err
	}
	defer unlock()
	if err := d.prepare(ctx); err != nil {
		return err
	}
	return errors.Join(d.show(ctx), d.stop(ctx))
}

// prepare makes everything that needs nothing to run.
func (d *demo) prepare(ctx context.Context) error {
	var err error
	if d.addresses, err = freeAddresses(ctx); err != nil {
		return err
	}
	if d.samples, err = samples.Read(d.samplesDir, samplesNamespace); err != nil {
		return err
	}
	return errors.Join(d.writeCredentials(), d.writeCertificate(), d.writeCarrier(), d.writeSamples())
}

// show is the story that the demo tells.
func (d *demo) show(ctx context.Context) error {
	steps := []struct {
		says string
		do   func(context.Context) error
	}{
		{"etcd", d.startEtcd},
		{"kube-apiserver", d.startAPIServer},
		{"the simulated carrier", d.startCarrier},
		{"CRDs and RBAC (make install)", d.install},
		{"the manager, under its own ServiceAccount", d.startManager},
	}
	for _, step := range steps {
		begun := d.now()
		d.sayf("demo: %s ... ", step.says)
		if err := step.do(ctx); err != nil {
			d.sayf("failed\n")
			return d.interrupted(ctx, err)
		}
		d.sayf("%.1f s\n", d.now().Sub(begun).Seconds())
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

// sayf writes to the screen.
func (d *demo) sayf(format string, args ...any) {
	fmt.Fprintf(d.out, format, args...) //nolint:errcheck // a screen that is gone is told nothing
}
