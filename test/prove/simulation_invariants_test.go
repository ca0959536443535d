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

// checkPost checks a POST immediately before the carrier gets it, for invariants 2 (WriteAhead), 3
// (OnePerAttempt), 9 (Frozen), 15 (DeletionSafe) and 22 (Serial).
func (c *simulationRecorder) checkPost(m *manager, sender, path string, body []byte) {
	contract, about := contractAt(path), m.current()
	one := &post{at: now(), operation: v1alpha1.Operation(contract.Operation), class: contract.Repeat, body: body}
	c.linef("POST %s %s", path, body)
	c.sent, c.memberOf[one], c.planSets[one] = append(c.sent, one), about, about.subject.planSets
	subject := c.simulation.subject(about)
	one.hasFinalizer = about.kind == kindOrder || about.kind == kindService // by its ledger
	if subject != nil {
		one.uid = subject.GetUID()
		one.hasFinalizer = one.hasFinalizer || controllerutil.ContainsFinalizer(subject, v1alpha1.Finalizer)
	}
	if written := c.intentOf(about, sender, one.operation); written != nil {
		c.checkIntent(one, written, body)
		c.checkApproval(one, written, about)
	}
	if one.class == carrier.ClassQuery {
		return
	}
	if !one.hasIntent || !one.hasFinalizer {
		c.report(2, fmt.Sprintf("%s of %s was sent without an intent (%t) or a finalizer (%t)",
			one.operation, about.key.Name, one.hasIntent, one.hasFinalizer))
	}
	if one.deletingAt && one.operation != v1alpha1.OperationAppointmentCancel {
		c.report(15, fmt.Sprintf("%s was sent for %s, which was being deleted", one.operation, about.key.Name))
	}
	c.checkSerial(one, about)
}

// checkIntent checks that the request matches its intent.
func (c *simulationRecorder) checkIntent(one *post, written *attempt, body []byte) {
	written.sent, written.posted = one, true
	one.attempt, one.target, one.hasIntent, one.deletingAt = written.AttemptID, written.Target, true, written.deleting
	one.class = decide.ClassOf(one.operation, written.Target)
	contact := one.operation == v1alpha1.OperationOrderCreate || written.Target.NTDOption != ""
	if !contact && one.class != carrier.ClassQuery && written.BodyHash != decide.BodyHash(body) {
		c.report(9, "the body of "+one.attempt+" is not the intent's")
	}
}

// intentOf returns the newest intent of a process, if it has not been sent yet.
func (c *simulationRecorder) intentOf(about *member, sender string, operation v1alpha1.Operation) *attempt {
	for _, one := range slices.Backward(c.intents[about]) {
		if one.Operation == operation && one.Sender == sender && one.phase == v1alpha1.PhaseSubmitting {
			if one.posted {
				c.report(3, one.AttemptID+" was sent twice")
			}
			return one
		}
	}
	return nil
}

// checkSerial checks that a service has at most one modification in progress.
func (c *simulationRecorder) checkSerial(one *post, about *member) {
	if about.subject.serviceID == 0 || one.operation.AltersCancellation() {
		return
	}
	for _, other := range c.simulation.fleet.members {
		if other.subject == about.subject && other.kind == kindService {
			c.checkOpenRequests(one, c.simulation.subject(other))
		}
	}
}

func (c *simulationRecorder) checkOpenRequests(one *post, subject Subject) {
	for _, request := range openOf(subject) {
		sent := c.sentAs(request.AttemptID)
		under := sent != nil && sent != one && request.Phase == v1alpha1.PhaseInProgress
		if under && !request.Operation.AltersCancellation() {
			c.report(22, fmt.Sprintf("%s was sent while %s was in progress", one.operation, request.Operation))
		}
	}
}

// recordAcceptance reads the result of the newest POST from the carrier's records, and checks
// invariants 1 (AtMostOnce) and 19 (Spend).
func (c *simulationRecorder) recordAcceptance() {
	one := c.sent[len(c.sent)-1]
	one.accepted, one.requestID, one.endsInError = c.call.Accepted, c.call.RequestID, c.call.EndsInError
	if !decide.TakesRequestID(one.operation) { // nobody can name it in a resolution
		one.requestID = ""
	}
	c.linef("%d %t %s", c.call.Status, one.accepted, one.requestID)
	c.tally.countPost(one)
	if !one.accepted || !isChargeable(one.class) {
		return
	}
	c.checkSpending(c.memberOf[one].account)
	for _, other := range c.sent[:len(c.sent)-1] {
		if other.accepted && isChargeable(other.class) && c.sameRequest(one, other) {
			c.report(1, fmt.Sprintf("%s of %s was accepted twice, as %s and %s",
				one.operation, c.memberOf[one].key.Name, other.attempt, one.attempt))
		}
	}
}

