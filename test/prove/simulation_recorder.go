// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// sends checks a POST immediately before the carrier gets it: 2 WriteAhead, 3 OnePerAttempt, 9
// Frozen, 15 DeletionSafe, 22 Serial.
func (c *chronicle) sends(m *manager, sender, path string, body []byte) {
	contract, about := contractAt(path), m.current()
	one := &sending{at: now(), operation: v1alpha1.Operation(contract.Operation), class: contract.Repeat}
	c.linef("POST %s %s", path, body)
	c.sent, c.of[one], c.license[one] = append(c.sent, one), about, about.about.licenses
	subject := c.simulation.subject(about)
	one.held = about.kind == kindOrder || about.kind == kindService // by its ledger
	if subject != nil {
		one.uid = subject.GetUID()
		one.held = one.held || controllerutil.ContainsFinalizer(subject, v1alpha1.Finalizer)
	}
	if written := c.intentOf(about, sender, one.operation); written != nil {
		c.carriesOut(one, written, body)
	}
	if one.class == carrier.ClassQuery {
		return
	}
	if !one.ahead || !one.held {
		c.breaks(2, fmt.Sprintf("%s of %s was sent without an intent (%t) or a finalizer (%t)",
			one.operation, about.key.Name, one.ahead, one.held))
	}
	if one.deletingAt && one.operation != v1alpha1.OperationAppointmentCancel {
		c.breaks(15, fmt.Sprintf("%s was sent for %s, which was being deleted", one.operation, about.key.Name))
	}
	c.alone(one, about)
}

// carriesOut checks that the request matches its intent.
func (c *chronicle) carriesOut(one *sending, written *attempt, body []byte) {
	written.sent, written.posted = one, true
	one.attempt, one.target, one.ahead, one.deletingAt = written.AttemptID, written.Target, true, written.deleting
	one.class = decide.ClassOf(one.operation, written.Target)
	contact := one.operation == v1alpha1.OperationOrderCreate || written.Target.NTDOption != ""
	if !contact && one.class != carrier.ClassQuery && written.BodyHash != decide.BodyHash(body) {
		c.breaks(9, "the body of "+one.attempt+" is not the intent's")
	}
}

// intentOf returns the newest intent of a process, if it has not been sent yet.
func (c *chronicle) intentOf(about *member, sender string, operation v1alpha1.Operation) *attempt {
	for _, one := range slices.Backward(c.intents[about]) {
		if one.Operation == operation && one.Sender == sender && one.phase == v1alpha1.PhaseSubmitting {
			if one.posted {
				c.breaks(3, one.AttemptID+" was sent twice")
			}
			return one
		}
	}
	return nil
}

// alone checks that a service has at most one modification in progress.
func (c *chronicle) alone(one *sending, about *member) {
	if about.about.line == 0 || one.operation.AltersCancellation() {
		return
	}
	for _, other := range c.simulation.fleet.members {
		if other.about == about.about && other.kind == kindService {
			c.besides(one, c.simulation.subject(other))
		}
	}
}

func (c *chronicle) besides(one *sending, subject Subject) {
	for _, request := range openOf(subject) {
		sent := c.sentAs(request.AttemptID)
		under := sent != nil && sent != one && request.Phase == v1alpha1.PhaseInProgress
		if under && !request.Operation.AltersCancellation() {
			c.breaks(22, fmt.Sprintf("%s was sent while %s was under way", one.operation, request.Operation))
		}
	}
}

func openOf(subject Subject) []*v1alpha1.Request {
	if subject == nil {
		return nil
	}
	return subject.OpenRequests()
}

// heard takes the result of the newest POST from the carrier's records: 1 AtMostOnce, 19 Spend.
func (c *chronicle) heard() {
	one := c.sent[len(c.sent)-1]
	one.accepted, one.requestID = c.call.Accepted, c.call.RequestID
	if one.operation == v1alpha1.OperationAppointmentCancel {
		one.requestID = ""
	}
	c.linef("%d %t %s", c.call.Status, one.accepted, one.requestID)
	c.tally.posted(one)
	if !one.accepted || !costs(one.class) {
		return
	}
	c.spends(c.of[one].account)
	for _, other := range c.sent[:len(c.sent)-1] {
		if other.accepted && costs(other.class) && c.sameWish(one, other) {
			c.breaks(1, fmt.Sprintf("%s of %s was taken twice, as %s and %s",
				one.operation, c.of[one].key.Name, other.attempt, one.attempt))
		}
	}
}

// spends checks 19 Spend for the account with a chargeLimit.
func (c *chronicle) spends(account *member) {
	if account == nil || account.key.Name != carefulAccount {
		return
	}
	spent := 0
	for _, one := range c.sent {
		if c.of[one].account == account && costs(one.class) && one.accepted && now().Sub(one.at) < time.Hour-skewed {
			spent++
		}
	}
	if spent > limits {
		c.breaks(19, fmt.Sprintf("%d requests that cost were taken in an hour, and the account allows %d", spent, limits))
	}
}

