// SPDX-License-Identifier: Apache-2.0

package judge_test

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/test/source"
)

func money(amount string) *v1alpha1.Money { return &v1alpha1.Money{Amount: amount, Currency: "AUD"} }

func TestEveryStalledObjectNeedsAPersonOnce(t *testing.T) {
	t.Parallel()
	all := source.Reasons(t)
	if len(all) < 60 {
		t.Fatalf("%d reasons", len(all))
	}
	for _, reason := range all {
		service := &v1alpha1.BroadbandService{ObjectMeta: metav1.ObjectMeta{Generation: 3}}
		service.Status.ObservedGeneration = 3
		service.Status.Conditions = []metav1.Condition{
			{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: reason},
			{Type: v1alpha1.ConditionStalled, Status: metav1.ConditionTrue, Reason: reason},
		}
		needs := judge.NeedsOf(service)
		if len(needs) != 1 || !slices.Contains(judge.Actions(), needs[0].Action) {
			t.Errorf("%s: %+v", reason, needs)
		}
		service.Status.ObservedGeneration = 2
		if needs := judge.NeedsOf(service); len(needs) != 0 {
			t.Errorf("%s of an older manifest: %+v", reason, needs)
		}
	}
}

func TestAMissingAccountIsReportedForWhatWaitsForIt(t *testing.T) {
	t.Parallel()
	service := &v1alpha1.BroadbandService{ObjectMeta: metav1.ObjectMeta{Namespace: "sites", Name: "site"}}
	service.Spec.AccountRef.Name = "default"
	service.Status.Conditions = []metav1.Condition{
		{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonAccountNotReady},
		{Type: v1alpha1.ConditionReconciling, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAccountNotReady},
	}
	account := &v1alpha1.CarrierAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "sites", Name: "default"}}
	var with, without judge.Overview
	with.Add(account)
	with.Add(service)
	without.Add(service)
	with.Sort()
	without.Sort()
	if len(with.Needs) != 0 || len(without.Needs) != 1 {
		t.Fatalf("with the account %+v, without it %+v", with.Needs, without.Needs)
	}
}

func TestSumsAreOverWhatIsSoldOnce(t *testing.T) {
	t.Parallel()
	var sums judge.Sums
	sums.Add([]v1alpha1.Change{
		{
			Operation: v1alpha1.OperationPlanChange, Field: "plan.name", OneTime: money("10.00"),
			MonthlyBefore: money("45.00"), MonthlyAfter: money("58.50"),
			NFAS: &v1alpha1.Charge{OneTime: money("200.00"), Monthly: money("0.00")},
		},
		{Operation: v1alpha1.OperationPlanChange, Field: "plan.term"},
		{Operation: v1alpha1.OperationDSLStabilityProfileChange, Field: "dslStabilityProfile"},
		{Operation: v1alpha1.OperationAggregationConversion, Field: "aggregationMethod"},
	})
	want := "one-time 210.00 AUD, monthly 45.00 AUD → 58.50 AUD (+13.50 AUD) for 2 of 3 requests; 1 price unknown"
	if sums.String() != want {
		t.Fatal(sums.String())
	}
	if sums.Requests != 3 || !sums.Spends() {
		t.Fatalf("%+v", sums)
	}
}

// An amount that is not known is not zero: a request with one is in no sum, or it would read as a
// saving.
func TestAnUnknownPriceIsNoSaving(t *testing.T) {
	t.Parallel()
	rise := []v1alpha1.Change{{
		Operation: v1alpha1.OperationPlanChange, Field: "plan.name",
		OneTime: money("0.00"), MonthlyBefore: money("45.00"), MonthlyAfter: money("58.00"),
	}}
	unquoted := []v1alpha1.Change{{
		Operation: v1alpha1.OperationPlanChange, Field: "plan.name", OneTime: money("0.00"), MonthlyBefore: money("75.00"),
	}}
	var sums judge.Sums
	sums.Add(unquoted)
	if got := sums.String(); got != "1 price unknown" || len(sums.ByCurrency) > 0 {
		t.Errorf("%s: %+v", got, sums)
	}
	for range 6 {
		sums.Add(rise)
	}
	const want = "one-time 0.00 AUD, monthly 270.00 AUD → 348.00 AUD (+78.00 AUD) for 6 of 7 requests; 1 price unknown"
	if got := sums.String(); got != want || sums.Priced != 6 || sums.Unknown != 1 {
		t.Errorf("%s: %+v", got, sums)
	}
}

