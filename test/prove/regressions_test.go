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

// regression is a fault plan that once found a bug in the operator or in the checks.
type regression struct {
	name      string
	operation v1alpha1.Operation
	managers  int
	faults    []Fault
}

// regressions returns all regressions.
func regressions() []regression {
	return slices.Concat(
		regressionsOfReadings(), regressionsOfResolutions(), regressionsOfLedgers(), regressionsOfCaches(),
		regressionsOfLateResponses(), regressionsOfTwoManagers())
}

// regressionsOfReadings are about readings that a manager had, or could not get.
func regressionsOfReadings() []regression {
	return []regression{
		// Two managers lead. One holds a reading from before a reclaim that the other carries out.
		// The old reading must not be recorded as news afterwards.
		{
			"an old reading does not outlive a reclaim", v1alpha1.OperationReclaim, 2,
			[]Fault{{What: "GET /api/", Nth: 1, Kind: Refused}, {What: "GET /api/", Nth: 2, Kind: Refused}},
		},
		// One manager holds a health reading from before a plan change that the other carries out. After
		// a restore without the status, that reading must not count as the carrier's current state: the
		// change would be bought a second time.
		{
			"an old health reading does not outlive a lost status", v1alpha1.OperationPlanChange, 2,
			[]Fault{{What: updateService, Nth: 2, Kind: Lost}, {What: updateService, Nth: 7, Kind: StatusLost}},
		},
		// The check whether the namespace is being deleted fails twice, and then the token expires.
		{
			"a deleted appointment is removed although its namespace cannot be read", v1alpha1.OperationAppointmentCancel, 1,
			[]Fault{{What: "read tenant", Nth: 1, Kind: Refused}, {What: "read tenant", Nth: 2, Kind: Refused}},
		},
	}
}

// regressionsOfResolutions are about resolutions and other annotations, and their timing.
func regressionsOfResolutions() []regression {
	return []regression{
		// A person resolves an attempt just before the operator writes that its outcome is unknown. A
		// write that has only seen the resolution must not count it as applied.
		{
			"a resolution during a write is applied", v1alpha1.OperationDiagnosticTest, 1,
			[]Fault{
				{What: "POST /api/", Nth: 1, Kind: Lost},
				{What: "update status *v1alpha1.DiagnosticTest", Nth: 3, Kind: Resolved},
			},
		},
		// A test's Location is lost for a day, and the status cannot be written once the resolution is in
		// the ledger. The next pass must show the effect of the resolution immediately.
		{
			"a resolution that only the ledger has is shown once", v1alpha1.OperationDiagnosticTest, 1,
			[]Fault{
				{What: "GET /api/", Nth: 2, Kind: Forgotten},
				{What: "update status *v1alpha1.DiagnosticTest", Nth: 5, Kind: Conflict},
			},
		},
		// The writes of a process's intent and then of its status are late, and another process has
		// meanwhile called the attempt unknown. The first process sends nothing, twice. The status that
		// still shows the first attempt does not mean that the ledger was lost.
		{
			"a late status does not mean a lost ledger", v1alpha1.OperationDiagnosticTest, 2,
			[]Fault{
				{What: "create *v1alpha1.RequestLedger diagnostics-", Nth: 1, Kind: Late},
				{What: "update status *v1alpha1.DiagnosticTest", Nth: 4, Kind: Conflict},
			},
		},
		// A process ends before it sends its request, and the carrier refuses to give the next process a
		// reading, so a person has to decide.
		{
			"a change whose plan cannot be read is sent once a person agrees", v1alpha1.OperationPlanChange, 1,
			[]Fault{
				{What: "create *v1alpha1.RequestLedger service-", Nth: 1, Kind: CrashAfter},
				{What: "GET /api/connect/services/health/requests", Nth: 7, Kind: Missing},
			},
		},
		// A person resolves an attempt before it is posted. Once its response is lost, that resolution
		// would count as the truth, although the carrier has accepted the request, and a second POST
		// would follow.
		{
			"a resolution of an attempt before it is posted does not count",
			v1alpha1.OperationAggregationConversion, 1,
			[]Fault{
				{What: "read default", Nth: 1, Kind: ResolvedEarly},
				{What: "POST /api/connect/services/aggregation-conversions/request", Nth: 1, Kind: CrashAfter},
			},
		},
		// A test's end is in the ledger, and the status could not be written. The retry request
		// that was set meanwhile must not count as used in the status alone.
		{
			"a retry request is shown as used only once the ledger has it", v1alpha1.OperationDiagnosticTest, 1,
			[]Fault{{What: "GET /api/", Nth: 4, Kind: RetryRequested}},
		},
	}
}

// regressionsOfCaches are about stale caches. In these plans a change needs approval, the account
// seems not ready for a moment, and after that the cache still shows the object as it was before.
// If the operator trusted the cache, nothing would seem to have changed, and the status would show
// for days that the account is not ready.
func regressionsOfCaches() []regression {
	const what = "a status that the cache has not shown yet is corrected"
	return []regression{
		{what, v1alpha1.OperationAggregationConversion, 1, []Fault{
			{At: 10, Kind: Lagging, Version: 3}, {At: 13, Kind: Lagging, Version: 7},
		}},
		{what + ", by two managers", v1alpha1.OperationAggregationConversion, 2, []Fault{
			{At: 18, Kind: Lagging}, {At: 21, Kind: Lagging, Version: 7},
		}},
	}
}

