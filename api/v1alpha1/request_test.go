// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"

	. "github.com/onsi/gomega"
)

// A request that waits for a person must not keep the one beside it from being polled, whichever of
// them comes first in the alphabet.
func TestARequestInProgressComesBeforeOneThatWaitsForAPerson(t *testing.T) {
	t.Parallel()
	const inProgress = v1alpha1.PhaseInProgress
	for _, waits := range []v1alpha1.RequestPhase{v1alpha1.PhaseLateAcceptance, v1alpha1.PhaseOutcomeUnknown} {
		for _, phases := range [][]v1alpha1.RequestPhase{{waits, inProgress}, {inProgress, waits}} {
			g := NewWithT(t)
			var service v1alpha1.BroadbandService
			for i, operation := range []v1alpha1.Operation{
				v1alpha1.OperationAggregationConversion, v1alpha1.OperationPlanChange,
			} {
				service.PutRequest(v1alpha1.Request{Operation: operation, Phase: phases[i]})
			}
			g.Expect(service.OpenRequest().Phase).To(Equal(inProgress), "%v", phases)
		}
	}
}
