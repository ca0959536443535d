// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// chronicle records a simulation: a hash over the whole trace, and what the invariants need.
type chronicle struct {
	simulation *simulation

	trace   hash.Hash
	told    []string // line by line, if the run is printed
	watched bool
	version int64          // of the store, at the last look
	call    simulator.Call // the newest call to the carrier

	attempts  map[string]*attempt
	intents   map[*member][]*attempt
	sent      []*sending
	of        map[*sending]*member
	license   map[*sending]int
	restored  map[int64]bool  // the versions by which a status was lost
	words     map[string]bool // the attempts that a person has resolved
	lies      map[string]bool // those of which a resolution was false
	deleted   map[string]bool // the objects that a person has deleted, by UID
	refusals  map[string]bool // the paths that the carrier answered with 422
	offenses  int             // violations that the carrier has seen
	broken    []string
	busy      *member // the member that acted last
	deeds     int     // effects that changed something
	effects   int
	quiet     bool // nothing may be done any more
	fresh     bool // by a process that has just started
	overlap   bool // two managers ran at the same time
	calls     int
	writes    int
	tally     *SimulationTally
	noServer  time.Time // until when the API server is unavailable
	noCarrier time.Time
}

// attempt is an intent and its outcome.
type attempt struct {
	intent

	member *member
	phase  v1alpha1.RequestPhase
	sent   *sending
}

func newChronicle(l *simulation, watched bool) *chronicle {
	return &chronicle{
		simulation: l, trace: sha256.New(), watched: watched,
		attempts: map[string]*attempt{}, intents: map[*member][]*attempt{},
		of: map[*sending]*member{}, license: map[*sending]int{}, words: map[string]bool{}, lies: map[string]bool{},
		deleted:  map[string]bool{},
		restored: map[int64]bool{}, refusals: map[string]bool{}, tally: newSimulationTally(),
	}
}

// linef adds a line to the trace.
func (c *chronicle) linef(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	c.trace.Write([]byte(text))
	c.tell(text)
}

// tell prints a line if the run is printed.
func (c *chronicle) tell(text string) {
	if c.watched {
		c.told = append(c.told, now().Format("01-02 15:04:05.000 ")+text)
	}
}

func (c *chronicle) counts(what string) {
	if !c.simulation.peace {
		c.tally.Acts[what]++
		c.linef("%s", what)
	}
}

// breaks records a violated invariant.
func (c *chronicle) breaks(number int, why string) {
	const enough = 10
	if len(c.broken) < enough {
		at := now().Format(time.DateTime)
		c.broken = append(c.broken, fmt.Sprintf("%d: %s, at effect %d, %s", number, why, c.effects, at))
	}
	c.linef("VIOLATION %d %s", number, why)
}

// begins records an effect before it happens.
func (c *chronicle) begins(m *manager, sort Sort, what string, kind Kind) Effect {
	c.effects++
	if kind != nothing {
		c.tally.Faults[string(kind)]++
		m.current().unread = m.current().unread || sort == Post || sort == Poll
	}
	c.linef("%d p%d %s %s", now().UnixNano(), m.number, what, kind)
	effect := Effect{Number: c.effects, Sort: sort, What: what}
	c.simulation.disturbs(m.current(), effect)
	switch sort {
	case Post, Poll, Token:
		c.calls++
	case Write, Read, Key, Look:
	}
	return effect
}

// happened checks the state after an effect.
func (c *chronicle) happened(m *manager, effect Effect) {
	switch effect.Sort {
	case Post:
		c.heard()
		c.done(m.current())
	case Poll:
		c.linef("%d %s", c.call.Status, c.call.RequestID)
	case Write:
		c.done(m.current())
	case Read, Key, Token, Look:
	}
	if effect.Sort == Post || effect.Sort == Poll {
		c.learns(m.current())
	}
	c.notice("")
	c.obeys()
}

// learns notes what the newest call shows about its object.
func (c *chronicle) learns(one *member) {
	if c.call.Status == http.StatusUnprocessableEntity {
		c.refusals[c.call.Path] = true
	}
	one.unread = one.unread || c.call.Status/100 != 2 || c.call.Fault != ""
}

// done counts an effect, unless it is one that continues forever.
func (c *chronicle) done(one *member) {
	if !c.simulation.peace || !c.simulation.goesOn(one) {
		c.deeds++
		c.busy = one
	}
}

// notice checks what was written since the last look.
func (c *chronicle) notice(why string) {
	if why != "" {
		c.linef("%s", why)
	}
	for _, change := range c.simulation.store.Since(c.version) {
		c.version = change.Version
		c.changed(change.Before, change.Now)
	}
}

func (c *chronicle) changed(before, after client.Object) {
	object := after
	if after == nil {
		object = before
	}
	c.writes++
	text, err := json.Marshal(after)
	must(err)
	if _, is := object.(*corev1.Secret); !is { // its key differs in each test run
		c.trace.Write(text)
	}
	if c.watched {
		c.tell(fmt.Sprintf("wrote %s %s %s", kindOf(object), object.GetName(), text))
	}
	if ledger, is := after.(*v1alpha1.RequestLedger); is && ledger.Spec.Diagnostics != nil {
		c.followsTests(before, ledger)
		return
	}
	one := c.simulation.fleet.of(object)
	if one == nil || one.kind == kindAccount {
		return
	}
	if _, is := after.(*v1alpha1.RequestLedger); is {
		c.followsAll(one, inLedger(before), inLedger(after))
		return
	}
	c.observes(one, subjectOf(before), subjectOf(after))
	if len(text) > mostStatus {
		c.breaks(17, fmt.Sprintf("%s has %d bytes", one.key.Name, len(text)))
	}
}

// followsTests checks the attempts of each test in a ledger.
func (c *chronicle) followsTests(before client.Object, ledger *v1alpha1.RequestLedger) {
	for _, one := range c.simulation.fleet.members {
		if one.kind != kindTest {
			continue
		}
		subject := c.simulation.subject(one)
		if subject == nil {
			continue
		}
		own := ledger.AttemptOf(string(subject.GetUID()))
		if own == nil {
			continue
		}
		held, _ := before.(*v1alpha1.RequestLedger) //nolint:errcheck // nil where there was none
		c.followsAll(one, asTest(held.AttemptOf(own.UID)), asTest(own))
	}
}

// asTest returns a test with an attempt.
func asTest(attempt *v1alpha1.Request) Subject {
	test := &v1alpha1.DiagnosticTest{}
	test.Status.Request = attempt
	return test
}

// subjectOf returns an object of a kind that sends requests; nil for any other.
func subjectOf(object client.Object) Subject {
	if subject, is := object.(Subject); is {
		return subject
	}
	return nil
}

// looked notes the result of a pass over an object.
func (c *chronicle) looked(one *member, did bool) { one.rests = !did }