// What one request saves does not make another one free.
func TestARequestThatCostsSpendsWhateverAnotherSaves(t *testing.T) {
	t.Parallel()
	priced := func(oneTime, before, after string) []v1alpha1.Change {
		return []v1alpha1.Change{{
			Operation: v1alpha1.OperationPlanChange, Field: "plan.name",
			OneTime: money(oneTime), MonthlyBefore: money(before), MonthlyAfter: money(after),
		}}
	}
	saves := priced("-300.00", "58.00", "45.00")
	for _, test := range []struct {
		changes []v1alpha1.Change
		spends  bool
	}{
		{saves, false}, {priced("300.00", "1.00", "1.00"), true}, {priced("0.00", "45.00", "58.00"), true},
	} {
		var sums judge.Sums
		sums.Add(saves)
		sums.Add(test.changes)
		if sums.Spends() != test.spends {
			t.Errorf("%s: it spends: %t", sums.String(), sums.Spends())
		}
	}
}

func TestNothingIsApprovedBeyondALimitOrWithoutAPrice(t *testing.T) {
	t.Parallel()
	sumsOf := func(objects ...v1alpha1.Change) *judge.Sums {
		sums := &judge.Sums{}
		for _, change := range objects {
			sums.Add([]v1alpha1.Change{change})
		}
		return sums
	}
	change := v1alpha1.Change{
		Operation: v1alpha1.OperationPlanChange, Field: "plan.name", OneTime: money("10.00"), MonthlyBefore: money("1.00"),
		MonthlyAfter: money("3.00"),
	}
	withNFAS, withNTD, inDollars := change, change, change
	withNFAS.NFAS = &v1alpha1.Charge{OneTime: money("10.00")}
	withNTD.NTDOption = &v1alpha1.NTDOptionCharge{Option: "1_PORT"}
	credit := change
	credit.OneTime, credit.MonthlyBefore = money("-300.00"), money("100.00")
	inDollars.MonthlyAfter = &v1alpha1.Money{Amount: "3.00", Currency: "USD"}
	reclaim := v1alpha1.Change{Operation: v1alpha1.OperationReclaim, Field: "disconnection"}
	priced, unpriced := sumsOf(change), sumsOf(reclaim)
	unlimited := judge.Limits{OneTime: -1, Monthly: -1, Changes: -1}
	onceAtMost := judge.Limits{OneTime: 100_000, Monthly: -1, Changes: -1}
	for _, test := range []struct {
		sums    *judge.Sums
		limits  judge.Limits
		exceeds bool
	}{
		{priced, unlimited, false},
		{priced, judge.Limits{OneTime: 1000, Monthly: 200, Changes: 1}, false},
		{priced, judge.Limits{OneTime: 999, Monthly: -1, Changes: -1}, true},
		{priced, judge.Limits{OneTime: -1, Monthly: 199, Changes: -1}, true},
		{sumsOf(change, credit), judge.Limits{OneTime: 999, Monthly: -1, Changes: -1}, true},
		{sumsOf(change, credit), judge.Limits{OneTime: 1000, Monthly: 0, Changes: -1}, false},
		{priced, judge.Limits{OneTime: -1, Monthly: -1, Changes: 0}, true},
		{unpriced, unlimited, false},
		{unpriced, onceAtMost, true},
		{sumsOf(withNFAS), unlimited, false},
		{sumsOf(withNFAS), onceAtMost, true},
		{sumsOf(withNTD), onceAtMost, true},
		{sumsOf(inDollars), onceAtMost, true},
	} {
		if why := test.limits.Exceeded(test.sums); (why != "") != test.exceeds {
			t.Errorf("%+v, %+v: %q", test.sums, test.limits, why)
		}
	}
}

func TestAnOutcomeIsWrittenAsTheAnnotationTakesIt(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"Accepted=998877": "Accepted:998877", "Accepted:998877": "Accepted:998877", "NotAccepted": "NotAccepted",
		"Succeeded": "Succeeded", "Abandoned": "Abandoned", "Accepted": "", "Accepted=": "", "succeeded": "", "": "",
		"Succeeded=1": "",
	} {
		if outcome, err := judge.ParseOutcome(typed); outcome != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", typed, outcome, err)
		}
	}
}

func TestRedactedTextsAreRemovedEverywhere(t *testing.T) {
	t.Parallel()
	object := map[string]any{
		"spec":   map[string]any{"contact": map[string]any{"name": "Jo Person", "phone": "0400"}, "planName": "Home"},
		"status": map[string]any{"list": []any{map[string]any{"message": "called Jo Person"}}, "address": "1 Street"},
	}
	removed := judge.Redact(object)
	text := judge.Scrub("the carrier called Jo Person at 1 Street", removed)
	if text != "the carrier called REDACTED at REDACTED" {
		t.Fatal(text, removed)
	}
}
