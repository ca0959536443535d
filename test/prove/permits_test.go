// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// The last reads of a process before it posts, and the call that shows the process the plan at the
// carrier.
const (
	readsAccount = "read " + world.AccountName
	readsObject  = "read " + site
	readsPlan    = "POST /api/connect/services/health/request"
)

func atMostOnce(w *recorder) string {
	for i, one := range w.sent {
		if !isChargeable(one.class) || !one.accepted {
			continue
		}
		if earlier := w.boughtBefore(one, w.sent[:i]); earlier != nil {
			return fmt.Sprintf("%s was accepted as %s and again as %s, which nobody has allowed",
				one.operation, earlier.attempt, one.attempt)
		}
	}
	return ""
}

// boughtBefore returns an earlier POST for the same thing that the carrier has accepted, and that
// nobody has allowed to be repeated; nil for none. One of them may be forgotten.
func (w *recorder) boughtBefore(one *post, sent []*post) *post {
	forgotten := 0
	for _, earlier := range sent {
		switch {
		case !earlier.accepted || !sameRequest(one, earlier):
		case w.repeatable[earlier.attempt] && !w.isWarned(one, earlier):
		case w.mayBeForgotten(earlier) && forgotten == 0:
			forgotten++
		default:
			return earlier
		}
	}
	return nil
}

// mayBeForgotten reports whether a request may be sent again, once, because the ledger was lost
// after it was sent. After that, a running process still remembers the last revision it has seen
// (R6), and a status still shows it (R5). If a process ended before it had written the revision to
// a status, nothing in the cluster can show that (R25). The other of two leading managers knows no
// more than a new process.
func (w *recorder) mayBeForgotten(sent *post) bool {
	restarted := w.run.started > len(w.run.managers)
	unshown := w.neverShown && len(w.run.managers) > 1
	return sent.number <= w.ledgerLostAt && (restarted || unshown) || w.hasDriftedUnseen(sent)
}

// hasDriftedUnseen reports whether nobody can know that a request was sent and then undone: after it,
// the ledger is lost, or a forged status says so, and the carrier changes the service by itself. The
// service is not as declared, so a person truthfully says that nothing was done, or approves what is
// then shown.
func (w *recorder) hasDriftedUnseen(sent *post) bool {
	lost := sent.number <= w.ledgerLostAt || w.happenedAfter(sent, StatusForged)
	return lost && w.happenedAfter(sent, DriftedElsewhere)
}

// happenedAfter reports whether an action happened for the first time after a POST.
func (w *recorder) happenedAfter(sent *post, kind FaultKind) bool {
	at, did := w.firstAt[kind]
	return did && sent.number <= at
}

func (w *recorder) hasHappened(kind FaultKind) bool {
	_, did := w.firstAt[kind]
	return did
}

// isNewerResolution allows a second resolution, which may change what a person has ended (R14).
func (w *recorder) isNewerResolution(step phaseChange) bool {
	reason := []v1alpha1.RequestPhase{
		v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned,
	}
	return step.endedBy == v1alpha1.EndedByPerson && w.resolved[step.attempt] && slices.Contains(reason, step.to)
}

// ignoredBy describes what the sender of a POST had seen and ignored; "" for nothing.
func (w *recorder) ignoredBy(p *port, one *post) string {
	for _, action := range []struct {
		kind    FaultKind
		seenBy  string
		forbids bool // whether the action forbids this POST
	}{
		{Unlisted, readsAccount, one.class != carrier.ClassQuery},
		{Suspended, readsObject, one.class != carrier.ClassQuery},
		{ApprovalRequired, readsAccount, isChargeable(one.class) && !w.hasApproval(one)},
		{ChangedElsewhere, readsPlan, one.operation == v1alpha1.OperationPlanChange && !w.edited},
		{Edited, readsObject, one.repeats > 0 && !w.declares(one)},
	} {
		at, done := w.firstAt[action.kind]
		if done && action.forbids && p.newest[action.seenBy] >= at {
			return fmt.Sprintf("%s was sent although its sender had read the effect of: %s", one.operation, action.kind)
		}
	}
	return ""
}

// declares reports whether the spec of the object, as it is now, declares what a POST repeats (R33).
// What is declared about an appointment-request does not matter: see docs/design/0031.
func (w *recorder) declares(one *post) bool {
	service, is := w.run.subject().(*v1alpha1.BroadbandService)
	if !is {
		return true
	}
	switch declared := service.Spec.Cancellation; {
	case one.operation == v1alpha1.OperationReclaim:
		return service.Spec.Disconnection == v1alpha1.DisconnectionReclaim
	case one.operation == v1alpha1.OperationDSLStabilityProfileChange:
		return service.Spec.DSLStabilityProfile == one.target.DSLStabilityProfile
	case one.operation.AltersCancellation(): // an abort has no date
		return declared != nil && string(declared.Date) == one.target.Date
	}
	return true
}

// hasApproval reports whether a person has approved the plan of changes that a POST is part of.
func (w *recorder) hasApproval(one *post) bool { return one.approved != "" && w.approved[one.approved] }

// missingApproval describes a POST that needed approval and had none; "" otherwise.
func (w *recorder) missingApproval(one *post) string {
	if !w.run.plan.Scenario.NeedsApproval || w.edited || !isChargeable(one.class) || w.hasApproval(one) {
		return ""
	}
	return fmt.Sprintf("%s was sent although nobody had approved it", one.operation)
}

func lastReadsRespected(w *recorder) string {
	for _, one := range w.sent {
		if one.ignored != "" {
			return one.ignored
		}
	}
	return ""
}

// changedElsewhere reports whether someone else has applied the plan at the carrier.
func (w *recorder) changedElsewhere() bool { return w.hasHappened(ChangedElsewhere) }

// isRestored allows an attempt that returns with a restored ledger, even one that the ledger never
// had: such an attempt counts as abandoned (R14).
func (w *recorder) isRestored(step phaseChange) bool {
	sent := []v1alpha1.RequestPhase{v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded}
	return w.statusLost && slices.Contains(sent, step.from) && step.to == v1alpha1.PhaseLateAcceptance
}
