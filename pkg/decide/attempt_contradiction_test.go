// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

func TestR14ContradictoryPhases(t *testing.T) {
	t.Parallel()
	const (
		succeeded, failed, rejected = v1alpha1.PhaseSucceeded, v1alpha1.PhaseFailed, v1alpha1.PhaseRejected
		notSent, notAccepted        = v1alpha1.PhaseNotSent, v1alpha1.PhaseNotAccepted
		abandoned, unknown          = v1alpha1.PhaseAbandoned, v1alpha1.PhaseOutcomeUnknown
	)
	for name, test := range map[string]struct {
		onRecord, said v1alpha1.RequestPhase
		contradicts    bool
	}{
		"resolved as succeeded, and not sent":     {succeeded, notSent, true},
		"resolved as succeeded, and rejected":     {succeeded, rejected, true},
		"resolved as succeeded, and failed":       {succeeded, failed, true},
		"resolved as not accepted, and succeeded": {notAccepted, succeeded, true},
		"resolved as not accepted, and not sent":  {notAccepted, notSent, false},
		"abandoned, and not sent":                 {abandoned, notSent, false},
		"abandoned, and succeeded":                {abandoned, succeeded, false},
		"succeeded twice":                         {succeeded, succeeded, false},
		"rejected, and unknown":                   {rejected, unknown, false},
	} {
		if got := decide.Contradicts(test.onRecord, test.said); got != test.contradicts {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func endedByPerson(phase v1alpha1.RequestPhase, by v1alpha1.EndedBy) *v1alpha1.Request {
	return &v1alpha1.Request{
		Operation: v1alpha1.OperationAggregationConversion, AttemptID: "a", Phase: phase, EndedBy: by,
	}
}

func TestR14OnlyANewResolutionChangesWhatAPersonEnded(t *testing.T) {
	t.Parallel()
	words := []v1alpha1.RequestPhase{
		v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned,
	}
	for _, phase := range []v1alpha1.RequestPhase{
		v1alpha1.PhaseSucceeded, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned,
	} {
		for _, word := range words {
			if !decide.MayBecome(endedByPerson(phase, v1alpha1.EndedByPerson), decide.WriterPerson, word) {
				t.Errorf("%s cannot be taken back as %s", phase, word)
			}
			if decide.MayBecome(endedByPerson(phase, v1alpha1.EndedByProof), decide.WriterPerson, word) {
				t.Errorf("%s that no person said becomes %s", phase, word)
			}
		}
	}
}
