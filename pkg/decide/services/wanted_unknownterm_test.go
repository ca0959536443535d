// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// An SLA is sent with the declared plan and term. If nobody knows the term that the service has,
// the term may be a new commitment, so it is shown with its price (R8).
func TestR8AnUnknownTermThatGoesWithAnSLAIsShownAndPriced(t *testing.T) {
	t.Parallel()
	type edits []func(*services.Input)
	unknown := func(in *services.Input) { in.Service.Status.Carrier.Term = nil }
	undeclared := func(in *services.Input) { in.Service.Spec.Plan = nil }
	plansAt := func(twelve, other carrier.Number) func(*services.Input) {
		return func(in *services.Input) {
			slaAt("6.00", "5.00")(in)
			in.Memory.Readings.Options.Options.Plans = []carrier.Plan{
				{Plan: "Fast", Term: "12", PlanFee: decidetest.Fee("0.00", twelve)},
				{Plan: "Fast", Term: "24", PlanFee: decidetest.Fee("0.00", other)},
			}
		}
	}
	for name, row := range map[string]struct {
		edits edits
		sends bool
		says  string // of the term
	}{
		"the term is known": {edits{plansAt("50.00", "40.00")}, true, ""},
		"every term costs the same, but may be longer": {
			edits{unknown, plansAt("50.00", "50.00")}, false, `plan.term unknown → "12" (one-time 0.00 AUD`,
		},
		"another term costs less": {
			edits{unknown, plansAt("50.00", "40.00")}, false, `plan.term unknown → "12" (one-time 0.00 AUD`,
		},
		"the carrier quotes no such plan": {
			edits{unknown, slaAt("6.00", "5.00")}, false, "the carrier quotes no price for plan.term",
		},
		"no plan is declared": {edits{undeclared, plansAt("50.00", "40.00")}, true, ""},
	} {
		decision := services.Decide(settled(append(edits{otherSLA}, row.edits...)...))
		_, sends := decision.Step.(decide.Submit)
		if says := decision.Verdict.Message; sends != row.sends || row.says != "" && !strings.Contains(says, row.says) {
			t.Errorf("%s: %s, %s", name, decidetest.StepName(decision.Step), says)
		}
	}
}
