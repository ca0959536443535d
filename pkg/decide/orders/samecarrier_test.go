// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/internal/decidetest"
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
)

// The ledger of an order moves to another carrier if a person says so. Until then, an order that
// the carrier accepted keeps its state.
func TestR4SameCarrierMovesTheLedgerOfAnOrder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		phase  v1alpha1.RequestPhase
		holder string
		word   string
		moves  bool
		reason string
	}{
		{phase: v1alpha1.PhaseInProgress, word: "SameCarrier", moves: true},
		{phase: v1alpha1.PhaseSucceeded, word: "SameCarrier", moves: true},
		{phase: v1alpha1.PhaseRejected, word: "SameCarrier", moves: true},
		{phase: v1alpha1.PhaseSucceeded, holder: "gone", word: "SameCarrier", moves: true},
		{phase: v1alpha1.PhaseSucceeded, word: "Succeeded"},
		{phase: v1alpha1.PhaseRejected, word: "Succeeded", reason: v1alpha1.ReasonConflict},
	} {
		moved := ledgerCase{phase: test.phase, holder: test.holder, url: "x"}
		view, order := moved.view(), moved.order()
		order.Annotations = map[string]string{v1alpha1.AnnotationResolve: decidetest.ResolveAll(0, test.word)}
		view.Subject = order
		judged := orders.JudgeLedger(view, order)
		if judged.Move != test.moves || decidetest.ReasonOf(judged.Verdict) != test.reason {
			t.Errorf("%+v: %+v", test, judged)
		}
	}
}
