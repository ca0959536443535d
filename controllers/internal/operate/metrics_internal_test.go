// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/test/scrape"
)

func metered(t *testing.T, tape *tape) (*Protocol, *prometheus.Registry) {
	t.Helper()
	registry := prometheus.NewRegistry()
	metrics, err := NewMetrics(registry)
	if err != nil {
		t.Fatal(err)
	}
	protocol := tape.protocol("me")
	protocol.Metrics = metrics
	return protocol, registry
}

func TestR15LateAcceptancesAreCounted(t *testing.T) {
	t.Parallel()
	tape := newTape()
	protocol, registry := metered(t, tape)
	if err := sendBy(t.Context(), protocol, tape.overtaken()); err != nil {
		t.Fatal(err)
	}
	if seen := scrape.ValueOf(t, registry, "broadband_late_acceptances_total", v1alpha1.OperationPlanChange); seen != 1 {
		t.Errorf("counted are %v", seen)
	}
}

// A response that cannot be recorded is counted once, however often recording it is retried.
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
			subject.PutRequest(v1alpha1.Request{Operation: v1alpha1.OperationPlanChange, AttemptID: "a-1"})
			scope := tape.scope()
			scope.Subject, scope.Ledger = subject, &ledgerTape{tape: tape, subject: subject}
			protocol.Memory.Posting("a-1", tape.now)
			protocol.Memory.SetReceipt("a-1", receipt)
			for range 2 {
				if err := protocol.keepUnrecorded(t.Context(), scope, "a-1", errStep); err != nil {
					t.Fatal(err)
				}
			}
			seen := scrape.ValueOf(t, registry, "broadband_unrecorded_answers_total", v1alpha1.OperationPlanChange)
			if seen != 1 {
				t.Errorf("counted are %v", seen)
			}
		})
	}
}

func TestMetricsOfASecondManagerAreThoseOfTheFirst(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	for range 2 {
		metrics, err := NewMetrics(registry)
		if err != nil {
			t.Fatal(err)
		}
		metrics.countLate(carrier.PlanChange)
	}
	if seen := scrape.ValueOf(t, registry, "broadband_late_acceptances_total", v1alpha1.OperationPlanChange); seen != 2 {
		t.Errorf("counted are %v", seen)
	}
}
