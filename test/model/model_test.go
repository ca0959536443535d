// SPDX-License-Identifier: Apache-2.0

package model

import (
	"os"
	"testing"
)

// scopes are what TestModel tries: each has room for more of one thing, because everything at once
// has too many states. Their sizes are chosen so that all of them take half a minute of CPU time.
var scopes = []struct {
	name   string
	bounds bounds
	large  bool // half of all states: tried with TEST_ALL
}{
	{name: "one object, crashes and resolutions", bounds: bounds{
		class: classNever, attempts: 2, wants: [objects]uint8{1},
		left: budget{resolutions: 2, pauses: 2, crashes: 2, stops: 1, lostWrites: 1},
	}},
	{name: "an order, three attempts", bounds: bounds{
		class: classOrder, attempts: 3, wants: [objects]uint8{1},
		left: budget{resolutions: 2, pauses: 2, crashes: 1, stops: 1},
	}},
	{name: "a value that can be read", bounds: bounds{
		class: classCharge, attempts: 2, wants: [objects]uint8{1},
		left: budget{resolutions: 1, pauses: 1, crashes: 1, losses: 1},
	}},
	{name: "two objects that want different values", bounds: bounds{
		class: classNever, attempts: 3, wants: [objects]uint8{1, 2},
		left: budget{resolutions: 1, pauses: 1, crashes: 1},
	}},
	{name: "objects edited, deleted and created", bounds: bounds{
		class: classNever, attempts: 3, wants: [objects]uint8{1}, responses: 2,
		left: budget{edits: 2},
	}},
	{name: "an object edited, and resolutions", bounds: bounds{
		class: classNever, attempts: 3, wants: [objects]uint8{1}, responses: 2,
		left: budget{resolutions: 1, pauses: 1, edits: 1},
	}},
	{name: "the account closed and opened", bounds: bounds{
		class: classNever, attempts: 2, wants: [objects]uint8{1},
		left: budget{resolutions: 1, pauses: 1, closings: 2},
	}},
	{name: "two workers of one process", bounds: bounds{
		class: classNever, attempts: 3, wants: [objects]uint8{1, 1}, oneProcess: true,
		left: budget{resolutions: 1, pauses: 1, crashes: 1, lostWrites: 1},
	}},
	{name: "the ledger restored", bounds: bounds{
		class: classNever, attempts: 2, wants: [objects]uint8{1}, responses: 1,
		left: budget{crashes: 1, restores: 1},
	}, large: true},
	{name: "the ledger restored, three attempts", bounds: bounds{
		class: classNever, attempts: 3, wants: [objects]uint8{1}, responses: 1,
		left: budget{restores: 1},
	}, large: true},
	{name: "the ledger of an order restored, and a resolution", bounds: bounds{
		class: classOrder, attempts: 2, wants: [objects]uint8{1}, responses: 1,
		left: budget{resolutions: 1, restores: 1},
	}},
}

// TestModel tries every order of steps within the bounds and finds no broken promise.
func TestModel(t *testing.T) {
	t.Parallel()
	for _, scope := range scopes {
		if scope.large && os.Getenv("TEST_ALL") == "" {
			continue
		}
		t.Run(scope.name, func(t *testing.T) {
			t.Parallel()
			found := newModel(allRules, scope.bounds).check(properties)
			if found.violated != "" {
				t.Fatal(found)
			}
			t.Logf("%d states, %d transitions, depth %d; %+v",
				found.states, found.transitions, found.depth, scope.bounds)
		})
	}
}

// TestModelWithoutTheLedgerGateFindsADoublePurchase suspends a machine between its intent and
// its POST, so that its clock shows no time passing: only the gate's live GET of the ledger stops
// it.
func TestModelWithoutTheLedgerGateFindsADoublePurchase(t *testing.T) {
	t.Parallel()
	within := bounds{attempts: 2, wants: [objects]uint8{1}, left: budget{resolutions: 1, pauses: 1, stops: 1}}
	expectViolation(t, r12Ledger, within, neverSentTwice)
}

