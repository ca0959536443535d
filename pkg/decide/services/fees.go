// SPDX-License-Identifier: Apache-2.0

package services

import (
	"fmt"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// feeDifference compares the charges in the carrier's result with those that were shown for approval;
// "" if equal or nothing was shown. Before the POST, priceConfirmed reads the price again.
func feeDifference(quoted []v1alpha1.Change, result carrier.PlanChangeResult) string {
	var d mismatches
	for _, i := range decide.PricedRows(quoted) {
		if quoted[i].Field == decide.FieldSLA {
			d.sla(quoted[i], result.SLA)
		} else {
			d.plan(quoted[i], result.Plan)
		}
		if i == 0 {
			d.ntd(quoted[i], result.Plan)
		}
	}
	if len(d) == 0 {
		return ""
	}
	return decide.Bounded("the carrier charges "+strings.Join(d, ", "), decide.MaxMessage)
}

// mismatches lists fees that differ from what was shown.
type mismatches []string

func (d *mismatches) add(what string, shown, charged *v1alpha1.Money) {
	if shown != nil && charged != nil && *shown != *charged {
		*d = append(*d, fmt.Sprintf("%s for %s instead of %s", charged, what, shown))
	}
}

func (d *mismatches) sla(c v1alpha1.Change, charged carrier.SLA) {
	d.add("the restoration SLA (one-time)", c.OneTime, decide.OneTimeOf(charged.Fee))
	d.add("the restoration SLA (monthly)", c.MonthlyAfter, decide.MonthlyOf(charged.Fee))
}

func (d *mismatches) plan(c v1alpha1.Change, charged carrier.Plan) {
	d.add("the plan (one-time)", c.OneTime, decide.OneTimeOf(charged.PlanFee))
	d.add("the plan (monthly)", c.MonthlyAfter, decide.MonthlyOf(charged.PlanFee))
	nfas := shownCharge(c, c.NFAS)
	d.add("the NFAS commitment (one-time)", nfas.OneTime, decide.OneTimeOf(charged.NFASFee))
	d.add("the NFAS commitment (monthly)", nfas.Monthly, decide.MonthlyOf(charged.NFASFee))
}

func (d *mismatches) ntd(c v1alpha1.Change, charged carrier.Plan) {
	shown, chosen := shownCharge(c, nil), ""
	if c.NTDOption != nil {
		shown, chosen = c.NTDOption.Charge, c.NTDOption.Option
	}
	if bought := quoteNTD(chosen, []carrier.Plan{charged}); bought != nil {
		d.add("the NTD option (one-time)", shown.OneTime, bought.OneTime)
		d.add("the NTD option (monthly)", shown.Monthly, bought.Monthly)
	}
}

// shownCharge returns a charge as it was shown: zero if a price was shown without this charge.
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
