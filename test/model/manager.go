// SPDX-License-Identifier: Apache-2.0

package model

// point is the position of a manager between two steps of a pass.
type point uint8

const (
	idle        point = iota
	foundOwn          // has found its own attempt, never posted, and is about to record NotSent
	gateAccount       // the intent is written
	gateObject
	gateLedger
	gateAge
	dialing     // the gate was passed: nothing more is read
	hasResponse // holds a receipt
)

// manager is a process with one worker, or one of two workers of a process.
type manager struct {
	at        point
	attempt   uint8 // in progress, unless idle
	response  fact  // its receipt
	slow      bool  // its clock shows more than 10 s since the intent was begun
	stopped   bool  // time has passed that its clock has not counted
	unchanged bool  // the ledger still has the resourceVersion that its intent returned, or that it judged
	withdrawn bool  // something that its gate has read was no longer as judged
	judged    uint8 // the generation of the account that was judged

	current bool    // its cached ledger is the newest
	seen    version // its cached ledger, kept only if R1 is left out
	objects [objects]object
	account account
	reading uint8 // 1 + the value that the carrier has shown; class Charge
	highest uint8 // the highest revision seen (R6)
	newest  uint8 // and the newest attempt, from 1
}

// process returns the process that a manager belongs to, from 1.
func (m *model) process(number uint8) uint8 {
	if m.bounds.oneProcess {
		return 1
	}
	return number + 1
}

// dropReadings drops readings from before the end of a modification, because they are not used
// (R7).
func (m *model) dropReadings(s *state) {
	s.shown = s.plan + 1
	for i := range s.managers {
		if m.rules.has(r7) {
			s.managers[i].reading = 0
		}
	}
}

// endPass ends a pass.
func (g *manager) endPass() {
	g.at, g.attempt, g.response = idle, 0, noFact
	g.drop()
}

// lifetimes lists between which points of a pass a value is needed.
var lifetimes = []struct {
	from, to point
	forget   func(g *manager)
}{
	{gateAccount, gateAccount, func(g *manager) { g.judged = 0 }},
	{foundOwn, gateLedger, func(g *manager) { g.unchanged = false }},
	{gateAccount, gateAge, func(g *manager) { g.slow, g.stopped = false, false }},
	{gateAccount, dialing, func(g *manager) { g.withdrawn = false }},
}

// drop forgets what no later step of the pass needs, so that equal states are one.
func (g *manager) drop() {
	for _, l := range lifetimes {
		if !g.at.isBetween(l.from, l.to) {
			l.forget(g)
		}
	}
}

func (p point) isBetween(from, to point) bool { return p >= from && p <= to }

// programs are the possible steps of a manager at each point; it may crash at all of them.
var programs = [...][]func(m *model, s *state, number uint8, emit emitter){
	idle: {
		(*model).catchUp, (*model).requestHealth, (*model).openAttempt, (*model).takeOver, (*model).findOwn,
		(*model).project, (*model).recordLoss,
	},
	foundOwn:    {(*model).writeNotSent},
	gateAccount: {(*model).gate},
	gateObject:  {(*model).gate},
	gateLedger:  {(*model).gate},
	gateAge:     {(*model).gate},
	dialing:     {(*model).post},
	hasResponse: {(*model).receipt},
}

// managerSteps emits the possible steps of one manager.
func (m *model) managerSteps(s *state, number uint8, emit emitter) {
	m.crash(s, number, emit)
	for _, program := range programs[s.managers[number].at] {
		program(m, s, number, emit)
	}
}

// catchUp updates each informer by itself. This includes the informers of the two objects, which
// may be in two namespaces.
func (m *model) catchUp(s *state, number uint8, emit emitter) {
	g := &s.managers[number]
	if !g.current {
		next := *s
		next.managers[number].learn(m, &s.ledger)
		emit(label{action: actReadLedger, manager: number}, &next)
	}
	if g.account != s.account {
		next := *s
		next.managers[number].account = s.account
		emit(label{action: actReadAccount, manager: number}, &next)
	}
	for i := range uint8(objects) {
		m.readObject(s, number, i, emit)
	}
}

func (m *model) readObject(s *state, number, i uint8, emit emitter) {
	g := &s.managers[number]
	if g.objects[i] == s.objects[i] {
		return
	}
	next := *s
	if m.rules.has(r7) && g.objects[i].declares(i) != s.objects[i].declares(i) {
		next.managers[number].reading = 0 // requested before this generation was seen (R7)
	}
	next.managers[number].objects[i] = s.objects[i]
	emit(label{action: actReadObject, manager: number, object: i}, &next)
}

func (g *manager) learn(m *model, l *ledger) {
	g.current = true
	if !m.rules.has(r1) {
		g.seen = m.keep(*l)
	}
	g.remember(m, l)
}

// remember remembers a version of the ledger that this process has seen (R6).
func (g *manager) remember(m *model, l *ledger) {
	if m.remembers() {
		g.highest = max(g.highest, l.revision)
		g.newest = max(g.newest, l.shows())
	}
}