// regressionsOfLedgers are about ledgers that were written by a restore or a newer version.
func regressionsOfLedgers() []regression {
	return []regression{
		// A restore empties the ledger twice, the second time while a resolution is being recorded. The
		// pass that finds the ledger empty must not continue: it would order again.
		{
			"a ledger that is rolled back while a resolution is recorded is lost again", ordering, 1,
			[]Fault{
				{What: "update status *v1alpha1.ServiceOrder", Nth: 1, Kind: LedgerEmptied},
				{What: "update *v1alpha1.RequestLedger order-", Nth: 3, Kind: LedgerEmptied},
			},
		},
		// A restore empties the ledger while an order is posted: the late acceptance is known, but
		// whatever else was lost is not.
		{
			"a late acceptance does not count as what was lost", ordering, 1,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: LedgerEmptied}},
		},
		// A response is lost, and a restore shows an empty ledger with the same revision that was last
		// seen.
		{
			"another ledger with the same revision is lost", ordering, 1,
			[]Fault{
				{What: "POST /api/", Nth: 1, Kind: Lost},
				{What: "update *v1alpha1.RequestLedger order-", Nth: 1, Kind: LedgerEmptied},
			},
		},
		// A process that may not write the ledger must not retry endlessly to remove a deleted test.
		{
			"a deleted test waits for a process that can write its ledger", v1alpha1.OperationDiagnosticTest, 1,
			[]Fault{
				{What: "update *v1alpha1.RequestLedger diagnostics-", Nth: 1, Kind: LedgerNewer},
				{What: "read diagnostics-", Nth: 3, Kind: Deleted},
			},
		},
	}
}

// regressionsOfLateResponses are about responses that reach one manager after another has learned
// more.
func regressionsOfLateResponses() []regression {
	return []regression{
		// One manager is stopped while it posts, and the other finds that the request has
		// succeeded. The first one's result is too late.
		{
			"a late response does not undo an end", v1alpha1.OperationCancellationAbort, 2,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: Late}},
		},
		{
			"a late response does not undo what health has shown", v1alpha1.OperationPlanChange, 2,
			[]Fault{{What: planChange, Nth: 1, Kind: Late}},
		},
		{
			"a lost response does not undo an end", v1alpha1.OperationCancellationAbort, 2,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: LostLate}},
		},
		{
			"a lost response does not undo what health has shown", v1alpha1.OperationPlanChange, 2,
			[]Fault{{What: planChange, Nth: 1, Kind: LostLate}},
		},
		// The same as above, but the other manager has called for a person.
		{
			"a lost response does not undo an unknown outcome of an order", v1alpha1.OperationOrderCreate, 2,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: LostLate}},
		},
		{
			"a lost response does not undo an unknown outcome of a service", v1alpha1.OperationAggregationConversion, 2,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: LostLate}},
		},
		// The response to a poll is late, and the next poll gets a 422 before it arrives.
		{
			"a late result does not undo a failure", v1alpha1.OperationCancellationReschedule, 2,
			[]Fault{{What: "GET /api/", Nth: 4, Kind: Late}, {What: "GET /api/", Nth: 5, Kind: Invalid}},
		},
		// Both managers post a query. One gets its response only when the other already has its result.
		// That result stands.
		{
			"a late response to a query does not undo its result", v1alpha1.OperationPlanOptions, 2,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: LostLate}},
		},
		{
			"a late response to a query does not undo the slots", v1alpha1.OperationAppointmentSlots, 2,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: Late}},
		},
	}
}

// regressionsOfTwoManagers are about managers that know different things.
func regressionsOfTwoManagers() []regression {
	return []regression{
		// Two processes end with a recorded intent, and a person is asked twice.
		{
			"two unknown outcomes are both resolved", v1alpha1.OperationPlanChange, 1,
			[]Fault{{What: updateService, Nth: 2, Kind: CrashAfter}, {What: updateService, Nth: 7, Kind: CrashAfter}},
		},
		// A POST is refused, and while its sender records that, the other manager records the
		// outcome as unknown. The sender's result is the right one.
		{
			"a sender whose POST was refused overrides an unknown outcome", v1alpha1.OperationOrderCreate, 2,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: Denied}, {What: "read broadband-order", Nth: 2, Kind: Late}},
		},
		// The carrier forgets a request. One process has polled it without result for some time, and
		// reports the carrier as unavailable; the other has just started, and reports the request as in
		// progress. When each of them rechecked the status of the other, they overwrote each other every
		// minute.
		{
			"two managers that report a lost request differently do not overwrite each other",
			v1alpha1.OperationPlanChange, 2,
			[]Fault{
				{What: "GET /api/connect/services/plan-changes/requests", Nth: 4, Kind: Forgotten},
				{What: "read carrier-key", Nth: 21, Kind: CrashAfter},
			},
		},
		// The carrier forgets everything, including the health request of one process. The other process
		// already has the result of its own reading.
		{
			"two managers that poll a lost request do not overwrite each other over a reading",
			v1alpha1.OperationPlanChange, 2,
			[]Fault{
				{What: "GET /api/connect/services/health/requests", Nth: 4, Kind: Forgotten},
				{What: "GET /api/connect/services/plan-changes/requests", Nth: 30, Kind: Invalid},
			},
		},
	}
}

// TestRegressions runs the findings again.
func TestRegressions(t *testing.T) {
	t.Parallel()
	scheme := setUp(t)
	for _, regression := range regressions() {
		t.Run(regression.name, func(t *testing.T) {
			t.Parallel()
			for _, scenario := range Scenarios() {
				if scenario.Operation == regression.operation {
					plan := Plan{Scenario: scenario, Managers: regression.managers, Faults: slices.Clone(regression.faults)}
					expectNoViolation(t, plan, runPlan(t, scheme, plan, &Tally{}))
				}
			}
		})
	}
}

// expectNoViolation expects that a plan broke no invariant.
func expectNoViolation(t *testing.T, plan Plan, outcome Outcome) {
	t.Helper()
	if len(outcome.Violations) > 0 {
		t.Errorf("%s: %s", plan, outcome.Violations)
	}
}
