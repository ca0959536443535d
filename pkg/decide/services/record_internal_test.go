// SPDX-License-Identifier: Apache-2.0

package services

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/internal/decidetest"
)

// Texts of the carrier are limited as the schema of the status is.
func TestTheTextsOfACancellationAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2000)
	at := carrier.Timestamp(long)
	var service v1alpha1.BroadbandService
	RecordCancellation(&service, carrier.Cancellation{
		Status: carrier.CancellationStatus(long), RequestDate: long, RequestedOn: at, CancelledOn: at, AbortedOn: at,
		ErrorDetail: long,
	}, decidetest.Start(), time.UTC)
	got := service.Status.Carrier.Cancellation
	lengths := []int{
		len(got.Status), len(got.RequestDate), len(got.RequestedOn), len(got.CancelledOn), len(got.AbortedOn),
		len(got.ErrorDetail),
	}
	if diff := cmp.Diff([]int{64, 64, 64, 64, 64, 1024}, lengths); diff != "" {
		t.Errorf("the lengths (-want +got):\n%s", diff)
	}
}

// "A 200 whose id or service id differs" belongs to another request. Fields may be missing.
func TestAResultBelongsToTheRequestThatItNames(t *testing.T) {
	t.Parallel()
	service := &v1alpha1.BroadbandService{Spec: v1alpha1.BroadbandServiceSpec{ServiceID: "7"}}
	request := &v1alpha1.Request{Location: "/api/connect/services/plan-changes/requests/1234"}
	for _, row := range []struct {
		id, serviceID int64
		ours          bool
	}{
		{1234, 7, true},
		{0, 7, true},
		{1234, 0, true},
		{0, 0, true},
		{234, 7, false},
		{12345, 7, false},
		{1234, 8, false},
		{0, 8, false},
		{1, 7, false},
		{-1, 7, false},
	} {
		result := carrier.RequestSummary{ID: row.id, ServiceID: row.serviceID}
		if got := MatchesTarget(service, request, result); got != row.ours {
			t.Errorf("request %d for service %d: ours %t", row.id, row.serviceID, got)
		}
	}
}

func TestDisruptionsAreListedWithTheActiveOnesFirst(t *testing.T) {
	t.Parallel()
	day := func(day string) carrier.Timestamp { return carrier.Timestamp("2026-03-" + day + "T09:00:00Z") }
	found := []carrier.Disruption{
		{WholesaleDisruptionID: "next", Status: carrier.DisruptionScheduled, MaintenanceStartAt: day("04")},
		{WholesaleDisruptionID: "older", Status: carrier.DisruptionActive, MaintenanceStartAt: day("01")},
		{WholesaleDisruptionID: "later", Status: carrier.DisruptionScheduled, MaintenanceStartAt: day("05")},
		{WholesaleDisruptionID: "newest", Status: carrier.DisruptionActive, MaintenanceStartAt: day("02")},
	}
	seen := countDisruptions(found)
	ids := make([]string, 0, len(seen.Items))
	for _, item := range seen.Items {
		ids = append(ids, item.ID)
	}
	if diff := cmp.Diff([]string{"newest", "older", "next", "later"}, ids); diff != "" || seen.Truncated {
		t.Errorf("the list, truncated %t (-want +got):\n%s", seen.Truncated, diff)
	}
	if seen.Active != 2 || seen.Scheduled != 2 || seen.Current.ID != "newest" || seen.Next.ID != "next" {
		t.Errorf("%+v", seen)
	}
}

func TestOnlyAnActiveDisruptionDisruptsAService(t *testing.T) {
	t.Parallel()
	for active, want := range map[int32]metav1.ConditionStatus{0: metav1.ConditionFalse, 1: metav1.ConditionTrue} {
		in := &Input{Service: &v1alpha1.BroadbandService{}}
		in.Service.Status.Disruptions = &v1alpha1.DisruptionStatus{Active: active, Scheduled: 1}
		if active > 0 {
			in.Service.Status.Disruptions.Current = &v1alpha1.Disruption{ID: "7"}
		}
		if aspect := disruptionAspect(in); aspect.Status != want {
			t.Errorf("%d active: %+v", active, aspect)
		}
	}
}

