// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/broadband-operator/broadband-operator/hack/internal/machine"
	"github.com/broadband-operator/broadband-operator/test/samples"
)

// settings are the command line flags.
type settings struct {
	machine    machine.Settings
	once       bool
	try        bool
	kill       bool
	wave       int
	scrapes    string
	timeout    time.Duration
	samplesDir string
	carrier    string
}

const usage = `Usage: demo [flags], from the top of the repository: make demo

`

// parse reads the command line.
func parse(args []string, out io.Writer) (settings, error) {
	s := settings{machine: machine.Settings{Name: "demo"}}
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.SetOutput(out)
	s.machine.AddFlags(flags)
	flags.BoolVar(&s.once, "once", false,
		"end when every sample has the state in its annotation "+samples.ExpectAnnotation+", or fail")
	flags.BoolVar(&s.try, "try", false, "as --once, but first try everything that the demo suggests, which takes minutes")
	flags.BoolVar(&s.kill, "kill", false,
		"kill the manager between a POST and its response, show that nothing is sent twice, and end")
	flags.IntVar(&s.wave, "wave", 0,
		"change the plan of this `number` of services at the same time instead, print what it took, and end")
	flags.StringVar(&s.scrapes, "scrapes", "",
		"`file` for the manager's metrics, once a second, during the wave and what follows it for the plots")
	flags.DurationVar(&s.timeout, "timeout", 2*time.Minute, "how long the samples may take to reach the expected state")
	flags.StringVar(&s.samplesDir, "samples", "config/samples", "`folder` of the manifests to apply")
	flags.StringVar(&s.carrier, "carrier", "hack/run/demo/carrier.yaml", "`file` with the carrier's plans and services")
	flags.Usage = func() {
		fmt.Fprint(out, usage) //nolint:errcheck // there is nowhere to report the error
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return settings{}, fmt.Errorf("read flags: %w", err)
	}
	s.once = s.once || s.try
	if err := s.machine.Complete(); err != nil {
		return settings{}, err
	}
	return s, nil
}
