// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"

	"github.com/broadband-operator/broadband-operator/hack/internal/machine"
	"github.com/broadband-operator/broadband-operator/test/samples"
)

const secretsFile = "secrets.yaml"

// writeCarrierFiles writes the carrier's seed, and the Secrets with the samples' credentials for
// the carrier.
func (d *demo) writeCarrierFiles() error {
	seed, made, err := samples.Carrier(d.carrier, d.samples, "https://"+d.managerEvents)
	if err != nil {
		return err
	}
	d.addWave(&seed)
	secrets, err := machine.Manifests(made)
	if err != nil {
		return err
	}
	return errors.Join(d.WriteSeed(seed), d.WriteFile(secretsFile, secrets))
}

const samplesFile = "samples.yaml"

// writeSamples writes the samples to apply, with the simulated carrier's address in every
// CarrierAccount.
func (d *demo) writeSamples() error {
	if err := samples.PointAt(d.samples, d.Addresses.Carrier); err != nil {
		return err
	}
	objects := make([]map[string]any, 0, len(d.samples))
	for _, sample := range d.samples {
		objects = append(objects, sample.Object.Object)
	}
	content, err := machine.Manifests(objects)
	if err != nil {
		return err
	}
	return d.WriteFile(samplesFile, content)
}

func (d *demo) startCarrier(ctx context.Context) error {
	return d.StartCarrier(ctx, "--callback-ca="+d.InState(eventsFolder, certificateFile))
}

func (d *demo) startManager(ctx context.Context) error {
	flags := []string{"--events-bind-address=" + d.managerEvents, "--events-cert-dir=" + d.InState(eventsFolder)}
	if d.scrapes != "" {
		flags = append(flags, "--metrics-secure=false", "--leader-elect")
	}
	return d.StartManager(ctx, flags...)
}
