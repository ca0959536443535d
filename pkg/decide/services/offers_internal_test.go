// SPDX-License-Identifier: Apache-2.0

package services

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// The NTD option is sent with a change of the plan, and also with a change of the SLA alone.
func TestThePriceContainsTheChosenNTDOption(t *testing.T) {
	t.Parallel()
	fee := func(oneTime carrier.Number) *carrier.Fee { return decidetest.Fee(oneTime, "0.00") }
	offers := []carrier.Plan{{Plan: "Fast", Term: "12 months", NTDOptions: []carrier.NTDOption{
		{Option: "UPGRADE_1", Fee: fee("10.00")},
		{Option: "UPGRADE_2", Fee: fee("20.00")},
		{Option: "NONE", Fee: fee("30.00")},
	}}}
	in := &Input{Service: &v1alpha1.BroadbandService{}}
	for _, row := range []struct {
		fields []string
		option string
		want   []string // per change
	}{
		{[]string{decide.FieldPlan}, "UPGRADE_2", []string{"UPGRADE_2 20.00"}},
		{[]string{decide.FieldPlan}, "", []string{""}},
		{[]string{decide.FieldPlan}, "UPGRADE_3", []string{""}},
		{[]string{decide.FieldSLA}, "UPGRADE_2", []string{"UPGRADE_2 20.00"}},
		{[]string{decide.FieldPlan, decide.FieldTerm, decide.FieldSLA}, "UPGRADE_1", []string{"UPGRADE_1 10.00", "", ""}},
	} {
		want := decide.DesiredChange{Target: v1alpha1.RequestTarget{Plan: "Fast", Term: 12, NTDOption: row.option}}
		for _, field := range row.fields {
			want.Changes = append(want.Changes, v1alpha1.Change{Field: field})
		}
		want = withNTDOption(want)
		var got []string
		for _, change := range quote(in, want, carrier.PlanOptionsResult{Plans: offers}) {
			amount := ""
			if option := change.NTDOption; option != nil && option.OneTime != nil {
				amount = option.Option + " " + option.OneTime.Amount
			}
			got = append(got, amount)
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%q with option %q: it costs %q, want %q", row.fields, row.option, got, row.want)
		}
	}
}

// "ntdOption" is required only above 1000 MBit/s (spec §4), so a plan that needs a device can be
// requested without one. What that device then costs may not be known, and unknown asks (R8).
func TestR8ThePriceContainsAnAdditionalNTDThatTheCarrierRequires(t *testing.T) {
	t.Parallel()
	offer := func(requires *bool, fees ...*carrier.Fee) carrier.Plan {
		plan := carrier.Plan{
			Plan: "Fast", Term: "12", PlanFee: decidetest.Fee("0.00", "45.00"), RequiresAdditionalNTD: requires,
		}
		for i, fee := range fees {
			plan.NTDOptions = append(plan.NTDOptions, carrier.NTDOption{Option: []string{"1_PORT", "4_PORT"}[i], Fee: fee})
		}
		return plan
	}
	free, dear := decidetest.Fee("0.00", "0.00"), decidetest.Fee("300.00", "0.00")
	const dearer, unknown = "additional NTD one-time 300.00 AUD", "additional NTD price unknown"
	type plans []carrier.Plan
	for name, row := range map[string]struct {
		offers plans
		chosen string
		asks   bool
		price  string // of the NTD; "" if none is bought
	}{
		"not stated":                  {plans{offer(nil, dear)}, "", false, ""},
		"not required":                {plans{offer(new(false), dear)}, "", false, ""},
		"required, and free":          {plans{offer(new(true), free, free)}, "", false, "additional NTD one-time 0.00 AUD"},
		"required, and not free":      {plans{offer(new(true), dear)}, "", true, dearer},
		"required, at different fees": {plans{offer(new(true), free, dear)}, "", true, unknown},
		"required, without a price":   {plans{offer(new(true))}, "", true, unknown},
		"required by one of two":      {plans{offer(nil, free), offer(new(true), dear)}, "", true, unknown},
		"required, and one is chosen": {plans{offer(new(true), free, dear)}, "1_PORT", false, "NTD option one-time 0.00 AUD"},
		"required, but of another plan": {
			plans{offer(nil), {Plan: "Faster", Term: "12", RequiresAdditionalNTD: new(true)}}, "", false, "",
		},
	} {
		want := withNTDOption(decide.DesiredChange{
			Operation: v1alpha1.OperationPlanChange,
			Target:    v1alpha1.RequestTarget{Plan: "Fast", Term: 12, NTDOption: row.chosen},
			Changes:   []v1alpha1.Change{planChange(decide.FieldPlan, "Slow", "Fast")},
		})
		service := &v1alpha1.BroadbandService{}
		service.Status.Carrier = &v1alpha1.CarrierState{Plan: &v1alpha1.KnownValue{Value: "Slow"}}
		before := carrier.Plan{Plan: "Slow", Term: "12", PlanFee: decidetest.Fee("0.00", "45.00")}
		bare := want.Changes
		want.Changes = quote(&Input{Service: service}, want, carrier.PlanOptionsResult{Plans: append(row.offers, before)})
		shown := decide.DescribeChanges(want.Changes)
		bought := strings.Contains(shown, " with ")
		if costsMoney(want) != row.asks || bought != (row.price != "") || !strings.Contains(shown, row.price) {
			t.Errorf("%s: asks %t: %s", name, costsMoney(want), shown)
		}
		if !decide.EqualChanges(decide.Unpriced(want.Changes), bare) {
			t.Errorf("%s: it is another change once its price is known", name)
		}
	}
}

