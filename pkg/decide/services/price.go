// SPDX-License-Identifier: Apache-2.0

package services

import (
	"strconv"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// pricing reports whether the carrier's offers are read before a change is sent: the price has to
// be shown to a person, or a person has to decide whether it is a change at all. Only a plan change
// has offers that can be read (spec §4, plan change options).
func pricing(in *Input, operation v1alpha1.Operation) bool {
	seen := in.Service.Spec.ManagementPolicy == v1alpha1.ManagementPlan || approvalOf(in) != v1alpha1.ApprovalAutomatic
	return operation == v1alpha1.OperationPlanChange && (seen || mayNeedPlanDecision(in))
}

// isPriced reports whether the price of a change is as well known as it can be: the options were
// read just now, or the recorded plan contains the same change with a price.
func isPriced(in *Input, want decide.DesiredChange) bool {
	switch {
	case quoteFresh(in):
		return true
	case unknownValuesOf(in) == v1alpha1.UnknownTrust && isUnlisted(in):
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

// quoteFresh reports whether the price was read just now. After an attempt that was shown not to have
// been accepted, it is read again.
func quoteFresh(in *Input) bool {
	reading := &in.Memory.Readings.Options
	last := in.Service.RequestOf(v1alpha1.OperationPlanChange)
	if decide.ProvenNotAccepted(last) && reading.RequestedAt.Before(in.Past(last.FinishedAt)) {
		return false
	}
	return reading.Ended() && ageOf(&in.Input, reading) < decide.QuoteAge
}

// askPrice reads the options, for the current approval if there is one.
func askPrice(in *Input) *decide.Decision {
	approval := decide.Control(in.Subject, v1alpha1.AnnotationApprove)
	step, at := decide.ReadingStep(&in.Input, decide.TopicOptions, approval, decide.AtOnce)
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
// recorded plan.
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
// plan, and the price of the SLA in its own row. The NTD option is sent with both, so its price is in
// the first row.
func quote(in *Input, want decide.DesiredChange, options carrier.PlanOptionsResult) []v1alpha1.Change {
	changes := decide.Unpriced(want.Changes)
	next := offered(options.Plans, want.Target.Plan, strconv.Itoa(int(want.Target.Term)))
	for n, i := range pricedRows(changes) {
		if n == 0 && next != nil {
			quoteNTDOption(want.Target.NTDOption, &changes[i], next)
		}
		if changes[i].Field == decide.FieldSLA {
			quoteSLA(&changes[i], options.SLAs)
		} else {
			quotePlan(in, want, &changes[i], next, options.Plans)
		}
	}
	return changes
}

// quotePlan prices a plan from the offer of it, nil if it is not offered, and from that of the present
// plan.
func quotePlan(
	in *Input, want decide.DesiredChange, change *v1alpha1.Change, next *carrier.Plan, offers []carrier.Plan,
) {
	if state := lastKnown(in); state.Plan != nil && !want.Unread {
		if now := offered(offers, state.Plan.Value, valueOf(termOfPlan(in))); now != nil {
			change.MonthlyBefore = decide.MonthlyOf(now.PlanFee)
		}
	}
	if next != nil {
		change.OneTime, change.MonthlyAfter = decide.OneTimeOf(next.PlanFee), decide.MonthlyOf(next.PlanFee)
		change.NFAS = decide.ChargeOf(next.NFASFee)
	}
}

func quoteNTDOption(chosen string, change *v1alpha1.Change, plan *carrier.Plan) {
	for _, option := range plan.NTDOptions {
		if option.Option == chosen {
			change.NTDOption = decide.ChargeOf(option.Fee)
		}
	}
}

func quoteSLA(change *v1alpha1.Change, offers []carrier.SLA) {
	for _, offer := range offers {
		if offer.SLA == change.From {
			change.MonthlyBefore = decide.MonthlyOf(offer.Fee)
		}
		if offer.SLA == change.To {
			change.OneTime, change.MonthlyAfter = decide.OneTimeOf(offer.Fee), decide.MonthlyOf(offer.Fee)
		}
	}
}

// offered finds a plan among the offers. If its term is unknown, any offer of that name is
// returned, provided that all of them have the same price.
func offered(offers []carrier.Plan, name, term string) *carrier.Plan {
	var found *carrier.Plan
	for i := range offers {
		offer := &offers[i]
		switch {
		case !decide.SameName(offer.Plan, name) || term != "" && decide.MonthsOf(offer.Term) != term:
		case found != nil && !sameFee(found.PlanFee, offer.PlanFee):
			return nil
		default:
			found = offer
		}
	}
	return found
}

// sameFee reports whether two fees cost the same.
func sameFee(a, b *carrier.Fee) bool {
	same := func(a, b *v1alpha1.Money) bool { return a == b || a != nil && b != nil && *a == *b }
	return same(decide.OneTimeOf(a), decide.OneTimeOf(b)) && same(decide.MonthlyOf(a), decide.MonthlyOf(b))
}
