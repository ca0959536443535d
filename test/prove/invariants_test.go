// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Invariant is a property that holds after every effect, whatever faults occur.
type Invariant struct {
	Number    int
	Name      string
	Text      string
	Violation func(*recorder) string // how it is violated; "" while it holds
}

// Invariants returns the invariants that are checked after every effect. The invariants of the end
// are in checkEnd.
func Invariants() []Invariant {
	return []Invariant{
		{1, "AtMostOnce", "of a change of class Charge or Never the carrier accepts one POST, for ever", atMostOnce},
		{2, "WriteAhead", "before a POST its sender has recorded an intent, and the object has a finalizer", writeAhead},
		{3, "OnePerAttempt", "an attempt id is sent at most once", onePerAttempt},
		{4, "NoBlindRepeat", "an attempt follows one that ended, or one that its class lets repeat", noBlindRepeat},
		{5, "NoLostAcceptance", "an accepted request is never recorded as not sent or refused", noLostAcceptance},
		{6, "Truthful", "Succeeded only if the carrier accepted it, Failed only if the carrier reported it", truthful},
		{7, "TerminalStable", "what is done is not sent again, and stays done by the same requests", terminalStable},
		{9, "Frozen", "the body of a POST is that of its intent", intentMatches},
		{10, "PhaseDAG", "the phases of an attempt are a path of the declared graph", phaseDAG},
		{11, "PollRate", "nothing is polled more often than the carrier allows, or often in one pass", pollRate},
		{12, "Jti", "an assertion is used once, and follows the specification", singleUse},
		{15, "DeletionSafe", "nothing is sent for an object being deleted; open attempts stay recorded", deletionSafe},
		{17, "Bounded", "a status is bounded", bounded},
		{19, "Spend", "in an hour no more is spent than the account allows", withinLimit},
		{22, "Serial", "one modification of a service is in progress at a time", oneAtATime},
		{23, "ResolutionExact", "a resolution counts for the attempt that it names, and no other", resolutionExact},
		{24, "NoPanic", "nothing panics", noPanic},
		{25, "Respected", "the last reads before a POST are respected, and required approvals exist", lastReadsRespected},
		{26, "Tabled", "in a ledger an attempt makes only the transitions of the table of R14", onlyListedTransitions},
		{27, "Patient", "a request that is refused because another is in progress follows after a pause", busyPauseRespected},
		{29, "ProvenLater", "a reading asked for within a minute of an attempt proves nothing", provenLater},
		{31, "Followed", "a read of an order writes only what is new, the ledger first, and settles nothing", followedRight},
		{32, "Off", "without an extension, no call of one is made", noExtensionCall},
		{33, "ReadyIsTrue", "what is Ready is as declared, except for what is only trusted or not known", readyIsTrue},
	}
}

// isChargeable repeats the operator's rule, because the checks must not rely on the operator's
// code.
func isChargeable(class carrier.RepeatClass) bool {
	return class == carrier.ClassCharge || class == carrier.ClassNever
}

// secondOf returns the second of two POSTs that should not both exist, or nil.
func (w *recorder) secondOf(same func(a, b *post) bool) *post {
	for i, one := range w.sent {
		if slices.ContainsFunc(w.sent[:i], func(other *post) bool { return same(one, other) }) {
			return one
		}
	}
	return nil
}

// sameRequest reports whether two POSTs are for the same thing. Two orders are the same if they
// have the same customerReference; a scenario has only one. A test of another object is another
// test.
func sameRequest(a, b *post) bool {
	if a.operation == v1alpha1.OperationDiagnosticTest && a.uid != b.uid {
		return false
	}
	return a.operation == b.operation && a.target == b.target
}

func writeAhead(w *recorder) string {
	_, forced := w.firstAt[ForceDeleted]
	for _, one := range w.sent {
		if one.class != carrier.ClassQuery && (!one.hasIntent || !one.hasFinalizer && !forced) {
			return fmt.Sprintf("%s was sent without an intent (%t) or a finalizer (%t)",
				one.operation, one.hasIntent, one.hasFinalizer)
		}
	}
	return ""
}

func onePerAttempt(w *recorder) string {
	if one := w.secondOf(func(a, b *post) bool { return a.attempt != "" && a.attempt == b.attempt }); one != nil {
		return one.attempt + " was sent twice"
	}
	return ""
}

// convergePause is the least time before a request of class Converge is repeated.
const convergePause = 15 * time.Minute

func noBlindRepeat(w *recorder) string {
	for _, turn := range w.replacements {
		// An attempt that was recorded in place of a lost status does not count as replacing another
		// attempt.
		if !turn.before.Phase.Ended() && !w.statusLost && !turn.isAllowedRepeat() {
			return fmt.Sprintf("%s follows %s, which is %s", turn.after.AttemptID, turn.before.AttemptID, turn.before.Phase)
		}
	}
	return ""
}

