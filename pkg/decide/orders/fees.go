// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The sources of an order's fees.
const (
	feesFromQualification = "Qualification"
	feesFromOrder         = "Order"
)

const (
	planFeeName = "PLAN" // the plan's own fee, which has no name at the carrier
	maxFees     = 30
	maxFeeName  = 100
)

// PreviewFees returns the fees of an order from its qualification. A qualification does not
// contain the plan's own fees, so there are no sums: a sum without them would look like the
// price. Nil if there is no qualification.
func PreviewFees(in *Input) *v1alpha1.OrderFees {
	if in.Qualification == nil {
		return nil
	}
	o := caseOf(&in.Order.Spec, in.Qualification)
	items := o.placeFees()
	if charge := o.q.NewDevelopmentsCharge; charge.Applies {
		items = withFees(items, feeItems(carrier.FeeNDF, charge.Fees))
	}
	for _, sla := range o.q.RestorationSLAs {
		if o.RestorationSLA != "" && sla.SLA == o.RestorationSLA {
			items = withFees(items, feeItems(carrier.FeeSLA, sla.Fees))
		}
	}
	return &v1alpha1.OrderFees{Items: items[:min(len(items), maxFees)], Source: feesFromQualification}
}

// placeFees returns the fees that depend on the scenario (spec §2). The subsequent installation
// charge is for an additional infrastructure (scenario 4) and not for the first one (scenario 1). A
// service in use is charged the transfer fee of its port or pair (scenario 5).
func (o *orderCase) placeFees() []v1alpha1.OrderFee {
	var items []v1alpha1.OrderFee
	if option := o.installation(); option != nil {
		items = feeItems(carrier.FeeNTDInstallation, option.Fees)
	}
	items = withFees(items, o.deviceFees())
	return slices.DeleteFunc(items, func(fee v1alpha1.OrderFee) bool {
		return fee.Name == carrier.FeeServiceTransfer && o.Scenario != v1alpha1.ScenarioInUse ||
			fee.Name == carrier.FeeSubsequentInstallation && o.Scenario != v1alpha1.ScenarioAdditional
	})
}

func indexOf(items []v1alpha1.OrderFee, name string) int {
	return slices.IndexFunc(items, func(item v1alpha1.OrderFee) bool { return item.Name == name })
}

// withFees adds fees to others and keeps each name once. A qualification may list the same fee in
// several places. If the amounts differ, it is unknown which one is charged. The fee is then kept
// without an amount: without the fee, the price would look complete.
func withFees(items, more []v1alpha1.OrderFee) []v1alpha1.OrderFee {
	for _, fee := range more {
		switch at := indexOf(items, fee.Name); {
		case at < 0:
			items = append(items, fee)
		case !equality.Semantic.DeepEqual(items[at], fee):
			items[at] = v1alpha1.OrderFee{Name: fee.Name}
		}
	}
	return items
}

func feeItems(name string, fees carrier.Fees) []v1alpha1.OrderFee {
	items := make([]v1alpha1.OrderFee, 0, len(fees))
	for i := range fees {
		items = withFees(items, []v1alpha1.OrderFee{feeItem(cmp.Or(fees[i].Name, name), &fees[i])})
	}
	return items
}

func feeItem(name string, fee *carrier.Fee) v1alpha1.OrderFee {
	charge := decide.ChargeOf(fee)
	return v1alpha1.OrderFee{Name: decide.Bounded(name, maxFeeName), OneTime: charge.OneTime, Monthly: charge.Monthly}
}

// feeText describes the price of an order as far as its qualification shows it: each fee, and what
// is unknown. There is no sum, because the plan's own fees are unknown. Nil means that the order
// has no qualification.
func feeText(fees *v1alpha1.OrderFees) string {
	if fees == nil {
		return "; no fees are known, because no qualification result is given"
	}
	var known, unknown []string
	for _, item := range fees.Items {
		if isUnknown(item) {
			unknown = append(unknown, item.Name)
			continue
		}
		known = append(known, item.Name+" "+decide.FeeAmounts(item.OneTime, item.Monthly))
	}
	unknown = append(unknown, "the plan's own fees, which a qualification does not contain")
	words := "; not known: " + strings.Join(unknown, ", ")
	if len(known) > 0 {
		words = "; fees: " + strings.Join(known, ", ") + words
	}
	return words
}

// maxRows is the maximum number of rows in the plan of a request.
const maxRows = 48

