// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// quoteAge is the maximum age of a reading of the options that counts as read "right before the
// POST": in between, a request may have to wait for the rate limit.
const quoteAge = 10 * time.Minute

// pricing reports whether the carrier's offers are read before a change is sent: the price has to
// be shown to a person, or a person has to decide whether it is a change at all. Only a plan change
// has offers that can be read (spec §4, plan change options).
func pricing(in *ServiceInput, operation v1alpha1.Operation) bool {
	seen := in.Service.Spec.ManagementPolicy == v1alpha1.ManagementPlan || approvalOf(in) != v1alpha1.ApprovalAutomatic
	return operation == v1alpha1.OperationPlanChange && (seen || asksAboutPlan(in))
}

// priced waits for the prices of a change if they have to be shown.
func priced(in *ServiceInput, want desiredChange) *Decision {
	if !pricing(in, want.operation) || isPriced(in, want) || refused(in, want) != nil || pricedOnceApproved(in, want) {
		return nil
	}
	return askPrice(in)
}

// isPriced reports whether the price of a change is as well known as it can be: the options were
// read just now, or the recorded plan contains the same change with a price.
func isPriced(in *ServiceInput, want desiredChange) bool {
	switch {
	case quoteFresh(in):
		return true
	case unknownValuesOf(in) == v1alpha1.UnknownTrust && isUnlisted(in):
		return false // trusting it requires offers read now, not the ones shown earlier
	}
	recorded := shownPlan(in, want.operation)
	bare := unpriced(recorded)
	return equalChanges(bare, unpriced(want.changes)) && !equalChanges(bare, recorded)
}

// shownPlan returns the changes that the status shows for an operation, with the prices that a
// person sees. They are shown until they are read again, which happens before anything is sent.
func shownPlan(in *ServiceInput, operation v1alpha1.Operation) []v1alpha1.Change {
	if in.Service.Status.Pending == nil {
		return nil
	}
	return v1alpha1.ChangesBy(in.Service.Status.Pending.Changes, operation)
}

func quoteFresh(in *ServiceInput) bool {
	reading := &in.Memory.Readings.Options
	return reading.ended() && in.Now.Before(reading.AskedAt.Add(quoteAge))
}

// askPrice reads the options, for the current approval if there is one.
func askPrice(in *ServiceInput) *Decision {
	step, at := readingStep(&in.Input, TopicOptions, control(in.Subject, v1alpha1.AnnotationApprove), atOnce)
	verdict := Verdict{Working, v1alpha1.ReasonProgressing, "what the plan change costs is being read"}
	reading := &in.Memory.Readings.Options
	if reading.State == ReadingFailed || reading.Failures >= failuresShown {
		verdict = Verdict{
			Working, v1alpha1.ReasonCarrierUnavailable,
			"what the plan change costs cannot be read: " + errorText(reading.Err) + "; it is asked again",
		}
	}
	return briefly(in, &Decision{Step: step, LookAt: at, Verdict: verdict}, TopicOptions)
}

// confirmed: "the options are read again right before the POST and a different fee voids the
// approval". A different fee makes another hash, which the approval does not match.
func confirmed(in *ServiceInput, want desiredChange) *Decision {
	asked := in.Memory.Readings.Options.Token == control(in.Subject, v1alpha1.AnnotationApprove)
	if !pricing(in, want.operation) || quoteFresh(in) && (asked || !needsApproval(in, want)) {
		return nil
	}
	return askPrice(in)
}

// withPrice adds the prices to the changes of a plan change: from a fresh reading, or from the
// recorded plan.
func (want desiredChange) withPrice(in *ServiceInput) desiredChange {
	if !pricing(in, want.operation) {
		return want
	}
	reading := &in.Memory.Readings.Options
	recorded := shownPlan(in, want.operation)
	switch {
	case quoteFresh(in) && reading.State == ReadingAnswered:
		want.changes = quote(in, want, reading.Options)
	case !quoteFresh(in) && equalChanges(unpriced(recorded), unpriced(want.changes)):
		want.changes = recorded
	}
	return want
}

// quote prices a plan change from the carrier's options: the plan in the row of the plan, the SLA
// in its own row.
func quote(in *ServiceInput, want desiredChange, options carrier.PlanOptionsResult) []v1alpha1.Change {
	changes := unpriced(want.changes)
	for _, i := range pricedRows(changes) {
		if changes[i].Field == fieldSLA {
			quoteSLA(&changes[i], options.SLAs)
		} else {
			quotePlan(in, want, &changes[i], options.Plans)
		}
	}
	return changes
}

// pricedRows returns the indexes of the changes that carry a price: that of the SLA, and the first
// of plan and term, which are sold together.
func pricedRows(changes []v1alpha1.Change) []int {
	var rows []int
	ofPlan := false
	for i, change := range changes {
		isPlan := change.Field != fieldSLA
		if !isPlan || !ofPlan {
			rows = append(rows, i)
		}
		ofPlan = ofPlan || isPlan
	}
	return rows
}

