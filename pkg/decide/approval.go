// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// approvalOf returns when a change of the service has to be approved.
func approvalOf(in *ServiceInput) v1alpha1.Approval {
	return policyOf(&in.Input, in.Service.Spec.Approval)
}

// policyOf combines two policies: "The stricter of the account's and the object's approval counts"
// (R9). An account without a policy uses the schema's default.
func policyOf(in *Input, own v1alpha1.Approval) v1alpha1.Approval {
	asked := []v1alpha1.Approval{own}
	if in.Account.Object != nil {
		asked = append(asked, cmp.Or(in.Account.Object.Spec.Approval, v1alpha1.ApprovalOnCost))
	}
	switch {
	case slices.Contains(asked, v1alpha1.ApprovalAlways):
		return v1alpha1.ApprovalAlways
	case slices.Contains(asked, v1alpha1.ApprovalOnCost):
		return v1alpha1.ApprovalOnCost
	}
	return v1alpha1.ApprovalAutomatic
}

// approved waits until a person approves exactly this plan of changes.
func approved(in *ServiceInput, want desiredChange) *Decision {
	if !needsApproval(in, want) {
		return nil
	}
	return agreed(&in.Input, askingFor(in, want), pendingOf(in))
}

// asking is the reason why a person's approval is needed.
type asking struct {
	why    string
	priced bool   // whether the price was requested from the carrier, where it quotes one
	fees   string // the fees, where they are not part of the changes
}

// byPolicy returns the reason for an approval that a policy requires.
func byPolicy(policy v1alpha1.Approval) asking {
	return asking{why: fmt.Sprintf("approval is %s, and nothing is sent before it is given", policy), priced: true}
}

// agreed returns nil if the pending plan of changes is the approved one, otherwise a decision that
// waits for the approval.
func agreed(in *Input, ask asking, pending *v1alpha1.Pending) *Decision {
	if pending == nil {
		return working(v1alpha1.ReasonProgressing, "the request in progress comes first")
	}
	given := control(in.Subject, v1alpha1.AnnotationApprove)
	if given == pending.Hash {
		return nil
	}
	void, costs := "", ask.fees
	if ask.priced {
		costs = unquoted(pending.Changes)
	}
	if given != "" && given != in.Subject.Controls().Approve {
		void = fmt.Sprintf("; the approval %s is for another plan of changes, or for another price", given)
	}
	return waiting(v1alpha1.ReasonAwaitingApproval, fmt.Sprintf(
		"%s: %s%s; approve with: kubectl -n %s annotate --overwrite %s %s %s=%s%s%s",
		ask.why, describe(pending.Changes), costs,
		in.Subject.GetNamespace(), v1alpha1.ShortName(in.Subject), in.Subject.GetName(),
		v1alpha1.AnnotationApprove, pending.Hash, trustWords(in, pending), void))
}

// planned returns a plan of changes and its hash over the object, its generation, the last attempt
// that reached the carrier, the body and the fees, so that an old approval never matches. "Attempts
// that never reached the carrier ... change neither an approved hash nor an approval" (R11).
func planned(
	in *Input, last string, body []byte, changes []v1alpha1.Change, fees *v1alpha1.OrderFees,
) *v1alpha1.Pending {
	text, err := json.Marshal([]any{
		in.Subject.GetUID(), in.Subject.GetGeneration(), last, desiredChange{body: body}.bodyHash(), changes, fees,
	})
	if err != nil {
		panic("decide: strings and structs of strings always marshal: " + err.Error())
	}
	return &v1alpha1.Pending{Hash: approvalHash(text), Changes: changes}
}

// planApproved waits until a person approves the plan of a request that is sent only once. A nil
// plan needs no approval.
func planApproved(in *Input, policy v1alpha1.Approval, plan *v1alpha1.Pending) *Decision {
	if plan == nil {
		return nil
	}
	return agreed(in, byPolicy(policy), plan)
}

// approvedBy lets a submitted request use up the approval of its plan. A nil plan needed none.
func (d *Decision) approvedBy(in *Input, plan *v1alpha1.Pending) *Decision {
	submit, submits := d.Step.(Submit)
	if submits && plan != nil {
		submit.Request.ApprovedHash = plan.Hash
		submit.Approve = control(in.Subject, v1alpha1.AnnotationApprove)
		d.Step = submit
	}
	return d
}

