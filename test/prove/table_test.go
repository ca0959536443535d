// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/model"
)

// phasesByLedger are the ledgers as last seen: the phase of each attempt, by ledger and attempt id.
type phasesByLedger map[string]map[string]v1alpha1.RequestPhase

// writesLedger follows create or update in the names of the operator's writes to a ledger. The name
// of the ledger follows it.
const writesLedger = "*v1alpha1.RequestLedger "

// checkLedgerWrite checks a write to a ledger against the table of the model, so that the model
// matches the code.
func (w *recorder) checkLedgerWrite(effect Effect) {
	_, name, found := strings.Cut(effect.What, writesLedger)
	if !found || effect.Op != Write {
		return
	}
	seen := w.readLedgerPhases()
	w.checkTransitions(w.ledgerPhases[name], seen[name])
	w.ledgerPhases = seen
}

func (w *recorder) readLedgerPhases() phasesByLedger {
	var ledgers v1alpha1.RequestLedgerList
	must(w.run.store.Client().List(w.run.ctx, &ledgers))
	seen := phasesByLedger{}
	for i := range ledgers.Items {
		seen[ledgers.Items[i].Name] = phasesIn(&ledgers.Items[i].Spec)
	}
	return seen
}

func phasesIn(ledger *v1alpha1.RequestLedgerSpec) map[string]v1alpha1.RequestPhase {
	phases := map[string]v1alpha1.RequestPhase{}
	for _, ended := range ledger.Ended {
		phases[ended.AttemptID] = ended.Outcome
	}
	for _, open := range ledger.Open {
		phases[open.AttemptID] = open.Phase
	}
	return phases
}

// checkTransitions compares a ledger with its state before a write.
func (w *recorder) checkTransitions(before, after map[string]v1alpha1.RequestPhase) {
	for id, to := range after {
		from, known := before[id]
		if known && from != to && !model.Allows(from, to) && !isRepeatTransition(from, to) {
			w.forbiddenTransition = fmt.Sprintf("%s changed from %s to %s in its ledger", id, from, to)
		}
	}
}

// isRepeatTransition allows two transitions of the classes Verify and Converge, which the model
// does not have: a repeat, and a late acceptance of a repeated attempt.
func isRepeatTransition(from, to v1alpha1.RequestPhase) bool {
	open := from == v1alpha1.PhaseSubmitting || from == v1alpha1.PhaseInProgress
	return open && to == v1alpha1.PhaseRepeated ||
		from == v1alpha1.PhaseRepeated && to == v1alpha1.PhaseLateAcceptance
}

// onlyListedTransitions checks each write of a ledger against the table of phases (R14).
func onlyListedTransitions(w *recorder) string { return w.forbiddenTransition }
