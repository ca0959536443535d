// SPDX-License-Identifier: Apache-2.0

package imports

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// DifferenceKind is how a manifest and the carrier differ.
type DifferenceKind string

// The kinds of differences.
const (
	NotApplied    DifferenceKind = "not applied"
	NotRead       DifferenceKind = "not read yet"
	UnknownNumber DifferenceKind = "unknown number"
	OtherPlan     DifferenceKind = "other plan"
	OtherTerm     DifferenceKind = "other term"
	Spelling      DifferenceKind = "spelling"
	Cancelled     DifferenceKind = "cancelled"
	Unreadable    DifferenceKind = "cannot be read"
	Failing       DifferenceKind = "needs a look"
)

// The fields of a manifest in which it can differ.
const (
	nameField        = "plan.name"
	termField        = "plan.term"
	slaField         = "restorationSLA"
	aggregationField = "aggregationMethod"
	profileField     = "dslStabilityProfile"
)

// acceptable reports whether the carrier's value can take the place of the declared one.
func (k DifferenceKind) acceptable() bool { return k == OtherPlan || k == OtherTerm || k == Spelling }

// Summarized reports whether services with this difference are only counted, not listed.
func (k DifferenceKind) Summarized() bool { return k == NotApplied || k == NotRead || k == Unreadable }

// Difference is one difference between a manifest and the carrier.
type Difference struct {
	Namespace string         `json:"namespace"`
	Name      string         `json:"name"`
	ServiceID string         `json:"serviceID"`
	Kind      DifferenceKind `json:"difference"`
	Field     string         `json:"field,omitempty"`
	Declared  string         `json:"declared,omitempty"`
	Carrier   string         `json:"carrier,omitempty"`
	Detail    string         `json:"detail,omitempty"`
}

// Compare returns how a service differs from what the carrier has; live is nil if not applied.
func Compare(declared, live *v1alpha1.BroadbandService) []Difference {
	found := Difference{
		Namespace: declared.Namespace, Name: declared.Name, ServiceID: string(declared.Spec.ServiceID),
	}
	with := func(kind DifferenceKind, detail string) []Difference {
		found.Kind, found.Detail = kind, detail
		return []Difference{found}
	}
	if live == nil {
		return with(NotApplied, "kubectl apply --server-side -f the folder")
	}
	if live.Spec.ServiceID != declared.Spec.ServiceID {
		return with(Failing, fmt.Sprintf("the object in the cluster has the number %s: delete the object, which sends "+
			"nothing to the carrier, and apply the manifest", live.Spec.ServiceID))
	}
	ready := judge.Ready(live)
	state := live.Status.Carrier
	switch {
	case ready.Reason == v1alpha1.ReasonNotFoundOrForbidden:
		return with(UnknownNumber, "the carrier does not show this account a service of this number")
	case ready.Reason == judge.NotObserved, state == nil, declared.Spec.Plan != nil && state.Plan == nil:
		return with(NotRead, ready.Reason)
	}
	differences := append(cancellation(found, state), planDifferences(found, declared, state)...)
	differences = append(differences, unreadable(found, declared, state)...)
	if stalled := judge.Condition(live, v1alpha1.ConditionStalled); stalled != nil && len(differences) == 0 {
		return with(Failing, stalled.Reason)
	}
	return differences
}

func cancellation(found Difference, state *v1alpha1.CarrierState) []Difference {
	known := state.Cancellation
	switch {
	case known == nil:
		return nil
	case known.Cancelled:
		found.Detail = strings.TrimSpace("cancelled " + known.CancelledOn)
	case known.PendingDate != "":
		found.Detail = "will be cancelled on " + known.PendingDate
	default:
		return nil
	}
	found.Kind, found.Field = Cancelled, "cancellation"
	return []Difference{found}
}

func planDifferences(found Difference, declared *v1alpha1.BroadbandService, state *v1alpha1.CarrierState) []Difference {
	plan := declared.Spec.Plan
	if plan == nil {
		return nil
	}
	var differences []Difference
	found.Field, found.Declared, found.Carrier = nameField, plan.Name, state.Plan.Value
	switch {
	case plan.Name == state.Plan.Value:
	case decide.SameName(plan.Name, state.Plan.Value):
		found.Kind = Spelling
		differences = append(differences, found)
	default:
		found.Kind = OtherPlan
		differences = append(differences, found)
	}
	term := strconv.Itoa(int(plan.Term))
	if known := services.TermOfPlan(*state); known != nil && known.Value != term {
		found.Kind, found.Field, found.Declared, found.Carrier = OtherTerm, termField, term, known.Value
		differences = append(differences, found)
	}
	return differences
}

// unreadable lists what a person decides about, because the carrier's API cannot report it.
func unreadable(found Difference, declared *v1alpha1.BroadbandService, state *v1alpha1.CarrierState) []Difference {
	var differences []Difference
	for _, value := range []struct {
		field, declared string
		known           *v1alpha1.KnownValue
	}{
		{slaField, declared.Spec.RestorationSLA, state.RestorationSLA},
		{aggregationField, declared.Spec.AggregationMethod, state.AggregationMethod},
		{profileField, declared.Spec.DSLStabilityProfile, state.DSLStabilityProfile},
	} {
		if value.declared != "" && value.known == nil {
			found.Kind, found.Field, found.Declared = Unreadable, value.field, value.declared
			found.Detail = "kubectl broadband trust, or approve"
			differences = append(differences, found)
		}
	}
	return differences
}
