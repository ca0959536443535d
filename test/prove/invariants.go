// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"encoding/json"
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
	Number int
	Name   string
	Text   string
	Broken func(*recorder) string // how it is violated; "" while it holds
}

// Invariants returns the invariants that are checked after every effect. Those of the end are in
// judgeEnd.
func Invariants() []Invariant {
	return []Invariant{
		{1, "AtMostOnce", "of a change of class Charge or Never the carrier takes one POST, for ever", atMostOnce},
		{2, "WriteAhead", "an intent of its sender is on record before a POST, and the object is held", writeAhead},
		{3, "OnePerAttempt", "an attempt id is sent at most once", onePerAttempt},
		{4, "NoBlindRepeat", "an attempt follows one that ended, or one that its class lets repeat", noBlindRepeat},
		{5, "NoLostAcceptance", "what the carrier took is never on record as not sent or refused", noLostAcceptance},
		{6, "Truthful", "Succeeded only if the carrier took it, Failed only if the carrier said so", truthful},
		{7, "TerminalStable", "what is done is sent no more, and stays done by the same requests", terminalStable},
		{9, "Frozen", "what is sent is what the intent says", frozen},
		{10, "PhaseDAG", "the phases of an attempt are a path of the declared graph", phaseDAG},
		{11, "PollRate", "nothing is polled more often than the carrier allows", pollRate},
		{12, "Jti", "an assertion is used once, and is as the specification wants it", singleUse},
		{15, "DeletionSafe", "nothing is sent for what was being deleted; what is open leaves a record", deletionSafe},
		{17, "Bounded", "a status is bounded", bounded},
		{19, "Spend", "in an hour no more is spent than the account allows", spend},
		{22, "Serial", "one modification of a service is under way at a time", serial},
		{23, "ResolutionExact", "a person's word counts for the attempt that it names, and no other", resolutionExact},
		{24, "NoPanic", "nothing panics", noPanic},
		{25, "Heeded", "what the last look has shown is heeded, and what asks for approval has it", heeded},
		{26, "Tabled", "in a ledger an attempt takes the ways of the table of R14, and no other", tabled},
	}
}

// costs repeats the operator's rule here: the checks must not rely on the operator's code.
func costs(class carrier.RepeatClass) bool {
	return class == carrier.ClassCharge || class == carrier.ClassNever
}

func atMostOnce(w *recorder) string {
	for i, one := range w.sent {
		again := 0
		for _, other := range w.sent[:i] {
			if costs(one.class) && one.accepted && other.accepted && sameWish(one, other) {
				again++
			}
		}
		if again > w.allowed() {
			return fmt.Sprintf("%s was taken %d times, and people allowed %d", one.operation, again+1, w.allowed()+1)
		}
	}
	return ""
}

// twice returns the second of two POSTs that should not both exist, or nil.
func (w *recorder) twice(same func(a, b *sending) bool) *sending {
	for i, one := range w.sent {
		if slices.ContainsFunc(w.sent[:i], func(other *sending) bool { return same(one, other) }) {
			return one
		}
	}
	return nil
}

// sameWish reports whether two POSTs are for the same thing. Orders are the same under the same
// customerReference, of which a scenario has one. A test of another object is another test.
func sameWish(a, b *sending) bool {
	if a.operation == v1alpha1.OperationDiagnosticTest && a.uid != b.uid {
		return false
	}
	return a.operation == b.operation && a.target == b.target
}

func writeAhead(w *recorder) string {
	_, forced := w.since[ForcedOff]
	for _, one := range w.sent {
		if one.class != carrier.ClassQuery && (!one.ahead || !one.held && !forced) {
			return fmt.Sprintf("%s was sent without an intent (%t) or a finalizer (%t)", one.operation, one.ahead, one.held)
		}
	}
	return ""
}

func onePerAttempt(w *recorder) string {
	if one := w.twice(func(a, b *sending) bool { return a.attempt != "" && a.attempt == b.attempt }); one != nil {
		return one.attempt + " was sent twice"
	}
	return ""
}

// convergePause: "at most 2 repeats, not before 15 min".
const convergePause = 15 * time.Minute

func noBlindRepeat(w *recorder) string {
	for _, turn := range w.turns {
		// An attempt that stands for a lost status replaces no other.
		if !turn.before.Phase.Ended() && !w.wiped && !turn.repeats() {
			return fmt.Sprintf("%s follows %s, which is %s", turn.after.AttemptID, turn.before.AttemptID, turn.before.Phase)
		}
	}
	return ""
}

// repeats reports whether the class of an attempt allows another before its end is known.
func (t *turn) repeats() bool {
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
		case !one.accepted || one.attempt == "" || w.lied:
		case phase == v1alpha1.PhaseNotSent, phase == v1alpha1.PhaseRejected, phase == v1alpha1.PhaseNotProcessed,
			phase == v1alpha1.PhaseNotAccepted:
			return fmt.Sprintf("the carrier took %s, which is %s", one.attempt, phase)
		}
	}
	return ""
}

func truthful(w *recorder) string {
	if w.seen == nil || w.lied {
		return ""
	}
	for _, contract := range carrier.Contracts() {
		request := w.seen.RequestOf(v1alpha1.Operation(contract.Operation))
		switch {
		case request == nil:
		case request.Phase == v1alpha1.PhaseFailed && !w.failed[request.Location]:
			return "the carrier refused nothing, and an attempt is Failed"
		case request.Phase == v1alpha1.PhaseSucceeded && w.accepted(w.meant(request)) == 0 && !w.doneElsewhere():
			return "the carrier took nothing, and an attempt is Succeeded"
		}
	}
	return ""
}

