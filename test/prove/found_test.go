// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// updateService is a write of the status of a BroadbandService.
const updateService = "update status *v1alpha1.BroadbandService"

// planChange is the POST of a plan change; two questions are posted before it.
const planChange = "POST /api/connect/services/plan-changes/request"

// finding is a plan that once found something wrong in the operator, or in what judges it.
type finding struct {
	what     string
	asks     v1alpha1.Operation
	managers int
	faults   []Fault
}

// findings are all of them.
func findings() []finding {
	return slices.Concat(
		findingsOfReadings(), findingsOfPeople(), findingsOfLedgers(), findingsOfCaches(),
		findingsOfLateResponses(), findingsOfTwoManagers())
}

// findingsOfReadings are of what a manager had read, or could not read.
func findingsOfReadings() []finding {
	return []finding{
		// Of two managers that both lead, one holds a reading from before a reclaim that the other brings
		// about. It must not be taken for news afterwards.
		{
			"an old reading does not outlive a reclaim", v1alpha1.OperationReclaim, 2,
			[]Fault{{What: "GET /api/", Nth: 1, Kind: Refused}, {What: "GET /api/", Nth: 2, Kind: Refused}},
		},
		// One holds a health reading from before a plan change that the other brings about. After a restore
		// without the status it must not be taken for what the carrier has now: the change would be bought
		// a second time.
		{
			"an old health reading does not outlive a lost status", v1alpha1.OperationPlanChange, 2,
			[]Fault{{What: updateService, Nth: 2, Kind: Lost}, {What: updateService, Nth: 7, Kind: Restored}},
		},
		// The look that tells whether the namespace is going fails twice, and then the token is over.
		{
			"a deleted appointment goes although its namespace cannot be read", v1alpha1.OperationAppointmentCancel, 1,
			[]Fault{{What: "read tenant", Nth: 1, Kind: Refused}, {What: "read tenant", Nth: 2, Kind: Refused}},
		},
	}
}

// findingsOfPeople are of what people said, and when.
func findingsOfPeople() []finding {
	return []finding{
		// A person resolves an attempt just before the operator writes that it is unknown. The word must not
		// count as acted on by a write that has only seen it.
		{
			"a word during a write is acted on", v1alpha1.OperationDiagnosticTest, 1,
			[]Fault{
				{What: "POST /api/", Nth: 1, Kind: Lost},
				{What: "update status *v1alpha1.DiagnosticTest", Nth: 3, Kind: Resolved},
			},
		},
		// A test's Location is lost for a day, and the status cannot be written when a person's word is in the
		// ledger. The next pass must show at once what the word has brought about.
		{
			"a word that is in the ledger alone is shown once", v1alpha1.OperationDiagnosticTest, 1,
			[]Fault{
				{What: "GET /api/", Nth: 2, Kind: Forgotten},
				{What: "update status *v1alpha1.DiagnosticTest", Nth: 5, Kind: Conflict},
			},
		},
		// A process's intent and then its status are late; another one has called its attempt unknown meanwhile. It
		// sends nothing, twice, and the status that still shows the first attempt is no sign of a lost ledger.
		{
			"a status that comes late is no sign of a lost ledger", v1alpha1.OperationDiagnosticTest, 2,
			[]Fault{
				{What: "create *v1alpha1.RequestLedger diagnostics-", Nth: 1, Kind: Late},
				{What: "update status *v1alpha1.DiagnosticTest", Nth: 4, Kind: Conflict},
			},
		},
		// A process ends before it sends, and the carrier refuses the next one a reading: a person is asked.
		{
			"a change whose plan cannot be read is sent once a person agrees", v1alpha1.OperationPlanChange, 1,
			[]Fault{
				{What: "create *v1alpha1.RequestLedger service-", Nth: 1, Kind: CrashAfter},
				{What: "GET /api/connect/services/health/requests", Nth: 7, Kind: Missing},
			},
		},
		// What a person says of an attempt before it is posted would be taken for the truth once its answer is
		// lost: the carrier's acceptance, and a second POST.
		{
			"what is said of an attempt before it is posted is not taken for what became of it",
			v1alpha1.OperationAggregationConversion, 1,
			[]Fault{
				{What: "read default", Nth: 1, Kind: Early},
				{What: "POST /api/connect/services/aggregation-conversions/request", Nth: 1, Kind: CrashAfter},
			},
		},
		// A test's end is in the ledger, and the status could not be written. The retry that was asked for
		// meanwhile must not count as used up in the status alone.
		{
			"a retry that a test's ledger does not have is not shown as used up", v1alpha1.OperationDiagnosticTest, 1,
			[]Fault{{What: "GET /api/", Nth: 4, Kind: Retried}},
		},
	}
}

