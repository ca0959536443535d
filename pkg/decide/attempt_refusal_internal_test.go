// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// busy is the carrier's error because a request is in progress.
func busy() *v1alpha1.RequestError {
	const code = "constraints.service.modification.request.in.progress"
	return &v1alpha1.RequestError{HTTPStatus: 422, Code: code, Message: "wait"}
}

// A gateway may have sent the request twice, and returned the response to the second copy: the one in
// progress is then ours. It is refused only if a reading shows the outcome before the next attempt, or
// if a second request changes nothing more.
func TestARefusalBecauseARequestIsInProgressProvesNothingWithoutAReading(t *testing.T) {
	t.Parallel()
	const refused, open = v1alpha1.PhaseRejected, v1alpha1.PhaseSubmitting
	plan := func(before, plan string) v1alpha1.Request {
		return v1alpha1.Request{
			Operation: v1alpha1.OperationPlanChange, Target: v1alpha1.RequestTarget{Plan: plan},
			Before: v1alpha1.RequestBefore{Plan: before},
		}
	}
	withOption := plan("Slow", "Giga")
	withOption.Target.NTDOption = "4_PORT"
	sla, describedSLA := plan("Slow", "Slow"), plan("Slow", "Slow")
	sla.Target.RestorationSLA, describedSLA.Target.RestorationSLA = "Premium", "Premium"
	describedSLA.Before.Described = &v1alpha1.DescribedValues{RestorationSLA: "Standard"}
	of := func(operation v1alpha1.Operation) v1alpha1.Request { return v1alpha1.Request{Operation: operation} }
	for name, test := range map[string]struct {
		attempt v1alpha1.Request
		version int32
		want    v1alpha1.RequestPhase
	}{
		"an order":                            {of(v1alpha1.OperationOrderCreate), 8, open},
		"a conversion":                        {of(v1alpha1.OperationAggregationConversion), 8, open},
		"a diagnostic test":                   {of(v1alpha1.OperationDiagnosticTest), 8, open},
		"a plan with an NTD option":           {withOption, 8, open},
		"a plan, which health shows":          {plan("Slow", "Fast"), 8, refused},
		"a plan, in a version without health": {plan("Slow", "Fast"), 4, open},
		"a plan that was not known before":    {plan("", "Fast"), 8, open},
		"an SLA, which health does not show":  {sla, 8, open},
		"an SLA that the carrier describes":   {describedSLA, 8, refused},
		"a profile":                           {of(v1alpha1.OperationDSLStabilityProfileChange), 8, refused},
		"a reclaim":                           {of(v1alpha1.OperationReclaim), 8, refused},
		"another cancellation date":           {of(v1alpha1.OperationCancellationReschedule), 8, refused},
		"a withdrawn cancellation":            {of(v1alpha1.OperationCancellationAbort), 8, refused},
		"a query":                             {of(v1alpha1.OperationAppointmentSlots), 8, refused},
	} {
		account := &v1alpha1.CarrierAccount{}
		account.Spec.APIVersion, account.Spec.FamilyVersions = test.version, v1alpha1.FamilyVersionsStrict
		test.attempt.Phase, test.attempt.Error = v1alpha1.PhaseSubmitting, busy()
		if got := PhaseOfRefusal(&test.attempt, account); got != test.want {
			t.Errorf("%s is %s, want %s", name, got, test.want)
		}
		test.attempt.Error.Code = "constraints.some.rule"
		if got := PhaseOfRefusal(&test.attempt, account); got != refused {
			t.Errorf("%s is %s after another refusal", name, got)
		}
	}
}

// Another process has found the outcome unknown while the sender was stopped.
func TestAnUnknownOutcomeStaysUnknownIfARequestIsInProgress(t *testing.T) {
	t.Parallel()
	attempt := &v1alpha1.Request{
		Operation: v1alpha1.OperationOrderCreate, Phase: v1alpha1.PhaseOutcomeUnknown, Error: busy(),
	}
	if got := PhaseOfRefusal(attempt, nil); got != v1alpha1.PhaseOutcomeUnknown {
		t.Errorf("it is %s", got)
	}
}

// A state in which such a request is refused was not written by this version.
func TestARequestOfClassNeverIsNeverRetriedByItself(t *testing.T) {
	t.Parallel()
	for _, operation := range []v1alpha1.Operation{
		v1alpha1.OperationOrderCreate, v1alpha1.OperationAggregationConversion, v1alpha1.OperationDiagnosticTest,
	} {
		for _, why := range []*v1alpha1.RequestError{busy(), {HTTPStatus: 404}} {
			last := &v1alpha1.Request{Operation: operation, Phase: v1alpha1.PhaseRejected, Error: why}
			if at := AutoRetryAt(&Input{}, last); !at.IsZero() {
				t.Errorf("%s after %+v: it is sent again at %s", operation, why, at)
			}
		}
	}
}

