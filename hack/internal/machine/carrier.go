// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

const seedFile = "seed.yaml"

// WriteSeed writes the seed of the simulated carrier.
func (m *Machine) WriteSeed(seed simulator.Seed) error {
	content, err := yaml.Marshal(seed)
	if err != nil {
		return fmt.Errorf("encode the seed: %w", err)
	}
	return m.WriteFile(seedFile, string(content))
}

// StartCarrier starts the simulated carrier.
func (m *Machine) StartCarrier(ctx context.Context, flags ...string) error {
	carrier, err := m.Start(ctx, Program{Name: "simulator", Command: append([]string{
		filepath.Join(m.BinDir, "simulator"),
		"--seed=" + m.InState(seedFile),
		"--listen=" + m.Addresses.Carrier,
		"--management-listen=" + m.Addresses.CarrierControls,
	}, flags...)})
	if err != nil {
		return err
	}
	return carrier.Await(ctx, &http.Client{}, m.journalURL(violations))
}

const violations = "violations"

func (m *Machine) journalURL(journal string) string {
	return "http://" + m.Addresses.CarrierControls + "/_sim/" + journal
}

// Violations fails when the carrier has received a call that its specification forbids.
func (m *Machine) Violations(ctx context.Context) error {
	var seen []json.RawMessage
	if err := m.ReadJournal(ctx, violations, &seen); err != nil {
		return err
	}
	if len(seen) > 0 {
		return errors.New("the carrier received calls that its specification forbids: " + string(seen[0]))
	}
	return nil
}

// ReadJournal reads one of the carrier's journals.
func (m *Machine) ReadJournal(ctx context.Context, journal string, into any) error {
	return GetJSON(ctx, m.journalURL(journal), into)
}
