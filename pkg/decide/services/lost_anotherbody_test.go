// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// otherSLA declares an SLA that differs from the service's SLA. The service was ordered with a
// ServiceOrder, and a change that costs money needs an approval.
func otherSLA(in *services.Input) {
	approval(v1alpha1.ApprovalOnCost)(in)
	in.Service.Spec.RestorationSLA, in.Service.Spec.OrderRef = "Gold", &v1alpha1.OrderReference{Name: "order"}
	known := in.Service.Status.Carrier
	result := func(value string) *v1alpha1.KnownValue {
		return &v1alpha1.KnownValue{Value: value, Source: v1alpha1.SourceChangeResult, Since: known.Plan.Since}
	}
	known.Term, known.RestorationSLA = termFrom(v1alpha1.SourceChangeResult, known.Plan.Value), result("Silver")
	justRead(in)
}

// slaAt sets the prices of two SLAs. They have just been read.
func slaAt(before, after carrier.Number) func(*services.Input) {
	return func(in *services.Input) {
		offering(decide.ReadingAnswered)(in)
		in.Memory.Readings.Options.Token = in.Service.Annotations[v1alpha1.AnnotationApprove]
		in.Memory.Readings.Options.Options.SLAs = []carrier.SLA{
			{SLA: "Silver", Fee: decidetest.Fee("0.00", before)}, {SLA: "Gold", Fee: decidetest.Fee("0.00", after)},
		}
	}
}

// optionAt offers the NTD option of the declared plan at a price.
func optionAt(oneTime carrier.Number) func(*services.Input) {
	return func(in *services.Input) {
		fee := decidetest.Fee(oneTime, "0.00")
		in.Memory.Readings.Options.Options.Plans = []carrier.Plan{{
			Plan: "Fast", Term: "12", NTDOptions: []carrier.NTDOption{{Option: "4_PORT", Fee: fee}},
		}}
	}
}

// optionOnce offers the NTD option at a one-time fee of zero, without a monthly fee.
func optionOnce(in *services.Input) {
	optionAt("0.00")(in)
	in.Memory.Readings.Options.Options.Plans[0].NTDOptions[0].Fee.MonthlyRecurringCharge = nil
}

// unquoted declares another plan, which the carrier offers without a price.
func unquoted(in *services.Input) {
	wanting(in)
	in.Service.Status.Carrier.Term = termFrom(v1alpha1.SourceChangeResult, "Slow")
	in.Memory.Readings.Options.Options.Plans = []carrier.Plan{{Plan: "Slow", Term: "12"}, {Plan: "Fast", Term: "12"}}
}

func withNTDOption(in *services.Input) {
	in.Service.Spec.Plan.NTDOption = "4_PORT"
	in.Service.Spec.Plan.Contact = &v1alpha1.Contact{Name: "A", Phone: "0400 000 000", Email: "a@example.com"}
}

// The NTD option of the declared plan is sent with an SLA, too, so its price counts, and an unknown
// price needs an approval.
func TestAnSLAIsSentOnlyIfItsNTDOptionIsFreeOrApproved(t *testing.T) {
	t.Parallel()
	type edits []func(*services.Input)
	cheaper := slaAt("6.00", "5.00")
	for name, row := range map[string]struct {
		edits edits
		step  string
		says  string
	}{
		"without an option":  {edits{cheaper}, "Submit", ""},
		"the option is free": {edits{withNTDOption, cheaper, optionAt("0.00")}, "Submit", ""},
		"it costs":           {edits{withNTDOption, cheaper, optionAt("50.00")}, "Rest", "NTD option one-time 50.00 AUD"},
		"its price is unknown": {
			edits{withNTDOption, cheaper},
			"Rest",
			`"Gold" with NTD option "4_PORT" (one-time 0.00 AUD, monthly 6.00 AUD → 5.00 AUD, NTD option price unknown)`,
		},
		"the price of its plan is unknown": {
			edits{withNTDOption, cheaper, unquoted}, "Rest", "; the carrier quotes no price for plan.name; approve with",
		},
		"its monthly fee is unknown": {
			edits{withNTDOption, cheaper, optionOnce}, "Rest", "NTD option one-time 0.00 AUD, NTD option monthly unknown)",
		},
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
	view.Service.Status.Carrier.Term = termFrom(v1alpha1.SourceChangeResult, "Slow")
	justRead(&view)
	view.Memory.Readings.Health.RequestedAt = view.Now
	decision := services.Decide(view)
	if decision.Verdict.Reason != v1alpha1.ReasonAwaitingApproval {
		t.Errorf("the plan has changed, and it is %T: %s", decision.Step, decision.Verdict.Message)
	}
}

// Nobody knows the term of a plan to which the carrier has changed.
func TestAnSLAIsNotSentWithTheTermOfAnotherPlan(t *testing.T) {
	t.Parallel()
	undeclared := func(in *services.Input) {
		approval(v1alpha1.ApprovalAutomatic)(in)
		in.Service.Spec.Plan, in.Service.Status.Carrier.Plan.AsHealth = nil, "Fast"
	}
	shows := func(plan string, source v1alpha1.ValueSource) func(*services.Input) {
		return func(in *services.Input) {
			known := in.Service.Status.Carrier.Plan
			known.Value, known.Source = plan, source
			if source == v1alpha1.SourceChangeResult {
				known.AsHealth = ""
			}
			justRead(in)
		}
	}
	ours := func(in *services.Input) {
		in.Service.Status.Carrier.Term = termFrom(v1alpha1.SourceChangeResult, "Slow")
		in.Ledger = &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{
			Baseline: &v1alpha1.KnownValue{Value: "Slow", AsHealth: "SLOW 50", Source: v1alpha1.SourceChangeResult},
		}}
	}
	const health, service = v1alpha1.SourceHealth, v1alpha1.SourceService
	type edits []func(*services.Input)
	for name, row := range map[string]struct {
		edits edits
		term  int32 // zero: nothing is sent
	}{
		"the plan is as it was":              {edits{shows("Fast", health)}, 12},
		"health shows another":               {edits{shows("Slow", health)}, 0},
		"it is described with another":       {edits{shows("Slow", service)}, 0},
		"we have changed it":                 {edits{ours, shows("Slow", v1alpha1.SourceChangeResult)}, 12},
		"health shows what we have sent":     {edits{ours, shows("Slow", health)}, 12},
		"health shows another after our own": {edits{ours, shows("Fast", health)}, 0},
	} {
		decision := services.Decide(settled(append(edits{otherSLA, undeclared}, row.edits...)...))
		term := int32(0)
		if submit, sends := decision.Step.(decide.Submit); sends {
			term = submit.Request.Target.Term
		}
		if term != row.term || term == 0 && decision.Verdict.Reason != v1alpha1.ReasonTermUnknown {
			t.Errorf("%s: term %d, %s: %s", name, term, decidetest.StepName(decision.Step), decision.Verdict.Message)
		}
	}
}

