// SPDX-License-Identifier: Apache-2.0

// Package imports turns the list of an existing fleet into manifests, and compares them with what
// the carrier has. It is pure: files and objects come from the caller.
//
// A list goes from bytes to text, to rows of cells, to rows of fields, to manifests. Every step
// reports what it cannot read, and none of them guesses.
package imports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Row is one service of the list.
type Row struct {
	Line        int // in the file, from 1
	Name        string
	ServiceID   string
	Plan        string
	Term        string
	SLA         string
	Aggregation string
	DSLProfile  string
}

// Options say how a list is read.
type Options struct {
	Separator string            // what stands between two columns; "": found from the header
	Columns   map[string]string // the header of a field, if the list uses another one
}

// List is a list of services.
type List struct {
	Rows     []Row
	Unused   []string // the columns that are not read
	mistakes LineErrors
}

// Read reads a list with a header.
func Read(list []byte, options Options) (*List, error) {
	sheet, err := readSheet(list, options.Separator)
	if err != nil {
		return nil, err
	}
	columns, err := columnsOf(sheet.header, options.Columns)
	if err != nil {
		return nil, err
	}
	made := &List{Unused: columns.unused()}
	for _, record := range sheet.rows {
		row, err := columns.rowOf(record)
		if all, wrong := made.mistakes.with(err); wrong {
			made.mistakes = all
			continue
		}
		made.Rows = append(made.Rows, row)
	}
	return made, nil
}

// Numbers makes a list from service numbers.
func Numbers(numbers []string) *List {
	made := &List{}
	for i, number := range numbers {
		made.Rows = append(made.Rows, Row{Line: i + 1, ServiceID: strings.TrimSpace(number)})
	}
	return made
}

// Manifests makes the manifests of a list: none if it has any [LineErrors].
func (l *List) Manifests(ctx context.Context, target Target, rules *Rules) ([]Manifest, error) {
	if err := target.check(ctx, rules); err != nil {
		return nil, err
	}
	made, mistakes, seen := make([]Manifest, 0, len(l.Rows)), l.mistakes, make(lines)
	for _, row := range l.Rows {
		manifest, err := rules.manifestOf(ctx, row, target, seen)
		mistakes, _ = mistakes.with(err)
		made = append(made, manifest)
	}
	return made, mistakes.err()
}

func (r *Rules) manifestOf(ctx context.Context, row Row, target Target, seen lines) (Manifest, error) {
	if err := row.normalize(); err != nil {
		return Manifest{}, err
	}
	mistakes, _ := LineErrors(nil).with(seen.twice(row))
	made, err := manifestOf(row, target)
	if err == nil {
		err = r.check(ctx, row.Line, made)
	}
	mistakes, _ = mistakes.with(err)
	return made, mistakes.err()
}

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
	object v1alpha1.BroadbandService
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
	return Manifest{row.Line, v1alpha1.BroadbandService{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: kind},
		ObjectMeta: metav1.ObjectMeta{Name: row.Name, Namespace: target.Namespace},
		Spec:       spec,
	}}, nil
}

// Text returns the manifest as YAML.
func (m *Manifest) Text() ([]byte, error) {
	text, err := yaml.Marshal(m.object)
	if err != nil {
		return nil, fmt.Errorf("write the manifest of %s: %w", m.object.Name, err)
	}
	return text, nil
}

const longestFile = 255

// FileName is the name of the object, shortened to what a file system takes.
func (m *Manifest) FileName() string {
	name := m.object.Name
	if len(name+fileExtension) <= longestFile {
		return name + fileExtension
	}
	sum := sha256.Sum256([]byte(name))
	end := "-" + hex.EncodeToString(sum[:4]) + fileExtension
	return name[:longestFile-len(end)] + end
}

const fileExtension = ".yaml"
