// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/test/samples"
)

const (
	seedFile    = "seed.yaml"
	secretsFile = "secrets.yaml"
)

// writeCarrier writes the carrier's seed, and the Secrets with which the samples'
// CarrierAccounts log in there.
func (d *demo) writeCarrier() error {
	seed, made, err := samples.Carrier(d.carrier, d.samples, "https://"+d.addresses.managerEvents)
	if err != nil {
		return err
	}
	secrets, err := manifests(made)
	if err != nil {
		return err
	}
	content, err := yaml.Marshal(seed)
	if err != nil {
		return fmt.Errorf("encode the seed: %w", err)
	}
	return errors.Join(d.writeFile(seedFile, string(content)), d.writeFile(secretsFile, secrets))
}

const samplesFile = "samples.yaml"

// writeSamples writes the samples as they are applied: with the simulated carrier's address
// in every CarrierAccount.
func (d *demo) writeSamples() error {
	if err := samples.PointAt(d.samples, d.addresses.carrier); err != nil {
		return err
	}
	objects := make([]map[string]any, 0, len(d.samples))
	for _, sample := range d.samples {
		objects = append(objects, sample.Object.Object)
	}
	content, err := manifests(objects)
	if err != nil {
		return err
	}
	return d.writeFile(samplesFile, content)
}

// manifests are objects in one file.
func manifests[T any](objects []T) (string, error) {
	var all bytes.Buffer
	for _, object := range objects {
		content, err := yaml.Marshal(object)
		if err != nil {
			return "", fmt.Errorf("encode a manifest: %w", err)
		}
		all.WriteString("---\n")
		all.Write(content)
	}
	return all.String(), nil
}

func (d *demo) startCarrier(ctx context.Context) error {
	carrier, err := d.start(ctx, "simulator", filepath.Join(d.binDir, "simulator"),
		"--seed="+d.inState(seedFile),
		"--callback-ca="+d.inState(eventsFolder, certificateFile),
		"--listen="+d.addresses.carrier,
		"--management-listen="+d.addresses.carrierControls)
	if err != nil {
		return err
	}
	return carrier.await(ctx, &http.Client{}, d.journalURL("violations"))
}

func (d *demo) journalURL(journal string) string {
	return "http://" + d.addresses.carrierControls + "/_sim/" + journal
}
