// SPDX-License-Identifier: Apache-2.0

package imports

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Held is a service in the folder of manifests.
type Held struct {
	File    string
	Service v1alpha1.BroadbandService
}

// Services returns the services whose manifests are in a file.
func Services(text []byte) ([]v1alpha1.BroadbandService, error) {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	var found []v1alpha1.BroadbandService
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the manifest: %w", err)
		}
		service := v1alpha1.BroadbandService{}
		err = yaml.Unmarshal(document, &service)
		switch {
		case service.Kind != kind && service.Kind != "": // another kind, which does not fit
		case err != nil:
			return nil, fmt.Errorf("read the manifest: %w", err)
		case service.Kind == kind:
			found = append(found, service)
		}
	}
}

// Against is how a list and the folder of an earlier import differ.
type Against struct {
	New     []Manifest // to be written
	Same    int        // manifests that are as in the list
	Changed LineErrors // manifests that differ from the list: they are kept
	Missing []Held     // services of the folder that the list does not have
}

// CompareFolder finds out how a list differs from the services in the folder.
func CompareFolder(list []Manifest, held []Held) *Against {
	f := newFolder(held)
	made := &Against{}
	for _, manifest := range list {
		before, change := f.match(manifest)
		switch {
		case change != nil:
			made.Changed = append(made.Changed, change)
		case before == nil:
			made.New = append(made.New, manifest)
		default:
			made.Same++
		}
	}
	for _, one := range held {
		if !f.listed[one.File+"/"+one.Service.Name] {
			made.Missing = append(made.Missing, one)
		}
	}
	return made
}

type folder struct {
	numbers, names map[string]*Held
	listed         map[string]bool // by file and name
}

func newFolder(held []Held) *folder {
	f := &folder{make(map[string]*Held), make(map[string]*Held), make(map[string]bool)}
	for i := range held {
		f.numbers[string(held[i].Service.Spec.ServiceID)] = &held[i]
		f.names[held[i].Service.Name] = &held[i]
	}
	return f
}

// match finds the service of a manifest in the folder, if it is there, and how the list has
// changed.
func (f *folder) match(made Manifest) (*Held, *LineError) {
	name, number := made.object.Name, string(made.object.Spec.ServiceID)
	sameNumber, sameName := f.numbers[number], f.names[name]
	for _, one := range []*Held{sameNumber, sameName} {
		if one != nil {
			f.listed[one.File+"/"+one.Service.Name] = true
		}
	}
	switch {
	case sameNumber != nil && sameNumber.Service.Name != name:
		return sameNumber, mistake(made.Line, "the service %s is %q in %s, and %q in the list", number,
			sameNumber.Service.Name, sameNumber.File, name)
	case sameName != nil && sameNumber == nil:
		return sameName, mistake(made.Line, "%q is the service %s in %s, and %s in the list", name,
			sameName.Service.Spec.ServiceID, sameName.File, number)
	case sameNumber == nil:
		return nil, nil
	}
	return sameNumber, otherValue(made, sameNumber)
}

// otherValue returns the first value that the folder does not have, in any spelling, or nil.
func otherValue(made Manifest, held *Held) *LineError {
	listed, kept := made.object.Spec, held.Service.Spec
	for _, value := range []struct{ field, listed, kept string }{
		{"namespace", made.object.Namespace, cmp.Or(held.Service.Namespace, made.object.Namespace)},
		{"accountRef.name", listed.AccountRef.Name, kept.AccountRef.Name},
		{nameField, planName(listed.Plan), planName(kept.Plan)},
		{termField, planTerm(listed.Plan), planTerm(kept.Plan)},
		{slaField, listed.RestorationSLA, kept.RestorationSLA},
		{aggregationField, listed.AggregationMethod, kept.AggregationMethod},
		{profileField, listed.DSLStabilityProfile, kept.DSLStabilityProfile},
	} {
		if !decide.SameName(value.listed, value.kept) {
			return mistake(made.Line, "%s is %q in %s, and %q in the list", value.field, value.kept, held.File, value.listed)
		}
	}
	return nil
}

func planName(plan *v1alpha1.Plan) string {
	if plan == nil {
		return ""
	}
	return plan.Name
}

func planTerm(plan *v1alpha1.Plan) string {
	if plan == nil {
		return ""
	}
	return strconv.Itoa(int(plan.Term))
}

// Notes says which columns of the list are not read.
func (l *List) Notes() []string {
	if len(l.Unused) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Not read: %s (--map FIELD=HEADER reads a column as a field).", someOf(l.Unused))}
}

// Notes says how the list differs from the folder.
func (a *Against) Notes() []string {
	var notes []string
	if len(a.Missing) > 0 {
		names := make([]string, 0, len(a.Missing))
		for _, one := range a.Missing {
			names = append(names, one.Service.Name)
		}
		notes = append(notes, fmt.Sprintf("Not in the list, and kept: %s.", someOf(names)))
	}
	if len(a.Changed) > 0 {
		notes = append(notes, "The list has changed since these manifests were written. To take its value, delete the "+
			"manifest and its object,\nwhich contacts nobody, and import again:", a.Changed.Error())
	}
	return notes
}

// AccountLookup is what the cluster says about the account of the services.
type AccountLookup struct {
	Namespace string
	Account   string
	Accounts  []string // the accounts of the namespace
	Known     bool     // whether the cluster has answered
}

// Missing reports whether the account is known not to exist.
func (l *AccountLookup) Missing() bool { return l.Known && !slices.Contains(l.Accounts, l.Account) }

// Notes says that the account does not exist, or that nobody knows.
func (l *AccountLookup) Notes() []string {
	there := "it has none"
	if len(l.Accounts) > 0 {
		there = "it has " + someOf(l.Accounts)
	}
	switch {
	case !l.Known:
		return []string{fmt.Sprintf("Not checked, because no cluster has answered: whether there is a CarrierAccount %q in "+
			"the namespace %q.", l.Account, l.Namespace)}
	case l.Missing():
		return []string{fmt.Sprintf("There is no CarrierAccount %q in the namespace %q; %s. The services wait until it "+
			"exists.", l.Account, l.Namespace, there)}
	}
	return nil
}

// someOf lists the first of several names, in quotes.
func someOf(names []string) string {
	const shown = 10
	return judge.FirstOf(quotedEach(names), shown)
}

func quotedEach(names []string) []string {
	quoted := make([]string, 0, len(names))
	for _, name := range names {
		quoted = append(quoted, strconv.Quote(name))
	}
	return quoted
}
