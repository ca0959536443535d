// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"time"

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

// openPhase returns the label for the phase of an open request. While the outcome of an attempt is
// verified after a lost response, it stays Submitting (docs/design/0004), but it is not an attempt
// of which nothing is recorded but its intent.
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