// The NTD option is sent with the plan and with an SLA alone.
func TestThePriceContainsTheChosenNTDOption(t *testing.T) {
	t.Parallel()
	fee := func(amount carrier.Number) *carrier.Fee {
		return &carrier.Fee{OneTimeCharge: &carrier.Money{Amount: amount, Currency: "AUD"}}
	}
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
		{[]string{decide.FieldPlan}, "UPGRADE_2", []string{"20.00"}},
		{[]string{decide.FieldPlan}, "", []string{""}},
		{[]string{decide.FieldPlan}, "UPGRADE_3", []string{""}},
		{[]string{decide.FieldSLA}, "UPGRADE_2", []string{"20.00"}},
		{[]string{decide.FieldPlan, decide.FieldTerm, decide.FieldSLA}, "UPGRADE_1", []string{"10.00", "", ""}},
	} {
		want := decide.DesiredChange{Target: v1alpha1.RequestTarget{Plan: "Fast", Term: 12, NTDOption: row.option}}
		for _, field := range row.fields {
			want.Changes = append(want.Changes, v1alpha1.Change{Field: field})
		}
		var got []string
		for _, change := range quote(in, want, carrier.PlanOptionsResult{Plans: offers}) {
			amount := ""
			if change.NTDOption != nil {
				amount = change.NTDOption.OneTime.Amount
			}
			got = append(got, amount)
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%q with option %q: it costs %q, want %q", row.fields, row.option, got, row.want)
		}
	}
}

// A declared value that the service had, by the carrier's word, has drifted if a later description
// shows another one.
func TestADescribedValueHasDriftedFromWhatWasAgreed(t *testing.T) {
	t.Parallel()
	const declared, other = "Fast", "Slow"
	known := func(value string, source v1alpha1.ValueSource, driftedFrom string) *v1alpha1.KnownValue {
		return &v1alpha1.KnownValue{
			Value: value, Source: source, DriftedFrom: driftedFrom, Since: metav1.NewTime(decidetest.Start()),
		}
	}
	const result, service = v1alpha1.SourceChangeResult, v1alpha1.SourceService
	in := &Input{}
	in.Now = decidetest.Start().Add(time.Hour)
	for name, row := range map[string]struct {
		held            *v1alpha1.KnownValue
		declared, shown string
		driftedFrom     string
	}{
		"changed by somebody else":     {known(declared, result, ""), declared, other, declared},
		"and again":                    {known("Medium", service, declared), declared, other, declared},
		"and back":                     {known(other, service, declared), declared, declared, ""},
		"never as declared":            {known("Medium", service, ""), declared, other, ""},
		"not declared":                 {known(declared, result, ""), "", other, ""},
		"only trusted to be":           {known(declared, v1alpha1.SourceDeclared, ""), declared, other, ""},
		"only named by health":         {known(declared, v1alpha1.SourceHealth, ""), declared, other, ""},
		"drifted from an earlier spec": {known("Medium", service, "Old"), declared, other, ""},
		"never known":                  {nil, declared, other, ""},
	} {
		value := &describedValue{
			declared: row.declared, shown: row.shown, held: &row.held, same: func(a, b string) bool { return a == b },
		}
		got := described(in, value, in.Now)
		if got.Value != row.shown || got.DriftedFrom != row.driftedFrom {
			t.Errorf("%s: %q, drifted from %q", name, got.Value, got.DriftedFrom)
		}
	}
}

// The price is read once more before a change is sent, so a difference is an exception.
func TestTheWarningNamesEachChargeThatDiffersFromItsQuote(t *testing.T) {
	t.Parallel()
	money := func(amount string) *v1alpha1.Money { return &v1alpha1.Money{Amount: amount, Currency: "AUD"} }
	fee := func(oneTime, monthly carrier.Number) *carrier.Fee {
		return &carrier.Fee{
			OneTimeCharge:          &carrier.Money{Amount: oneTime, Currency: "AUD"},
			MonthlyRecurringCharge: &carrier.Money{Amount: monthly, Currency: "AUD"},
		}
	}
	quoted := []v1alpha1.Change{
		{Field: decide.FieldPlan, OneTime: money("0.00"), MonthlyAfter: money("58.00")},
		{Field: decide.FieldSLA, OneTime: money("0.00"), MonthlyAfter: money("5.00")},
	}
	for name, row := range map[string]struct {
		plan, sla *carrier.Fee
		want      string
	}{
		"as quoted": {fee("0.00", "58.00"), fee("0.00", "5.00"), ""},
		"the plan": {
			fee("1.00", "59.00"), fee("0.00", "5.00"), "the carrier charges 1.00 AUD for the plan (one-time) instead of " +
				"0.00 AUD, 59.00 AUD for the plan (monthly) instead of 58.00 AUD",
		},
		"the SLA": {
			fee("0.00", "58.00"), fee("0.00", "6.00"),
			"the carrier charges 6.00 AUD for the restoration SLA (monthly) instead of 5.00 AUD",
		},
		"not mentioned": {nil, nil, ""},
	} {
		result := carrier.PlanChangeResult{Plan: carrier.Plan{PlanFee: row.plan}, SLA: carrier.SLA{Fee: row.sla}}
		if got := feeDifference(quoted, "", result); got != row.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
