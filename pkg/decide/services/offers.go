// SPDX-License-Identifier: Apache-2.0

package services

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// readsPrices reports whether the carrier's offers are read before a change is sent. They are read
// if the price has to be shown to a person, or if a person may have to decide whether it is a
// change at all. Only a plan change has offers that can be read (spec §4, plan change options).
func readsPrices(in *Input, operation v1alpha1.Operation) bool {
	seen := in.Service.Spec.ManagementPolicy == v1alpha1.ManagementPlan || approvalOf(in) != v1alpha1.ApprovalAutomatic
	return operation == v1alpha1.OperationPlanChange &&
		(seen || comparesSpelling(in) || needsUnknownDecision(in, decide.DesiredChange{Changes: slaRow(in)}))
}

// withPrice adds the prices to the changes of a plan change: from a fresh reading, or from the
// recorded plan of changes.
func withPrice(in *Input, want decide.DesiredChange) decide.DesiredChange {
	if !readsPrices(in, want.Operation) {
		return want
	}
	reading := &in.Memory.Readings.Options
	recorded := shownPlan(in, want.Operation)
	switch {
	case quoteFresh(in) && reading.State == decide.ReadingAnswered:
		want.Changes = quote(in, want, reading.Options)
	case !quoteFresh(in) && decide.EqualChanges(decide.Unpriced(recorded), decide.Unpriced(want.Changes)):
		want.Changes = recorded
	}
	return want
}

// quote prices a plan change from the carrier's options. The NTD is in the first row, even if that
// is the row of an SLA. An SLA change sends the present plan again, and no rule of the carrier
// excludes that an additional NTD is required. So the price is unknown, and needs an approval (R8).
func quote(in *Input, want decide.DesiredChange, options carrier.PlanOptionsResult) []v1alpha1.Change {
	changes := decide.Unpriced(want.Changes)
	next := offered(options.Plans, want.Target.Plan, strconv.Itoa(int(want.Target.Term)))
	for _, i := range decide.PricedRows(changes) {
		if i == 0 {
			changes[i].NTDOption = quoteNTD(want.Target.NTDOption, next)
		}
		if changes[i].Field == decide.FieldSLA {
			quoteSLA(&changes[i], options.SLAs)
		} else {
			quotePlan(in, want, &changes[i], next, options.Plans)
		}
	}
	return changes
}

// quotePlan sets the fees of a plan change: the new ones from the offers of the wanted plan (none
// if it is not offered), and the present monthly fee from the offers of the present plan.
func quotePlan(in *Input, want decide.DesiredChange, change *v1alpha1.Change, next, offers []carrier.Plan) {
	planFee := func(offer *carrier.Plan) *carrier.Fee { return offer.PlanFee }
	if state := in.Service.LastKnown(); state.Plan != nil && !want.Unread {
		now := offered(offers, state.Plan.Value, TermOfPlan(in.Service.LastKnown()).ValueOrEmpty())
		change.MonthlyBefore = decide.ChargeOf(agreed(now, planFee)).Monthly
	}
	charge := decide.ChargeOf(agreed(next, planFee))
	change.OneTime, change.MonthlyAfter = charge.OneTime, charge.Monthly
	if nfas := agreed(next, func(offer *carrier.Plan) *carrier.Fee { return offer.NFASFee }); nfas != nil {
		change.NFAS = new(decide.ChargeOf(nfas))
	}
}

// quoteNTD returns the NTD that is bought with a plan, and its fees: the chosen option or, if none
// is chosen, the additional NTD that the carrier requires; nil if there is none. Without a choice,
// the fee is known only if all options have the same one.
func quoteNTD(chosen string, plans []carrier.Plan) *v1alpha1.NTDOptionCharge {
	isRequired := slices.ContainsFunc(plans, func(plan carrier.Plan) bool {
		return plan.RequiresAdditionalNTD != nil && *plan.RequiresAdditionalNTD
	})
	if chosen == "" && !isRequired {
		return nil
	}
	fee := agreed(plans, func(plan *carrier.Plan) *carrier.Fee {
		eligible := slices.DeleteFunc(slices.Clone(plan.NTDOptions), func(option carrier.NTDOption) bool {
			return chosen != "" && option.Option != chosen
		})
		return agreed(eligible, func(option *carrier.NTDOption) *carrier.Fee { return option.Fee })
	})
	return &v1alpha1.NTDOptionCharge{Option: chosen, Charge: decide.ChargeOf(fee)}
}

