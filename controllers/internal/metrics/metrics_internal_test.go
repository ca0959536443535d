// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/test/scrape"
)

// registered returns metrics and their registry. The state is that of an empty fleet.
func registered(t *testing.T) (*Metrics, *prometheus.Registry) {
	t.Helper()
	registry := prometheus.NewRegistry()
	counts, err := New(registry)
	if err != nil {
		t.Fatal(err)
	}
	counts.State.ReadWith(func() *Fleet {
		fleet := NewFleet(noon)
		fleet.WithoutHolder = make(map[v1alpha1.Operation]int)
		return fleet
	})
	return counts, registry
}

// exampleFleet has one object, so that every metric has a series.
func exampleFleet() *Fleet {
	fleet := NewFleet(noon)
	fleet.WithoutHolder = make(map[v1alpha1.Operation]int)
	fleet.Add("BroadbandService", &v1alpha1.BroadbandService{})
	return fleet
}

var noon = time.Date(2026, time.November, 24, 12, 0, 0, 0, time.UTC)

func TestTheMetricsFollowPrometheusNaming(t *testing.T) {
	t.Parallel()
	counts, registry := registered(t)
	counts.State.ReadWith(exampleFleet)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
}

// A counter that is missing until its first event would hide that event from increase().
func TestEveryCounterStartsAtZero(t *testing.T) {
	t.Parallel()
	_, registry := registered(t)
	page := scrape.PageOf(t, registry)
	for _, series := range []string{
		`broadband_request_outcomes_total{operation="OrderCreate",outcome="OutcomeUnknown"}`,
		`broadband_late_acceptances_total{operation="OrderCreate"}`,
		`broadband_unrecorded_responses_total{operation="OrderCreate"}`,
		`broadband_responses_not_recorded{operation="OrderCreate"}`,
		`broadband_committed_cost_total{charge="one_time",currency="AUD"}`,
		`broadband_unpriced_requests_total{operation="OrderCreate"}`,
		`broadband_carrier_calls_total{code="none",method="POST",operation="OrderCreate"}`,
		`broadband_carrier_calls_total{code="429",method="GET",operation="CancellationRead"}`,
		`broadband_token_exchanges_total{outcome="TokenRejected"}`,
		`broadband_notifications_total{event="unknown",response="refused"}`,
		`broadband_notifications_total{event="OrderRejected",response="postponed"}`,
		`broadband_requests_open{operation="OrderCreate",phase="LateAcceptance"}`,
		`broadband_approvals_waiting{kind="DiagnosticTest"}`,
		`broadband_requests_without_holder{operation="OrderCreate"}`,
	} {
		if value, there := page[series]; !there || value != 0 {
			t.Errorf("%s is %v, there: %t", series, value, there)
		}
	}
	if reclaim := `broadband_unpriced_requests_total{operation="Reclaim"}`; slices.Contains(
		slices.Collect(maps.Keys(page)), reclaim) {
		t.Errorf("%s: a reclaim is not chargeable", reclaim)
	}
}

// The series that exist at the start are all that there can be, except for reasons and currencies.
func TestTheNumberOfSeriesIsBounded(t *testing.T) {
	t.Parallel()
	counts, registry := registered(t)
	before := len(scrape.PageOf(t, registry))
	for status := range 1000 {
		counts.Carrier.Observer().Call(carrier.ObservedCall{
			Operation: string(carrier.Health), Method: http.MethodPost, Status: status,
		})
		counts.Notifications.Add(status, "")
		counts.Requests.Recorded("", v1alpha1.Request{
			Operation: v1alpha1.OperationPlanChange, Phase: v1alpha1.PhaseInProgress,
			Plan: []v1alpha1.Change{{
				Operation: v1alpha1.OperationPlanChange,
				OneTime:   &v1alpha1.Money{Amount: "1.00", Currency: currencyNo(status)},
			}},
		}, nil)
	}
	const charges = 3
	if more := len(scrape.PageOf(t, registry)) - before; more > charges*mostCurrencies {
		t.Errorf("%d series more after 1000 currencies", more)
	}
	t.Logf("%d series without objects", before)
}

// currencyNo returns a code of three capital letters.
func currencyNo(number int) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return "X" + string(letters[number/26%26]) + string(letters[number%26])
}

