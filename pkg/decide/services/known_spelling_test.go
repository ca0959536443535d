// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// Two spellings of one value must not cause paid changes without end. This holds for every value,
// not only for the name of the plan.
func TestAnotherSpellingIsNoReasonForAChange(t *testing.T) {
	t.Parallel()
	const fromService = v1alpha1.SourceService
	for name, declare := range map[string]func(*services.Input){
		"plan": func(in *services.Input) {
			in.Service.Spec.Plan.Name, in.Service.Status.Carrier.Plan = "fast ", valueFrom(fromService, "Fast", 0)
		},
		"restoration SLA": func(in *services.Input) {
			in.Service.Spec.RestorationSLA = "enhanced "
			in.Service.Status.Carrier.RestorationSLA = valueFrom(fromService, "Enhanced", 0)
		},
		"aggregation method": func(in *services.Input) {
			in.Service.Spec.AggregationMethod = "ETHERNET"
			in.Service.Status.Carrier.AggregationMethod = valueFrom(fromService, "Ethernet", 0)
		},
		"DSL stability profile": func(in *services.Input) {
			in.Service.Spec.DSLStabilityProfile = "Stable"
			in.Service.Status.Carrier.DSLStabilityProfile = valueFrom(fromService, "STABLE", 0)
		},
	} {
		described := describing(time.Minute, showing(v1alpha1.DescribedValues{
			Plan: "FAST", RestorationSLA: "ENHANCED", AggregationMethod: "ethernet", DSLStabilityProfile: "stable",
		}))
		view := settled(approval(v1alpha1.ApprovalAutomatic), declare, described)
		view.Service.Spec.DriftPolicy = v1alpha1.DriftCorrect
		decision := services.Decide(view)
		if verdict := decision.Verdict; verdict.Reason != v1alpha1.ReasonInSync || decision.Pending != nil {
			t.Errorf("%s: %s, %s: %s", name, decidetest.StepName(decision.Step), verdict.Reason, verdict.Message)
		}
	}
}