func quoteSLA(change *v1alpha1.Change, offers []carrier.SLA) {
	feeOf := func(name string) *carrier.Fee {
		same := slices.DeleteFunc(slices.Clone(offers), func(offer carrier.SLA) bool {
			return !decide.SameName(offer.SLA, name)
		})
		return agreed(same, func(offer *carrier.SLA) *carrier.Fee { return offer.Fee })
	}
	next := decide.ChargeOf(feeOf(change.To))
	change.MonthlyBefore = decide.ChargeOf(feeOf(change.From)).Monthly
	change.OneTime, change.MonthlyAfter = next.OneTime, next.Monthly
}

// offered returns the offers of a plan, of all terms if the term is unknown. There may also be
// several in one term, for example one for each access technology.
func offered(offers []carrier.Plan, name, term string) []carrier.Plan {
	return slices.DeleteFunc(slices.Clone(offers), func(offer carrier.Plan) bool {
		return !decide.SameName(offer.Plan, name) || term != "" && decide.MonthsOf(offer.Term) != term
	})
}

// agreed returns the fee that all offers of one thing have; nil if they have none. If they differ,
// it is unknown which fee applies. The result then has no amounts, and needs an approval (R8).
func agreed[T any](offers []T, feeOf func(*T) *carrier.Fee) *carrier.Fee {
	var fee *carrier.Fee
	for i := range offers {
		switch other := feeOf(&offers[i]); {
		case i == 0:
			fee = other
		case (fee == nil) != (other == nil), !equality.Semantic.DeepEqual(decide.ChargeOf(fee), decide.ChargeOf(other)):
			return &carrier.Fee{}
		}
	}
	return fee
}

// valueIsNotOffered holds back a change that the carrier is known not to offer for the service.
// Nobody is asked to approve it, and it is not sent. If the offers were not read, or the carrier
// did not return them, no change is held back: it may be possible.
func valueIsNotOffered(in *Input, want decide.DesiredChange) *decide.Decision {
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

func hasOffers(in *Input) bool {
	reading := &in.Memory.Readings.Options
	return quoteFresh(in) && reading.State == decide.ReadingAnswered && !reading.Partial && len(reading.Options.Plans) > 0
}

// notOfferedBefore repeats the verdict that is recorded for this generation and this change. The
// offers are forgotten after some minutes and on a restart. For this verdict, they are read again
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
	return decide.RestStuck(ready.Reason,
		decide.WithoutTrust(ready.Message)+decide.TrustText(&in.Input, in.wanted.pending))
}

// wantedValue is a value of a plan change, and what the carrier offers in its place. If the carrier
// names no value of this kind, nobody knows what it offers.
type wantedValue struct {
	kind, value string
	offers      []string
}

// wantedValues returns the values of a plan change that the carrier's offers can rule out. The
// present plan and term are excluded, because the offers list what the service can change to.
func wantedValues(in *Input, want decide.DesiredChange) []wantedValue {
	options, target := &in.Memory.Readings.Options.Options, want.Target
	changes := func(field string) bool { return len(decide.ChangesOf(want.Changes, field)) > 0 }
	ofPlan := offered(options.Plans, target.Plan, "")
	var values []wantedValue
	if changes(decide.FieldPlan) {
		names := decide.NamesOf(options.Plans, func(plan carrier.Plan) string { return plan.Plan })
		values = append(values, wantedValue{nameOfPlan, target.Plan, names})
	}
	if target.Term != 0 && (changes(decide.FieldPlan) || changes(decide.FieldTerm)) {
		values = append(values, wantedValue{
			nameOfTerm, strconv.Itoa(int(target.Term)),
			decide.NamesOf(ofPlan, func(plan carrier.Plan) string { return decide.MonthsOf(plan.Term) }),
		})
	}
	if target.RestorationSLA != "" {
		values = append(values, wantedValue{
			decide.NameOfSLA, target.RestorationSLA,
			decide.NamesOf(options.SLAs, func(sla carrier.SLA) string { return sla.SLA }),
		})
	}
	if target.NTDOption != "" {
		values = append(values, wantedValue{"NTD option", target.NTDOption, ntdOptionsOf(ofPlan)})
	}
	return values
}

func ntdOptionsOf(plans []carrier.Plan) []string {
	var options []carrier.NTDOption
	for _, plan := range plans {
		options = append(options, plan.NTDOptions...)
	}
	return decide.NamesOf(options, func(option carrier.NTDOption) string { return option.Option })
}

// notOffered says which value the carrier does not offer, and what it offers instead; "" if all
// values are offered, or if that is not known.
func notOffered(values []wantedValue) string {
	for _, value := range values {
		if len(value.offers) > 0 && !slices.Contains(value.offers, value.value) {
			return value.isNotOffered() + decide.InsteadOf(value.value, value.offers)
		}
	}
	return ""
}

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
