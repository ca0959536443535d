// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// State counts, at each scrape, the objects in the caches of the manager that was set up last.
// Every manager counts, even on standby, so that no value is missing after a change of leader. The
// managers of one set of namespaces show the same values, so queries take their maximum.
type State struct {
	read atomic.Pointer[func() *Fleet]
}

// ReadWith makes scrapes count with a function. The function returns nil if it cannot count. Then
// only the metrics of the state are missing from the scrape.
func (s *State) ReadWith(read func() *Fleet) { s.read.Store(&read) }

// stateMetrics has the descriptions of the metrics of the state.
type stateMetrics struct {
	objects, stalled, ledgers, open, openAge, approvals, approvalsAge *prometheus.Desc
	drifted, withoutHolder, breakers, unanswered, tokenAge, withheld  *prometheus.Desc
}

func describe() stateMetrics {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return stateMetrics{
		objects: desc("broadband_objects",
			"Objects by kind, status and reason of Ready. An object without the condition has the reason None.",
			labelKind, "ready", "reason"),
		stalled: desc("broadband_objects_stalled", "Objects that a person has to act on, by kind.", labelKind),
		ledgers: desc("broadband_request_ledgers", "RequestLedgers of all namespaces."),
		open: desc("broadband_requests_open",
			"Requests in the status of objects that have not ended, by operation and phase.",
			labelOperation, labelPhase),
		openAge: desc("broadband_requests_open_oldest_age_seconds",
			"Time since the oldest open request was sent, or since its outcome became unknown, by operation and phase; "+
				"0 if there is none.",
			labelOperation, labelPhase),
		approvals: desc("broadband_approvals_waiting", "Objects that wait for an approval, by kind.", labelKind),
		approvalsAge: desc("broadband_approvals_waiting_oldest_age_seconds",
			"Time for which the oldest approval has been waiting, by kind; 0 if there is none.", labelKind),
		drifted: desc("broadband_services_drifted", "Services whose state the carrier changed after they were in sync."),
		withoutHolder: desc("broadband_requests_without_holder",
			"Open requests in RequestLedgers whose object is deleted, by operation.", labelOperation),
		breakers: desc("broadband_account_breakers",
			"Accounts that this manager uses, by breaker: open while chargeable requests are held back.", "state"),
		unanswered: desc("broadband_accounts_unanswered",
			"CarrierAccounts whose carrier does not answer: their condition Carrier is False."),
		tokenAge: desc("broadband_token_oldest_age_seconds",
			"Age of the oldest access token that this manager uses; 0 if it uses none."),
		withheld: desc("broadband_sending_withheld",
			"1 while this manager sends no requests, or no orders, by reason: a flag, or a missing acknowledgement.", "reason"),
	}
}

// Describe sends the descriptions of the metrics.
func (*State) Describe(into chan<- *prometheus.Desc) {
	d := describe()
	for _, one := range []*prometheus.Desc{
		d.objects, d.stalled, d.ledgers, d.open, d.openAge, d.approvals, d.approvalsAge, d.drifted, d.withoutHolder,
		d.breakers, d.unanswered, d.tokenAge, d.withheld,
	} {
		into <- one
	}
}

// Collect counts.
func (s *State) Collect(into chan<- prometheus.Metric) {
	read := s.read.Load()
	if read == nil {
		return
	}
	if fleet := (*read)(); fleet != nil {
		fleet.collect(gauges(into), describe())
	}
}

// gauges sends gauges.
type gauges chan<- prometheus.Metric

func (g gauges) set(what *prometheus.Desc, value float64, labels ...string) {
	g <- prometheus.MustNewConstMetric(what, prometheus.GaugeValue, value, labels...)
}

func (f *Fleet) collect(into gauges, d stateMetrics) {
	for shown, count := range f.objects {
		into.set(d.objects, float64(count), shown.kind, shown.ready, shown.reason)
	}
	for _, kind := range kinds() {
		into.set(d.stalled, float64(f.stalled[kind]), kind)
		into.set(d.approvals, float64(f.approvals[kind].count), kind)
		into.set(d.approvalsAge, f.approvals[kind].oldest.Seconds(), kind)
	}
	for _, operation := range operations() {
		for _, phase := range openPhases() {
			open := f.open[openState{v1alpha1.Operation(operation), phase}]
			into.set(d.open, float64(open.count), operation, phase)
			into.set(d.openAge, open.oldest.Seconds(), operation, phase)
		}
		if f.WithoutHolder != nil {
			into.set(d.withoutHolder, float64(f.WithoutHolder[v1alpha1.Operation(operation)]), operation)
		}
	}
	into.set(d.ledgers, float64(f.Ledgers))
	into.set(d.drifted, float64(f.drifted))
	into.set(d.unanswered, float64(f.unanswered))
	into.set(d.breakers, float64(f.OpenBreakers), "open")
	into.set(d.breakers, float64(f.Breakers-f.OpenBreakers), "closed")
	age := 0.0
	if !f.OldestToken.IsZero() {
		age = max(0, f.now.Sub(f.OldestToken)).Seconds()
	}
	into.set(d.tokenAge, age)
	for _, reason := range withheldReasons() {
		is := 0.0
		if reason == f.Withheld {
			is = 1
		}
		into.set(d.withheld, is, reason)
	}
}
