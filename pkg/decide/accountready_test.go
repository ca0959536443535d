// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// To another carrier, or as another reseller, the Location of a request leads to nothing, or to
// somebody else's.
func TestARequestUnderWayBelongsToTheCarrierAndTheIdentityItWasSentBy(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		edit func(*v1alpha1.CarrierAccountSpec)
		held bool
	}{
		"the same account":  {func(*v1alpha1.CarrierAccountSpec) {}, false},
		"another identity":  {func(a *v1alpha1.CarrierAccountSpec) { a.Identity = "another" }, true},
		"another carrier":   {func(a *v1alpha1.CarrierAccountSpec) { a.BaseURL = "https://another.example" }, true},
		"the same identity": {func(a *v1alpha1.CarrierAccountSpec) { a.Identity = "reseller" }, false},
	} {
		for _, phase := range []v1alpha1.RequestPhase{
			v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress, v1alpha1.PhaseOutcomeUnknown,
		} {
			view := settled(with(phase), at(0))
			row.edit(&view.Account.Object.Spec)
			decision := decide.Service(view)
			conflict := decision.Verdict.Reason == v1alpha1.ReasonConflict && isRest(decision.Step)
			if conflict != row.held || row.held && !strings.Contains(decision.Verdict.Message, "as reseller") {
				t.Errorf("%s, %s: %T, %s (%s)", name, phase, decision.Step, decision.Verdict.Reason, decision.Verdict.Message)
			}
		}
	}
}
