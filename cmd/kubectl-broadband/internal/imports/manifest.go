// SPDX-License-Identifier: Apache-2.0

package imports

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Target is where the services are imported to.
type Target struct {
	Namespace string
	Account   string
}

// manifest is the part of a BroadbandService that an import writes.
type manifest struct {
	APIVersion string                        `json:"apiVersion"`
	Kind       string                        `json:"kind"`
	Metadata   metadata                      `json:"metadata"`
	Spec       v1alpha1.BroadbandServiceSpec `json:"spec"`
}

type metadata struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

// Manifest returns the manifest of a service. Its managementPolicy is Plan, so nothing is sent for
// the service.
func Manifest(row Row, target Target) ([]byte, error) {
	spec := v1alpha1.BroadbandServiceSpec{
		AccountRef: v1alpha1.AccountReference{Name: target.Account}, ServiceID: v1alpha1.CarrierID(row.ServiceID),
		ManagementPolicy: v1alpha1.ManagementPlan, RestorationSLA: row.SLA, AggregationMethod: row.Aggregation,
		DSLStabilityProfile: row.DSLProfile,
	}
	if row.Plan != "" {
		term, err := strconv.ParseInt(row.Term, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("line %d: the term %q is not a number of months", row.Line, row.Term)
		}
		spec.Plan = &v1alpha1.Plan{Name: row.Plan, Term: int32(term)}
	}
	return written(manifest{
		v1alpha1.GroupVersion.String(), "BroadbandService", metadata{row.Name, target.Namespace}, spec,
	})
}

// FileName is the name of the file of a service's manifest.
func FileName(row Row) string { return row.Name + ".yaml" }

// Kustomization returns a kustomization of the manifests.
func Kustomization(rows []Row) ([]byte, error) {
	files := make([]string, 0, len(rows))
	for _, row := range rows {
		files = append(files, FileName(row))
	}
	slices.Sort(files)
	text, err := yaml.Marshal(struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Resources  []string `json:"resources"`
	}{"kustomize.config.k8s.io/v1beta1", "Kustomization", files})
	if err != nil {
		return nil, fmt.Errorf("write the kustomization: %w", err)
	}
	return text, nil
}

func written(made manifest) ([]byte, error) {
	text, err := yaml.Marshal(made)
	if err != nil {
		return nil, fmt.Errorf("write the manifest of %s: %w", made.Metadata.Name, err)
	}
	return bytes.ReplaceAll(text, []byte("  observe: {}\n"), nil), nil
}

// Accept returns a manifest with the carrier's plan in place of the declared one. The plan comes
// from the differences of the service. The same text is returned if there is nothing to accept.
func Accept(text []byte, differences []Difference) ([]byte, error) {
	var held manifest
	if err := yaml.UnmarshalStrict(text, &held); err != nil {
		return nil, fmt.Errorf("this is no manifest of an import: %w", err)
	}
	changed := false
	for _, difference := range differences {
		if !difference.Kind.acceptable() || difference.Carrier == "" || held.Spec.Plan == nil {
			continue
		}
		if difference.Field == "plan.term" {
			term, err := strconv.ParseInt(difference.Carrier, 10, 32)
			if err != nil {
				continue
			}
			held.Spec.Plan.Term = int32(term)
		} else {
			held.Spec.Plan.Name = difference.Carrier
		}
		changed = true
	}
	if !changed {
		return text, nil
	}
	return written(held)
}
