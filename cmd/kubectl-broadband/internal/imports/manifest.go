// SPDX-License-Identifier: Apache-2.0

package imports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Target is where the services are imported to.
type Target struct {
	Namespace string
	Account   string
}

func (t Target) check(ctx context.Context, rules *Rules) error {
	made, err := manifestOf(Row{Name: "any", ServiceID: "1"}, t)
	if err == nil && rules.check(ctx, 0, made) != nil {
		err = fmt.Errorf("%q cannot be the name of a CarrierAccount: see kubectl get carrieraccounts", t.Account)
	}
	return err
}

// Manifest is the manifest of a service. With managementPolicy Plan, nothing is sent for it.
type Manifest struct {
	Line   int // of the list
	object object
}

// object is the part of a BroadbandService that an import writes.
type object struct {
	APIVersion string                        `json:"apiVersion"`
	Kind       string                        `json:"kind"`
	Metadata   metadata                      `json:"metadata"`
	Spec       v1alpha1.BroadbandServiceSpec `json:"spec"`
}

type metadata struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

const kind = "BroadbandService"

func manifestOf(row Row, target Target) (Manifest, error) {
	spec := v1alpha1.BroadbandServiceSpec{
		AccountRef: v1alpha1.AccountReference{Name: target.Account}, ServiceID: v1alpha1.CarrierID(row.ServiceID),
		ManagementPolicy: v1alpha1.ManagementPlan, RestorationSLA: row.SLA, AggregationMethod: row.Aggregation,
		DSLStabilityProfile: row.DSLProfile,
	}
	if row.Plan != "" {
		term, err := strconv.ParseInt(row.Term, 10, 32)
		if err != nil {
			return Manifest{}, mistake(row.Line, "the term %q is not a number of months, such as 12", row.Term)
		}
		spec.Plan = &v1alpha1.Plan{Name: row.Plan, Term: int32(term)}
	}
	made := object{v1alpha1.GroupVersion.String(), kind, metadata{row.Name, target.Namespace}, spec}
	return Manifest{row.Line, made}, nil
}

// Text returns the manifest as YAML.
func (m *Manifest) Text() ([]byte, error) {
	text, err := yaml.Marshal(m.object)
	if err != nil {
		return nil, fmt.Errorf("write the manifest of %s: %w", m.object.Metadata.Name, err)
	}
	return text, nil
}

const longestFile = 255

// FileName is the name of the object, shortened to what a file system takes.
func (m *Manifest) FileName() string {
	name := m.object.Metadata.Name
	if len(name+fileExtension) <= longestFile {
		return name + fileExtension
	}
	sum := sha256.Sum256([]byte(name))
	end := "-" + hex.EncodeToString(sum[:4]) + fileExtension
	return name[:longestFile-len(end)] + end
}

const fileExtension = ".yaml"
