// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/internal/decidetest"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// otherSLA declares another SLA than the service has, which was ordered. What costs needs an approval.
func otherSLA(in *services.Input) {
	approval(v1alpha1.ApprovalOnCost)(in)
	in.Service.Spec.RestorationSLA, in.Service.Spec.OrderRef = "Gold", &v1alpha1.OrderReference{Name: "order"}
	known := in.Service.Status.Carrier
	result := func(value string) *v1alpha1.KnownValue {
		return &v1alpha1.KnownValue{Value: value, Source: v1alpha1.SourceChangeResult, Since: known.Plan.Since}
	}
	known.Term, known.RestorationSLA = result("12"), result("Silver")
	justRead(in)
}

// slaAt makes the prices of two SLAs read just now.
func slaAt(before, after carrier.Number) func(*services.Input) {
	return func(in *services.Input) {
		offering(decide.ReadingAnswered)(in)
		in.Memory.Readings.Options.Token = in.Service.Annotations[v1alpha1.AnnotationApprove]
		for sla, monthly := range map[string]carrier.Number{"Silver": before, "Gold": after} {
			in.Memory.Readings.Options.Options.SLAs = append(in.Memory.Readings.Options.Options.SLAs, carrier.SLA{
				SLA: sla, Fee: &carrier.Fee{
					OneTimeCharge:          &carrier.Money{Amount: "0.00", Currency: "AUD"},
					MonthlyRecurringCharge: &carrier.Money{Amount: monthly, Currency: "AUD"},
				},
			})
		}
	}
}

// optionAt offers the NTD option of the declared plan at a price.
func optionAt(oneTime carrier.Number) func(*services.Input) {
	return func(in *services.Input) {
		fee := &carrier.Fee{
			OneTimeCharge:          &carrier.Money{Amount: oneTime, Currency: "AUD"},
			MonthlyRecurringCharge: &carrier.Money{Amount: "0.00", Currency: "AUD"},
		}
		in.Memory.Readings.Options.Options.Plans = []carrier.Plan{{
			Plan: "Fast", Term: "12", NTDOptions: []carrier.NTDOption{{Option: "4_PORT", Fee: fee}},
		}}
	}
}

func withNTDOption(in *services.Input) {
	in.Service.Spec.Plan.NTDOption = "4_PORT"
	in.Service.Spec.Plan.Contact = &v1alpha1.Contact{Name: "A", Phone: "0400 000 000", Email: "a@example.com"}
}

// The NTD option of the declared plan is sent with an SLA, too, so its price counts: "OnCost needs
// approval when ... either is unknown".
func TestAnSLAIsSentOnlyIfItsNTDOptionIsFreeOrApproved(t *testing.T) {
	t.Parallel()
	type edits []func(*services.Input)
	cheaper := slaAt("6.00", "5.00")
	for name, row := range map[string]struct {
		edits edits
		step  string
		says  string
	}{
		"without an option":     {edits{cheaper}, "Submit", ""},
		"the option is free":    {edits{withNTDOption, cheaper, optionAt("0.00")}, "Submit", ""},
		"it costs":              {edits{withNTDOption, cheaper, optionAt("50.00")}, "Rest", "NTD option one-time 50.00 AUD"},
		"its price is not read": {edits{withNTDOption, cheaper}, "Rest", "approve with"},
	} {
		decision := services.Decide(settled(append(edits{otherSLA}, row.edits...)...))
		step := decidetest.StepName(decision.Step)
		if step != row.step || !strings.Contains(decision.Verdict.Message, row.says) {
			t.Errorf("%s: %s, %s", name, step, decision.Verdict.Message)
		}
	}
}

// approvedSLA is a service without a declared plan, whose change of the SLA a person has approved and
// the carrier has refused, because another request was in progress.
func approvedSLA(t *testing.T) services.Input {
	t.Helper()
	undeclared := func(in *services.Input) { in.Service.Spec.Plan = nil }
	price := slaAt("5.00", "6.00")
	return refusedSince(t, settled(otherSLA, undeclared, price, approving, reread), 1, anotherInProgress, price)
}

// An SLA is sent together with the plan that the service has. An approval does not cover another plan.
func TestR11AnApprovalIsForOneBody(t *testing.T) {
	t.Parallel()
	view := approvedSLA(t)
	if submit, sends := services.Decide(view).Step.(decide.Submit); !sends || submit.Request.Target.Plan != "Fast" {
		t.Errorf("the same body is not sent again: %s", services.Decide(view).Verdict.Message)
	}
	view.Service.Status.Carrier.Plan.Value = "Slow"
	justRead(&view)
	view.Memory.Readings.Health.RequestedAt = view.Now
	decision := services.Decide(view)
	if decision.Verdict.Reason != v1alpha1.ReasonAwaitingApproval {
		t.Errorf("the plan has changed, and it is %T: %s", decision.Step, decision.Verdict.Message)
	}
}

