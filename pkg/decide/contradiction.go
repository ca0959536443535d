// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Contradicts reports whether the recorded phase of an attempt rules out a newly reported phase:
// "refused where it is made, with an Event if it ... contradicts" (R14).
func Contradicts(recorded, reported v1alpha1.RequestPhase) bool {
	before, after := implication(recorded), implication(reported)
	return before != impliesNothing && after != impliesNothing && before != after
}

// implication returns what a phase implies about an attempt at the carrier.
func implication(phase v1alpha1.RequestPhase) string {
	switch phase {
	case v1alpha1.PhaseSucceeded:
		return "done"
	case v1alpha1.PhaseFailed:
		return "accepted, but not done"
	case v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed, v1alpha1.PhaseRejected, v1alpha1.PhaseNotAccepted:
		return "not accepted"
	case v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress, v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseAbandoned,
		v1alpha1.PhaseRepeated, v1alpha1.PhaseLateAcceptance:
	}
	return impliesNothing
}

const impliesNothing = ""