// findingsOfCaches are of what the cache showed late. A change asks for approval, the account is taken
// for not ready for a moment, and the cache shows the object as it was before that: nothing seems to
// have changed, and the status would say for days that the account is not ready.
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

// findingsOfLedgers are of ledgers that a restore or a newer version has written.
func findingsOfLedgers() []finding {
	return []finding{
		// A restore empties the ledger twice. The second time a person's word is being recorded, and the pass
		// that finds it empty must not go on from there: it would order again.
		{
			"a ledger that goes back while a word is recorded is lost again", ordering, 1,
			[]Fault{
				{What: "update status *v1alpha1.ServiceOrder", Nth: 1, Kind: Emptied},
				{What: "update *v1alpha1.RequestLedger order-", Nth: 3, Kind: Emptied},
			},
		},
		// A restore empties the ledger while an order is posted: what was accepted late is known, and only what
		// else was lost is not.
		{
			"a late acceptance is not taken for what was lost", ordering, 1,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: Emptied}},
		},
		// A response is lost, and a restore shows an empty ledger of the very revision that was seen of it.
		{
			"another ledger of the revision that was seen is lost", ordering, 1,
			[]Fault{
				{What: "POST /api/", Nth: 1, Kind: Lost},
				{What: "update *v1alpha1.RequestLedger order-", Nth: 1, Kind: Emptied},
			},
		},
		// Who may not write the ledger must not try again and again, until the deleted test can go.
		{
			"a deleted test waits for whoever can write its ledger", v1alpha1.OperationDiagnosticTest, 1,
			[]Fault{
				{What: "update *v1alpha1.RequestLedger diagnostics-", Nth: 1, Kind: Outdated},
				{What: "read diagnostics-", Nth: 3, Kind: Deleted},
			},
		},
	}
}

// findingsOfLateResponses are of what one manager hears when another has found out more.
func findingsOfLateResponses() []finding {
	return []finding{
		// One is stopped while it posts, and the other finds out that the request has succeeded. What the
		// first one has to say comes too late.
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
		// The same, and the other one has called for a person.
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
		// A question is posted by both, and one hears so only when the other one has its answer. That one stands.
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

// findingsOfTwoManagers are of managers of which each knows something else.
func findingsOfTwoManagers() []finding {
	return []finding{
		// Two processes end with an intent on record, and a person is called twice.
		{
			"two alarms are both resolved", v1alpha1.OperationPlanChange, 1,
			[]Fault{{What: updateService, Nth: 2, Kind: CrashAfter}, {What: updateService, Nth: 7, Kind: CrashAfter}},
		},
		// A POST is turned away, and while its sender writes so down, the other one calls the outcome unknown.
		// The sender knows better.
		{
			"a sender that was turned away knows better than an alarm", v1alpha1.OperationOrderCreate, 2,
			[]Fault{{What: "POST /api/", Nth: 1, Kind: Denied}, {What: "read broadband-order", Nth: 2, Kind: Late}},
		},
		// The carrier forgets a request. One process has asked after it in vain for some time, and calls the
		// carrier unavailable; the other has just started, and calls it in progress. When each doubted every
		// word of the other, they wrote that against each other every minute.
		{
			"two that call a lost request by other names do not write against each other",
			v1alpha1.OperationPlanChange, 2,
			[]Fault{
				{What: "GET /api/connect/services/plan-changes/requests", Nth: 4, Kind: Forgotten},
				{What: "read carrier-key", Nth: 21, Kind: CrashAfter},
			},
		},
		// The carrier forgets everything, the health request of one process too. The other one has its reading.
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

// TestFound tells them again.
func TestFound(t *testing.T) {
	t.Parallel()
	scheme := stage(t)
	for _, found := range findings() {
		t.Run(found.what, func(t *testing.T) {
			t.Parallel()
			for _, story := range Stories() {
				if story.Asks == found.asks {
					plan := Plan{Story: story, Managers: found.managers, Faults: slices.Clone(found.faults)}
					holds(t, plan, carryOut(t, scheme, plan, &Tally{}))
				}
			}
		})
	}
}

// holds expects that nothing is broken in what is left of a plan.
func holds(t *testing.T, plan Plan, left Outcome) {
	t.Helper()
	if len(left.Broken) > 0 {
		t.Errorf("%s: %s", plan, left.Broken)
	}
}