// "An unknown term alone is never a reason for a change", and the term of another plan is not known.
func TestTheTermIsForgottenWhenTheCarrierChangesThePlan(t *testing.T) {
	t.Parallel()
	known := func(in *services.Input) {
		in.Service.Spec.Plan = nil
		state := in.Service.Status.Carrier
		state.Plan.AsHealth = "Fast"
		state.Term = &v1alpha1.KnownValue{Value: "12", Source: v1alpha1.SourceChangeResult, Since: state.Plan.Since}
	}
	describedAs := func(plan string) func(*services.Input) {
		return func(in *services.Input) {
			describing(time.Second, decide.ServiceValues{Plan: plan})(in)
			in.Memory.Readings.Service.State = decide.ReadingAnswered
		}
	}
	ours := func(in *services.Input) {
		in.Ledger = &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{
			Baseline: &v1alpha1.KnownValue{Value: "Slow", Source: v1alpha1.SourceChangeResult},
		}}
	}
	type edits []func(*services.Input)
	for name, row := range map[string]struct {
		edits edits
		known bool
	}{
		"nothing was read":                    {nil, true},
		"health shows the same plan":          {edits{read("Fast", time.Second)}, true},
		"health shows another plan":           {edits{read("Slow", time.Second)}, false},
		"health shows the plan that was sent": {edits{ours, read("Slow", time.Second)}, true},
		"it is described with the same plan":  {edits{knownBy(v1alpha1.SourceService), describedAs("Fast")}, true},
		"it is described with another plan":   {edits{describedAs("Slow")}, false},
	} {
		view := settled(append(edits{known}, row.edits...)...)
		services.UpdateState(&view)
		if state := view.Service.Status.Carrier; (state.Term != nil) != row.known {
			t.Errorf("%s: plan %+v, term %+v", name, state.Plan, state.Term)
		}
	}
}

// The ledger still has the term.
func TestTheTermOfAnotherPlanIsNotShownAgainFromTheLedger(t *testing.T) {
	t.Parallel()
	service := settled().Service
	plan, term := service.Status.Carrier.Plan, &v1alpha1.KnownValue{Value: "12", Source: v1alpha1.SourceChangeResult}
	plan.AsHealth = "Fast"
	for _, row := range []struct {
		since time.Duration
		known bool
	}{{-time.Minute, false}, {0, true}, {time.Minute, true}} {
		term.Since = metav1.NewTime(plan.Since.Add(row.since))
		ledger := &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{Known: v1alpha1.KnownToLedger{Term: term}}}
		services.Project(service, ledger, decide.Clock{Now: decidetest.Start().Add(time.Hour)})
		if got := service.Status.Carrier.Term; (got != nil) != row.known {
			t.Errorf("known since %s after the plan: %+v", row.since, got)
		}
	}
}

// The monotonic clock stops while the machine is suspended, and the wall clock can be set back.
func TestR7ThePriceIsAsOldAsTheLongerClockSays(t *testing.T) {
	t.Parallel()
	onCost := approval(v1alpha1.ApprovalOnCost)
	for _, row := range []struct {
		passed time.Duration
		step   string
	}{{10*time.Minute - 1, "Submit"}, {10 * time.Minute, "StartReading plan options"}} {
		view := settled(wanting, onCost, quoted("45.00", "58.00"), approving, reread)
		view.Elapsed = row.passed
		justRead(&view)
		view.Memory.Readings.Health.RequestedAt = view.Now
		if got := decidetest.StepName(services.Decide(view).Step); got != row.step {
			t.Errorf("%s after the price was read: %s, want %s", row.passed, got, row.step)
		}
	}
}

// The status was emptied, and the annotation is still there: the attempt that it ended was accepted
// after all, and nobody has decided about that.
func TestR27AnOldResolutionDoesNotSettleALateAcceptance(t *testing.T) {
	t.Parallel()
	const old = "a-1=Abandoned"
	for word, want := range map[string]string{old: "Rest", "a-1=Succeeded": "Resolve Succeeded"} {
		view := settled(with(v1alpha1.PhaseLateAcceptance), saying(word), func(in *services.Input) {
			in.Ledger = &v1alpha1.RequestLedger{}
			in.Ledger.Put(v1alpha1.Request{
				Operation: v1alpha1.OperationPlanChange, AttemptID: "a-1", UID: "u-1", Phase: v1alpha1.PhaseAbandoned,
				EndedBy: v1alpha1.EndedByPerson, ResolvedBy: &v1alpha1.Resolution{Word: old},
			})
		})
		decision := services.Decide(view)
		if got := decidetest.StepName(decision.Step); got != want {
			t.Errorf("%s: %s (%s)", word, got, decision.Verdict.Message)
		}
	}
}
