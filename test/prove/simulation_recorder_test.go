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
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// simulationRecorder records a simulation: a hash over the whole trace, and what the invariants
// need.
type simulationRecorder struct {
	simulation *simulation

	trace   hash.Hash
	lines   []string // line by line, if the run is printed
	traced  bool
	version int64          // of the store, at the last check
	call    simulator.Call // the newest call to the carrier

	attempts           map[string]*attempt
	intents            map[*member][]*attempt
	sent               []*post
	memberOf           map[*post]*member
	planSets           map[*post]int       // of the subject, when it was sent
	restored           map[int64]bool      // the versions by which a status was lost
	resolved           map[string]bool     // the attempts that a person has resolved
	resolvedFalsely    map[string]bool     // those with a false resolution
	approved           map[string]approval // by hash, what a person has approved
	deleted            map[string]bool     // the objects that a person has deleted, by UID
	refusals           map[string]bool     // the paths to which the carrier responded with 422
	carrierViolations  int                 // violations that the carrier has seen
	violations         []string
	lastActive         *member // the member that acted last
	changes            int     // effects that changed something
	effects            int
	idle               bool // nothing may be done any more
	newProcess         bool // a new process has started for the idle part
	overlap            bool // two managers ran at the same time
	calls              int
	writes             int
	tally              *SimulationTally
	apiServerDownUntil time.Time // until when the API server is unavailable
	carrierDownUntil   time.Time
}

// attempt is an intent and its outcome.
type attempt struct {
	intent

	member *member
	phase  v1alpha1.RequestPhase
	sent   *post
}

func newSimulationRecorder(l *simulation, traced bool) *simulationRecorder {
	return &simulationRecorder{
		simulation: l, trace: sha256.New(), traced: traced,
		attempts: map[string]*attempt{}, intents: map[*member][]*attempt{},
		memberOf: map[*post]*member{}, planSets: map[*post]int{},
		resolved: map[string]bool{}, resolvedFalsely: map[string]bool{},
		approved: map[string]approval{},
		deleted:  map[string]bool{},
		restored: map[int64]bool{}, refusals: map[string]bool{}, tally: newSimulationTally(),
	}
}

// linef adds a line to the trace.
func (c *simulationRecorder) linef(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	c.trace.Write([]byte(text))
	c.printLine(text)
}

// printLine prints a line if the run is printed.
func (c *simulationRecorder) printLine(text string) {
	if c.traced {
		c.lines = append(c.lines, now().Format("01-02 15:04:05.000 ")+text)
	}
}

func (c *simulationRecorder) countAction(what string) {
	if !c.simulation.faultsOver {
		c.tally.Actions[what]++
		c.linef("%s", what)
	}
}

// report records a violated invariant.
func (c *simulationRecorder) report(number int, why string) {
	const enough = 10
	if len(c.violations) < enough {
		at := now().Format(time.DateTime)
		c.violations = append(c.violations, fmt.Sprintf("%d: %s, at effect %d, %s", number, why, c.effects, at))
	}
	c.linef("VIOLATION %d %s", number, why)
}

// startEffect records an effect before it happens.
func (c *simulationRecorder) startEffect(m *manager, op Op, what string, kind FaultKind) Effect {
	c.effects++
	if kind != noFault {
		c.tally.Faults[string(kind)]++
		m.current().callFailed = m.current().callFailed || op == Post || op == Poll
	}
	c.linef("%d p%d %s %s", now().UnixNano(), m.number, what, kind)
	effect := Effect{Number: c.effects, Op: op, What: what}
	c.simulation.checkIdleEffect(m.current(), effect)
	if len(c.simulation.extensions()) == 0 && effect.isExtensionCall() {
		c.report(30, "without an extension, "+what)
	}
	switch op {
	case Post, Poll, Token:
		c.calls++
	case Write, Read, Key, CacheRead:
	}
	return effect
}

// checkEffect checks the state after an effect.
func (c *simulationRecorder) checkEffect(m *manager, effect Effect) {
	switch effect.Op {
	case Post:
		c.recordAcceptance()
		c.countChange(m.current())
	case Poll:
		c.linef("%d %s", c.call.Status, c.call.RequestID)
	case Write:
		c.countChange(m.current())
	case Read, Key, Token, CacheRead:
	}
	if effect.Op == Post || effect.Op == Poll {
		c.noteCall(m.current())
	}
	c.checkWrites("")
	c.checkCarrierRules()
}

// noteCall notes what the newest call shows about its object.
func (c *simulationRecorder) noteCall(one *member) {
	if c.call.Status == http.StatusUnprocessableEntity {
		c.refusals[c.call.Path] = true
	}
	one.callFailed = one.callFailed || c.call.Status/100 != 2 || c.call.Fault != ""
}

// countChange counts an effect, unless it is one that continues forever.
func (c *simulationRecorder) countChange(one *member) {
	if !c.simulation.faultsOver || !c.simulation.isReconciledForever(one) {
		c.changes++
		c.lastActive = one
	}
}

// checkWrites checks what was written since the last check.
func (c *simulationRecorder) checkWrites(why string) {
	if why != "" {
		c.linef("%s", why)
	}
	for _, change := range c.simulation.store.Since(c.version) {
		c.version = change.Version
		c.checkWrite(change.Before, change.Now)
	}
}

func (c *simulationRecorder) checkWrite(before, after client.Object) {
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
	if c.traced {
		c.printLine(fmt.Sprintf("wrote %s %s %s", kindOf(object), object.GetName(), text))
	}
	if ledger, is := after.(*v1alpha1.RequestLedger); is && ledger.Spec.Diagnostics != nil {
		c.trackTests(before, ledger)
		return
	}
	one := c.simulation.fleet.memberOf(object)
	switch {
	case one == nil:
		return
	case one.kind == kindAccount:
		c.countSilence(before, after)
		return
	}
	if _, is := after.(*v1alpha1.RequestLedger); is {
		c.trackAll(one, inLedger(before), inLedger(after))
		return
	}
	c.checkObject(one, subjectOf(before), subjectOf(after))
	if len(text) > maxStatus {
		c.report(17, fmt.Sprintf("%s has %d bytes", one.key.Name, len(text)))
	}
}

// countSilence counts how often an account shows that its carrier has stopped responding.
func (c *simulationRecorder) countSilence(before, after client.Object) {
	was, isAccount := before.(*v1alpha1.CarrierAccount)
	is, isStill := after.(*v1alpha1.CarrierAccount)
	if isAccount && isStill && !meta.IsStatusConditionFalse(was.Status.Conditions, v1alpha1.ConditionCarrier) &&
		meta.IsStatusConditionFalse(is.Status.Conditions, v1alpha1.ConditionCarrier) {
		c.countAction("the carrier answers no more")
	}
}

// trackTests checks the attempts of each test in a ledger.
func (c *simulationRecorder) trackTests(before client.Object, ledger *v1alpha1.RequestLedger) {
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
		c.trackAll(one, asTest(held.AttemptOf(own.UID)), asTest(own))
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

// passEnded notes the result of a pass over an object.
func (c *simulationRecorder) passEnded(one *member, did bool) { one.idle = !did }

func openOf(subject Subject) []*v1alpha1.Request {
	if subject == nil {
		return nil
	}
	return subject.Record().OpenRequests()
}