// checkSpending checks invariant 19, Spend, for the account with a chargeLimit.
func (c *simulationRecorder) checkSpending(account *member) {
	if account == nil || account.key.Name != limitedAccount {
		return
	}
	spent := 0
	for _, one := range c.sent {
		recent := now().Sub(one.at) < time.Hour-maxSkew
		if recent && c.memberOf[one].account == account && isChargeable(one.class) && one.accepted {
			spent++
		}
	}
	if spent > chargesPerHour {
		c.report(19, fmt.Sprintf("%d chargeable requests were accepted in an hour, and the account allows %d",
			spent, chargesPerHour))
	}
}

// checkObject compares an object with its previous state.
func (c *simulationRecorder) checkObject(one *member, before, after Subject) {
	if after == nil {
		c.checkLeftOpen(one, before)
		return
	}
	if before != nil && before.GetUID() != after.GetUID() {
		before = nil
	}
	if one.kind != kindOrder && one.kind != kindService && one.kind != kindTest { // the attempts of these are in ledgers
		c.trackAll(one, before, after)
	}
	if conditions, _ := after.Describes(); len(*conditions) > maxConditions {
		c.report(17, fmt.Sprintf("%s has %d conditions", one.key.Name, len(*conditions)))
	}
	c.simulation.expectReadyIsTrue(one, after, one.subject.changedByCarrier())
}

func (c *simulationRecorder) trackAll(one *member, before, after Subject) {
	for contract := range carrier.Contracts() {
		if request := after.Record().RequestOf(v1alpha1.Operation(contract.Operation)); request != nil {
			c.trackAttempt(one, before, after, request)
		}
	}
}

// trackAttempt checks invariant 4, NoBlindRepeat, and the rules for a change of phase.
func (c *simulationRecorder) trackAttempt(one *member, before, after Subject, request *v1alpha1.Request) {
	known := c.attempts[request.AttemptID]
	if known == nil {
		known = &attempt{
			intent: intent{Request: *request, deleting: !after.GetDeletionTimestamp().IsZero()},
			member: one, phase: request.Phase,
		}
		c.attempts[request.AttemptID] = known
		c.intents[one] = append(c.intents[one], known)
		c.countBusy(request)
	}
	if before != nil {
		held := before.Record().RequestOf(request.Operation)
		if held != nil && held.AttemptID != request.AttemptID {
			c.checkReplacement(replacement{*held, *request, now(), asksForSlots(before)})
		}
	}
	if known.phase != request.Phase {
		c.countBusy(request)
		c.checkTransition(known, request)
		known.phase = request.Phase
	}
}

func (c *simulationRecorder) checkReplacement(of replacement) {
	of.at = of.at.Add(maxSkew) // the managers' clocks may differ by that much
	c.checkPause(of)
	if !of.before.Phase.Ended() && !of.isAllowedRepeat() || of.before.Phase == v1alpha1.PhaseInProgress && !of.isLost() {
		c.report(4, fmt.Sprintf("%s follows %s, which is %s", of.after.AttemptID, of.before.AttemptID, of.before.Phase))
	}
}

// isLost reports whether the carrier has not known an accepted attempt for so long that the loss is
// certain.
func (t *replacement) isLost() bool {
	const day, minute = 24 * time.Hour, time.Minute
	grace := day
	if classOf(t.before) == carrier.ClassQuery {
		grace = minute
	}
	since, submitted := t.before.LostSince, t.before.SubmittedAt.Add(-maxSkew) // by the clocks of two managers
	return !since.IsZero() && !since.Time.Before(submitted) && t.at.Sub(since.Time) >= grace
}

// transition is a transition of an attempt from one phase to another.
type transition struct {
	*attempt

	request      *v1alpha1.Request
	from, to     v1alpha1.RequestPhase
	resolved     bool // a person has resolved it
	accepted     bool // the carrier has accepted it
	repeatsQuery bool // a query that the carrier has forgotten, which is sent again
}

// checkTransition checks a change of phase.
func (c *simulationRecorder) checkTransition(known *attempt, request *v1alpha1.Request) {
	of := c.transitionOf(known, request)
	for _, rule := range []struct {
		number int
		name   string
		holds  bool
	}{
		{5, "NoLostAcceptance", !of.losesAcceptance() || of.repeatsQuery || c.resolvedFalsely[request.AttemptID]},
		{6, "Truthful", of.to != v1alpha1.PhaseSucceeded || c.isSupported(of)},
		{6, "Truthful", of.to != v1alpha1.PhaseFailed || c.refusals[request.Location]},
		{10, "PhaseDAG", of.repeatsQuery || of.isCorrection() || slices.Contains(nextPhases(of.from), of.to)},
		{23, "ResolutionExact", of.resolved || !of.needsPerson()},
	} {
		if !rule.holds {
			c.report(rule.number, fmt.Sprintf("%s: %s changed from %s to %s", rule.name, request.AttemptID, of.from, of.to))
		}
	}
}