// meant returns the operation that an attempt stands for: after the status was lost, that is
// whatever was sent.
func (w *recorder) meant(request *v1alpha1.Request) v1alpha1.Operation {
	if decide.StandsForLost(request) {
		return w.run.plan.Scenario.Asks
	}
	return request.Operation
}

func terminalStable(w *recorder) string { return w.unsettled }

func frozen(w *recorder) string {
	for _, one := range w.sent {
		if one.class != carrier.ClassQuery && one.attempt != "" && !one.frozen {
			return fmt.Sprintf("the body of %s is not the intent's", one.attempt)
		}
	}
	return ""
}

// onward is the declared graph: the phases to which a phase may change.
func onward(from v1alpha1.RequestPhase) []v1alpha1.RequestPhase {
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
	for _, step := range w.steps {
		if !slices.Contains(onward(step.from), step.to) && !w.explained(step) {
			return fmt.Sprintf("%s went from %s to %s", step.attempt, step.from, step.to)
		}
	}
	return ""
}

// explained reports whether a step outside the graph is one of the rare exceptions.
func (w *recorder) explained(step step) bool {
	return w.knownBetter(step) || w.cameBack(step) || w.saidAnew(step)
}

// knownBetter allows three edges for a process that knows more. A sender that was stopped between
// intent and POST, or between a refusal and recording it, may seem to be one whose request was
// accepted. When it resumes, it records that it was not. And a Query whose Location is lost is sent
// again, because queries cost nothing.
func (w *recorder) knownBetter(step step) bool {
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
	if w.tooSoon != "" || len(w.run.managers) > 1 {
		return w.tooSoon
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
	return forgotten(w)
}

// forgotten checks that what was open is not lost: "a new object for the same service adopts" it.
func forgotten(w *recorder) string {
	remembers := w.run.plan.Scenario.Kind == kindService || w.run.plan.Scenario.Kind == kindOrder
	if w.seen != nil || !remembers {
		return ""
	}
	for _, request := range w.left {
		sent := w.sentAs(request.AttemptID)
		if sent != nil && sent.accepted && !recorded(w.run.ctx, w.run.store.Client(), request.AttemptID) {
			return fmt.Sprintf("%s was open, its object is gone, and nothing remembers it", request.AttemptID)
		}
	}
	return ""
}

// The bounds of a status.
const (
	mostConditions = 15
	mostHistory    = 10
	mostStatus     = 32 << 10
)

func bounded(w *recorder) string {
	if w.seen == nil {
		return ""
	}
	conditions, _ := w.seen.Describes()
	if len(*conditions) > mostConditions {
		return fmt.Sprintf("there are %d conditions", len(*conditions))
	}
	if service, is := w.seen.(*v1alpha1.BroadbandService); is && len(service.Status.History) > mostHistory {
		return fmt.Sprintf("the history has %d entries", len(service.Status.History))
	}
	return ""
}

// tooLong describes an object whose JSON is too long. It is checked once, at the end.
func tooLong(subject Subject) string {
	text, err := json.Marshal(subject)
	if err != nil || len(text) > mostStatus {
		return fmt.Sprintf("the object has %d bytes (%v)", len(text), err)
	}
	return ""
}

// chargeLimit is the account's hourly limit.
const chargeLimit = 2

func spend(w *recorder) string {
	spent := 0
	for _, one := range w.sent {
		if costs(one.class) && one.accepted && now().Sub(one.at) < time.Hour {
			spent++
		}
	}
	if spent > chargeLimit {
		return fmt.Sprintf("%d requests that cost were taken in an hour", spent)
	}
	return ""
}

// working is the shortest time that the carrier takes to process a modification.
const working = 40 * time.Second

func serial(w *recorder) string {
	if w.run.plan.Scenario.Kind != kindService {
		return ""
	}
	var last *sending
	for _, one := range w.sent {
		if !one.accepted || one.class == carrier.ClassQuery || one.operation.AltersCancellation() {
			continue
		}
		if last != nil && one.at.Sub(last.at) < working {
			return fmt.Sprintf("%s was taken while %s was under way", one.operation, last.operation)
		}
		last = one
	}
	return ""
}

// resolutionExact checks that only a person resolves an unknown outcome as not accepted or
// abandoned, with two exceptions: a sender knows better if its POST was refused before the carrier
// saw it and another process took it for lost, and deleting a diagnostic test abandons its run.
func resolutionExact(w *recorder) string {
	for _, step := range w.steps {
		byPerson := step.to == v1alpha1.PhaseAbandoned || step.to == v1alpha1.PhaseNotAccepted
		givenUp := step.to == v1alpha1.PhaseAbandoned && w.removed && w.tests()
		if step.from == v1alpha1.PhaseOutcomeUnknown && byPerson && !givenUp && !w.words[step.attempt] {
			return fmt.Sprintf("%s became %s without a word on it", step.attempt, step.to)
		}
	}
	return ""
}

// tests reports whether the scenario is about a diagnostic test.
func (w *recorder) tests() bool { return w.run.plan.Scenario.Asks == v1alpha1.OperationDiagnosticTest }

func noPanic(w *recorder) string { return w.panicked }
