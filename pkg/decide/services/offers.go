// SPDX-License-Identifier: Apache-2.0

package services

import (
	"slices"
	"strconv"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// pricing reports whether the carrier's offers are read before a change is sent. They are read if
// the price has to be shown to a person, or if a person may have to decide whether it is a change
// at all. Only a plan change has offers that can be read (spec §4, plan change options).
func pricing(in *Input, operation v1alpha1.Operation) bool {
	seen := in.Service.Spec.ManagementPolicy == v1alpha1.ManagementPlan || approvalOf(in) != v1alpha1.ApprovalAutomatic
	return operation == v1alpha1.OperationPlanChange && (seen || mayNeedPlanDecision(in))
}

// priced waits for the prices of a change if they have to be shown.
func priced(in *Input, want decide.DesiredChange) *decide.Decision {
	if !pricing(in, want.Operation) || isPriced(in, want) || refused(in, want) != nil || pricedOnceApproved(in, want) {
		return nil
	}
	return askPrice(in)
}

// priceConfirmed reads the prices again just before the POST. A different fee results in another
// hash, which the approval does not match.
func priceConfirmed(in *Input, want decide.DesiredChange) *decide.Decision {
	asked := in.Memory.Readings.Options.Token == decide.Control(in.Subject, v1alpha1.AnnotationApprove)
	if !pricing(in, want.Operation) || quoteFresh(in) && (asked || !needsApproval(in, want)) {
		return nil
	}
	return askPrice(in)
}

// isPriced reports whether the price of a change is as well known as it can be: the options were
// read just now, or the recorded plan of changes contains the same change with a price.
func isPriced(in *Input, want decide.DesiredChange) bool {
	switch {
	case quoteFresh(in):
		return true
	case trustsUnknown(in) && isUnlisted(in):
		return false // trusting it requires offers read now, not the ones shown earlier
	}
	recorded := shownPlan(in, want.Operation)
	bare := decide.Unpriced(recorded)
	return decide.EqualChanges(bare, decide.Unpriced(want.Changes)) && !decide.EqualChanges(bare, recorded)
}

// shownPlan returns the changes that the status shows for an operation, with the prices that a
// person sees. The prices are shown until they are read again, which happens before anything is
// sent.
func shownPlan(in *Input, operation v1alpha1.Operation) []v1alpha1.Change {
	if in.Service.Status.Pending == nil {
		return nil
	}
	return v1alpha1.ChangesBy(in.Service.Status.Pending.Changes, operation)
}

// quoteFresh reports whether the price was read just now.
func quoteFresh(in *Input) bool {
	reading := &in.Memory.Readings.Options
	return reading.Ended() && decide.AgeOf(&in.Input, reading) < decide.QuoteAge
}

// askPrice reads the options, for the current approval if there is one.
func askPrice(in *Input) *decide.Decision { return askOffers(in, v1alpha1.AnnotationApprove) }

// askOffers reads the options for the current value of an annotation, if it has one.
func askOffers(in *Input, annotation string) *decide.Decision {
	step, at := decide.ReadingStep(&in.Input, decide.TopicOptions, decide.Control(in.Subject, annotation), decide.AtOnce)
	verdict := decide.Verdict{
		State: decide.Working, Reason: v1alpha1.ReasonProgressing,
		Message: "the price of the plan change is being read",
	}
	reading := &in.Memory.Readings.Options
	if reading.State == decide.ReadingFailed || reading.Failures >= decide.FailuresShown {
		verdict = decide.Verdict{
			State: decide.Working, Reason: v1alpha1.ReasonCarrierUnavailable,
			Message: "the price of the plan change cannot be read: " + decide.ErrorText(reading.Err) + "; the read is retried",
		}
	}
	return markTransient(in, &decide.Decision{Step: step, RequeueAt: at, Verdict: verdict}, decide.TopicOptions)
}

// withPrice adds the prices to the changes of a plan change: from a fresh reading, or from the
// recorded plan of changes.
func withPrice(in *Input, want decide.DesiredChange) decide.DesiredChange {
	if !pricing(in, want.Operation) {
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

// quote prices a plan change from the carrier's options. The price of the plan is in the row of the
// plan, and the price of the SLA in its own row. The NTD is in the first row, which may be that of
// an SLA: an SLA change sends the present plan again, and no rule of the carrier says that it then
// requires no additional NTD. So the price is unknown, and needs an approval (R8).
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

// quotePlan sets the fees of a plan change: the new ones from the offers of the wanted plan (none if
// it is not offered), and the present monthly fee from the offers of the present plan.
func quotePlan(in *Input, want decide.DesiredChange, change *v1alpha1.Change, next, offers []carrier.Plan) {
	planFee := func(offer *carrier.Plan) *carrier.Fee { return offer.PlanFee }
	if state := in.Service.LastKnown(); state.Plan != nil && !want.Unread {
		now := offered(offers, state.Plan.Value, termOfPlan(in).ValueOrEmpty())
		change.MonthlyBefore = decide.MonthlyOf(agreed(now, planFee))
	}
	fee := agreed(next, planFee)
	change.OneTime, change.MonthlyAfter = decide.OneTimeOf(fee), decide.MonthlyOf(fee)
	change.NFAS = decide.ChargeOf(agreed(next, func(offer *carrier.Plan) *carrier.Fee { return offer.NFASFee }))
}

// quoteNTD returns the NTD that is bought with a plan, and its fees: the chosen option or, if none
// is chosen, the additional NTD that the carrier requires; nil if there is none. Without a choice,
// the fee is known only if all options have the same one.
func quoteNTD(chosen string, plans []carrier.Plan) *v1alpha1.NTDOptionCharge {
	if chosen == "" && !slices.ContainsFunc(plans, requiresNTD) {
		return nil
	}
	fee := agreed(plans, func(plan *carrier.Plan) *carrier.Fee {
		eligible := slices.DeleteFunc(slices.Clone(plan.NTDOptions), func(option carrier.NTDOption) bool {
			return chosen != "" && option.Option != chosen
		})
		return agreed(eligible, func(option *carrier.NTDOption) *carrier.Fee { return option.Fee })
	})
	bought := &v1alpha1.NTDOptionCharge{Option: chosen}
	bought.OneTime, bought.Monthly = decide.OneTimeOf(fee), decide.MonthlyOf(fee)
	return bought
}

func requiresNTD(plan carrier.Plan) bool {
	return plan.RequiresAdditionalNTD != nil && *plan.RequiresAdditionalNTD
}

func quoteSLA(change *v1alpha1.Change, offers []carrier.SLA) {
	feeOf := func(name string) *carrier.Fee {
		same := slices.DeleteFunc(slices.Clone(offers), func(offer carrier.SLA) bool {
			return !decide.SameName(offer.SLA, name)
		})
		return agreed(same, func(offer *carrier.SLA) *carrier.Fee { return offer.Fee })
	}
	next := feeOf(change.To)
	change.MonthlyBefore = decide.MonthlyOf(feeOf(change.From))
	change.OneTime, change.MonthlyAfter = decide.OneTimeOf(next), decide.MonthlyOf(next)
}

// offered returns the offers of a plan, of all terms if the term is unknown. There may also be
// several in one term, for example one for each access technology.
func offered(offers []carrier.Plan, name, term string) []carrier.Plan {
	return slices.DeleteFunc(slices.Clone(offers), func(offer carrier.Plan) bool {
		return !decide.SameName(offer.Plan, name) || term != "" && decide.MonthsOf(offer.Term) != term
	})
}

// agreed returns the fee that all offers of one thing have; nil if they have none. If they differ,
// nobody knows which of them applies, so it is a fee without amounts, which needs an approval (R8).
func agreed[T any](offers []T, feeOf func(*T) *carrier.Fee) *carrier.Fee {
	var fee *carrier.Fee
	for i := range offers {
		switch other := feeOf(&offers[i]); {
		case i == 0:
			fee = other
		case !sameFee(fee, other):
			return &carrier.Fee{}
		}
	}
	return fee
}

// sameFee reports whether two fees cost the same. No fee is not the same as one of unknown amount.
func sameFee(a, b *carrier.Fee) bool {
	same := func(a, b *v1alpha1.Money) bool { return a == b || a != nil && b != nil && *a == *b }
	return (a == nil) == (b == nil) &&
		same(decide.OneTimeOf(a), decide.OneTimeOf(b)) && same(decide.MonthlyOf(a), decide.MonthlyOf(b))
}

// isAtFirstSight reports whether the plan is only known by its name in health: no request of ours
// may have changed it, and no person has confirmed it. What was sent before a ledger was lost may have
// set the declared plan, of which health may have another name.
func isAtFirstSight(in *Input) bool {
	plan, last := in.Service.LastKnown().Plan, decide.ReachedOf(&in.Input, v1alpha1.OperationPlanChange)
	return plan != nil && plan.Source == v1alpha1.SourceHealth && in.Ledger.Baseline() == nil &&
		(last == nil || decide.MayOrderAgain(last.Phase) || decide.StandsForLost(last))
}

// comparesSpelling reports whether the carrier's offers have to be read before a plan with a
// different name counts as different from the declared one: health may spell the same plan
// differently.
func comparesSpelling(in *Input) bool {
	declared := in.Service.Spec.Plan
	return declared != nil && isAtFirstSight(in) && !decide.SameName(declared.Name, in.Service.LastKnown().Plan.Value) &&
		decide.UnknownValuesPolicy(&in.Input, in.Service.Spec.UnknownValues) != v1alpha1.UnknownRequest
}

// trustsUnknown reports whether declared values that cannot be compared are trusted.
func trustsUnknown(in *Input) bool {
	return decide.UnknownValuesPolicy(&in.Input, in.Service.Spec.UnknownValues) == v1alpha1.UnknownTrust
}

// isUnlisted reports whether the plan named in health is not known to be offered for the service,
// so that the change may be one to the same plan. Offers that are too old are not read again for
// this check, because the changes that are shown still contain its result.
func isUnlisted(in *Input) bool {
	switch {
	case !comparesSpelling(in):
		return false
	case quoteFresh(in):
		return !offers(in, in.Service.LastKnown().Plan.Value)
	}
	return decide.HasUnknown(decide.ChangesOf(shownPlan(in, v1alpha1.OperationPlanChange), decide.FieldPlan))
}

// offers reports whether the carrier is known to offer a plan.
func offers(in *Input, name string) bool {
	for _, offer := range in.Memory.Readings.Options.Options.Plans {
		if decide.SameName(offer.Plan, name) {
			return true
		}
	}
	return false
}

// mayNeedPlanDecision reports whether a person may have to decide about a plan change because of
// unknown values. Its price is read for that decision.
func mayNeedPlanDecision(in *Input) bool {
	return comparesSpelling(in) || needsUnknownDecision(in, decide.DesiredChange{Changes: slaRow(in)})
}

// pricedOnceApproved reports whether the price of a change is read only after a person wants it
// sent. Until then, an unknown SLA may still be trusted instead, which needs no price. Every service
// of an imported fleet may have one.
func pricedOnceApproved(in *Input, want decide.DesiredChange) bool {
	if !onlySLANeedsDecision(in, want) {
		return false
	}
	pending := in.wanted.pending
	return pending == nil || decide.Control(in.Subject, v1alpha1.AnnotationApprove) != pending.Hash
}

// onlySLANeedsDecision reports whether a change is made only for an SLA that a person has to decide
// about. The SLA is then the first of its changes: a term may go with it.
func onlySLANeedsDecision(in *Input, want decide.DesiredChange) bool {
	return needsUnknownDecision(in, want) && want.Changes[0].Field == decide.FieldSLA
}