func (c *simulationRecorder) transitionOf(known *attempt, request *v1alpha1.Request) transition {
	of := transition{attempt: known, request: request, from: known.phase, to: request.Phase}
	of.resolved = c.resolved[request.AttemptID] || c.isAbandonedRun(of)
	of.accepted = known.sent != nil && known.sent.accepted
	forgotten := classOf(*request) == carrier.ClassQuery && !request.LostSince.IsZero()
	of.repeatsQuery = forgotten && of.to == v1alpha1.PhaseNotProcessed
	if of.to.Ended() || of.to == v1alpha1.PhaseInProgress {
		known.member.notFound = of.isNotFound()
	}
	return of
}

// isAbandonedRun reports whether the transition abandons the run of a deleted diagnostic test.
func (c *simulationRecorder) isAbandonedRun(of transition) bool {
	abandoned := of.Operation == v1alpha1.OperationDiagnosticTest && of.to == v1alpha1.PhaseAbandoned
	return abandoned && c.deleted[of.request.UID]
}

// isCorrection reports whether another process saw the intent of an order before its sender could
// record that it had sent nothing.
func (of transition) isCorrection() bool {
	unsent := of.sent == nil && of.to == v1alpha1.PhaseNotSent
	return unsent && of.from == v1alpha1.PhaseOutcomeUnknown && of.Operation == v1alpha1.OperationOrderCreate
}

// isNotFound reports whether the carrier responds with 404.
func (of transition) isNotFound() bool {
	why := of.request.Error
	return of.to == v1alpha1.PhaseRejected && why != nil && why.HTTPStatus == http.StatusNotFound
}

// losesAcceptance reports whether an accepted request is recorded as not accepted.
func (of transition) losesAcceptance() bool { return of.accepted && of.meansNotDone() }

// meansNotDone reports whether a phase means that the carrier did nothing.
func (of transition) meansNotDone() bool {
	return of.to == v1alpha1.PhaseNotSent || of.to == v1alpha1.PhaseRejected || of.to == v1alpha1.PhaseNotProcessed ||
		of.to == v1alpha1.PhaseNotAccepted
}

// needsPerson reports whether only a person can decide on this transition: that an attempt was not
// accepted, or that one whose outcome is unknown is abandoned.
func (of transition) needsPerson() bool {
	abandoned := of.from == v1alpha1.PhaseOutcomeUnknown && of.to == v1alpha1.PhaseAbandoned
	return of.to == v1alpha1.PhaseNotAccepted || abandoned
}

// isSupported reports whether there is evidence for a record that an attempt is done.
func (c *simulationRecorder) isSupported(of transition) bool {
	return of.resolved || of.accepted || c.isEvident(of.member, of.request)
}

// isEvident reports whether an earlier attempt was accepted, or the service is as declared.
func (c *simulationRecorder) isEvident(one *member, request *v1alpha1.Request) bool {
	if c.accepted(one, request.Operation) > 0 {
		return true
	}
	line, _ := c.simulation.world.Carrier.Service(one.subject.serviceID)
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

// checkLeftOpen checks that open attempts are not lost: a new object for the same service takes
// them over.
func (c *simulationRecorder) checkLeftOpen(one *member, before Subject) {
	if one.kind != kindService && one.kind != kindOrder {
		return
	}
	for _, request := range openOf(before) {
		sent := c.sentAs(request.AttemptID)
		if sent != nil && sent.accepted && !recorded(c.simulation.ctx, c.simulation.store.Client(), request.AttemptID) {
			c.report(15, request.AttemptID+" was open, its object is gone, and no ledger has it")
		}
	}
}

// sentAs returns the POST of an attempt, or nil.
func (c *simulationRecorder) sentAs(id string) *post {
	if known := c.attempts[id]; known != nil {
		return known.sent
	}
	return nil
}

// accepted counts the requests of an operation that the carrier accepted for a member's subject.
func (c *simulationRecorder) accepted(one *member, operation v1alpha1.Operation) int {
	count := 0
	for _, sent := range c.sent {
		if sent.accepted && sent.operation == operation && c.memberOf[sent].subject == one.subject {
			count++
		}
	}
	return count
}

// checkCarrierRules checks invariants 11 (PollRate) and 12 (Jti) as the carrier sees them. Managers
// that lead at the same time do not know of each other's polls.
func (c *simulationRecorder) checkCarrierRules() {
	all := c.simulation.world.Carrier.Violations()
	if len(all) == c.carrierViolations {
		return
	}
	c.carrierViolations = len(all)
	last := all[len(all)-1]
	if last.Rule != simulator.RulePollInterval {
		c.report(12, string(last.Rule)+": "+last.Detail)
	} else if !c.overlap {
		c.report(11, last.Detail)
	}
}