// sameWish reports whether two POSTs are for the same thing. Orders are the same under the same
// customerReference, forever, unless the one before was resolved falsely; changes of a service
// until someone allows another; tests if they belong to the same object.
func (c *chronicle) sameWish(one, other *sending) bool {
	if one.operation != other.operation || c.of[one].about != c.of[other].about {
		return false
	}
	if one.operation == v1alpha1.OperationOrderCreate {
		return !c.lies[other.attempt]
	}
	if one.operation == v1alpha1.OperationDiagnosticTest && one.uid != other.uid {
		return false
	}
	return one.target == other.target && c.license[one] == c.license[other]
}

// observes compares an object with its previous state.
func (c *chronicle) observes(one *member, before, after Subject) {
	if after == nil {
		c.left(one, before)
		return
	}
	if before != nil && before.GetUID() != after.GetUID() {
		before = nil
	}
	if one.kind != kindOrder && one.kind != kindService && one.kind != kindTest { // the attempts of these are in ledgers
		c.followsAll(one, before, after)
	}
	if conditions, _ := after.Describes(); len(*conditions) > mostConditions {
		c.breaks(17, fmt.Sprintf("%s has %d conditions", one.key.Name, len(*conditions)))
	}
}

func (c *chronicle) followsAll(one *member, before, after Subject) {
	for _, contract := range carrier.Contracts() {
		if request := after.RequestOf(v1alpha1.Operation(contract.Operation)); request != nil {
			c.follows(one, before, after, request)
		}
	}
}

// follows checks 4 NoBlindRepeat and the rules for a change of phase.
func (c *chronicle) follows(one *member, before, after Subject, request *v1alpha1.Request) {
	known := c.attempts[request.AttemptID]
	if known == nil {
		known = &attempt{
			intent: intent{Request: *request, deleting: !after.GetDeletionTimestamp().IsZero()},
			member: one, phase: request.Phase,
		}
		c.attempts[request.AttemptID] = known
		c.intents[one] = append(c.intents[one], known)
	}
	if before != nil {
		held := before.RequestOf(request.Operation)
		if held != nil && held.AttemptID != request.AttemptID {
			c.replaces(turn{*held, *request, now()})
		}
	}
	if known.phase != request.Phase {
		c.moves(known, request)
		known.phase = request.Phase
	}
}

func (c *chronicle) replaces(of turn) {
	of.at = of.at.Add(skewed) // "exact up to the difference of the managers' clocks"
	if !of.before.Phase.Ended() && !of.repeats() || of.before.Phase == v1alpha1.PhaseInProgress && !of.lost() {
		c.breaks(4, fmt.Sprintf("%s follows %s, which is %s", of.after.AttemptID, of.before.AttemptID, of.before.Phase))
	}
}

// lost reports whether the carrier has not known an accepted attempt for as long as it takes to be
// sure of that.
func (t *turn) lost() bool {
	const day, minute = 24 * time.Hour, time.Minute
	grace := day
	if classOf(t.before) == carrier.ClassQuery {
		grace = minute
	}
	since, submitted := t.before.LostSince, t.before.SubmittedAt.Add(-skewed) // by the clocks of two managers
	return !since.IsZero() && !since.Time.Before(submitted) && t.at.Sub(since.Time) >= grace
}

// move is a transition of an attempt from one phase to another.
type move struct {
	*attempt

	request  *v1alpha1.Request
	from, to v1alpha1.RequestPhase
	spoken   bool // a person has resolved it
	taken    bool // the carrier has accepted it
	asksAnew bool // a query that the carrier has forgotten: "a Query handle is asked anew"
}

// moves checks a change of phase.
func (c *chronicle) moves(known *attempt, request *v1alpha1.Request) {
	of := c.moveOf(known, request)
	for _, rule := range []struct {
		number int
		name   string
		holds  bool
	}{
		{5, "NoLostAcceptance", !of.loses() || of.asksAnew || c.lies[request.AttemptID]},
		{6, "Truthful", of.to != v1alpha1.PhaseSucceeded || c.isTrue(of)},
		{6, "Truthful", of.to != v1alpha1.PhaseFailed || c.refusals[request.Location]},
		{10, "PhaseDAG", of.asksAnew || of.corrected() || slices.Contains(onward(of.from), of.to)},
		{23, "ResolutionExact", of.spoken || !of.isWord()},
	} {
		if !rule.holds {
			c.breaks(rule.number, fmt.Sprintf("%s: %s went from %s to %s", rule.name, request.AttemptID, of.from, of.to))
		}
	}
}

