// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/test/scrape"
)

func aud(amount string) *v1alpha1.Money { return &v1alpha1.Money{Amount: amount, Currency: "AUD"} }

const (
	once     = `broadband_committed_cost_total{charge="one_time",currency="AUD"}`
	more     = `broadband_committed_cost_total{charge="monthly_increase",currency="AUD"}`
	less     = `broadband_committed_cost_total{charge="monthly_decrease",currency="AUD"}`
	unpriced = `broadband_unpriced_requests_total{operation="PlanChange"}`
	noPrice  = `broadband_unpriced_requests_total{operation="OrderCreate"}`
)

func TestMoneyIsCountedWhenTheCarrierAccepts(t *testing.T) {
	t.Parallel()
	change := func(change v1alpha1.Change) []v1alpha1.Change {
		change.Operation = v1alpha1.OperationPlanChange
		other := v1alpha1.Change{Operation: v1alpha1.OperationReclaim, OneTime: aud("999.00"), MonthlyAfter: aud("1.00")}
		term := v1alpha1.Change{Operation: v1alpha1.OperationPlanChange, Field: "plan.term", To: "24"}
		return []v1alpha1.Change{other, change, term}
	}
	plan, order := v1alpha1.OperationPlanChange, v1alpha1.OperationOrderCreate
	for name, test := range map[string]struct {
		request v1alpha1.Request
		fees    *v1alpha1.OrderFees
		want    map[string]float64
	}{
		"a dearer plan": {
			v1alpha1.Request{Operation: plan, Plan: change(v1alpha1.Change{
				OneTime: aud("22.50"), MonthlyBefore: aud("45.00"), MonthlyAfter: aud("58.00"),
			})}, nil, map[string]float64{once: 22.5, more: 13},
		},
		"a cheaper plan with an NFAS fee and an NTD option": {
			v1alpha1.Request{Operation: plan, Plan: change(v1alpha1.Change{
				OneTime: aud("0.00"), MonthlyBefore: aud("45.00"), MonthlyAfter: aud("30.00"),
				NFAS: &v1alpha1.Charge{OneTime: aud("10.00"), Monthly: aud("1.00")},
				NTDOption: &v1alpha1.NTDOptionCharge{
					Option: "1_PORT", Charge: v1alpha1.Charge{OneTime: aud("5.00"), Monthly: aud("2.00")},
				},
			})}, nil, map[string]float64{once: 15, less: 12},
		},
		"a credit": {
			v1alpha1.Request{Operation: plan, Plan: change(v1alpha1.Change{
				OneTime: aud("-5.00"), MonthlyBefore: aud("45.00"), MonthlyAfter: aud("45.00"),
			})}, nil, map[string]float64{},
		},
		"an unknown monthly fee": {
			v1alpha1.Request{Operation: plan, Plan: change(v1alpha1.Change{OneTime: aud("5.00")})},
			nil,
			map[string]float64{unpriced: 1},
		},
		"an SLA of unknown price": {
			v1alpha1.Request{Operation: plan, Plan: append(change(v1alpha1.Change{
				OneTime: aud("5.00"), MonthlyBefore: aud("45.00"), MonthlyAfter: aud("45.00"),
			}), v1alpha1.Change{Operation: plan, Field: "restorationSLA", To: "Enhanced-8"})},
			nil,
			map[string]float64{unpriced: 1},
		},
		"no price": {v1alpha1.Request{Operation: plan}, nil, map[string]float64{unpriced: 1}},
		"an order": {
			v1alpha1.Request{Operation: order, Plan: []v1alpha1.Change{{
				Operation: order, Field: "fee", To: "NTD_INSTALLATION_FEE", OneTime: aud("99.00"), MonthlyAfter: aud("1.00"),
			}}},
			&v1alpha1.OrderFees{OneTime: aud("275.00"), Monthly: aud("58.00")},
			map[string]float64{once: 275, more: 58},
		},
		"an order with an unknown fee": {
			v1alpha1.Request{Operation: order},
			&v1alpha1.OrderFees{Monthly: aud("58.00")},
			map[string]float64{noPrice: 1},
		},
		"a request that costs nothing": {
			v1alpha1.Request{Operation: v1alpha1.OperationDSLStabilityProfileChange}, nil, map[string]float64{},
		},
		"a currency that is no code": {
			v1alpha1.Request{Operation: plan, Plan: change(v1alpha1.Change{
				OneTime:       &v1alpha1.Money{Amount: "5.00", Currency: `"},x{`},
				MonthlyBefore: &v1alpha1.Money{Amount: "5.00", Currency: `"},x{`},
				MonthlyAfter:  &v1alpha1.Money{Amount: "5.00", Currency: `"},x{`},
			})}, nil, map[string]float64{`broadband_committed_cost_total{charge="one_time",currency="other"}`: 5},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			counts, registry := registered(t)
			before := scrape.PageOf(t, registry)
			counts.Requests.spending.commit(test.request, test.fees)
			if diff := cmp.Diff(test.want, scrape.Grown(before, scrape.PageOf(t, registry))); diff != "" {
				t.Errorf("counted (-want +got):\n%s", diff)
			}
		})
	}
}

// Each acceptance is counted once, whichever way it becomes known.
func TestAnAcceptanceIsCountedOnce(t *testing.T) {
	t.Parallel()
	const accepted = `broadband_request_outcomes_total{operation="PlanChange",outcome="Accepted"}`
	for name, test := range map[string]struct {
		phases []v1alpha1.RequestPhase
		want   float64
	}{
		"polled":            {[]v1alpha1.RequestPhase{"Submitting", "InProgress", "Succeeded"}, 1},
		"proved by a read":  {[]v1alpha1.RequestPhase{"Submitting", "Succeeded"}, 1},
		"found by a person": {[]v1alpha1.RequestPhase{"Submitting", "OutcomeUnknown", "InProgress", "Failed"}, 1},
		"corrected by a person": {
			[]v1alpha1.RequestPhase{"Submitting", "OutcomeUnknown", "Succeeded", "InProgress", "Succeeded"}, 1,
		},
		"a repeated query": {[]v1alpha1.RequestPhase{"Submitting", "InProgress", "InProgress"}, 1},
		"refused":          {[]v1alpha1.RequestPhase{"Submitting", "Rejected"}, 0},
		"counted as late":  {[]v1alpha1.RequestPhase{"LateAcceptance", "Succeeded"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			counts, registry := registered(t)
			for i := range len(test.phases) - 1 {
				counts.Requests.Recorded(test.phases[i], v1alpha1.Request{
					Operation: v1alpha1.OperationPlanChange, Phase: test.phases[i+1],
				}, nil)
			}
			if seen := scrape.PageOf(t, registry)[accepted]; seen != test.want {
				t.Errorf("counted are %v acceptances", seen)
			}
		})
	}
}

func TestARepeatEndsTheAttemptBefore(t *testing.T) {
	t.Parallel()
	counts, registry := registered(t)
	before := scrape.PageOf(t, registry)
	counts.Requests.Posted(v1alpha1.Request{Operation: v1alpha1.OperationReclaim, Repeats: 1}, carrier.Ambiguous)
	want := map[string]float64{
		`broadband_request_outcomes_total{operation="Reclaim",outcome="Repeated"}`:     1,
		`broadband_request_outcomes_total{operation="Reclaim",outcome="ResponseLost"}`: 1,
	}
	if diff := cmp.Diff(want, scrape.Grown(before, scrape.PageOf(t, registry))); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
}
