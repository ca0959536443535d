// SPDX-License-Identifier: Apache-2.0

package services

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// onOffer holds back a change that the carrier is known not to offer for the service. Nobody is asked
// to approve it, and it is not sent. Offers that were not read, or that the carrier did not give, say
// nothing: what is not known is not impossible.
func onOffer(in *Input, want decide.DesiredChange) *decide.Decision {
	why := ""
	switch {
	case want.Operation == v1alpha1.OperationDSLStabilityProfileChange:
		why = withoutDSL(in)
	case want.Operation != v1alpha1.OperationPlanChange:
	case hasOffers(in):
		why = notOffered(wantedValues(in, want))
	default:
		return notOfferedBefore(in, want)
	}
	if why == "" {
		return nil
	}
	return decide.RestStuck(v1alpha1.ReasonNotOffered, why+decide.TrustText(&in.Input, in.wanted.pending))
}

// hasOffers reports whether all of the carrier's offers for the service were read just now.
func hasOffers(in *Input) bool {
	reading := &in.Memory.Readings.Options
	return quoteFresh(in) && reading.State == decide.ReadingAnswered && !reading.Partial && len(reading.Options.Plans) > 0
}

// notOfferedBefore repeats the verdict that is recorded for this generation and this change. The
// offers are forgotten after some minutes and on a restart, and for this verdict they are read again
// only if the reconcile annotation asks for it.
func notOfferedBefore(in *Input, want decide.DesiredChange) *decide.Decision {
	ready := in.ShownReady()
	same := slices.ContainsFunc(wantedValues(in, want), func(value wantedValue) bool {
		return strings.HasPrefix(ready.Message, value.isNotOffered())
	})
	switch {
	case ready.Reason != v1alpha1.ReasonNotOffered || !same:
		return nil
	case decide.ReconcileRequested(&in.Input, &in.Memory.Readings.Options):
		return askOffers(in, v1alpha1.AnnotationReconcile)
	}
	return decide.RestStuck(ready.Reason, decide.WithoutTrust(ready.Message)+decide.TrustText(&in.Input, in.wanted.pending))
}

// wantedValue is a value of a plan change, and what the carrier offers in its place. If the carrier
// names no value of this kind, nobody knows what it offers.
type wantedValue struct {
	kind, value string
	offers      []string
}

// wantedValues returns the values of a plan change that the carrier's offers can rule out. The plan
// and term that the service has are not among them: the offers are of what it can change to.
func wantedValues(in *Input, want decide.DesiredChange) []wantedValue {
	options, target := &in.Memory.Readings.Options.Options, want.Target
	changes := func(field string) bool { return len(decide.ChangesOf(want.Changes, field)) > 0 }
	ofPlan := offered(options.Plans, target.Plan, "")
	var values []wantedValue
	if changes(decide.FieldPlan) {
		values = append(values, wantedValue{nameOfPlan, target.Plan, namesOf(options.Plans, planName)})
	}
	if target.Term != 0 && (changes(decide.FieldPlan) || changes(decide.FieldTerm)) {
		values = append(values, wantedValue{
			nameOfTerm, strconv.Itoa(int(target.Term)),
			namesOf(ofPlan, func(plan carrier.Plan) string { return decide.MonthsOf(plan.Term) }),
		})
	}
	if target.RestorationSLA != "" {
		values = append(values, wantedValue{
			decide.NameOfSLA, target.RestorationSLA, namesOf(options.SLAs, func(sla carrier.SLA) string { return sla.SLA }),
		})
	}
	if target.NTDOption != "" {
		values = append(values, wantedValue{"NTD option", target.NTDOption, ntdOptionsOf(ofPlan)})
	}
	return values
}

func planName(plan carrier.Plan) string { return plan.Plan }

// ntdOptionsOf returns the names of the NTD options of plans.
func ntdOptionsOf(plans []carrier.Plan) []string {
	var options []carrier.NTDOption
	for _, plan := range plans {
		options = append(options, plan.NTDOptions...)
	}
	return namesOf(options, func(option carrier.NTDOption) string { return option.Option })
}

// namesOf returns the names of offers, each once.
func namesOf[T any](offers []T, name func(T) string) []string {
	var names []string
	for _, offer := range offers {
		if one := decide.Bounded(name(offer), decide.MaxNameText); one != "" && !slices.Contains(names, one) {
			names = append(names, one)
		}
	}
	return names
}

// notOffered says which value the carrier does not offer, and what it offers; "" if it offers each of
// them, or if that is not known.
func notOffered(values []wantedValue) string {
	for _, value := range values {
		if len(value.offers) > 0 && !slices.Contains(value.offers, value.value) {
			return value.isNotOffered() + decide.InsteadOf(value.value, value.offers)
		}
	}
	return ""
}

// isNotOffered begins the message about a value.
func (v wantedValue) isNotOffered() string {
	return fmt.Sprintf("the carrier does not offer %s %q for this service", v.kind, v.value)
}

// withoutDSL says that the technology of a service has no DSL stability profile; "" if it may have
// one.
func withoutDSL(in *Input) string {
	technology := in.Service.LastKnown().TechnologyType
	hasNone := slices.ContainsFunc([]string{"FTTP", "HFC", "Fixed Wireless", "Satellite"}, func(name string) bool {
		return decide.SameName(name, technology)
	})
	if !hasNone {
		return ""
	}
	return fmt.Sprintf("the carrier reports technology %s for this service, which has no DSL stability profile: "+
		"remove spec.dslStabilityProfile", technology)
}
