// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// updateService is a status update of a BroadbandService.
const updateService = "update status *v1alpha1.BroadbandService"

// planChange is the POST of a plan change. Two queries are posted before it.
const planChange = "POST /api/connect/services/plan-changes/request"

// finding is a fault plan that once found a bug in the operator or in the checks.
type finding struct {
	what     string
	asks     v1alpha1.Operation
	managers int
	faults   []Fault
}

// findings returns all of them.
func findings() []finding {
	return slices.Concat(
		findingsOfReadings(), findingsOfPeople(), findingsOfLedgers(), findingsOfCaches(),
		findingsOfLateResponses(), findingsOfTwoManagers())
}

// findingsOfReadings are about readings that a manager had, or could not get.
func findingsOfReadings() []finding {
	return []finding{
		// Two managers lead. One holds a reading from before a reclaim that the other carries out. It
		// must not be recorded as news afterwards.
		{
			"an old reading does not outlive a reclaim", v1alpha1.OperationReclaim, 2,
			[]Fault{{What: "GET /api/", Nth: 1, Kind: Refused}, {What: "GET /api/", Nth: 2, Kind: Refused}},
		},
		// One manager holds a health reading from before a plan change that the other carries out. After
		// a restore without the status it must not be taken for the carrier's current state: the change
		// would be bought a second time.
		{
			"an old health reading does not outlive a lost status", v1alpha1.OperationPlanChange, 2,
			[]Fault{{What: updateService, Nth: 2, Kind: Lost}, {What: updateService, Nth: 7, Kind: Restored}},
		},
		// The check whether the namespace is being deleted fails twice, and then the token expires.
		{
			"a deleted appointment goes although its namespace cannot be read", v1alpha1.OperationAppointmentCancel, 1,
			[]Fault{{What: "read tenant", Nth: 1, Kind: Refused}, {What: "read tenant", Nth: 2, Kind: Refused}},
		},
	}
}

// findingsOfPeople are about resolutions and other annotations, and their timing.
func findingsOfPeople() []finding {
	return []finding{
		// A person resolves an attempt just before the operator writes that its outcome is unknown. A
		// write that has only seen the resolution must not count it as applied.
		{
			"a word during a write is acted on", v1alpha1.OperationDiagnosticTest, 1,
			[]Fault{
				{What: "POST /api/", Nth: 1, Kind: Lost},
				{What: "update status *v1alpha1.DiagnosticTest", Nth: 3, Kind: Resolved},
			},
		},
		// A test's Location is lost for a day, and the status cannot be written once the resolution is in
		// the ledger. The next pass must show the effect of the resolution at once.
		{
			"a word that is in the ledger alone is shown once", v1alpha1.OperationDiagnosticTest, 1,
			[]Fault{
				{What: "GET /api/", Nth: 2, Kind: Forgotten},
				{What: "update status *v1alpha1.DiagnosticTest", Nth: 5, Kind: Conflict},
			},
		},
		// A process's intent and then its status are late, and another process has meanwhile called its
		// attempt unknown. It sends nothing, twice. The status that still shows the first attempt does
		// not mean that the ledger was lost.
		{
			"a status that comes late is no sign of a lost ledger", v1alpha1.OperationDiagnosticTest, 2,
			[]Fault{
				{What: "create *v1alpha1.RequestLedger diagnostics-", Nth: 1, Kind: Late},
				{What: "update status *v1alpha1.DiagnosticTest", Nth: 4, Kind: Conflict},
			},
		},
		// A process ends before it sends, and the carrier refuses a reading to the next: a person has to
		// decide.
		{
			"a change whose plan cannot be read is sent once a person agrees", v1alpha1.OperationPlanChange, 1,
			[]Fault{
				{What: "create *v1alpha1.RequestLedger service-", Nth: 1, Kind: CrashAfter},
				{What: "GET /api/connect/services/health/requests", Nth: 7, Kind: Missing},
			},
		},
		// A person resolves an attempt before it is posted. Once its response is lost, that resolution
		// would be taken for the truth: the carrier's acceptance, and a second POST.
		{
			"what is said of an attempt before it is posted is not taken for what became of it",
			v1alpha1.OperationAggregationConversion, 1,
			[]Fault{
				{What: "read default", Nth: 1, Kind: Early},
				{What: "POST /api/connect/services/aggregation-conversions/request", Nth: 1, Kind: CrashAfter},
			},
		},
		// A test's end is in the ledger, and the status could not be written. The retry request that was
		// set meanwhile must not count as used in the status alone.
		{
			"a retry that a test's ledger does not have is not shown as used up", v1alpha1.OperationDiagnosticTest, 1,
			[]Fault{{What: "GET /api/", Nth: 4, Kind: Retried}},
		},
	}
}

// findingsOfCaches are about stale caches. A change needs approval, the account seems not ready for
// a moment, and the cache shows the object as it was before: nothing seems to have changed, and the
// status would show for days that the account is not ready.
func findingsOfCaches() []finding {
	const what = "a status that the cache has not shown yet is put right"
	return []finding{
		{what, v1alpha1.OperationAggregationConversion, 1, []Fault{
			{At: 10, Kind: Lagging, Version: 3}, {At: 13, Kind: Lagging, Version: 7},
		}},
		{what + ", by two managers", v1alpha1.OperationAggregationConversion, 2, []Fault{
			{At: 18, Kind: Lagging}, {At: 21, Kind: Lagging, Version: 7},
		}},
	}
}