// unquoted returns a note if no price is known: otherwise it would read as free of charge.
func unquoted(changes []v1alpha1.Change) string {
	if slices.ContainsFunc(changes, func(c v1alpha1.Change) bool { return priceWords(c) != "" }) {
		return ""
	}
	return "; the carrier quotes no price for it"
}

// needsApproval implements: "OnCost needs approval when a one-time fee is above zero, when the
// monthly fee rises, or when either is unknown". Aggregation conversion and reclaim have no quoted
// price. OnCost also needs approval for the first change of a service that the object did not
// order. An unreadable value needs approval "whatever the account says" (R7), and so do unknown
// values.
func needsApproval(in *ServiceInput, want desiredChange) bool {
	policy := approvalOf(in)
	onCost := policy == v1alpha1.ApprovalOnCost && (costsMoney(want) || isFirstChange(in))
	return want.unread || asksWhich(in, want) || policy == v1alpha1.ApprovalAlways || onCost
}

// isFirstChange reports whether the object has not changed the service yet and did not order it.
// Its spec may be out of date, and nobody has reviewed what it would change.
func isFirstChange(in *ServiceInput) bool {
	if in.Service.Spec.OrderRef != nil {
		return false
	}
	return !slices.ContainsFunc(in.Service.Status.Requests, func(request v1alpha1.Request) bool {
		own := request.UID == string(in.Service.UID) && !request.TakenOver
		return own && request.Phase.Reached()
	})
}

func costsMoney(want desiredChange) bool {
	if want.operation == v1alpha1.OperationPlanChange {
		b := billOf(want)
		return b.costs()
	}
	return want.operation == v1alpha1.OperationAggregationConversion || want.operation == v1alpha1.OperationReclaim
}

// bill adds up the price of a request, in hundredths of the currency.
type bill struct {
	before, after int64  // per month
	charges       bool   // a one-time fee is above zero: a credit does not offset it
	unknown       bool   // an amount is unknown, or in another currency than the others
	currency      string // of the amounts so far
}

func billOf(want desiredChange) bill {
	var b bill
	for _, i := range pricedRows(want.changes) {
		c := want.changes[i]
		b.once(c.OneTime)
		b.add(&b.before, c.MonthlyBefore)
		b.add(&b.after, c.MonthlyAfter)
		b.charge(c.NFAS)
		b.charge(c.NTDOption)
		isPlan := c.Field != fieldSLA
		b.unknown = b.unknown || isPlan && want.target.NTDOption != "" && c.NTDOption == nil
	}
	return b
}

// once adds a one-time fee: "Every single one-time fee above zero asks" (R8).
func (b *bill) once(amount *v1alpha1.Money) {
	var fee int64
	b.add(&fee, amount)
	b.charges = b.charges || fee > 0
}

// add adds an amount: "different or missing currencies are unknown" (R8).
func (b *bill) add(sum *int64, amount *v1alpha1.Money) {
	cents, known := hundredths(amount)
	if !known || amount.Currency == "" || b.currency != "" && b.currency != amount.Currency {
		b.unknown = true
		return
	}
	*sum, b.currency = *sum+cents, amount.Currency
}

// hundredths returns an amount in hundredths of its currency, if it is known.
func hundredths(amount *v1alpha1.Money) (cents int64, known bool) {
	if amount == nil {
		return 0, false
	}
	return (&carrier.Money{Amount: carrier.Number(amount.Amount)}).Cents()
}

func (b *bill) charge(charge *v1alpha1.Charge) {
	if charge != nil {
		b.once(charge.OneTime)
		b.add(&b.after, charge.Monthly)
	}
}

func (b *bill) costs() bool { return b.unknown || b.charges || b.after > b.before }