// An SLA change sends the present plan again.
func TestR8ThePriceOfAnSLAContainsAnNTDThatTheCarrierRequires(t *testing.T) {
	t.Parallel()
	free := decidetest.Fee("0.00", "0.00")
	want := decide.DesiredChange{
		Operation: v1alpha1.OperationPlanChange, Target: v1alpha1.RequestTarget{Plan: "Fast", Term: 12},
		Changes: []v1alpha1.Change{planChange(decide.FieldSLA, "Standard", "Gold")},
	}
	for _, requires := range []bool{true, false} {
		want.Changes = quote(&Input{Service: &v1alpha1.BroadbandService{}}, want, carrier.PlanOptionsResult{
			Plans: []carrier.Plan{{Plan: "Fast", Term: "12", PlanFee: free, RequiresAdditionalNTD: &requires}},
			SLAs:  []carrier.SLA{{SLA: "Standard", Fee: free}, {SLA: "Gold", Fee: free}},
		})
		if asks := costsMoney(want); asks != requires {
			t.Errorf("required %t: asks %t: %s", requires, asks, decide.DescribeChanges(want.Changes))
		}
	}
}

// The price is read once more before a change is sent, so a difference is an exception.
func TestTheWarningNamesEachChargeThatDiffersFromItsQuote(t *testing.T) {
	t.Parallel()
	fee := decidetest.Fee
	charge := func(oneTime, monthly string) v1alpha1.Charge {
		return v1alpha1.Charge{OneTime: aud(oneTime), Monthly: aud(monthly)}
	}
	nfas := charge("200.00", "1.00")
	quoted := []v1alpha1.Change{
		{
			Field: decide.FieldPlan, OneTime: aud("0.00"), MonthlyAfter: aud("58.00"), NFAS: &nfas,
			NTDOption: &v1alpha1.NTDOptionCharge{Option: "UPGRADE_1", Charge: charge("99.00", "2.00")},
		},
		{Field: decide.FieldSLA, OneTime: aud("0.00"), MonthlyAfter: aud("5.00")},
	}
	for name, row := range map[string]struct {
		plan, nfas, ntd, sla *carrier.Fee // nil: as quoted
		want                 string
	}{
		"as quoted": {},
		"the plan": {
			plan: fee("1.00", "59.00"), want: "the carrier charges 1.00 AUD for the plan (one-time) instead of " +
				"0.00 AUD, 59.00 AUD for the plan (monthly) instead of 58.00 AUD",
		},
		"the NFAS commitment": {
			nfas: fee("201.00", "1.50"), want: "the carrier charges 201.00 AUD for the NFAS commitment (one-time) instead " +
				"of 200.00 AUD, 1.50 AUD for the NFAS commitment (monthly) instead of 1.00 AUD",
		},
		"the NTD option": {
			ntd: fee("98.00", "2.50"), want: "the carrier charges 98.00 AUD for the NTD option (one-time) instead of " +
				"99.00 AUD, 2.50 AUD for the NTD option (monthly) instead of 2.00 AUD",
		},
		"the SLA": {
			sla: fee("3.00", "6.00"), want: "the carrier charges 3.00 AUD for the restoration SLA (one-time) instead of " +
				"0.00 AUD, 6.00 AUD for the restoration SLA (monthly) instead of 5.00 AUD",
		},
	} {
		result := carrier.PlanChangeResult{
			Plan: carrier.Plan{
				PlanFee: cmp.Or(row.plan, fee("0.00", "58.00")), NFASFee: cmp.Or(row.nfas, fee("200.00", "1.00")),
				NTDOptions: []carrier.NTDOption{{Option: "UPGRADE_1", Fee: cmp.Or(row.ntd, fee("99.00", "2.00"))}},
			},
			SLA: carrier.SLA{Fee: cmp.Or(row.sla, fee("0.00", "5.00"))},
		}
		if got := feeDifference(quoted, result); got != row.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := feeDifference(quoted, carrier.PlanChangeResult{}); got != "" {
		t.Errorf("nothing is mentioned: %q", got)
	}
}