// isAllowedRepeat reports whether the class of an attempt allows another before its end is known.
func (t *replacement) isAllowedRepeat() bool {
	class := classOf(t.before)
	counted := t.after.Repeats == t.before.Repeats+1 && t.after.Repeats <= 2
	rested := class == carrier.ClassVerify ||
		class == carrier.ClassConverge && t.at.Sub(t.before.SubmittedAt.Time) >= convergePause
	return class == carrier.ClassQuery || counted && rested
}

func classOf(request v1alpha1.Request) carrier.RepeatClass {
	contract, _ := carrier.ContractOf(carrier.Operation(request.Operation))
	if request.Target.NTDOption != "" {
		return carrier.ClassNever
	}
	return contract.Repeat
}

func noLostAcceptance(w *recorder) string {
	for _, one := range w.sent {
		switch phase := w.phases[one.attempt]; {
		case !one.accepted || one.attempt == "" || w.resolvedFalsely[one.attempt]:
		case phase == v1alpha1.PhaseNotSent, phase == v1alpha1.PhaseRejected, phase == v1alpha1.PhaseNotProcessed,
			phase == v1alpha1.PhaseNotAccepted:
			return fmt.Sprintf("the carrier accepted %s, which is %s", one.attempt, phase)
		}
	}
	return ""
}

func truthful(w *recorder) string {
	if w.seen == nil {
		return ""
	}
	for contract := range carrier.Contracts() {
		request := w.seen.Record().RequestOf(v1alpha1.Operation(contract.Operation))
		switch {
		case request == nil, w.resolvedFalsely[request.AttemptID]:
		case request.Phase == v1alpha1.PhaseFailed && !w.failed[request.Location]:
			return "the carrier refused nothing, and an attempt is Failed"
		case request.Phase == v1alpha1.PhaseSucceeded && w.accepted(w.standsFor(request)) == 0 && !w.changedElsewhere():
			return "the carrier accepted nothing, and an attempt is Succeeded"
		}
	}
	return ""
}

// standsFor returns the operation that an attempt stands for. After the status was lost, that is
// the operation of whatever was sent.
func (w *recorder) standsFor(request *v1alpha1.Request) v1alpha1.Operation {
	if decide.StandsForLostLedger(request) {
		return w.run.plan.Scenario.Operation
	}
	return request.Operation
}

func terminalStable(w *recorder) string { return w.regression }

func intentMatches(w *recorder) string {
	for _, one := range w.sent {
		if one.class != carrier.ClassQuery && one.attempt != "" && !one.bodyMatches {
			return fmt.Sprintf("the body of %s is not the intent's", one.attempt)
		}
	}
	return ""
}

// nextPhases is the declared graph: the phases to which a phase may change.
func nextPhases(from v1alpha1.RequestPhase) []v1alpha1.RequestPhase {
	switch from {
	case v1alpha1.PhaseSubmitting:
		return []v1alpha1.RequestPhase{
			v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed, v1alpha1.PhaseRejected, v1alpha1.PhaseInProgress,
			v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseSucceeded, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned,
			v1alpha1.PhaseRepeated,
		}
	case v1alpha1.PhaseInProgress:
		return []v1alpha1.RequestPhase{
			v1alpha1.PhaseSucceeded, v1alpha1.PhaseFailed, v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseAbandoned,
			v1alpha1.PhaseRepeated,
		}
	case v1alpha1.PhaseOutcomeUnknown:
		return []v1alpha1.RequestPhase{
			v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned,
		}
	case v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned, v1alpha1.PhaseRepeated:
		return []v1alpha1.RequestPhase{v1alpha1.PhaseLateAcceptance}
	case v1alpha1.PhaseLateAcceptance:
		return []v1alpha1.RequestPhase{v1alpha1.PhaseSucceeded, v1alpha1.PhaseAbandoned, v1alpha1.PhaseInProgress}
	case v1alpha1.PhaseSucceeded, v1alpha1.PhaseFailed, v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed,
		v1alpha1.PhaseRejected:
	}
	return nil
}

func phaseDAG(w *recorder) string {
	for _, step := range w.phaseChanges {
		if !slices.Contains(nextPhases(step.from), step.to) && !w.isException(step) {
			return fmt.Sprintf("%s changed from %s to %s", step.attempt, step.from, step.to)
		}
	}
	return ""
}

// isException reports whether a step outside the graph is one of the rare exceptions.
func (w *recorder) isException(step phaseChange) bool {
	return w.isCorrection(step) || w.isRestored(step) || w.isNewerResolution(step)
}