// optionGiven requires an NTD option: "ntdOption needed above 1000 MBit/s, where the plan's speed
// is known".
func optionGiven(in *ServiceInput, want desiredChange) *Decision {
	if want.operation != v1alpha1.OperationPlanChange || want.target.NTDOption != "" {
		return nil
	}
	offers := in.Memory.Readings.Options.Options.Plans
	if len(offers) == 0 {
		return optionMissed(in)
	}
	for _, offer := range offers {
		speed, _, _ := strings.Cut(string(offer.SpeedDown.Speed), ".")
		mbit, whole := carrier.Number(speed).Int()
		if sameName(offer.Plan, want.target.Plan) && whole && mbit > fastPlan {
			return stuck(v1alpha1.ReasonNTDOptionRequired, fmt.Sprintf(
				"plan %q is faster than %d MBit/s and needs an NTD option: set spec.plan.ntdOption%s",
				want.target.Plan, fastPlan, optionNames(offer.NTDOptions)))
		}
	}
	return nil
}

// fastPlan is the speed in MBit/s above which a plan needs an NTD option (spec §4).
const fastPlan = 1000

// optionMissed repeats the verdict already recorded for this generation. After a restart the offers
// are forgotten, and they are not read again for it.
func optionMissed(in *ServiceInput) *Decision {
	said := readyIn(in.Service.Status.Conditions)
	if said.Reason == v1alpha1.ReasonNTDOptionRequired && said.ObservedGeneration == in.Service.Generation {
		return stuck(said.Reason, said.Message)
	}
	return nil
}

func optionNames(options []carrier.NTDOption) string {
	names := make([]string, 0, len(options))
	for _, option := range options {
		names = append(names, bounded(option.Option, 100))
	}
	if len(names) == 0 {
		return ""
	}
	return " to one of " + strings.Join(names[:min(len(names), 10)], ", ")
}

// FeeMismatch compares the carrier's charges with the quote; "" if equal or nothing was quoted.
func FeeMismatch(quoted []v1alpha1.Change, ntdOption string, result carrier.PlanChangeResult) string {
	var d mismatches
	for _, i := range pricedRows(quoted) {
		if quoted[i].Field == fieldSLA {
			d.sla(quoted[i], result.SLA)
		} else {
			d.plan(quoted[i], ntdOption, result.Plan)
		}
	}
	if len(d) == 0 {
		return ""
	}
	return bounded("the carrier charges "+strings.Join(d, ", "), maxMessage)
}

// mismatches lists fees that differ from what was shown.
type mismatches []string

func (d *mismatches) add(what string, shown, charged *v1alpha1.Money) {
	if shown != nil && charged != nil && *shown != *charged {
		*d = append(*d, fmt.Sprintf("%s %s where %s was shown", what, charged, shown))
	}
}

func (d *mismatches) sla(c v1alpha1.Change, charged carrier.SLA) {
	d.add("the restoration SLA once", c.OneTime, moneyOf(oneTimeOf(charged.Fee)))
	d.add("the restoration SLA per month", c.MonthlyAfter, moneyOf(monthlyOf(charged.Fee)))
}

func (d *mismatches) plan(c v1alpha1.Change, ntdOption string, charged carrier.Plan) {
	d.add("the plan once", c.OneTime, moneyOf(oneTimeOf(charged.PlanFee)))
	d.add("the plan per month", c.MonthlyAfter, moneyOf(monthlyOf(charged.PlanFee)))
	nfas := shownCharge(c, c.NFAS)
	d.add("the NFAS commitment once", nfas.OneTime, moneyOf(oneTimeOf(charged.NFASFee)))
	d.add("the NFAS commitment per month", nfas.Monthly, moneyOf(monthlyOf(charged.NFASFee)))
	for _, option := range charged.NTDOptions {
		if option.Option == ntdOption && c.NTDOption != nil {
			d.add("the NTD option once", c.NTDOption.OneTime, moneyOf(oneTimeOf(option.Fee)))
			d.add("the NTD option per month", c.NTDOption.Monthly, moneyOf(monthlyOf(option.Fee)))
		}
	}
}

// shownCharge returns a charge as it was shown: zero where a price was shown without it.
func shownCharge(c v1alpha1.Change, charge *v1alpha1.Charge) v1alpha1.Charge {
	if charge != nil {
		return *charge
	}
	if c.MonthlyAfter == nil {
		return v1alpha1.Charge{}
	}
	nothing := &v1alpha1.Money{Amount: "0.00", Currency: c.MonthlyAfter.Currency}
	return v1alpha1.Charge{OneTime: nothing, Monthly: nothing}
}
