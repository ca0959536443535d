// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/metrics"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/scrape"
)

func metered(t *testing.T, tape *tape) (*Protocol, *prometheus.Registry) {
	t.Helper()
	registry := prometheus.NewRegistry()
	counts, err := metrics.New(registry)
	if err != nil {
		t.Fatal(err)
	}
	protocol := tape.protocol("me")
	protocol.Metrics = counts.Requests
	return protocol, registry
}

func TestR15LateAcceptancesAreCounted(t *testing.T) {
	t.Parallel()
	tape := newTape()
	protocol, registry := metered(t, tape)
	if err := sendBy(t.Context(), protocol, tape.overtaken(t.Context())); err != nil {
		t.Fatal(err)
	}
	if seen := scrape.ValueOf(t, registry, "broadband_late_acceptances_total", v1alpha1.OperationPlanChange); seen != 1 {
		t.Errorf("counted are %v", seen)
	}
}

// A response that cannot be recorded is counted once, however often recording it is retried, and is
// shown until it is recorded: as long as that, the process must not be restarted.
func TestR16ResponsesThatCannotBeRecordedAreCounted(t *testing.T) {
	t.Parallel()
	for name, receipt := range map[string]carrier.Receipt{
		"accepted": {
			Delivery: carrier.Accepted, Handle: carrier.Handle{Operation: carrier.PlanChange, Version: 8, ID: "77"},
		},
		"refused": {Delivery: carrier.Rejected, Err: &carrier.Error{Operation: carrier.PlanChange}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tape := newTape()
			protocol, registry := metered(t, tape)
			subject := tape.record.DeepCopy()
			open := v1alpha1.Request{
				Operation: v1alpha1.OperationPlanChange, AttemptID: "a-1", Phase: v1alpha1.PhaseSubmitting,
			}
			subject.Record().PutRequest(open)
			tape.recordIn(tape.ledgerOf(t.Context(), subject), open)
			scope := tape.scope()
			scope.Subject, scope.Ledger = subject, tape.ledgerOf(t.Context(), subject)
			protocol.Memory.Posting("a-1", tape.now)
			protocol.Memory.SetReceipt("a-1", receipt)
			fails := func() error { return protocol.keepUnrecorded(t.Context(), scope, "a-1", errStep) }
			succeeds := func() error { return protocol.RecordUnrecorded(t.Context()) }
			for _, record := range []func() error{fails, fails} {
				must(t, record())
				expectUnrecorded(t, registry, 1)
			}
			must(t, succeeds())
			expectUnrecorded(t, registry, 0)
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// expectUnrecorded compares how many responses are shown as not recorded; one was ever counted.
func expectUnrecorded(t *testing.T, registry *prometheus.Registry, held float64) {
	t.Helper()
	for name, want := range map[string]float64{
		"broadband_unrecorded_responses_total": 1, "broadband_responses_not_recorded": held,
	} {
		if seen := scrape.ValueOf(t, registry, name, v1alpha1.OperationPlanChange); seen != want {
			t.Errorf("%s is %v, want %v", name, seen, want)
		}
	}
}

// answering is a carrier with preset responses.
type answering struct {
	*tape

	receipt carrier.Receipt
	outcome carrier.Outcome
}

func (a *answering) Submit(context.Context, carrier.Operation, int, []byte) carrier.Receipt {
	return a.receipt
}

func (a *answering) Poll(context.Context, carrier.Handle) (carrier.Outcome, error) {
	return a.outcome, nil
}

// A response is counted by its outcome, once it is recorded.
func TestResponsesAreCountedByOutcome(t *testing.T) {
	t.Parallel()
	failure := &carrier.Error{Operation: carrier.PlanChange}
	for name, test := range map[string]struct {
		receipt carrier.Receipt
		want    map[string]float64
	}{
		"accepted, without a price": {
			carrier.Receipt{
				Delivery: carrier.Accepted, Handle: carrier.Handle{Operation: carrier.PlanChange, Version: 8, ID: "77"},
			},
			map[string]float64{
				`broadband_request_outcomes_total{operation="PlanChange",outcome="Accepted"}`: 1,
				`broadband_unpriced_requests_total{operation="PlanChange"}`:                   1,
			},
		},
		"lost": {
			carrier.Receipt{Delivery: carrier.Ambiguous, Err: failure},
			map[string]float64{`broadband_request_outcomes_total{operation="PlanChange",outcome="ResponseLost"}`: 1},
		},
		"throttled": {
			carrier.Receipt{Delivery: carrier.NotProcessed, Err: failure},
			map[string]float64{`broadband_request_outcomes_total{operation="PlanChange",outcome="NotProcessed"}`: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tape := newTape()
			protocol, registry := metered(t, tape)
			before, scope := scrape.PageOf(t, registry), tape.scope()
			scope.Carrier = &answering{tape: tape, receipt: test.receipt}
			if err := sendBy(t.Context(), protocol, scope); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, scrape.Grown(before, scrape.PageOf(t, registry))); diff != "" {
				t.Errorf("counted (-want +got):\n%s", diff)
			}
		})
	}
}

// The end of a request is counted with its polls, and with how late it was seen: at most the time
// since the previous poll, or the time since the notification.
func TestTheEndOfARequestIsCountedWithItsPolls(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		notified time.Duration // since the first poll; 0: no notification
		by       string
		late     float64 // in seconds
	}{
		"by a poll":                      {0, "poll", 10},
		"by a notification":              {7 * time.Second, "notification", 3},
		"long after an old notification": {-time.Second, "poll", 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tape := newTape()
			protocol, registry := metered(t, tape)
			request := v1alpha1.Request{
				Operation: v1alpha1.OperationPlanChange, AttemptID: "a-1", APIVersion: 8, Phase: v1alpha1.PhaseInProgress,
				Location: "/api/connect/services/plan-changes/requests/77", SubmittedAt: v1alpha1.WholeSeconds(tape.now),
			}
			tape.record.PutRequest(request)
			before, scope := scrape.PageOf(t, registry), tape.scope()
			calls := &answering{tape: tape, outcome: carrier.Outcome{State: carrier.Pending}}
			scope.Carrier = calls
			protocol.Memory.Recall(scope.Subject.GetUID(), []*v1alpha1.Request{&request}, tape.now)
			poll := func() {
				t.Helper()
				if _, err := protocol.Poll(t.Context(), scope, "a-1", func(*v1alpha1.Request, []byte) {}); err != nil {
					t.Fatal(err)
				}
			}
			tape.now = tape.now.Add(5 * time.Second)
			poll()
			if test.notified != 0 {
				at := tape.now.Add(test.notified)
				protocol.Memory.Change(scope.Subject.GetUID(), tape.now, func(memory *decide.Memory) { memory.NotifiedAt = at })
			}
			tape.now, calls.outcome.State = tape.now.Add(10*time.Second), carrier.Done
			poll()
			want := map[string]float64{
				`broadband_request_outcomes_total{operation="PlanChange",outcome="Succeeded"}`: 1,
				`broadband_request_polls_count{operation="PlanChange"}`:                        1,
				`broadband_request_polls_sum{operation="PlanChange"}`:                          2,
				`broadband_request_duration_seconds_count{operation="PlanChange"}`:             1,
				`broadband_request_duration_seconds_sum{operation="PlanChange"}`:               15,
				`broadband_request_end_noticed_seconds_count{by="` + test.by + `"}`:            1,
				`broadband_request_end_noticed_seconds_sum{by="` + test.by + `"}`:              test.late,
			}
			if diff := cmp.Diff(want, scrape.Grown(before, scrape.PageOf(t, registry))); diff != "" {
				t.Errorf("counted (-want +got):\n%s", diff)
			}
		})
	}
}