// findingsOfLedgers are about ledgers that were written by a restore or a newer version.
func findingsOfLedgers() []finding {
	return []finding{
		// A restore empties the ledger twice. The second time a resolution is being recorded. The pass
		// that finds the ledger empty must not continue: it would order again.
		{
			"a ledger that goes back while a word is recorded is lost again", ordering, 1,
			[]Fault{
				{What: "update status *v1alpha1.ServiceOrder", Nth: 1, Kind: Emptied},
				{What: "update *v1alpha1.RequestLedger order-", Nth: 3, Kind: Emptied},
			},
		},
		// A restore empties the ledger while an order is posted: the late acceptance is known, but
		// whatever else was lost is not.
		{
			"a late acceptance is not taken for what was lost", ordering, 1,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: Emptied}},
		},
		// A response is lost, and a restore shows an empty ledger with the same revision that was last
		// seen.
		{
			"another ledger of the revision that was seen is lost", ordering, 1,
			[]Fault{
				{What: "POST /api/", Nth: 1, Kind: Lost},
				{What: "update *v1alpha1.RequestLedger order-", Nth: 1, Kind: Emptied},
			},
		},
		// A process that may not write the ledger must not retry endlessly until the deleted test can go.
		{
			"a deleted test waits for a process that can write its ledger", v1alpha1.OperationDiagnosticTest, 1,
			[]Fault{
				{What: "update *v1alpha1.RequestLedger diagnostics-", Nth: 1, Kind: Outdated},
				{What: "read diagnostics-", Nth: 3, Kind: Deleted},
			},
		},
	}
}

// findingsOfLateResponses are about responses that reach one manager after another has learned
// more.
func findingsOfLateResponses() []finding {
	return []finding{
		// One manager is stopped while it posts, and the other finds that the request has succeeded. The
		// first one's result comes too late.
		{
			"a late answer does not undo an end", v1alpha1.OperationCancellationAbort, 2,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: Late}},
		},
		{
			"a late answer does not undo what health has shown", v1alpha1.OperationPlanChange, 2,
			[]Fault{{What: planChange, Nth: 1, Kind: Late}},
		},
		{
			"a lost answer does not undo an end", v1alpha1.OperationCancellationAbort, 2,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: LostLate}},
		},
		{
			"a lost answer does not undo what health has shown", v1alpha1.OperationPlanChange, 2,
			[]Fault{{What: planChange, Nth: 1, Kind: LostLate}},
		},
		// The same, and the other manager has called for a person.
		{
			"a lost answer does not undo an alarm about an order", v1alpha1.OperationOrderCreate, 2,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: LostLate}},
		},
		{
			"a lost answer does not undo an alarm about a service", v1alpha1.OperationAggregationConversion, 2,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: LostLate}},
		},
		// A poll is answered late, and the next one in between with 422.
		{
			"a late result does not undo a failure", v1alpha1.OperationCancellationReschedule, 2,
			[]Fault{{What: "GET /api/", Nth: 4, Kind: Late}, {What: "GET /api/", Nth: 5, Kind: Invalid}},
		},
		// Both managers post a query. One gets its response only when the other has its result, which
		// stands.
		{
			"a late question does not undo an answer", v1alpha1.OperationPlanOptions, 2,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: LostLate}},
		},
		{
			"a late question does not undo the slots", v1alpha1.OperationAppointmentSlots, 2,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: Late}},
		},
	}
}

// findingsOfTwoManagers are about managers that know different things.
func findingsOfTwoManagers() []finding {
	return []finding{
		// Two processes end with a recorded intent, and a person is called twice.
		{
			"two alarms are both resolved", v1alpha1.OperationPlanChange, 1,
			[]Fault{{What: updateService, Nth: 2, Kind: CrashAfter}, {What: updateService, Nth: 7, Kind: CrashAfter}},
		},
		// A POST is refused, and while its sender records that, the other manager calls the outcome
		// unknown. The sender's result is the right one.
		{
			"a sender that was turned away knows better than an alarm", v1alpha1.OperationOrderCreate, 2,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: Denied}, {What: "read broadband-order", Nth: 2, Kind: Late}},
		},
		// The carrier forgets a request. One process has polled it in vain for some time, and reports the
		// carrier as unavailable; the other has just started, and reports it in progress. When each
		// doubted the other's status, they overwrote each other every minute.
		{
			"two that call a lost request by other names do not write against each other",
			v1alpha1.OperationPlanChange, 2,
			[]Fault{
				{What: "GET /api/connect/services/plan-changes/requests", Nth: 4, Kind: Forgotten},
				{What: "read carrier-key", Nth: 21, Kind: CrashAfter},
			},
		},
		// The carrier forgets everything, also the health request of one process. The other has its
		// reading.
		{
			"two that follow a lost request do not write against each other over a reading that one lacks",
			v1alpha1.OperationPlanChange, 2,
			[]Fault{
				{What: "GET /api/connect/services/health/requests", Nth: 4, Kind: Forgotten},
				{What: "GET /api/connect/services/plan-changes/requests", Nth: 30, Kind: Invalid},
			},
		},
	}
}

// TestFound runs the findings again.
func TestFound(t *testing.T) {
	t.Parallel()
	scheme := stage(t)
	for _, found := range findings() {
		t.Run(found.what, func(t *testing.T) {
			t.Parallel()
			for _, scenario := range Scenarios() {
				if scenario.Asks == found.asks {
					plan := Plan{Scenario: scenario, Managers: found.managers, Faults: slices.Clone(found.faults)}
					holds(t, plan, carryOut(t, scheme, plan, &Tally{}))
				}
			}
		})
	}
}

// holds expects that a plan broke no invariant.
func holds(t *testing.T, plan Plan, left Outcome) {
	t.Helper()
	if len(left.Broken) > 0 {
		t.Errorf("%s: %s", plan, left.Broken)
	}
}
