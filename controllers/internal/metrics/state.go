// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Fleet is what a scrape counts: the objects in a manager's caches, and the accounts in its memory.
type Fleet struct {
	Ledgers       int
	WithoutHolder map[v1alpha1.Operation]int // open requests whose object is deleted
	OpenBreakers  int                        // accounts whose chargeable requests are held back
	Breakers      int                        // accounts in use
	OldestToken   time.Time                  // when the oldest token in use was granted; zero: none is in use
	Withheld      string                     // why this manager sends nothing, or no order; "": it sends

	now        time.Time
	reasons    knownReasons
	objects    map[shownState]int
	stalled    map[string]int
	drifted    int
	unanswered int // accounts whose carrier does not answer
	open       map[openState]tally
	approvals  map[string]tally // by kind
}

// shownState is what the condition Ready of an object shows.
type shownState struct{ kind, ready, reason string }

// openState is the state of a request that has not ended.
type openState struct {
	operation v1alpha1.Operation
	phase     string // a value of the label phase
}

// tally counts, and keeps the greatest age.
type tally struct {
	count  int
	oldest time.Duration
}

func (t tally) with(age time.Duration) tally {
	return tally{count: t.count + 1, oldest: max(t.oldest, age, 0)}
}

// NewFleet returns an empty fleet at a time.
func NewFleet(now time.Time) *Fleet {
	return &Fleet{
		now: now, reasons: newKnownReasons(), objects: map[shownState]int{}, stalled: map[string]int{},
		open: map[openState]tally{}, approvals: map[string]tally{},
	}
}

// WithheldByFlag is the reason for a manager with --submit=false. The other reasons are those for
// which the marker waits.
const WithheldByFlag = "SubmitFlag"

// WithheldByPolicy is the reason for a manager whose admission policies are not in force.
const WithheldByPolicy = v1alpha1.ReasonPolicyMissing

func withheldReasons() []string {
	return []string{
		WithheldByFlag, WithheldByPolicy, string(v1alpha1.MarkerNewInstallation), string(v1alpha1.MarkerRecovery),
	}
}

// Object is an object of one of our kinds.
type Object interface {
	metav1.Object
	v1alpha1.Described
}

// requester is an object that has requests.
type requester interface {
	Record() v1alpha1.Record
}

// Add counts an object of a kind. It does not change the object, which may be the cache's own.
func (f *Fleet) Add(kind string, object Object) {
	conditions, _ := object.Describes()
	shown := shownState{kind, string(metav1.ConditionUnknown), reasonNone}
	for i := range *conditions {
		condition := &(*conditions)[i]
		if condition.Type == v1alpha1.ConditionReady {
			shown.ready, shown.reason = statusLabel(condition.Status), f.reasons.label(condition.Reason)
		}
		f.addCondition(kind, condition)
	}
	f.objects[shown]++
	if has, requests := object.(requester); requests {
		f.addOpen(has.Record().OpenRequests())
	}
}

// addCondition counts a condition, other than Ready, that an alert is about.
func (f *Fleet) addCondition(kind string, condition *metav1.Condition) {
	holds := condition.Status == metav1.ConditionTrue
	switch {
	case condition.Type == v1alpha1.ConditionCarrier && condition.Status == metav1.ConditionFalse:
		f.unanswered++
	case !holds:
	case condition.Type == v1alpha1.ConditionStalled:
		f.stalled[kind]++
	case condition.Type == v1alpha1.ConditionDrifted:
		f.drifted++
	case condition.Type == v1alpha1.ConditionApprovalRequired:
		f.approvals[kind] = f.approvals[kind].with(f.now.Sub(condition.LastTransitionTime.Time))
	}
}

// addOpen counts requests that have not ended. Their age counts from when they were sent, or from
// when their outcome became unknown.
func (f *Fleet) addOpen(open []*v1alpha1.Request) {
	for _, request := range open {
		since := request.SubmittedAt
		waits := request.Phase == v1alpha1.PhaseOutcomeUnknown || request.Phase == v1alpha1.PhaseLateAcceptance
		if waits && !request.FinishedAt.IsZero() {
			since = request.FinishedAt
		}
		age := f.now.Sub(since.Time)
		if since.IsZero() {
			age = 0
		}
		state := openState{request.Operation, openPhase(request)}
		f.open[state] = f.open[state].with(age)
	}
}

// openPhase returns the label for the phase of an open request. An attempt stays Submitting while
// its outcome is verified after a lost response (docs/design/0004), but has a different label from
// an attempt that has only an intent.
func openPhase(request *v1alpha1.Request) string {
	if request.Phase == v1alpha1.PhaseSubmitting && request.Error != nil {
		return responseLost
	}
	return string(request.Phase)
}

func statusLabel(status metav1.ConditionStatus) string {
	switch status {
	case metav1.ConditionTrue, metav1.ConditionFalse:
		return string(status)
	case metav1.ConditionUnknown:
	}
	return string(metav1.ConditionUnknown)
}

// State counts, at each scrape, the objects in the caches of the manager that was set up last.
// Every manager counts, even on standby, so that no value is missing after a change of leader. The
// managers of one set of namespaces show the same values, so queries take their maximum.
type State struct {
	read atomic.Pointer[func() *Fleet]
}

// ReadWith sets the function that counts at each scrape. If the function returns nil because it
// cannot count, only the metrics of the state are missing from the scrape.
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

// Collect counts the objects, and sends the counts.
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
	for kind := range Kinds() {
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