// The carrier has one in progress: the best evidence there is that an earlier attempt, which a person
// has resolved as not accepted, was accepted.
func TestTheMessageNamesTheAttemptThatMayBeInProgress(t *testing.T) {
	t.Parallel()
	ended := func(id string, outcome v1alpha1.RequestPhase, by v1alpha1.EndedBy) v1alpha1.EndedAttempt {
		return v1alpha1.EndedAttempt{
			AttemptID: id, Operation: v1alpha1.OperationAggregationConversion, Outcome: outcome, EndedBy: by,
		}
	}
	early := ended("early", v1alpha1.PhaseNotAccepted, v1alpha1.EndedByPerson)
	early.ResolvedBy = &v1alpha1.Resolution{By: "ada"}
	for name, test := range map[string]struct {
		ended []v1alpha1.EndedAttempt
		named string
	}{
		"nothing before it":  {nil, ""},
		"a person too early": {[]v1alpha1.EndedAttempt{early}, "attempt early, which ada has resolved as NotAccepted"},
		"abandoned": {
			[]v1alpha1.EndedAttempt{ended("left", v1alpha1.PhaseAbandoned, v1alpha1.EndedByPerson)},
			"attempt left, which ended as Abandoned",
		},
		"refused and not sent since": {[]v1alpha1.EndedAttempt{
			ended("unsent", v1alpha1.PhaseNotSent, v1alpha1.EndedBySender),
			ended("refused", v1alpha1.PhaseRejected, v1alpha1.EndedByCarrier), early,
		}, "attempt early"},
		"one was carried out since": {
			[]v1alpha1.EndedAttempt{ended("done", v1alpha1.PhaseSucceeded, v1alpha1.EndedByCarrier), early}, "",
		},
	} {
		in := &Input{Subject: &v1alpha1.BroadbandService{}, Ledger: &v1alpha1.RequestLedger{}}
		in.Ledger.Spec.Ended = test.ended
		open := &v1alpha1.Request{AttemptID: "now", Operation: v1alpha1.OperationAggregationConversion, Error: busy()}
		text := DescribeUnknown(in, open, open.Error)
		const ask = "Ask the carrier which request is in progress: " +
			"NotAccepted is right only if it is none of those named"
		if !strings.Contains(text, test.named) || !strings.Contains(text, ask) ||
			test.named == "" && strings.Contains(text, "which ended as") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// A write whose response was lost is made again, with the same fact.
func TestARepeatIsEndedOnlyOnce(t *testing.T) {
	t.Parallel()
	lost := &v1alpha1.RequestError{Message: "the gate was closed"}
	repeat := &v1alpha1.Request{Phase: v1alpha1.PhaseSubmitting, Repeats: 1}
	for range 2 {
		EndUnreached(repeat, v1alpha1.PhaseNotSent, lost)
	}
	if repeat.Phase != v1alpha1.PhaseSubmitting || repeat.Repeats != 0 {
		t.Errorf("the attempt before the repeat is %s with %d repeats", repeat.Phase, repeat.Repeats)
	}
}

// After two requests of class Never without evidence, none is sent, and the others are.
func TestClassNeverWaitsForEvidence(t *testing.T) {
	t.Parallel()
	in := &Input{Subject: &v1alpha1.BroadbandService{}}
	for unproven, held := range []bool{false, false, true, true} {
		in.Account.Breaker.Unproven.Count = unproven
		if got := breakerIsOpen(in, DesiredChange{Operation: v1alpha1.OperationOrderCreate}); (got != nil) != held {
			t.Errorf("after %d: an order waits: %t", unproven, got != nil)
		}
		if breakerIsOpen(in, DesiredChange{Operation: v1alpha1.OperationPlanChange}) != nil {
			t.Errorf("after %d: a plan change waits", unproven)
		}
		shown := CarrierAspect(&v1alpha1.CarrierAccount{}, Breaker{Unproven: in.Account.Breaker.Unproven})
		if (shown != nil) != held || held && shown.Reason != v1alpha1.ReasonBreakerOpen {
			t.Errorf("after %d the account shows %+v", unproven, shown)
		}
	}
}
