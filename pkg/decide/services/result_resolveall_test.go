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
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// saying sets the resolve annotation of a service to a value ten minutes after the start.
func saying(value string) func(*services.Input) {
	return func(in *services.Input) {
		at(10 * time.Minute)(in)
		annotated(v1alpha1.AnnotationResolve, value)(in)
	}
}

// The effect of an annotation on attempt a-1, which has been unknown since the start, and the
// object's message if it resolves nothing.
func TestR27ResolvingAllSettlesWhatWasUnknownBeforeItsTime(t *testing.T) {
	t.Parallel()
	const succeeded, abandoned = v1alpha1.PhaseSucceeded, v1alpha1.PhaseAbandoned
	for name, test := range map[string]wordCase{
		"it succeeded":          {value: decidetest.ResolveAll(time.Minute, "Succeeded"), phase: succeeded},
		"it is abandoned":       {value: decidetest.ResolveAll(time.Minute, "Abandoned"), phase: abandoned},
		"a time with an offset": {value: "all@2026-03-02T19:05:00+10:00=Abandoned", phase: abandoned},
		"the present":           {value: decidetest.ResolveAll(10*time.Minute, "Succeeded"), phase: succeeded},
		"a part of a second later": {
			value: decidetest.ResolveAll(999*time.Millisecond, "Succeeded"), flaw: "does not resolve",
		},
		"the second of its end": {value: decidetest.ResolveAll(0, "Succeeded"), flaw: "does not resolve"},
		"a time before that": {
			value: decidetest.ResolveAll(-time.Hour, "Succeeded"),
			flaw:  "after " + decidetest.Start().Format(time.RFC3339),
		},
		"a time in the future": {value: decidetest.ResolveAll(10*time.Minute+1, "Succeeded"), flaw: "not in the future"},
		"never NotAccepted": {
			value: decidetest.ResolveAll(time.Minute, "NotAccepted"),
			flaw:  "=Succeeded or =Abandoned",
		},
		"never Accepted":           {value: decidetest.ResolveAll(time.Minute, "Accepted:77"), flaw: "does not resolve"},
		"an outcome with a suffix": {value: decidetest.ResolveAll(time.Minute, "Succeeded:77"), flaw: "does not resolve"},
		"another outcome":          {value: decidetest.ResolveAll(time.Minute, "Lost"), flaw: "does not resolve"},
		"no word":                  {value: decidetest.ResolveAll(time.Minute, ""), flaw: "does not resolve"},
		"no time":                  {value: "all@=Succeeded", flaw: "does not resolve"},
		"a day":                    {value: "all@2026-03-02=Succeeded", flaw: "does not resolve"},
		"an invalid date":          {value: "all@2026-02-30T09:00:00Z=Succeeded", flaw: "does not resolve"},
		"all without a time":       {value: "all=Succeeded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decision := services.Decide(settled(wanting, with(v1alpha1.PhaseOutcomeUnknown), saying(test.value)))
			if flaw := test.differs(decision); flaw != "" {
				t.Errorf("%s: %+v, and it says %q", flaw, decision.Step, decision.Verdict.Message)
			}
		})
	}
}

// wordCase is a value of the resolve annotation, and its effect.
type wordCase struct {
	value string
	phase v1alpha1.RequestPhase // the attempt's new phase; "" for none
	flaw  string                // otherwise, the message about the value
}

// differs returns what is wrong with a decision; "" for nothing.
func (c wordCase) differs(decision decide.Decision) string {
	resolve, resolves := decision.Step.(decide.Resolve)
	if resolves != (c.phase != "") {
		return "whether it resolves"
	}
	if resolves {
		return c.resolvesElse(resolve, decision.Handled.Resolve)
	}
	message := decision.Verdict.Message
	said := strings.Contains(message,
		`(the annotation wholesale.broadband/resolve is now "`+c.value+`", which does not resolve this attempt`)
	switch {
	case decision.Handled.Resolve != "":
		return "it counts as acted on"
	case decision.Handled.IgnoredResolve != c.value:
		return "it is not remembered as ignored"
	case said != (c.flaw != "") || !strings.Contains(message, c.flaw):
		return "the flaw"
	}
	return ""
}

// resolvesElse returns what is wrong with a resolution; "" for nothing. The value must not count as
// acted on yet, because it may resolve what is left.
func (c wordCase) resolvesElse(resolve decide.Resolve, handled string) string {
	if resolve.Phase != c.phase || resolve.By != decide.WriterPerson {
		return "the phase, or who says so"
	}
	if handled != "" {
		return "it counts as acted on"
	}
	return ""
}

