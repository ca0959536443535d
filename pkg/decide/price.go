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

// quoteAge is how old a reading of the options may be to count as read "right before the
// POST": the waits between them are those for a place in the rate limit.
const quoteAge = 10 * time.Minute

// pricing says whether the carrier's offers are read before a wish is sent: somebody is to see what it
// costs, or has to be asked whether it is a change at all. Only a plan change has offers that can be
// read (spec §4, plan change options).
func pricing(v *ServiceView, operation v1alpha1.Operation) bool {
	seen := v.Service.Spec.ManagementPolicy == v1alpha1.ManagementPlan || approvalOf(v) != v1alpha1.ApprovalAutomatic
	return operation == v1alpha1.OperationPlanChange && (seen || asksAboutPlan(v))
}

// priced waits for the prices of a change, where they are to be seen.
func priced(v *ServiceView, w wish) *Decision {
	if !pricing(v, w.operation) || isPriced(v, w) || refused(v, w) != nil || pricedOnceApproved(v, w) {
		return nil
	}
	return askPrice(v)
}

// isPriced says whether there is nothing more to learn about the price of a wish: the
// options were read just now, or the same change stands priced in the plan on record.
func isPriced(v *ServiceView, w wish) bool {
	switch {
	case quoteFresh(v):
		return true
	case unknownValuesOf(v) == v1alpha1.UnknownTrust && isUnlisted(v):
		return false // it is believed on offers that were read, and not on what was shown of older ones
	}
	recorded := shownPlan(v, w.operation)
	bare := unpriced(recorded)
	return equalChanges(bare, unpriced(w.changes)) && !equalChanges(bare, recorded)
}

// shownPlan are the changes that the status shows for an operation. Their prices are those that a
// person sees: they are shown until they are read again, which is done before anything is sent.
func shownPlan(v *ServiceView, operation v1alpha1.Operation) []v1alpha1.Change {
	if v.Service.Status.Pending == nil {
		return nil
	}
	return v1alpha1.ChangesBy(v.Service.Status.Pending.Changes, operation)
}

func quoteFresh(v *ServiceView) bool {
	reading := &v.Memory.Readings.Options
	return reading.ended() && v.Now.Before(reading.AskedAt.Add(quoteAge))
}

// askPrice reads the options, for the approval that is given by then, if there is one.
func askPrice(v *ServiceView) *Decision {
	step, at := readingStep(&v.View, TopicOptions, control(v.Subject, v1alpha1.AnnotationApprove), atOnce)
	verdict := Verdict{Working, v1alpha1.ReasonProgressing, "what the plan change costs is being read"}
	reading := &v.Memory.Readings.Options
	if reading.State == ReadingFailed || reading.Failures >= failuresShown {
		verdict = Verdict{
			Working, v1alpha1.ReasonCarrierUnavailable,
			"what the plan change costs cannot be read: " + errorText(reading.Err) + "; it is asked again",
		}
	}
	return briefly(v, &Decision{Step: step, LookAt: at, Verdict: verdict}, TopicOptions)
}

// confirmed: "the options are read again right before the POST and a different fee voids
// the approval". A different fee makes another hash, which the approval does not fit.
func confirmed(v *ServiceView, w wish) *Decision {
	asked := v.Memory.Readings.Options.Token == control(v.Subject, v1alpha1.AnnotationApprove)
	if !pricing(v, w.operation) || quoteFresh(v) && (asked || !needsApproval(v, w)) {
		return nil
	}
	return askPrice(v)
}

// withPrice puts what the changes of a plan change cost beside them: as just read, or as
// the plan on record has it.
func (w wish) withPrice(v *ServiceView) wish {
	if !pricing(v, w.operation) {
		return w
	}
	reading := &v.Memory.Readings.Options
	recorded := shownPlan(v, w.operation)
	switch {
	case quoteFresh(v) && reading.State == ReadingAnswered:
		w.changes = quote(v, w, reading.Options)
	case !quoteFresh(v) && equalChanges(unpriced(recorded), unpriced(w.changes)):
		w.changes = recorded
	}
	return w
}

// quote prices a plan change by the carrier's options: the plan in the row of the plan,
// the SLA in its own.
func quote(v *ServiceView, w wish, options carrier.PlanOptionsResult) []v1alpha1.Change {
	changes := unpriced(w.changes)
	for _, i := range pricedRows(changes) {
		if changes[i].Field == fieldSLA {
			quoteSLA(&changes[i], options.SLAs)
		} else {
			quotePlan(v, w, &changes[i], options.Plans)
		}
	}
	return changes
}

// pricedRows are the changes that carry a price: the SLA's, and of plan and term, which
// are sold together, the first.
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

func quotePlan(v *ServiceView, w wish, change *v1alpha1.Change, offers []carrier.Plan) {
	if state := v.Service.Status.Carrier; state.Plan != nil && !w.unread {
		if now := offered(offers, state.Plan.Value, valueOf(state.Term)); now != nil {
			change.MonthlyBefore = moneyOf(monthlyOf(now.PlanFee))
		}
	}
	next := offered(offers, w.target.Plan, strconv.Itoa(int(w.target.Term)))
	if next == nil {
		return
	}
	change.OneTime, change.MonthlyAfter = moneyOf(oneTimeOf(next.PlanFee)), moneyOf(monthlyOf(next.PlanFee))
	change.NFAS = chargeOf(next.NFASFee)
	for _, option := range next.NTDOptions {
		if option.Option == w.target.NTDOption {
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

// offered finds a plan among the offers. Where its term is not known, any offer of that
// name will do if all of them cost the same.
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

// moneyOf is an amount as a status shows it. One that is no plain decimal number is not
// known, which is not zero.
func moneyOf(amount *carrier.Money) *v1alpha1.Money {
	cents, ok := amount.Cents()
	if !ok {
		return nil
	}
	return moneyFrom(cents, bounded(amount.Currency, 8))
}

// moneyFrom is so many hundredths, where a status has room for as many digits; nil: that is not known.
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

// unpriced are changes without what they cost.
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

// priceWords say what a change costs; "" where nothing is known or asked.
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
