// SPDX-License-Identifier: Apache-2.0

package services

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// The carrier may list the same plan and term for each of several access technologies.
func TestR8AnOfferListedTwiceHasAPriceOnlyIfBothAgree(t *testing.T) {
	t.Parallel()
	fee := decidetest.Fee
	gold := carrier.SLA{SLA: "Gold", Fee: fee("0.00", "5.00")}
	type edit func(first *carrier.PlanOptionsResult)
	for name, row := range map[string]struct {
		differs edit // the first of two offers; the second one is free
		asks    bool
	}{
		"both are the same": {func(*carrier.PlanOptionsResult) {}, false},
		"the plan": {func(o *carrier.PlanOptionsResult) {
			o.Plans[0].PlanFee = fee("0.00", "51.00")
		}, true},
		"the NFAS commitment, which the other does not have": {func(o *carrier.PlanOptionsResult) {
			o.Plans[0].NFASFee = fee("120.00", "0.00")
		}, true},
		"the NFAS commitment, without an amount": {func(o *carrier.PlanOptionsResult) {
			o.Plans[0].NFASFee = &carrier.Fee{}
		}, true},
		"the NTD option": {func(o *carrier.PlanOptionsResult) {
			o.Plans[0].NTDOptions = []carrier.NTDOption{{Option: "1_PORT", Fee: fee("99.00", "0.00")}}
		}, true},
		"the NTD option, which only one has": {func(o *carrier.PlanOptionsResult) {
			o.Plans[0].NTDOptions = nil
		}, true},
		"the NTD option, which one of them has twice": {func(o *carrier.PlanOptionsResult) {
			twice := []carrier.NTDOption{{Option: "1_PORT", Fee: fee("99.00", "0.00")}, o.Plans[0].NTDOptions[0]}
			o.Plans[0].NTDOptions = twice
		}, true},
		"the SLA": {func(o *carrier.PlanOptionsResult) {
			o.SLAs[1].Fee = fee("0.00", "7.00")
		}, true},
		"another plan": {func(o *carrier.PlanOptionsResult) {
			o.Plans[0].Plan, o.Plans[0].NFASFee = "Faster", fee("120.00", "0.00")
		}, false},
	} {
		offer := func() carrier.Plan {
			option := carrier.NTDOption{Option: "1_PORT", Fee: fee("0.00", "0.00")}
			return carrier.Plan{
				Plan: "Fast", Term: "12", PlanFee: fee("0.00", "50.00"), NTDOptions: []carrier.NTDOption{option},
			}
		}
		options := carrier.PlanOptionsResult{
			Plans: []carrier.Plan{offer(), offer(), {Plan: "Slow", Term: "12", PlanFee: fee("0.00", "60.00")}},
			SLAs:  []carrier.SLA{{SLA: "Silver", Fee: fee("0.00", "6.00")}, gold, gold},
		}
		row.differs(&options)
		want := withNTDOption(decide.DesiredChange{
			Operation: v1alpha1.OperationPlanChange,
			Target:    v1alpha1.RequestTarget{Plan: "Fast", Term: 12, NTDOption: "1_PORT"},
			Changes: []v1alpha1.Change{
				planChange(decide.FieldPlan, "Slow", "Fast"), planChange(decide.FieldSLA, "Silver", "Gold"),
			},
		})
		service := &v1alpha1.BroadbandService{}
		service.Status.Carrier = &v1alpha1.CarrierState{Plan: &v1alpha1.KnownValue{Value: "Slow"}}
		want.Changes = quote(&Input{Service: service}, want, options)
		if costsMoney(want) != row.asks {
			t.Errorf("%s: asks %t: %s", name, !row.asks, decide.DescribeChanges(want.Changes))
		}
	}
}
