// SPDX-License-Identifier: Apache-2.0

package model

import "slices"

// rule is a rule of the design that a check can leave out, to show what it is for.
type rule uint32

const (
	r1         rule = 1 << iota // R1: an intent is written with the resourceVersion that was judged
	r2                          // R2: a takeover checks the holder with a live GET
	r3                          // R3: a late acceptance blocks its lane
	r5                          // R5: a status that claims a higher revision than the ledger's is LedgerLost
	r6                          // R6: so is a revision below one that this process has seen
	r7                          // R7: a reading must be newer than the end of the newest modification
	r12Account                  // R12: the gate's live GET of the account
	r12Object                   // R12: of the object
	r12Ledger                   // R12: of the ledger
	r13                         // R13: less than 10 s since the intent was begun
	r14                         // R14: what a person ended is not changed by the sender's lesser facts
	r15                         // R15: an Accepted receipt becomes a late acceptance

	// Rules that are not in the design of November 2026 but that the check needs.
	ownWorkers   // an own attempt counts as never posted only if no worker of this process works on it
	outcomesHold // an ended attempt of a declaration counts for it, whatever was begun after it
	lateCounts   // a settled late acceptance counts, whatever was begun after it
	byAttempt    // a loss is also noticed if the newest attempt is not in the ledger
	statusFirst  // the status shows the intent before the POST
	claimsAtGate // the gate's GET of the object closes it if the status claims more than was judged

	lastRule
	allRules = lastRule - 1
)

func (r rule) has(all rule) bool { return r&all == all }

// bounds limit a check: the maximum number of times that each kind of thing happens.
type bounds struct {
	class     class
	attempts  uint8 // at most maxAttempts
	wants     [objects]uint8
	responses int // the number of different responses to a POST, in the order of the list; 0: all
	left      budget

	oneProcess bool // the two managers are two workers of one process
}

// model is the rules in force within bounds.
type model struct {
	rules  rule
	bounds bounds
	rows   [gone + 1][personAcceptedOther + 1][]row // the table of R14, by phase and fact

	versions []ledger // the first one is the initial one: none
	last     version
	named    map[ledger]version
}

func newModel(rules rule, within bounds) *model {
	m := &model{
		rules: rules, bounds: within,
		versions: []ledger{{}}, named: map[ledger]version{{}: 0},
	}
	for _, r := range slices.Concat(unguarded, table) {
		if m.rules.has(r.rule) && (r.without == 0 || !m.rules.has(r.without)) {
			m.rows[r.from][r.fact] = append(m.rows[r.from][r.fact], r)
		}
	}
	return m
}

// keep gives a copy of a ledger a name, so that states stay small.
func (m *model) keep(l ledger) version {
	v, found := m.named[l]
	if !found {
		m.last++
		v = m.last
		m.versions = append(m.versions, l)
		m.named[l] = v
	}
	return v
}

// first returns the state in which nothing has happened: the declared objects exist, and no cache
// has seen anything yet.
func (m *model) first() state {
	s := state{left: m.bounds.left, account: account{generation: 1}}
	for i, want := range m.bounds.wants {
		if want != 0 {
			s.objects[i] = object{exists: true, uid: 1, generation: 1, want: want}
		}
	}
	for i := range s.managers {
		s.managers[i].account = s.account
		s.managers[i].current = true
	}
	return s
}

// remembers reports whether revisions are compared at all: without restores, no revision decreases.
func (m *model) remembers() bool { return m.bounds.left.restores > 0 }

// revises reports whether the check distinguishes revisions; if not, one revision represents all of
// them.
func (m *model) revises() bool { return m.remembers() || !m.rules.has(r1) }
