// SPDX-License-Identifier: Apache-2.0

package services

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// statedValue is a value that the result of a request states, and where the status has it.
type statedValue struct {
	decide.Stated

	known **v1alpha1.KnownValue
}

// statedValues returns the values that the result of an operation states (spec §2). A
// result that cannot be read states none. What was requested of a plan may have been lost with the
// ledger: the plan is then read again.
func statedValues(state *v1alpha1.CarrierState, request *v1alpha1.Request, body []byte) []statedValue {
	target := request.Target
	switch request.Operation { //nolint:exhaustive // the other results state no value
	case v1alpha1.OperationAggregationConversion:
		found, err := carrier.DecodeAggregationConversion(body)
		return ifReadable(err, statedValue{
			decide.Stated{What: nameOfAggregation, Asked: target.AggregationMethod, Shown: string(found.ConvertTo)},
			&state.AggregationMethod,
		})
	case v1alpha1.OperationDSLStabilityProfileChange:
		found, err := carrier.DecodeDSLStabilityProfileChange(body)
		shown := string(found.DSLStabilityProfile)
		return ifReadable(err, statedValue{
			decide.Stated{What: nameOfDSLProfile, Asked: target.DSLStabilityProfile, Shown: shown},
			&state.DSLStabilityProfile,
		})
	case v1alpha1.OperationPlanChange:
		found, err := carrier.DecodePlanChange(body)
		sla := statedValue{
			decide.Stated{What: decide.NameOfSLA, Asked: target.RestorationSLA, Shown: found.SLA.SLA}, &state.RestorationSLA,
		}
		if target.Plan == "" {
			return ifReadable(err, sla)
		}
		term := strconv.Itoa(int(target.Term))
		return ifReadable(err,
			statedValue{decide.Stated{What: nameOfPlan, Asked: target.Plan, Shown: found.Plan.Plan}, &state.Plan},
			statedValue{decide.Stated{What: nameOfTerm, Asked: term, Shown: decide.MonthsOf(found.Plan.Term)}, &state.Term}, sla)
	}
	return nil
}

func ifReadable(err error, values ...statedValue) []statedValue {
	if err != nil {
		return nil
	}
	return values
}

// recordStated records the values in the result of a request, and how values and charges differ
// from those requested and shown. If a value differs, the carrier's value is known. Another
// requested value that the result does not state is then unknown.
func recordStated(service *v1alpha1.BroadbandService, request *v1alpha1.Request, body []byte, now time.Time) {
	request.Warning = ""
	if found, err := carrier.DecodePlanChange(body); err == nil && request.Operation == v1alpha1.OperationPlanChange {
		request.Warning = feeDifference(request.Changes(), found)
	}
	state := carrierState(service)
	values := statedValues(state, request, body)
	stated := make([]decide.Stated, 0, len(values))
	for _, value := range values {
		stated = append(stated, value.Stated)
		if shown := decide.Bounded(value.Shown, decide.MaxNameText); shown != "" && !decide.SameName(shown, value.Asked) {
			*value.known = knownValue(shown, v1alpha1.SourceChangeResult, now)
		}
	}
	if !decide.CompareResult(request, stated) {
		return
	}
	forgetUnstated(values)
	if request.Operation == v1alpha1.OperationPlanChange && state.Term != nil {
		state.Term.Plan = cmp.Or(state.Plan.ValueOrEmpty(), request.Target.Plan)
	}
}

func forgetUnstated(values []statedValue) {
	for _, value := range values {
		if value.Asked != "" && value.Shown == "" {
			*value.known = nil
		}
	}
}

// feeDifference compares the charges in the carrier's result with those shown for approval; "" if
// they are equal or none were shown. Before the POST, priceIsUnconfirmed reads the price again.
func feeDifference(quoted []v1alpha1.Change, result carrier.PlanChangeResult) string {
	var d mismatches
	for _, i := range decide.PricedRows(quoted) {
		own := v1alpha1.Charge{OneTime: quoted[i].OneTime, Monthly: quoted[i].MonthlyAfter}
		if quoted[i].Field == decide.FieldSLA {
			d.add("the "+decide.NameOfSLA, own, decide.ChargeOf(result.SLA.Fee))
		} else {
			d.add("the plan", own, decide.ChargeOf(result.Plan.PlanFee))
			d.add("the NFAS commitment", shownCharge(quoted[i], quoted[i].NFAS), decide.ChargeOf(result.Plan.NFASFee))
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

func (d *mismatches) add(what string, shown, charged v1alpha1.Charge) {
	for _, amount := range []struct {
		how            string
		shown, charged *v1alpha1.Money
	}{{"one-time", shown.OneTime, charged.OneTime}, {"monthly", shown.Monthly, charged.Monthly}} {
		if amount.shown != nil && amount.charged != nil && *amount.shown != *amount.charged {
			*d = append(*d, fmt.Sprintf("%s for %s (%s) instead of %s", amount.charged, what, amount.how, amount.shown))
		}
	}
}

func (d *mismatches) ntd(c v1alpha1.Change, charged carrier.Plan) {
	shown, chosen := shownCharge(c, nil), ""
	if c.NTDOption != nil {
		shown, chosen = c.NTDOption.Charge, c.NTDOption.Option
	}
	if bought := quoteNTD(chosen, []carrier.Plan{charged}); bought != nil {
		d.add("the NTD option", shown, bought.Charge)
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