// Each value is acted on once, and settles nothing that becomes unknown later.
func TestR27ResolvingAllSettlesNothingElse(t *testing.T) {
	t.Parallel()
	since := func(after time.Duration) func(*v1alpha1.Request) {
		return func(r *v1alpha1.Request) { r.FinishedAt = metav1.NewTime(decidetest.Start().Add(after)) }
	}
	value := decidetest.ResolveAll(5*time.Minute, "Succeeded")
	handled := func(in *services.Input) { in.Service.Status.Handled.Resolve = value }
	ignored := func(in *services.Input) { in.Service.Status.Handled.IgnoredResolve = value }
	for name, test := range map[string]struct {
		edits    []func(*services.Input)
		resolves bool
	}{
		"unknown":                 {edits: []func(*services.Input){with(v1alpha1.PhaseOutcomeUnknown)}, resolves: true},
		"unknown, used up":        {edits: []func(*services.Input){with(v1alpha1.PhaseOutcomeUnknown), handled}},
		"unknown, ignored before": {edits: []func(*services.Input){with(v1alpha1.PhaseOutcomeUnknown), ignored}},
		"unknown later": {
			edits: []func(*services.Input){with(v1alpha1.PhaseOutcomeUnknown, since(6*time.Minute))},
		},
		"unknown since an unknown time": {edits: []func(*services.Input){with(v1alpha1.PhaseOutcomeUnknown, unended)}},
		"accepted late":                 {edits: []func(*services.Input){with(v1alpha1.PhaseLateAcceptance)}, resolves: true},
		"accepted after the time": {
			edits: []func(*services.Input){with(v1alpha1.PhaseLateAcceptance, since(time.Hour))},
		},
		"being verified": {edits: []func(*services.Input){with(v1alpha1.PhaseSubmitting, lost)}},
		"overdue":        {edits: []func(*services.Input){with(v1alpha1.PhaseInProgress), overdue}},
		"failed":         {edits: []func(*services.Input){with(v1alpha1.PhaseFailed)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			edits := append([]func(*services.Input){wanting, saying(value)}, test.edits...)
			decision := services.Decide(settled(edits...))
			if resolve, resolves := decision.Step.(decide.Resolve); resolves != test.resolves {
				t.Errorf("%+v: %s", resolve, decision.Verdict.Message)
			}
		})
	}
}

func unended(r *v1alpha1.Request) { r.FinishedAt = metav1.Time{} }

// overdue makes the attempt one that was submitted a year before the start.
func overdue(in *services.Input) {
	request := in.Service.RequestOf(v1alpha1.OperationPlanChange)
	request.SubmittedAt = metav1.NewTime(decidetest.Start().AddDate(-1, 0, 0))
}

// Two attempts of one object are resolved one after the other, and the value counts as acted on
// when none is left.
func TestR27ResolvingAllIsHandledWithTheLastAttempt(t *testing.T) {
	t.Parallel()
	value := decidetest.ResolveAll(time.Minute, "Abandoned")
	view := settled(wanting, with(v1alpha1.PhaseOutcomeUnknown), with(v1alpha1.PhaseOutcomeUnknown,
		func(r *v1alpha1.Request) {
			r.Operation, r.AttemptID = v1alpha1.OperationCancellationAbort, "a-2"
		}), saying(value))
	settledAttempts := map[string]bool{}
	for len(settledAttempts) < 2 {
		decision := services.Decide(view)
		resolve, resolves := decision.Step.(decide.Resolve)
		if !resolves || settledAttempts[resolve.AttemptID] || decision.Handled.Resolve != "" {
			t.Fatalf("%+v after %v, and %q counts as acted on", decision.Step, settledAttempts, decision.Handled.Resolve)
		}
		settledAttempts[resolve.AttemptID] = true
		for i := range view.Service.Status.Requests {
			if request := &view.Service.Status.Requests[i]; request.AttemptID == resolve.AttemptID {
				request.Phase, request.EndedBy = resolve.Phase, v1alpha1.EndedByPerson
				request.ResolvedBy = &v1alpha1.Resolution{Word: value}
			}
		}
	}
	if decision := services.Decide(view); decision.Handled.Resolve != value || len(decision.Unused) > 0 {
		t.Errorf("%q counts as acted on, and %q is unused: %s",
			decision.Handled.Resolve, decision.Unused, decision.Verdict.Message)
	}
}