// A request that a person has abandoned is sent again only after a spec change, or if a retry asks for
// it. The carrier spells its plan differently by now.
func TestAnAbandonedRequestIsHeldBackUnderAnotherSpelling(t *testing.T) {
	t.Parallel()
	for plan, held := range map[string]bool{"Fast": true, "FAST": true, "Slow": false} {
		target := v1alpha1.RequestTarget{Plan: plan, Term: 12, RestorationSLA: "Gold"}
		body := services.Body(v1alpha1.OperationPlanChange, "1234567", target, v1alpha1.Contact{})
		abandoned := with(v1alpha1.PhaseAbandoned, func(r *v1alpha1.Request) {
			r.Target, r.BodyHash = target, decide.BodyHash(body)
		})
		in := settled(otherSLA, approval(v1alpha1.ApprovalAutomatic), abandoned, justRead)
		decision := services.Decide(in)
		if _, sends := decision.Step.(decide.Submit); sends == held {
			t.Errorf("%s: %s, %s", plan, decidetest.StepName(decision.Step), decision.Verdict.Message)
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

// The status was emptied, or the object was created again, and the annotation is still there. The
// attempt that the annotation ended was accepted after all, and nobody has decided about that.
func TestR27AnOldResolutionDoesNotSettleALateAcceptance(t *testing.T) {
	t.Parallel()
	const old, named = "a-1=Abandoned", "a-1=Accepted:9"
	for name, row := range map[string]struct {
		uid, word string
		step      string
	}{
		"the same word":                     {"u-1", old, "Rest"},
		"the same word, for another object": {"u-0", old, "Rest"},
		"the request that was named first":  {"u-1", named, "Rest"},
		"a new word":                        {"u-1", "a-1=Succeeded", "Resolve Succeeded"},
	} {
		view := settled(with(v1alpha1.PhaseLateAcceptance), saying(row.word), func(in *services.Input) {
			attempt := v1alpha1.Request{
				Operation: v1alpha1.OperationPlanChange, AttemptID: "a-1", UID: row.uid, Phase: v1alpha1.PhaseAbandoned,
				EndedBy: v1alpha1.EndedByPerson, ResolvedBy: &v1alpha1.Resolution{Word: old},
			}
			in.Ledger = &v1alpha1.RequestLedger{}
			in.Ledger.Put(attempt)
			attempt.Phase, attempt.ResolvedBy = v1alpha1.PhaseLateAcceptance, &v1alpha1.Resolution{Word: named}
			in.Ledger.Spec.Open = append(in.Ledger.Spec.Open, attempt)
		})
		decision := services.Decide(view)
		if got := decidetest.StepName(decision.Step); got != row.step {
			t.Errorf("%s: %s (%s)", name, got, decision.Verdict.Message)
		}
		const help = "use all@<the present time, as RFC 3339>=Abandoned"
		if row.step == "Rest" && !strings.Contains(decision.Verdict.Message, help) {
			t.Errorf("%s: it does not say what to do: %s", name, decision.Verdict.Message)
		}
	}
}

// A body of one operation must never be sent as another, such as a plan change that costs money.
func TestEachOperationOfAServiceHasItsBodyAndNoOtherHasOne(t *testing.T) {
	t.Parallel()
	target := v1alpha1.RequestTarget{
		Plan: "Fast", AggregationMethod: "L2TP", DSLStabilityProfile: "Stable", Date: "2026-12-31",
	}
	marks := []struct {
		operation v1alpha1.Operation
		mark      string
	}{
		{v1alpha1.OperationPlanChange, `"Fast"`},
		{v1alpha1.OperationAggregationConversion, `"L2TP"`},
		{v1alpha1.OperationDSLStabilityProfileChange, `"Stable"`},
		{v1alpha1.OperationCancellationReschedule, `"2026-12-31"`},
		{v1alpha1.OperationReclaim, "1234567"},
		{v1alpha1.OperationCancellationAbort, "1234567"},
	}
	for contract := range carrier.Contracts() {
		operation, ours := v1alpha1.Operation(contract.Operation), false
		body := string(services.Body(operation, "1234567", target, v1alpha1.Contact{}))
		for _, row := range marks {
			ours = ours || row.operation == operation
			has := strings.Contains(body, row.mark)
			if row.operation == operation && !has || row.operation != operation && has && row.mark[0] == '"' {
				t.Errorf("the body of %s is %q, and that of %s has %s", operation, body, row.operation, row.mark)
			}
		}
		if (body != "") != ours {
			t.Errorf("the body of %s is %q", operation, body)
		}
	}
}