// withFeeRows adds a row for each fee to the plan of an order, as an Event, the log and the ledger
// show it. The plan's own fees are unknown, and without a qualification all fees are.
func withFeeRows(rows []v1alpha1.Change, fees *v1alpha1.OrderFees) []v1alpha1.Change {
	if fees == nil {
		return append(rows, row("fees", "unknown"))
	}
	items := append(slices.Clone(fees.Items), v1alpha1.OrderFee{Name: planFeeName})
	for i, item := range items {
		if left := len(items) - i; left > 1 && len(rows) == maxRows-1 {
			return append(rows, row("fees", fmt.Sprintf("and %d more, see status.fees", left)))
		}
		fee := row(decide.FieldFee, item.Name)
		fee.OneTime, fee.MonthlyAfter = item.OneTime, item.Monthly
		rows = append(rows, fee)
	}
	return rows
}

func chargedFees(order carrier.Order) *v1alpha1.OrderFees {
	items := make([]v1alpha1.OrderFee, 0, 1+len(order.AdditionalFees))
	items = append(items, feeItem(planFeeName, order.Fee))
	for _, fee := range order.AdditionalFees {
		items = append(items, feeItem(fee.AddOnTypeName, fee.Fee))
	}
	return &v1alpha1.OrderFees{
		OneTime: sumOf(items, func(item v1alpha1.OrderFee) *v1alpha1.Money { return item.OneTime }),
		Monthly: sumOf(items, func(item v1alpha1.OrderFee) *v1alpha1.Money { return item.Monthly }),
		Items:   items[:min(len(items), maxFees)], Source: feesFromOrder,
	}
}

// sumOf adds up amounts; nil if one is unknown or the currencies differ.
func sumOf(items []v1alpha1.OrderFee, amount func(v1alpha1.OrderFee) *v1alpha1.Money) *v1alpha1.Money {
	var b decide.Bill
	for i := range items {
		b.AddOneTime(amount(items[i]))
	}
	price, known := b.Price()
	if !known || price.Currency == "" {
		return nil // or there are no amounts to add up
	}
	return decide.MoneyOfCents(price.OneTime, price.Currency)
}

// feeDifference compares the carrier's charges with the fees in the plan of the request, which the
// ledger keeps until the response is recorded; "" if they are equal or none were shown.
func feeDifference(plan []v1alpha1.Change, charged []v1alpha1.OrderFee) string {
	shown := shownFees(plan)
	var words []string
	differ := func(name, how string, was, is *v1alpha1.Money) {
		if !isSameAmount(was, is) {
			words = append(words, fmt.Sprintf("%s for %s (%s) instead of %s",
				decide.AmountOr(is, "nothing"), name, how, decide.AmountOr(was, "nothing")))
		}
	}
	for _, name := range feesToCompare(shown, charged) {
		was, is := feeNamed(shown, name), feeNamed(charged, name)
		differ(name, "one-time", was.OneTime, is.OneTime)
		differ(name, "monthly", was.Monthly, is.Monthly)
	}
	if len(words) == 0 {
		return ""
	}
	return decide.Bounded("the carrier charges "+strings.Join(words, ", "), decide.MaxMessage)
}

func shownFees(plan []v1alpha1.Change) []v1alpha1.OrderFee {
	var fees []v1alpha1.OrderFee
	for _, row := range plan {
		if row.Field == decide.FieldFee {
			fees = append(fees, v1alpha1.OrderFee{Name: row.To, OneTime: row.OneTime, Monthly: row.MonthlyAfter})
		}
	}
	return fees
}

// feesToCompare names the fees that were shown or are charged. It omits the plan's own fee, which
// is not shown, and fees that were shown as unknown. The row of the plan's own fee is the last
// one. Without it, the rows are incomplete, and say nothing about fees that they lack.
func feesToCompare(shown, charged []v1alpha1.OrderFee) []string {
	if indexOf(shown, planFeeName) < 0 {
		charged = nil
	}
	var names []string
	for _, item := range slices.Concat(shown, charged) {
		at := indexOf(shown, item.Name)
		open := at >= 0 && isUnknown(shown[at])
		if item.Name != planFeeName && !open && !slices.Contains(names, item.Name) {
			names = append(names, item.Name)
		}
	}
	return names
}

func isUnknown(fee v1alpha1.OrderFee) bool { return fee.OneTime == nil && fee.Monthly == nil }

func feeNamed(items []v1alpha1.OrderFee, name string) v1alpha1.OrderFee {
	if at := indexOf(items, name); at >= 0 {
		return items[at]
	}
	return v1alpha1.OrderFee{}
}

// isSameAmount reports whether two amounts are the same. A missing one is zero, in any currency.
func isSameAmount(one, other *v1alpha1.Money) bool {
	cents, _ := decide.Cents(one)
	others, _ := decide.Cents(other)
	return cents == others && (cents == 0 || one.Currency == other.Currency)
}