func (c *chronicle) moveOf(known *attempt, request *v1alpha1.Request) move {
	of := move{attempt: known, request: request, from: known.phase, to: request.Phase}
	of.spoken = c.words[request.AttemptID] || c.givesUp(of)
	of.taken = known.sent != nil && known.sent.accepted
	forgotten := classOf(*request) == carrier.ClassQuery && !request.LostSince.IsZero()
	of.asksAnew = forgotten && of.to == v1alpha1.PhaseNotProcessed
	if of.to.Ended() || of.to == v1alpha1.PhaseInProgress {
		known.member.seeks = of.unfound()
	}
	return of
}

// givesUp reports whether the transition abandons the run of a deleted diagnostic test.
func (c *chronicle) givesUp(of move) bool {
	abandoned := of.Operation == v1alpha1.OperationDiagnosticTest && of.to == v1alpha1.PhaseAbandoned
	return abandoned && c.deleted[of.request.UID]
}

// corrected reports whether another process saw the claim of an order before its sender could
// record that it had sent nothing.
func (of move) corrected() bool {
	unsent := of.sent == nil && of.to == v1alpha1.PhaseNotSent
	return unsent && of.from == v1alpha1.PhaseOutcomeUnknown && of.Operation == v1alpha1.OperationOrderCreate
}

// unfound reports whether the carrier answers with 404.
func (of move) unfound() bool {
	why := of.request.Error
	return of.to == v1alpha1.PhaseRejected && why != nil && why.HTTPStatus == http.StatusNotFound
}

// loses reports whether an accepted request is recorded as not accepted.
func (of move) loses() bool { return of.taken && of.denies() }

// denies reports whether a phase means that the carrier did nothing.
func (of move) denies() bool {
	return of.to == v1alpha1.PhaseNotSent || of.to == v1alpha1.PhaseRejected || of.to == v1alpha1.PhaseNotProcessed ||
		of.to == v1alpha1.PhaseNotAccepted
}

// isWord reports whether only a person can decide this for an unknown outcome.
func (of move) isWord() bool {
	ends := of.to == v1alpha1.PhaseNotAccepted || of.to == v1alpha1.PhaseAbandoned
	return of.from == v1alpha1.PhaseOutcomeUnknown && ends
}

// isTrue reports whether an attempt that is recorded as done is done.
func (c *chronicle) isTrue(of move) bool {
	return of.spoken || of.taken || c.evident(of.member, of.request)
}

// evident reports whether an earlier attempt was accepted, or the service is as declared.
func (c *chronicle) evident(one *member, request *v1alpha1.Request) bool {
	if c.taken(one, request.Operation) > 0 {
		return true
	}
	line, _ := c.simulation.world.Carrier.Service(one.about.line)
	switch contract, _ := carrier.ContractOf(carrier.Operation(request.Operation)); {
	case contract.Repeat == carrier.ClassCharge:
		return line.Plan == request.Target.Plan
	case request.Target.Date != "":
		return line.Cancellation != nil && line.Cancellation.RequestDate == request.Target.Date
	case request.Operation == v1alpha1.OperationCancellationAbort, request.Operation == v1alpha1.OperationReclaim:
		return line.Cancellation == nil
	}
	return false
}

// left checks that open attempts are not lost: "a new object for the same service adopts" them.
func (c *chronicle) left(one *member, before Subject) {
	if one.kind != kindService && one.kind != kindOrder {
		return
	}
	for _, request := range openOf(before) {
		sent := c.sentAs(request.AttemptID)
		if sent != nil && sent.accepted && !recorded(c.simulation.ctx, c.simulation.store.Client(), request.AttemptID) {
			c.breaks(15, request.AttemptID+" was open, its object is gone, and nothing remembers it")
		}
	}
}

// sentAs returns the POST of an attempt, or nil.
func (c *chronicle) sentAs(id string) *sending {
	if known := c.attempts[id]; known != nil {
		return known.sent
	}
	return nil
}

// taken counts the requests of an operation that the carrier accepted for a member's matter.
func (c *chronicle) taken(one *member, operation v1alpha1.Operation) int {
	count := 0
	for _, sent := range c.sent {
		if sent.accepted && sent.operation == operation && c.of[sent].about == one.about {
			count++
		}
	}
	return count
}

// obeys checks 11 PollRate and 12 Jti as the carrier sees them. Managers that lead at the same time
// do not know of each other's polls.
func (c *chronicle) obeys() {
	all := c.simulation.world.Carrier.Violations()
	if len(all) == c.offenses {
		return
	}
	c.offenses = len(all)
	last := all[len(all)-1]
	if last.Rule != simulator.RulePollInterval {
		c.breaks(12, string(last.Rule)+": "+last.Detail)
	} else if !c.overlap {
		c.breaks(11, last.Detail)
	}
}