// isCorrection allows changes of phase by a process that knows more than the others. A sender that
// was stopped between intent and POST, or between a refusal and recording it, looks to the others
// like one whose request may have been accepted. On resuming, it records that the request was not
// accepted. A Query whose Location is lost may also be sent again, because queries cost nothing.
func (w *recorder) isCorrection(step phaseChange) bool {
	switch step.to {
	case v1alpha1.PhaseNotSent, v1alpha1.PhaseRejected:
		return step.from == v1alpha1.PhaseOutcomeUnknown && w.sentAs(step.attempt) == nil
	case v1alpha1.PhaseNotProcessed:
		return step.from == v1alpha1.PhaseOutcomeUnknown && w.sentAs(step.attempt) == nil ||
			step.from == v1alpha1.PhaseInProgress && step.class == carrier.ClassQuery
	case v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseFailed,
		v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned, v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseLateAcceptance,
		v1alpha1.PhaseRepeated:
	}
	return false
}

// pollRate checks that no process polls too fast. Two leading managers do not know of each other's
// polls, so the carrier may get two at the same moment.
func pollRate(w *recorder) string {
	if w.earlyPoll != "" || len(w.run.managers) > 1 {
		return w.earlyPoll
	}
	return w.violated(simulator.RulePollInterval)
}

func singleUse(w *recorder) string {
	return w.violated(simulator.RuleTokenReuse, simulator.RuleAssertion, simulator.RuleIdempotencyKey,
		simulator.RuleHeader, simulator.RulePath, simulator.RuleMethod, simulator.RuleVersion, simulator.RuleBody,
		simulator.RuleField)
}

func deletionSafe(w *recorder) string {
	for _, one := range w.sent {
		if one.deletingAt && one.operation != v1alpha1.OperationAppointmentCancel {
			return fmt.Sprintf("%s was sent for an object that was being deleted", one.operation)
		}
	}
	return lostAttempt(w)
}

// lostAttempt checks that no open attempt is lost: a new object for the same service takes it
// over.
func lostAttempt(w *recorder) string {
	remembers := w.run.plan.Scenario.Kind == kindService || w.run.plan.Scenario.Kind == kindOrder
	if w.seen != nil || !remembers {
		return ""
	}
	for _, request := range w.leftOpen {
		sent := w.sentAs(request.AttemptID)
		if sent != nil && sent.accepted && !recorded(w.run.ctx, w.run.store.Client(), request.AttemptID) {
			return fmt.Sprintf("%s was open, its object is gone, and no ledger has it", request.AttemptID)
		}
	}
	return ""
}

// The bounds of a status.
const (
	maxConditions = 15
	maxHistory    = 10
	maxStatus     = 32 << 10
)

func bounded(w *recorder) string {
	if w.seen == nil {
		return ""
	}
	conditions, _ := w.seen.Describes()
	if len(*conditions) > maxConditions {
		return fmt.Sprintf("there are %d conditions", len(*conditions))
	}
	if service, is := w.seen.(*v1alpha1.BroadbandService); is && len(service.Status.History) > maxHistory {
		return fmt.Sprintf("the history has %d entries", len(service.Status.History))
	}
	return ""
}

// chargeLimit is the account's hourly limit.
const chargeLimit = 2

func withinLimit(w *recorder) string {
	spent := 0
	if w.run.plan.Scenario.Installed {
		return "" // by default there is no limit
	}
	for _, one := range w.sent {
		if isChargeable(one.class) && one.accepted && now().Sub(one.at) < time.Hour {
			spent++
		}
	}
	if spent > chargeLimit {
		return fmt.Sprintf("%d chargeable requests were accepted in an hour", spent)
	}
	return ""
}

// shortestWork is the shortest time that the carrier takes to process a modification.
const shortestWork = 40 * time.Second

func oneAtATime(w *recorder) string {
	if w.run.plan.Scenario.Kind != kindService {
		return ""
	}
	var last *post
	for _, one := range w.sent {
		if !one.accepted || one.class == carrier.ClassQuery || one.operation.AltersCancellation() {
			continue
		}
		if last != nil && one.at.Sub(last.at) < shortestWork {
			return fmt.Sprintf("%s was accepted while %s was in progress", one.operation, last.operation)
		}
		last = one
	}
	return ""
}

// resolutionExact checks that only a person resolves an attempt as not accepted, or an unknown outcome
// as abandoned. The only exception is that deleting a diagnostic test abandons its run. A sender that
// knows that the carrier has not accepted its POST records other phases, which isCorrection allows.
func resolutionExact(w *recorder) string {
	for _, step := range w.phaseChanges {
		abandoned := step.from == v1alpha1.PhaseOutcomeUnknown && step.to == v1alpha1.PhaseAbandoned
		runGivenUp := w.removed && w.isAboutTest()
		byPerson := step.to == v1alpha1.PhaseNotAccepted || abandoned && !runGivenUp
		if byPerson && !w.resolved[step.attempt] {
			return fmt.Sprintf("%s became %s without a resolution", step.attempt, step.to)
		}
	}
	return ""
}

// isAboutTest reports whether the scenario is about a diagnostic test.
func (w *recorder) isAboutTest() bool {
	return w.run.plan.Scenario.Operation == v1alpha1.OperationDiagnosticTest
}

func noPanic(w *recorder) string { return w.panicked }