// "status.handled echoes only what was acted on". The ledger remembers a resolution longer than a
// status does.
func TestOnlyAResolutionThatResolvedSomethingIsEchoed(t *testing.T) {
	t.Parallel()
	all := decidetest.ResolveAll(time.Minute, "Abandoned")
	resolved := func(uid, word string) func(*services.Input) {
		return func(in *services.Input) {
			in.Ledger = &v1alpha1.RequestLedger{}
			in.Ledger.Put(v1alpha1.Request{
				Operation: v1alpha1.OperationPlanChange, AttemptID: "a-1", UID: uid, Phase: v1alpha1.PhaseAbandoned,
				EndedBy: v1alpha1.EndedByPerson, ResolvedBy: &v1alpha1.Resolution{Word: word},
			})
		}
	}
	for name, test := range map[string]struct {
		value string
		edit  func(*services.Input)
		acted bool
	}{
		"an attempt that there is not":      {value: "a-2=NotAccepted", edit: resolved("u-1", "a-1=Abandoned")},
		"an invalid form":                   {value: "a-1:Abandoned", edit: resolved("u-1", "a-1=Abandoned")},
		"the attempt that it resolved":      {value: "a-1=Abandoned", edit: resolved("u-1", "a-1=Abandoned"), acted: true},
		"everything, which was one attempt": {value: all, edit: resolved("u-1", all), acted: true},
		"everything, of another object":     {value: all, edit: resolved("u-2", all)},
		"everything, of which there is not": {value: all, edit: resolved("u-1", "a-1=Abandoned")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decision := services.Decide(settled(saying(test.value), test.edit))
			handled := decision.Handled
			acted, ignored := handled.Resolve == test.value, handled.IgnoredResolve == test.value
			said := strings.Contains(decision.Verdict.Message, `"`+test.value+`", but resolves nothing`)
			if acted != test.acted || ignored == test.acted || said == test.acted || len(decision.Unused) == 1 == test.acted {
				t.Errorf("%+v, %q is unused: %s", handled, decision.Unused, decision.Verdict.Message)
			}
		})
	}
}

// An ignored value is forgotten when the annotation is removed or replaced, so setting it again is
// a new resolution.
func TestAnIgnoredResolutionIsForgottenWithTheAnnotation(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "a-2=Abandoned"} {
		view := settled(saying(value))
		view.Service.Status.Handled.IgnoredResolve = "a-3=Abandoned"
		if got := services.Decide(view).Handled.IgnoredResolve; got != value {
			t.Errorf("with %q: %q is ignored", value, got)
		}
	}
}

// The ledger keeps few ended attempts, so it may no longer contain the one that was resolved.
func TestAHandledResolutionIsNotReportedAsIgnored(t *testing.T) {
	t.Parallel()
	const value = "a-2=Abandoned"
	view := settled(saying(value))
	view.Service.Status.Handled.Resolve = value
	if decision := services.Decide(view); decision.Handled.IgnoredResolve != "" || len(decision.Unused) > 0 {
		t.Errorf("%+v: %s", decision.Handled, decision.Verdict.Message)
	}
}

// A task's attempt is resolved by the same values.
func TestR27ResolvingAllAppliesToEveryKind(t *testing.T) {
	t.Parallel()
	test := &v1alpha1.DiagnosticTest{}
	test.Annotations = map[string]string{v1alpha1.AnnotationResolve: decidetest.ResolveAll(time.Minute, "Abandoned")}
	test.Status.Request = &v1alpha1.Request{
		Operation: v1alpha1.OperationDiagnosticTest, AttemptID: "a-1", Phase: v1alpha1.PhaseOutcomeUnknown,
		FinishedAt: metav1.NewTime(decidetest.Start()),
	}
	decision := oneshots.Decide(oneshots.Input{
		Input: decide.Input{Subject: test, Now: decidetest.Start().Add(time.Hour)},
		Task:  decide.Task{Operation: v1alpha1.Operation(carrier.DiagnosticTest)},
	})
	if resolve, resolves := decision.Step.(decide.Resolve); !resolves || resolve.Phase != v1alpha1.PhaseAbandoned {
		t.Errorf("%+v: %s", decision.Step, decision.Verdict.Message)
	}
}

// The message of a request that was accepted late also explains why a resolution of everything does
// not change it.
func TestR27ALateAcceptanceSaysWhyResolvingAllDoesNotSettleIt(t *testing.T) {
	t.Parallel()
	value := decidetest.ResolveAll(-time.Minute, "Succeeded")
	message := services.Decide(settled(with(v1alpha1.PhaseLateAcceptance), saying(value))).Verdict.Message
	if !strings.Contains(message, `is now "`+value+`", which does not resolve this attempt`) {
		t.Error(message)
	}
}

// The person resolved the previous attempt. The attempt that repeats it is opened by a process, and
// counts as not resolved.
func TestR27ARepeatIsNotResolvedByAPerson(t *testing.T) {
	t.Parallel()
	said := func(r *v1alpha1.Request) { r.ResolvedBy = &v1alpha1.Resolution{Word: "a-1=Accepted:77"} }
	decision := services.Decide(settled(
		stable, with(v1alpha1.PhaseSubmitting, lost, profileRepeated(0), said), at(16*time.Minute)))
	submit, sends := decision.Step.(decide.Submit)
	if !sends || submit.Request.Repeats != 1 || submit.Request.ResolvedBy != nil {
		t.Errorf("%+v: %s", decision.Step, decision.Verdict.Message)
	}
}