func quotePlan(in *ServiceInput, want desiredChange, change *v1alpha1.Change, offers []carrier.Plan) {
	if state := in.Service.Status.Carrier; state.Plan != nil && !want.unread {
		if now := offered(offers, state.Plan.Value, valueOf(state.Term)); now != nil {
			change.MonthlyBefore = moneyOf(monthlyOf(now.PlanFee))
		}
	}
	next := offered(offers, want.target.Plan, strconv.Itoa(int(want.target.Term)))
	if next == nil {
		return
	}
	change.OneTime, change.MonthlyAfter = moneyOf(oneTimeOf(next.PlanFee)), moneyOf(monthlyOf(next.PlanFee))
	change.NFAS = chargeOf(next.NFASFee)
	for _, option := range next.NTDOptions {
		if option.Option == want.target.NTDOption {
			change.NTDOption = chargeOf(option.Fee)
		}
	}
}

func quoteSLA(change *v1alpha1.Change, offers []carrier.SLA) {
	for _, offer := range offers {
		if offer.SLA == change.From {
			change.MonthlyBefore = moneyOf(monthlyOf(offer.Fee))
		}
		if offer.SLA == change.To {
			change.OneTime, change.MonthlyAfter = moneyOf(oneTimeOf(offer.Fee)), moneyOf(monthlyOf(offer.Fee))
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
		case !sameName(offer.Plan, name) || term != "" && monthsOf(offer.Term) != term:
		case found != nil && !sameFee(found.PlanFee, offer.PlanFee):
			return nil
		default:
			found = offer
		}
	}
	return found
}

func sameFee(a, b *carrier.Fee) bool {
	same := func(a, b *v1alpha1.Money) bool { return a == b || a != nil && b != nil && *a == *b }
	return same(moneyOf(oneTimeOf(a)), moneyOf(oneTimeOf(b))) && same(moneyOf(monthlyOf(a)), moneyOf(monthlyOf(b)))
}

func oneTimeOf(fee *carrier.Fee) *carrier.Money {
	if fee == nil {
		return nil
	}
	return fee.OneTimeCharge
}

func monthlyOf(fee *carrier.Fee) *carrier.Money {
	if fee == nil {
		return nil
	}
	return fee.MonthlyRecurringCharge
}

func chargeOf(fee *carrier.Fee) *v1alpha1.Charge {
	if fee == nil {
		return nil
	}
	return &v1alpha1.Charge{OneTime: moneyOf(fee.OneTimeCharge), Monthly: moneyOf(fee.MonthlyRecurringCharge)}
}

// moneyOf returns an amount as a status shows it. An amount that is not a plain decimal number is
// unknown, which is not zero.
func moneyOf(amount *carrier.Money) *v1alpha1.Money {
	cents, ok := amount.Cents()
	if !ok {
		return nil
	}
	return moneyFrom(cents, bounded(amount.Currency, 8))
}

// moneyFrom converts hundredths to an amount; nil, meaning unknown, if it has too many digits for a
// status.
func moneyFrom(cents int64, currency string) *v1alpha1.Money {
	const longest = 20
	amount := amountOf(cents)
	if len(amount) > longest {
		return nil
	}
	return &v1alpha1.Money{Amount: amount, Currency: currency}
}

// amountOf writes hundredths as a decimal amount.
func amountOf(cents int64) string {
	sign, whole := "", cents
	if cents < 0 {
		sign, whole = "-", -cents
	}
	return fmt.Sprintf("%s%d.%02d", sign, whole/100, whole%100)
}

// unpriced returns changes without their prices.
func unpriced(changes []v1alpha1.Change) []v1alpha1.Change {
	bare := make([]v1alpha1.Change, 0, len(changes))
	for _, c := range changes {
		bare = append(bare, v1alpha1.Change{
			Operation: c.Operation, Field: c.Field, Unknown: c.Unknown, From: c.From, To: c.To,
		})
	}
	return bare
}

func equalChanges(a, b []v1alpha1.Change) bool {
	equal := len(a) == len(b)
	for i := range a {
		equal = equal && sameChange(a[i], b[i])
	}
	return equal
}

// priceWords describes the price of a change; "" if it is unknown or was not requested.
func priceWords(c v1alpha1.Change) string {
	var words []string
	add := func(what string, amount *v1alpha1.Money) {
		if amount != nil {
			words = append(words, what+" "+amount.String())
		}
	}
	add("one-time", c.OneTime)
	if c.MonthlyAfter != nil {
		words = append(words, "monthly "+orUnknown(c.MonthlyBefore)+" → "+c.MonthlyAfter.String())
	}
	if c.NFAS != nil {
		add("NFAS one-time", c.NFAS.OneTime)
		add("NFAS monthly", c.NFAS.Monthly)
	}
	if c.NTDOption != nil {
		add("NTD option one-time", c.NTDOption.OneTime)
		add("NTD option monthly", c.NTDOption.Monthly)
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

func orUnknown(amount *v1alpha1.Money) string {
	if amount == nil {
		return "unknown"
	}
	return amount.String()
}