// TestModelNeedsEachRule leaves out one rule at a time, and expects its promise to break.
func TestModelNeedsEachRule(t *testing.T) {
	t.Parallel()
	for name, without := range map[string]struct {
		rule   rule
		within bounds
		breaks property
	}{
		"R1, the resourceVersion of the intent": {
			r1, bounds{attempts: 2, wants: [objects]uint8{1}}, neverSentTwice,
		},
		"R2, the live GET of the holder": {
			r2, bounds{attempts: 3, wants: [objects]uint8{1, 2}}, neverSentTwice,
		},
		"R3, a late acceptance blocks": {
			r3, bounds{attempts: 2, wants: [objects]uint8{1}, left: budget{resolutions: 1, pauses: 1}}, neverSentTwice,
		},
		"R5, a status that claims more, at the judgment and at the gate": {
			r5 | claimsAtGate,
			bounds{attempts: 2, wants: [objects]uint8{1}, responses: 1, left: budget{restores: 1}},
			neverSentTwice,
		},
		"R7, refresh before apply": {
			r7,
			bounds{class: classCharge, attempts: 2, wants: [objects]uint8{1}, left: budget{resolutions: 1}},
			shownValueIsNotBought,
		},
		"R12, the account": {
			r12Account, bounds{attempts: 1, wants: [objects]uint8{1}, left: budget{closings: 1}}, withdrawnIsNotSent,
		},
		"R12, the object": {
			r12Object, bounds{attempts: 1, wants: [objects]uint8{1}, left: budget{edits: 1}}, withdrawnIsNotSent,
		},
		"R13, the age": {
			r13, bounds{attempts: 2, wants: [objects]uint8{1}, left: budget{resolutions: 1, pauses: 1}}, neverSentTwice,
		},
		"R14, a person's resolution against the sender's fact": {
			r14, bounds{attempts: 2, wants: [objects]uint8{1}, left: budget{resolutions: 1, pauses: 1}}, resolutionStands,
		},
		"R15, the late acceptance": {
			r15, bounds{attempts: 2, wants: [objects]uint8{1}, left: budget{resolutions: 1, pauses: 1}}, acceptedIsNotLost,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expectViolation(t, without.rule, without.within, without.breaks)
		})
	}
}

// TestModelNeedsUnwrittenRules shows that these promises do not hold with the rules as
// they are written; each needs one sentence more.
func TestModelNeedsUnwrittenRules(t *testing.T) {
	t.Parallel()
	for name, without := range map[string]struct {
		rule   rule
		within bounds
		breaks property
	}{
		"another worker of the process is working on the attempt": {
			ownWorkers, bounds{attempts: 2, wants: [objects]uint8{1}, oneProcess: true}, neverSentTwice,
		},
		"an attempt for an older generation hides the resolution of the newer one": {
			outcomesHold, bounds{
				attempts: 3, wants: [objects]uint8{1}, responses: 2, left: budget{resolutions: 1, edits: 1},
			}, abandonedIsNotSentAgain,
		},
		"a later attempt hides the resolution of a late acceptance": {
			lateCounts, bounds{
				class: classOrder, attempts: 3, wants: [objects]uint8{1}, responses: 2, left: budget{resolutions: 2, pauses: 1},
			}, abandonedIsNotSentAgain,
		},
		"the ledger is restored before any status shows the attempt": {
			statusFirst, bounds{attempts: 2, wants: [objects]uint8{1}, responses: 1, left: budget{restores: 1}}, neverSentTwice,
		},
		"the status that claims more is not in the cache yet": {
			claimsAtGate, bounds{attempts: 2, wants: [objects]uint8{1}, responses: 1, left: budget{restores: 1}}, neverSentTwice,
		},
		"the restored ledger has grown past the status": {
			byAttempt, bounds{attempts: 3, wants: [objects]uint8{1}, responses: 1, left: budget{restores: 1}}, neverSentTwice,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expectViolation(t, without.rule, without.within, without.breaks)
		})
	}
}

// expectViolation checks a model without a rule, and expects that this promise breaks.
func expectViolation(t *testing.T, without rule, within bounds, breaks property) {
	t.Helper()
	found := newModel(allRules&^without, within).check([]property{breaks})
	if found.violated == "" {
		t.Fatalf("%d states, and it holds: %s", found.states, breaks.name)
	}
	t.Logf("%d states\n%v", found.states, found)
}

// TestModelIsNotVacuous checks that the subjects of the promises occur in the states.
func TestModelIsNotVacuous(t *testing.T) {
	t.Parallel()
	var seen [len(coverPoints)]bool
	for _, within := range []bounds{
		{attempts: 2, wants: [objects]uint8{1, 2}, left: budget{resolutions: 2, pauses: 1}},
		{attempts: 2, wants: [objects]uint8{1, 2}, responses: 1, left: budget{edits: 1}},
		{attempts: 1, wants: [objects]uint8{1}, responses: 1, left: budget{restores: 1}},
	} {
		found := newModel(allRules, within).check(properties)
		for i := range seen {
			seen[i] = seen[i] || found.covered[i]
		}
	}
	for i, point := range coverPoints {
		if !seen[i] {
			t.Errorf("in no state: %s", point.name)
		}
	}
}