func TestMetricsOfASecondManagerAreThoseOfTheFirst(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	for range 2 {
		counts, err := New(registry)
		if err != nil {
			t.Fatal(err)
		}
		counts.Requests.Late(carrier.PlanChange)
		counts.State.ReadWith(func() *Fleet { return NewFleet(noon) })
	}
	if seen := scrape.ValueOf(t, registry, "broadband_late_acceptances_total", v1alpha1.OperationPlanChange); seen != 2 {
		t.Errorf("counted are %v", seen)
	}
	another := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "broadband_late_acceptances_total", Help: "Of another program.",
	})
	foreign := prometheus.NewRegistry()
	foreign.MustRegister(another)
	if _, err := New(foreign); err == nil {
		t.Error("a metric of that name, of another kind, is no error")
	}
}

// If the state cannot be counted, only its metrics are missing.
func TestR24AStateThatCannotBeCountedIsMissing(t *testing.T) {
	t.Parallel()
	counts, registry := registered(t)
	counts.State.ReadWith(func() *Fleet { return nil })
	page := scrape.PageOf(t, registry)
	if _, there := page[`broadband_services_drifted`]; there {
		t.Error("it is served without being counted")
	}
	if _, there := page[`broadband_late_acceptances_total{operation="OrderCreate"}`]; !there {
		t.Error("a counter is missing")
	}
}

func at(ago time.Duration) metav1.Time { return metav1.NewTime(noon.Add(-ago)) }

func conditions(pairs ...string) []metav1.Condition {
	all := make([]metav1.Condition, 0, len(pairs))
	for _, pair := range pairs {
		name, reason, _ := strings.Cut(pair, "=")
		status := metav1.ConditionTrue
		if name[0] == '-' {
			name, status = name[1:], metav1.ConditionFalse
		}
		all = append(all, metav1.Condition{
			Type: name, Status: status, Reason: reason, LastTransitionTime: at(time.Hour),
		})
	}
	return all
}

func TestObjectsAreCountedByWhatTheyShow(t *testing.T) {
	t.Parallel()
	fleet := NewFleet(noon)
	add := func(requests []v1alpha1.Request, shown ...string) {
		service := &v1alpha1.BroadbandService{}
		service.Status.Conditions, service.Status.Requests = conditions(shown...), requests
		fleet.Add("BroadbandService", service)
	}
	add(nil, "Ready=InSync")
	add(nil, "Ready=InSync", "Drifted=Drifted")
	add(nil, "-Ready=InventedByATenant", "Stalled=Conflict")
	add(nil)
	add(nil, "-Ready=AwaitingApproval", "ApprovalRequired=AwaitingApproval")
	plan, order := v1alpha1.OperationPlanChange, v1alpha1.OperationReclaim
	add([]v1alpha1.Request{
		{Operation: plan, Phase: v1alpha1.PhaseInProgress, SubmittedAt: at(30 * time.Second)},
		{Operation: order, Phase: v1alpha1.PhaseSucceeded, SubmittedAt: at(time.Hour)},
	})
	add([]v1alpha1.Request{{Operation: plan, Phase: v1alpha1.PhaseInProgress, SubmittedAt: at(-time.Hour)}})
	add([]v1alpha1.Request{{
		Operation: plan, Phase: v1alpha1.PhaseOutcomeUnknown, SubmittedAt: at(time.Hour), FinishedAt: at(time.Minute),
	}})
	for _, answers := range []metav1.ConditionStatus{"True", "False", "Unknown"} {
		account := &v1alpha1.CarrierAccount{}
		account.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionCarrier, Status: answers}}
		fleet.Add("CarrierAccount", account)
	}
	fleet.Ledgers, fleet.Breakers, fleet.OpenBreakers, fleet.OldestToken = 3, 2, 1, noon.Add(-time.Minute)

	counts, registry := registered(t)
	before := scrape.PageOf(t, registry)
	counts.State.ReadWith(func() *Fleet { return fleet })
	want := map[string]float64{
		`broadband_objects{kind="BroadbandService",ready="True",reason="InSync"}`:            2,
		`broadband_objects{kind="BroadbandService",ready="False",reason="Other"}`:            1,
		`broadband_objects{kind="BroadbandService",ready="False",reason="AwaitingApproval"}`: 1,
		`broadband_objects{kind="BroadbandService",ready="Unknown",reason="None"}`:           4,
		`broadband_objects{kind="CarrierAccount",ready="Unknown",reason="None"}`:             3,
		`broadband_objects_stalled{kind="BroadbandService"}`:                                 1,

		`broadband_accounts_unanswered`: 1,
		`broadband_services_drifted`:    1,
		`broadband_request_ledgers`:     3,

		`broadband_approvals_waiting{kind="BroadbandService"}`:                    1,
		`broadband_approvals_waiting_oldest_age_seconds{kind="BroadbandService"}`: 3600,

		`broadband_requests_open{operation="PlanChange",phase="InProgress"}`:                        2,
		`broadband_requests_open_oldest_age_seconds{operation="PlanChange",phase="InProgress"}`:     30,
		`broadband_requests_open{operation="PlanChange",phase="OutcomeUnknown"}`:                    1,
		`broadband_requests_open_oldest_age_seconds{operation="PlanChange",phase="OutcomeUnknown"}`: 60,

		`broadband_account_breakers{state="open"}`:   1,
		`broadband_account_breakers{state="closed"}`: 1,
		`broadband_token_oldest_age_seconds`:         60,
	}
	if diff := cmp.Diff(want, scrape.Grown(before, scrape.PageOf(t, registry))); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
}

