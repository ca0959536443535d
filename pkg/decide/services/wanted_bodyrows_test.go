// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// rowOf returns the row of a field in what a decision shows; nil if there is none.
func rowOf(decision *decide.Decision, field string) *v1alpha1.Change {
	if decision.Pending == nil {
		return nil
	}
	for i, row := range decision.Pending.Changes {
		if row.Field == field {
			return &decision.Pending.Changes[i]
		}
	}
	return nil
}

// atFees offers Slow and Fast for several terms at one monthly fee.
func atFees(in *services.Input) {
	plans := make([]carrier.Plan, 0, 6)
	for _, name := range []string{"Slow", "Fast"} {
		for _, term := range []string{"1", "12", "36"} {
			plans = append(plans, carrier.Plan{Plan: name, Term: term, PlanFee: decidetest.Fee("0.00", "45.00")})
		}
	}
	offering(decide.ReadingAnswered)(in)
	in.Memory.Readings.Options.Options.Plans = plans
}

// The term is part of every plan change, so a person who approves one sees it: with the term that the
// service has, or as unknown. After an import it is always unknown.
func TestAPlanChangeShowsTheTermThatItSends(t *testing.T) {
	t.Parallel()
	known := func(in *services.Input) {
		in.Service.Status.Carrier.Term = termFrom(v1alpha1.SourceChangeResult, in.Service.Status.Carrier.Plan.Value)
	}
	movedByCarrier := func(in *services.Input) {
		in.Service.Status.Carrier.Term = termFrom(v1alpha1.SourceChangeResult, "Fast")
	}
	for name, row := range map[string]struct {
		edits    inputEdits
		from, to string
	}{
		"unknown, as after an import": {inputEdits{wanting, declaring("Fast", 1)}, "", "1"},
		"known, and another one":      {inputEdits{wanting, known, declaring("Fast", 1)}, "12", "1"},
		"the carrier has moved the service to another": {
			inputEdits{wanting, movedByCarrier, declaring("Fast", 12)}, "", "12",
		},
	} {
		decision := services.Decide(settled(append(row.edits, atFees)...))
		shown := rowOf(&decision, decide.FieldTerm)
		if shown == nil || shown.From != row.from || shown.To != row.to {
			t.Errorf("%s: it shows %+v", name, decision.Pending)
		}
	}
	if decision := services.Decide(settled(wanting, known, atFees)); rowOf(&decision, decide.FieldTerm) != nil {
		t.Errorf("a term that stays is shown as a change: %+v", decision.Pending)
	}
}

// Under OnCost, a longer commitment needs an approval, at whatever monthly fee; so does one of which
// nobody knows whether it is longer.
func TestALongerTermIsChargeable(t *testing.T) {
	t.Parallel()
	after := func(months string) func(*services.Input) {
		return func(in *services.Input) {
			in.Service.Spec.OrderRef = &v1alpha1.OrderReference{Name: "order"} // it is not the first change of the object
			approval(v1alpha1.ApprovalOnCost)(in)
			in.Service.Status.Carrier.Term = termFrom(v1alpha1.SourceChangeResult, in.Service.Status.Carrier.Plan.Value)
			in.Service.Status.Carrier.Term.Value = months
			atFees(in)
		}
	}
	unknown := func(in *services.Input) {
		after("")(in)
		in.Service.Status.Carrier.Term = nil
	}
	for name, row := range map[string]struct {
		edits inputEdits
		asks  bool
	}{
		"12 to 36 months with another plan": {inputEdits{wanting, after("12"), declaring("Fast", 36)}, true},
		"1 to 12 months of the same plan":   {inputEdits{justRead, after("1"), declaring("Fast", 12)}, true},
		"unknown to 12 months":              {inputEdits{wanting, unknown, declaring("Fast", 12)}, true},
		"36 to 12 months":                   {inputEdits{wanting, after("36"), declaring("Fast", 12)}, false},
		"12 months as before":               {inputEdits{wanting, after("12"), declaring("Fast", 12)}, false},
		"36 to 1 month of the same plan":    {inputEdits{justRead, after("36"), declaring("Fast", 1)}, false},
	} {
		decision := services.Decide(settled(row.edits...))
		if asks := decision.Verdict.Reason == v1alpha1.ReasonAwaitingApproval; asks != row.asks {
			t.Errorf("%s: %s, %s", name, decidetest.StepName(decision.Step), decision.Verdict.Message)
		}
		if _, sends := decision.Step.(decide.Submit); sends == row.asks {
			t.Errorf("%s: %s", name, decidetest.StepName(decision.Step))
		}
	}
}

// Whose data goes to the technician is shown, the data is not.
func TestAPlanChangeShowsWhoseContactItSends(t *testing.T) {
	t.Parallel()
	secret := func(in *services.Input) {
		in.Service.Spec.Plan.NTDOption = "4_PORT"
		in.Service.Spec.Plan.ContactSecretRef = &v1alpha1.SecretReference{Name: "customer-17"}
	}
	unsent := func(in *services.Input) { in.Service.Spec.Plan.NTDOption = "" }
	for name, row := range map[string]struct {
		edits inputEdits
		shows string
	}{
		"of the manifest":                 {inputEdits{withNTDOption}, "spec.plan.contact"},
		"of a Secret":                     {inputEdits{secret}, "Secret customer-17"},
		"without an option, none is sent": {inputEdits{secret, unsent}, ""},
	} {
		shown := ""
		decision := services.Decide(settled(append(inputEdits{wanting, atFees}, row.edits...)...))
		if contact := rowOf(&decision, decide.FieldContact); contact != nil {
			shown = contact.To
		}
		if shown != row.shows {
			t.Errorf("%s: it shows %q", name, shown)
		}
	}
}
