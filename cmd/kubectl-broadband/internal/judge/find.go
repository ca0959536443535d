// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
)

// Match is an object that has a value that somebody searches for.
type Match struct {
	Reference

	Field  string `json:"field"`
	Value  string `json:"value"`
	Ready  string `json:"ready"`
	Reason string `json:"reason"`
	Exact  bool   `json:"exact"`
}

// Find returns which name, number or id of an object contains a text; nil if none does.
func Find(object fleet.Object, text string) *Match {
	var best *Match
	for _, fact := range searchable(object) {
		value, wanted := strings.ToLower(fact.Value), strings.ToLower(text)
		if wanted == "" || !strings.Contains(value, wanted) {
			continue
		}
		ready := Ready(object)
		found := &Match{
			Reference: ReferenceTo(object), Field: fact.Name, Value: fact.Value, Ready: string(ready.Status),
			Reason: ready.Reason, Exact: value == wanted,
		}
		if best == nil || found.Exact && !best.Exact {
			best = found
		}
	}
	return best
}

// SortMatches puts exact matches first.
func SortMatches(matches []*Match) {
	rank := func(match *Match) int {
		if match.Exact {
			return 0
		}
		return 1
	}
	slices.SortFunc(matches, func(a, b *Match) int { return cmp.Or(rank(a)-rank(b), a.Before(b.Reference)) })
}

// searchable are the names and numbers of an object, at the carrier and at the reseller.
func searchable(object fleet.Object) []Fact {
	facts := append(factsOf(object), Fact{"name", object.GetName()})
	switch object := object.(type) {
	case *v1alpha1.BroadbandService:
		facts = append(facts, Fact{factService, string(object.ServiceNumber())})
	case *v1alpha1.ServiceOrder:
		facts = append(facts, Fact{"customer reference", object.Spec.CustomerReference},
			Fact{factLocation, object.Spec.Qualification.LocationID}, Fact{factService, string(object.Spec.ServiceID)})
	case *v1alpha1.AppointmentRequest:
		facts = append(facts, Fact{factOrder, string(object.Spec.OrderID)})
	case *v1alpha1.DiagnosticTest:
		facts = append(facts, Fact{factService, string(object.Spec.ServiceID)})
	case *v1alpha1.FibreBuildQuote:
		facts = append(facts, Fact{factLocation, string(object.Spec.LocationID)}, Fact{"quote", object.Status.QuoteID})
	case *v1alpha1.PlanOptionsQuery:
		facts = append(facts, Fact{factService, string(object.Spec.ServiceID)})
	case *v1alpha1.HealthCheck:
		facts = append(facts, Fact{factService, string(object.Spec.ServiceID)})
	}
	return facts
}

// IsTestOf reports whether a diagnostic test is a test of a service.
func IsTestOf(test *v1alpha1.DiagnosticTest, service *v1alpha1.BroadbandService) bool {
	if ref := test.Spec.ServiceRef; ref != nil {
		return ref.Name == service.Name
	}
	return test.Spec.ServiceID == service.ServiceNumber()
}