func TestCallsAreCountedByStatus(t *testing.T) {
	t.Parallel()
	counts, registry := registered(t)
	for status, code := range map[int]string{
		0: "none", 201: "2xx", 307: "3xx", 422: "4xx", 429: "429", 503: "5xx", 999: "5xx",
	} {
		before := scrape.PageOf(t, registry)
		counts.Carrier.Observer().Call(carrier.ObservedCall{
			Operation: string(carrier.Health), Method: http.MethodPost, Status: status, Took: 2 * time.Second,
		})
		want := map[string]float64{
			`broadband_carrier_calls_total{code="` + code + `",method="POST",operation="Health"}`: 1,
			`broadband_carrier_call_duration_seconds_count{operation="Health"}`:                   1,
			`broadband_carrier_call_duration_seconds_sum{operation="Health"}`:                     2,
		}
		if diff := cmp.Diff(want, scrape.Grown(before, scrape.PageOf(t, registry))); diff != "" {
			t.Errorf("%d is counted (-want +got):\n%s", status, diff)
		}
	}
	before := scrape.PageOf(t, registry)
	counts.Carrier.Observer().Exchange(carrier.ObservedExchange{})
	counts.Carrier.Observer().Exchange(carrier.ObservedExchange{Failure: carrier.TokenRejected})
	counts.Carrier.Observer().Wait(carrier.CallPoll, time.Second)
	want := map[string]float64{
		`broadband_token_exchanges_total{outcome="Granted"}`:       1,
		`broadband_token_exchanges_total{outcome="TokenRejected"}`: 1,
		`broadband_rate_limit_wait_seconds_count{kind="Poll"}`:     1,
		`broadband_rate_limit_wait_seconds_sum{kind="Poll"}`:       1,
	}
	if diff := cmp.Diff(want, scrape.Grown(before, scrape.PageOf(t, registry))); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
}

// Without metrics, nothing is counted and nothing fails.
func TestNoMetricsAreNeeded(t *testing.T) {
	t.Parallel()
	var (
		requests      *Requests
		calls         *Carrier
		notifications *Notifications
	)
	requests.Late(carrier.PlanChange)
	requests.Unrecorded(v1alpha1.OperationPlanChange)
	requests.Posted(v1alpha1.Request{Repeats: 1}, carrier.Ambiguous)
	requests.Recorded("", v1alpha1.Request{Phase: v1alpha1.PhaseInProgress}, nil)
	requests.Noticed(v1alpha1.OperationPlanChange, Seen{}, noon)
	notifications.Add(http.StatusAccepted, carrier.EventPlanChanged)
	if observer := calls.Observer(); observer.Call != nil || observer.Exchange != nil || observer.Wait != nil {
		t.Error("calls are counted")
	}
}
