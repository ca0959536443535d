// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// acts returns the acts of other actors that are possible between two effects of a scenario. Acts
// without effect are left out: a single manager cannot be overtaken, and not every kind can be
// edited or has a ledger.
func acts(scenario *Scenario, managers int) []Kind {
	kinds := []Kind{Deleted, Recreated, Restored, MisResolved, Resolved, PutBack, Replaced, Retried, ReadAnew, Early, Lied}
	for _, group := range []struct {
		does  bool
		kinds []Kind
	}{
		{managers > 1, []Kind{Overtaken}},
		{scenario.Edit != nil, []Kind{Edited}},
		{scenario.hasLedger(), []Kind{Forged, Dropped, RolledBack, Emptied, Outdated, Demanded}},
		{scenario.Kind == kindService, []Kind{Suspended, Unlisted}},
		{scenario.Asks == v1alpha1.OperationPlanChange, []Kind{Elsewhere}},
		{scenario.Asked, []Kind{Trusted}},
		{scenario.Kind == kindTest || scenario.Kind == kindAppointment, []Kind{ForcedOff}},
	} {
		if group.does {
			kinds = append(kinds, group.kinds...)
		}
	}
	return kinds
}

// hasLedger reports whether the scenario's requests are recorded in a ledger.
func (s *Scenario) hasLedger() bool {
	return slices.Contains([]string{kindService, kindOrder, kindTest}, s.Kind)
}

// acts reports whether the kind is an act of another actor.
func (k Kind) acts() bool {
	return slices.Contains([]Kind{
		Overtaken, Deleted, Recreated, Edited, Restored, MisResolved, Resolved, PutBack, Forged, Dropped, RolledBack,
		Emptied, Outdated, ForcedOff, Suspended, Unlisted, Demanded, Replaced, Retried, ReadAnew, Early, Lied, Elsewhere,
		Trusted,
	}, k)
}

// The last reads of a process before it posts, and the call that shows it the carrier's plan.
const (
	readsAccount = "read " + world.AccountName
	readsObject  = "read " + site
	readsPlan    = "POST /api/connect/services/health/request"
)

// allowed returns how often people have allowed the same request to be sent again. After the ledger
// is lost, a running process still remembers the last revision it has seen (R6), and so does a
// status (R5). If a process ended before it had written that, "nobody in the cluster can know"
// (R25). The other of two leading managers knows no more than a new process.
func (w *recorder) allowed() int {
	restarted := w.run.started > len(w.run.managers)
	unshown := w.unshown && len(w.run.managers) > 1
	if (restarted || unshown) && slices.ContainsFunc([]Kind{Dropped, RolledBack, Emptied}, w.happened) {
		return w.licenses + 1
	}
	return w.licenses
}

func (w *recorder) happened(kind Kind) bool {
	_, did := w.since[kind]
	return did
}

// saidAnew allows a second resolution: "What a person ended is changed only by a newer resolution"
// (R14).
func (w *recorder) saidAnew(step step) bool {
	said := []v1alpha1.RequestPhase{
		v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned,
	}
	return step.endedBy == v1alpha1.EndedByPerson && w.words[step.attempt] && slices.Contains(said, step.to)
}

// unheeded describes what the sender of a POST had seen and ignored; "" for nothing.
func (w *recorder) unheeded(p *port, one *sending) string {
	for _, act := range []struct {
		kind   Kind
		seenBy string
		speaks bool // whether the act forbids this POST
	}{
		{Unlisted, readsAccount, one.class != carrier.ClassQuery},
		{Suspended, readsObject, one.class != carrier.ClassQuery},
		{Demanded, readsAccount, costs(one.class) && !w.isApproved(one)},
		{Elsewhere, readsPlan, one.operation == v1alpha1.OperationPlanChange && !w.edited},
	} {
		at, done := w.since[act.kind]
		if done && act.speaks && p.newest[act.seenBy] >= at {
			return fmt.Sprintf("%s is sent although its sender saw this: %s", one.operation, act.kind)
		}
	}
	return ""
}

// isApproved reports whether a person has approved the plan that a POST is part of.
func (w *recorder) isApproved(one *sending) bool { return one.approved != "" && w.agreed[one.approved] }

// unapproved describes a POST that needed approval and had none; "" otherwise.
func (w *recorder) unapproved(one *sending) string {
	if !w.run.plan.Scenario.Asked || w.edited || !costs(one.class) || w.isApproved(one) {
		return ""
	}
	return fmt.Sprintf("%s is sent although nobody has approved it", one.operation)
}

func heeded(w *recorder) string {
	for _, one := range w.sent {
		if one.unheeded != "" {
			return one.unheeded
		}
	}
	return ""
}

// doneElsewhere reports whether someone else has applied the plan at the carrier.
func (w *recorder) doneElsewhere() bool { return w.happened(Elsewhere) }

// cameBack allows an attempt that returns with a restored ledger, also one that the ledger never
// had: "An attempt that has left ended counts as Abandoned" (R14).
func (w *recorder) cameBack(step step) bool {
	taken := []v1alpha1.RequestPhase{v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded}
	return w.wiped && slices.Contains(taken, step.from) && step.to == v1alpha1.PhaseLateAcceptance
}