// requestHealth is a health request. A reading is useless while an attempt is open, because the end
// of the attempt drops it.
func (m *model) requestHealth(s *state, number uint8, emit emitter) {
	g := &s.managers[number]
	if m.bounds.class != classCharge || g.reading == s.plan+1 || m.rules.has(r7) && !s.ledger.isEmpty() {
		return
	}
	next := *s
	next.managers[number].reading = s.plan + 1
	emit(label{action: actRequestHealth, manager: number, value: s.plan}, &next)
}

// gate implements R12 and R13: live GETs of the account, of the object, and last of the ledger;
// then the check of the age.
func (m *model) gate(s *state, number uint8, emit emitter) {
	next := *s
	g := &next.managers[number]
	read := gateReads[g.at]
	unchanged := read.as(m, s, g)
	l := label{action: read.act, manager: number, attempt: g.attempt}
	if !unchanged && m.rules.has(read.rule) {
		g.at, g.response, l.outcome = hasResponse, senderUnsent, closes
		g.drop()
		emit(l, &next)
		return
	}
	g.withdrawn = g.withdrawn || !unchanged && g.at < gateLedger
	m.rememberAtGate(&next, number)
	g.at++
	next.intents[g.attempt].passed = g.at == dialing
	g.drop()
	emit(l, &next)
}

// gateReads are the reads of the gate, in the order of R12 and R13. Each checks whether its result
// is still as it was judged.
var gateReads = [...]struct {
	rule rule
	act  action
	as   func(m *model, s *state, g *manager) bool
}{
	gateAccount: {r12Account, actGateAccount, func(_ *model, s *state, g *manager) bool {
		return s.account.generation == g.judged
	}},
	gateObject: {r12Object, actGateObject, func(m *model, s *state, g *manager) bool {
		return s.isDeclared(s.intents[g.attempt].wanted) && !m.contradicts(s, g)
	}},
	gateLedger: {r12Ledger, actGateLedger, func(_ *model, _ *state, g *manager) bool { return g.unchanged }},
	gateAge:    {r13, actGateAge, func(_ *model, _ *state, g *manager) bool { return !g.slow }},
}

func (s *state) isDeclared(d declaration) bool {
	o := &s.objects[d.name.object]
	return o.exists && o.declares(d.name.object) == d
}

// post is the POST: the carrier accepts it or not, and one of the responses comes back.
func (m *model) post(s *state, number uint8, emit emitter) {
	for _, a := range responses[:m.numberOfResponses()] {
		next := *s
		g := &next.managers[number]
		about := &next.intents[g.attempt]
		if a.fact != senderUnsent {
			about.posts++
		}
		if a.accepted {
			about.request = requestPending
			next.accepted++
			about.rank = next.accepted
		}
		attempt := g.attempt
		g.at, g.response = hasResponse, a.fact
		g.drop()
		emit(label{action: actPost, manager: number, attempt: attempt, outcome: a.outcome}, &next)
	}
}

func (m *model) numberOfResponses() int {
	if m.bounds.responses > 0 {
		return m.bounds.responses
	}
	return len(responses)
}

// responses are the possible responses to a POST (step 6 of the submission protocol).
var responses = []struct {
	fact     fact
	accepted bool
	outcome  outcome
}{
	{senderAccepted, true, accepts},
	{senderAmbiguous, true, acceptsResponseLost},
	{senderAmbiguous, false, ignoresResponseLost},
	{senderRejected, false, rejects},
	{senderNotProcessed, false, respondsThrottled},
	{senderUnsent, false, writesNothing},
}

// receipt writes the result of an attempt. It stands for all repetitions of the write until the
// resourceVersion matches (R16).
func (m *model) receipt(s *state, number uint8, emit emitter) {
	next := *s
	g := &next.managers[number]
	l := label{action: actReceipt, manager: number, attempt: g.attempt, fact: g.response}
	changed := s.ledger
	if m.change(&next, &changed, place{g.attempt, mainEntry}, g.response) {
		m.commit(&next, changed)
		g.remember(m, &next.ledger)
	} else {
		l.outcome = refused
	}
	if g.response == senderAccepted {
		next.intents[g.attempt].delivered = true
		next.revokePermit(g.attempt)
	}
	g.endPass()
	emit(l, &next)
}

// crash ends a process at any step: it keeps only what its caches will list again.
func (m *model) crash(s *state, number uint8, emit emitter) {
	if s.left.crashes == 0 || m.bounds.oneProcess && number > 0 {
		return
	}
	next := *s
	m.end(&next, m.process(number))
	if next != *s {
		next.left.crashes--
		emit(label{action: actCrash, manager: number}, &next)
	}
}

func (m *model) end(s *state, process uint8) {
	for i := range s.managers {
		if m.process(uint8(i)) == process {
			g := &s.managers[i]
			g.endPass()
			g.reading, g.highest, g.newest = 0, 0, 0
		}
	}
	for i := range s.intents {
		if s.intents[i].sender == process {
			s.intents[i].sender = 0
		}
	}
}
