// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// acts are what somebody else can do between two effects of a story. What would change nothing
// in it is left out: with one manager there is no other, not every kind can be edited, and not every
// kind has a ledger.
func acts(story *Story, managers int) []Kind {
	kinds := []Kind{Deleted, Recreated, Restored, MisResolved, Resolved, PutBack, Replaced, Retried, ReadAnew, Early, Lied}
	for _, group := range []struct {
		does  bool
		kinds []Kind
	}{
		{managers > 1, []Kind{Overtaken}},
		{story.Edit != nil, []Kind{Edited}},
		{story.hasLedger(), []Kind{Forged, Dropped, RolledBack, Emptied, Outdated, Demanded}},
		{story.Kind == kindService, []Kind{Suspended, Unlisted}},
		{story.Asks == v1alpha1.OperationPlanChange, []Kind{Elsewhere}},
		{story.Asked, []Kind{Trusted}},
		{story.Kind == kindTest || story.Kind == kindAppointment, []Kind{ForcedOff}},
	} {
		if group.does {
			kinds = append(kinds, group.kinds...)
		}
	}
	return kinds
}

// hasLedger says whether the memory of what the story asks for is a ledger.
func (s *Story) hasLedger() bool {
	return slices.Contains([]string{kindService, kindOrder, kindTest}, s.Kind)
}

// acts says whether it is what somebody else does.
func (k Kind) acts() bool {
	return slices.Contains([]Kind{
		Overtaken, Deleted, Recreated, Edited, Restored, MisResolved, Resolved, PutBack, Forged, Dropped, RolledBack,
		Emptied, Outdated, ForcedOff, Suspended, Unlisted, Demanded, Replaced, Retried, ReadAnew, Early, Lied, Elsewhere,
		Trusted,
	}, k)
}

// What a process reads last before it posts, and what shows it the carrier's plan.
const (
	readsAccount = "read " + world.AccountName
	readsObject  = "read " + site
	readsPlan    = "POST /api/connect/services/health/request"
)

// allowed is how often people have let the same be sent once more. Of a ledger that is lost a process
// remembers how far it has seen it (R6), and a status says it (R5); where a process ended before it
// had written that, "nobody in the cluster can know" (R25). Of two that lead the other one knows
// no more than a new one.
func (w *witness) allowed() int {
	restarted := w.run.started > len(w.run.managers)
	unshown := w.unshown && len(w.run.managers) > 1
	if (restarted || unshown) && slices.ContainsFunc([]Kind{Dropped, RolledBack, Emptied}, w.happened) {
		return w.licenses + 1
	}
	return w.licenses
}

func (w *witness) happened(kind Kind) bool {
	_, did := w.since[kind]
	return did
}

// saidAnew: "What a person ended is changed only by a newer resolution" (R14).
func (w *witness) saidAnew(step step) bool {
	said := []v1alpha1.RequestPhase{
		v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned,
	}
	return step.endedBy == v1alpha1.EndedByPerson && w.words[step.attempt] && slices.Contains(said, step.to)
}

// unheeded says what a POST does not heed although its sender has seen it; "" for nothing.
func (w *witness) unheeded(p *port, one *sending) string {
	for _, act := range []struct {
		kind   Kind
		seenBy string
		speaks bool // of what is sent
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

// isApproved says whether a person has approved the plan that a POST is part of.
func (w *witness) isApproved(one *sending) bool { return one.approved != "" && w.agreed[one.approved] }

// unapproved says that a POST which has to be approved is not; "" for none such.
func (w *witness) unapproved(one *sending) string {
	if !w.run.plan.Story.Asked || w.edited || !costs(one.class) || w.isApproved(one) {
		return ""
	}
	return fmt.Sprintf("%s is sent although nobody has approved it", one.operation)
}

func heeded(w *witness) string {
	for _, one := range w.sent {
		if one.unheeded != "" {
			return one.unheeded
		}
	}
	return ""
}

// doneElsewhere: the carrier's plan is what was asked for, by somebody else's doing.
func (w *witness) doneElsewhere() bool { return w.happened(Elsewhere) }

// cameBack: "An attempt that has left ended counts as Abandoned" (R14), one that a restored ledger has
// never known, too.
func (w *witness) cameBack(step step) bool {
	taken := []v1alpha1.RequestPhase{v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded}
	return w.wiped && slices.Contains(taken, step.from) && step.to == v1alpha1.PhaseLateAcceptance
}
