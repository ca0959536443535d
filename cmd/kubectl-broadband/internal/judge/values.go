// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// valuesOf returns what a service declares, and what is known of the carrier's value and how.
func valuesOf(service *v1alpha1.BroadbandService) []Value {
	state, plan, term := service.LastKnown(), "", ""
	if declared := service.Spec.Plan; declared != nil {
		plan, term = declared.Name, strconv.Itoa(int(declared.Term))
	}
	values := []Value{
		valueOf("plan.name", plan, state.Plan),
		valueOf("plan.term", term, services.TermOfPlan(state)),
		valueOf("restorationSLA", service.Spec.RestorationSLA, state.RestorationSLA),
		valueOf("aggregationMethod", service.Spec.AggregationMethod, state.AggregationMethod),
		valueOf("dslStabilityProfile", service.Spec.DSLStabilityProfile, state.DSLStabilityProfile),
		cancellationValue(service, state.Cancellation),
	}
	var shown []Value
	for _, value := range values {
		if value.Declared != "" || value.Carrier != "" {
			shown = append(shown, value)
		}
	}
	return shown
}

func valueOf(field, declared string, known *v1alpha1.KnownValue) Value {
	value := Value{Field: field, Declared: declared}
	if known == nil {
		return value
	}
	value.Carrier, value.Source, value.Since = known.Value, known.Source, known.Since
	value.Differs = declared != "" && !decide.SameName(declared, known.Value)
	return value
}

// sourceRead is the source of a cancellation: a plain GET.
const sourceRead = v1alpha1.ValueSource("Read")

func cancellationValue(service *v1alpha1.BroadbandService, known *v1alpha1.CancellationState) Value {
	value := Value{Field: fieldCancellation}
	if declared := service.Spec.Cancellation; declared != nil {
		value.Declared = cmp.Or(string(declared.Date), "never")
	}
	if known == nil {
		return value
	}
	value.Source, value.Since = sourceRead, known.Since
	switch {
	case known.Cancelled:
		value.Carrier = "cancelled"
	case known.PendingDate != "":
		value.Carrier = known.PendingDate
	case value.Declared != "":
		value.Carrier = "never"
	default:
		return Value{}
	}
	value.Differs = value.Declared != "" && value.Declared != value.Carrier
	return value
}

// The names of facts that several kinds have.
const (
	factService  = "service"
	factLocation = "location"
	factOrder    = "order"
)

const fieldCancellation = "cancellation"

// factsOf returns what the carrier reports about an object and nobody declares.
func factsOf(object fleet.Object) []Fact {
	var facts []Fact
	switch object := object.(type) {
	case *v1alpha1.BroadbandService:
		facts = serviceFacts(object)
	case *v1alpha1.ServiceOrder:
		facts = orderFacts(object)
	case *v1alpha1.CarrierAccount:
		facts = []Fact{
			{"carrier", object.Spec.BaseURL},
			{"client", object.Spec.Auth.ClientName},
			{"API version", strconv.Itoa(int(object.Spec.APIVersion))},
		}
	default:
		facts = taskFacts(object)
	}
	return slices.DeleteFunc(facts, func(fact Fact) bool { return fact.Value == "" })
}

func serviceFacts(service *v1alpha1.BroadbandService) []Fact {
	state := service.Status.Carrier
	if state == nil {
		return nil
	}
	return []Fact{
		{"technology", state.TechnologyType},
		{factLocation, state.LocationID},
		{"AVC", state.AVCID},
		{"PRI", state.PRIID},
		{"wholesale service", state.WholesaleServiceID},
	}
}

func orderFacts(order *v1alpha1.ServiceOrder) []Fact {
	return []Fact{
		{factOrder, string(order.Status.OrderID)},
		{factService, string(order.Status.ServiceID)},
		{"status at the carrier", order.Status.CarrierStatus},
		{"address", order.Status.Address},
		{"AVC", order.Status.AVCID},
	}
}

func appointmentFacts(appointment *v1alpha1.AppointmentRequest) []Fact {
	facts := []Fact{{"appointment request", string(appointment.Status.AppointmentRequestID)}}
	if gone := appointment.Status.Cancelled; gone != nil {
		at := cmp.Or(gone.LocalTime, gone.StartTime)
		facts = append(facts, Fact{"cancelled appointment", decide.JoinTexts(at, string(gone.AppointmentID))})
	}
	if slot := appointment.Status.Recommended; slot != nil {
		facts = append(facts, Fact{"recommended slot", cmp.Or(slot.LocalTime, slot.StartTime) + " (" + slot.SlotID + ")"})
	}
	return facts
}

// taskFacts returns the result of an object that asks the carrier once.
func taskFacts(object fleet.Object) []Fact {
	switch object := object.(type) {
	case *v1alpha1.AppointmentRequest:
		return appointmentFacts(object)
	case *v1alpha1.DiagnosticTest:
		facts := []Fact{{"test", object.Status.TestID}}
		if stages := object.Status.Stages; len(stages) > 0 {
			facts = append(facts, Fact{"stage", decide.JoinTexts(stages[0].Name, stages[0].Reason)})
		}
		return facts
	case *v1alpha1.FibreBuildQuote:
		if price := object.Status.Price; price != nil {
			return []Fact{{"price", price.String()}}
		}
	case *v1alpha1.PlanOptionsQuery:
		if plans := len(object.Status.Plans); plans > 0 {
			return []Fact{{"offers", Counted(plans, "plan") + ", " + Counted(len(object.Status.SLAs), "SLA")}}
		}
	case *v1alpha1.HealthCheck:
		return healthFacts(object)
	}
	return nil
}

func healthFacts(check *v1alpha1.HealthCheck) []Fact {
	condition := check.Status.CurrentCondition
	if condition == nil {
		return nil
	}
	facts := []Fact{{"health", decide.JoinTexts(condition.Status, condition.AlertMessage, condition.Summary)}}
	if action := check.Status.NextAction; action != nil {
		facts = append(facts, Fact{"next action", action.Description})
	}
	return append(facts, Fact{"measured", check.Status.LastRefreshedOn})
}

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
