// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// accepted returns a chargeable POST that the carrier has accepted.
func accepted(attempt string, number int, plan string) *post {
	return &post{
		attempt: attempt, number: number, operation: v1alpha1.OperationPlanChange, class: carrier.ClassCharge,
		target: v1alpha1.RequestTarget{Plan: plan}, accepted: true,
	}
}

// TestASecondPurchaseNeedsAPermission checks that only what a person has allowed, or what nobody can
// know, excuses a request that the carrier has accepted twice.
func TestASecondPurchaseNeedsAPermission(t *testing.T) {
	t.Parallel()
	one, two, three := accepted("1", 10, "Fast"), accepted("2", 20, "Fast"), accepted("3", 30, "Fast")
	refused := accepted("0", 5, "Fast")
	refused.accepted = false
	for name, test := range map[string]struct {
		sent       []*post
		repeatable []string
		lostAt     int
		started    int
		violated   bool
	}{
		"once":                             {[]*post{refused, one}, nil, 0, 1, false},
		"twice":                            {[]*post{one, two}, nil, 0, 1, true},
		"two plans":                        {[]*post{one, accepted("2", 20, "Slow")}, nil, 0, 1, false},
		"the accepted one may be repeated": {[]*post{one, two}, []string{"1"}, 0, 1, false},
		"the refused one may be repeated":  {[]*post{refused, one, two}, []string{"0"}, 0, 1, true},
		"it may be repeated once":          {[]*post{one, two, three}, []string{"1"}, 0, 1, true},
		"the ledger is lost after it, and restart":  {[]*post{one, two}, nil, 15, 2, false},
		"the ledger is lost after it":               {[]*post{one, two}, nil, 15, 1, true},
		"the ledger is lost before it, and restart": {[]*post{one, two}, nil, 9, 2, true},
		"the ledger is lost after both":             {[]*post{one, two, three}, nil, 25, 2, true},
	} {
		r := &run{started: test.started, managers: make([]*process, 1)}
		w := newRecorder(r)
		r.recorder, w.sent, w.ledgerLostAt = w, test.sent, test.lostAt
		for _, attempt := range test.repeatable {
			w.repeatable[attempt] = true
		}
		if why := atMostOnce(w); (why != "") != test.violated {
			t.Errorf("%s: %q", name, why)
		}
	}
}

// TestDriftExcusesAPurchaseOnlyIfNobodyKnowsTheFirst checks that both the drift and the loss of what
// was known have to come after the first purchase.
func TestDriftExcusesAPurchaseOnlyIfNobodyKnowsTheFirst(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lostAt, forgedAt, driftedAt int // 0: never
		violated                    bool
	}{
		"the ledger is lost, then drift":        {12, 0, 15, false},
		"drift, then the ledger is lost":        {15, 0, 12, false},
		"the status is forged, then drift":      {0, 12, 15, false},
		"only drift":                            {0, 0, 15, true},
		"only a forged status":                  {0, 12, 0, true},
		"forged before the purchase, and drift": {0, 5, 15, true},
		"lost before the purchase, and drift":   {5, 0, 15, true},
		"forged, and drift before the purchase": {0, 12, 5, true},
	} {
		r := &run{started: 1, managers: make([]*process, 1)}
		w := newRecorder(r)
		r.recorder, w.sent, w.ledgerLostAt = w, []*post{accepted("1", 10, "Fast"), accepted("2", 20, "Fast")}, test.lostAt
		if test.forgedAt > 0 {
			w.firstAt[StatusForged] = test.forgedAt
		}
		if test.driftedAt > 0 {
			w.firstAt[DriftedElsewhere] = test.driftedAt
		}
		if why := atMostOnce(w); (why != "") != test.violated {
			t.Errorf("%s: %q", name, why)
		}
	}
}

// TestWhatCountsAsTheSamePurchaseInASimulation checks which facts make two accepted changes of a
// service different.
func TestWhatCountsAsTheSamePurchaseInASimulation(t *testing.T) {
	t.Parallel()
	earlier, between, later := accepted("1", 0, "Fast"), accepted("2", 0, "Slow"), accepted("3", 0, "Fast")
	line := &member{subject: &requestSubject{serviceID: lineID}}
	for name, test := range map[string]struct {
		given func(*simulationRecorder)
		same  bool
	}{
		"another plan is refused":                   {func(*simulationRecorder) {}, true},
		"a person resolves the earlier one falsely": {func(c *simulationRecorder) { c.resolvedFalsely["1"] = true }, false},
		"a person resolves the later one falsely":   {func(c *simulationRecorder) { c.resolvedFalsely["3"] = true }, true},
		"the carrier changes the plan":              {func(c *simulationRecorder) { c.planSets[later] = 1 }, false},
		"another plan is requested":                 {func(*simulationRecorder) { between.accepted = true }, false},
		"another plan fails": {func(*simulationRecorder) {
			between.accepted, between.endsInError = true, true
		}, true},
		"it fails": {func(*simulationRecorder) { earlier.endsInError = true }, true},
		"it fails, and somebody edits": {func(c *simulationRecorder) {
			earlier.endsInError = true
			c.attempts["3"].Generation = 2
		}, false},
		"somebody edits": {func(c *simulationRecorder) { c.attempts["3"].Generation = 2 }, true},
	} {
		*earlier, *between, *later = *accepted("1", 0, "Fast"), *accepted("2", 0, "Slow"), *accepted("3", 0, "Fast")
		between.accepted = false
		c := newSimulationRecorder(nil, false)
		for _, one := range []*post{earlier, between, later} {
			c.sent, c.memberOf[one], c.attempts[one.attempt] = append(c.sent, one), line, &attempt{}
		}
		test.given(c)
		if c.sameRequest(later, earlier) != test.same {
			t.Errorf("%s: the same is %t", name, !test.same)
		}
	}
}
