// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// names are the phases by their names in the API.
//
//nolint:exhaustive // the model has no Repeated: nothing is repeated in it
var names = map[v1alpha1.RequestPhase]phase{
	v1alpha1.PhaseSubmitting: submitting, v1alpha1.PhaseInProgress: inProgress,
	v1alpha1.PhaseOutcomeUnknown: outcomeUnknown, v1alpha1.PhaseSucceeded: succeeded, v1alpha1.PhaseFailed: failed,
	v1alpha1.PhaseRejected: rejected, v1alpha1.PhaseNotSent: notSent, v1alpha1.PhaseNotProcessed: notProcessed,
	v1alpha1.PhaseNotAccepted: notAccepted, v1alpha1.PhaseAbandoned: abandoned,
	v1alpha1.PhaseLateAcceptance: lateAcceptance,
}

// Lists reports whether the table of R14, as the model has it, allows an attempt to go from one
// phase to another by any writer. An order is not polled: where the table says InProgress it
// succeeds.
func Lists(from, to v1alpha1.RequestPhase) bool {
	was, known := names[from]
	is, also := names[to]
	return known && also && slices.ContainsFunc(table, func(r row) bool {
		return r.from == was && (r.to == is || r.to == inProgress && is == succeeded)
	})
}
