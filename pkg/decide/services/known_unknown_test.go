// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// shownHash is the hash of the changes that a status shows in these tests.
const shownHash = "p0123456789abcdef0123456789abcdef"

// unknownMethod declares nothing but an aggregation method, for a service whose current one is
// unknown.
func unknownMethod(in *services.Input) {
	in.Service.Spec.Plan, in.Service.Spec.AggregationMethod = nil, "ETHERNET"
}

// otherSpelling makes health spell the plan differently from the carrier's offers.
func otherSpelling(in *services.Input) {
	in.Service.Status.Carrier.Plan.Value, in.Service.Status.Carrier.Plan.AsHealth = "FAST (100)", "FAST (100)"
}

func policy(policy v1alpha1.UnknownValues) func(*services.Input) {
	return func(in *services.Input) { in.Service.Spec.UnknownValues = policy }
}

// shows makes the status show changes under shownHash.
func shows(changes ...v1alpha1.Change) func(*services.Input) {
	return func(in *services.Input) {
		in.Service.Status.Pending = &v1alpha1.Pending{Hash: shownHash, Changes: changes}
	}
}

// offering makes the carrier's offers read just now.
func offering(state decide.ReadingState, plans ...string) func(*services.Input) {
	return func(in *services.Input) {
		reading := decide.Reading{State: state, RequestedAt: in.Now}
		for _, plan := range plans {
			reading.Options.Plans = append(reading.Options.Plans, carrier.Plan{Plan: plan})
		}
		if state == decide.ReadingFailed {
			reading.Err = &carrier.Error{HTTPStatus: 422, Class: carrier.Refused}
		}
		in.Memory.Readings.Options = reading
	}
}

var (
	trusted    = annotated(v1alpha1.AnnotationTrust, shownHash)
	toEthernet = v1alpha1.Change{
		Operation: v1alpha1.OperationAggregationConversion, Field: "aggregationMethod", Unknown: true, To: "ETHERNET",
	}
	spelling = v1alpha1.Change{
		Operation: v1alpha1.OperationPlanChange, Field: "plan.name", Unknown: true, From: "FAST (100)", To: "Fast",
	}
	newTerm = v1alpha1.Change{Operation: v1alpha1.OperationPlanChange, Field: "plan.term", To: "12"}
)

// unlike returns a copy of a change with one difference.
func unlike(change v1alpha1.Change, edit func(*v1alpha1.Change)) v1alpha1.Change {
	edit(&change)
	return change
}

func pricedAt(c *v1alpha1.Change) { c.MonthlyAfter = &v1alpha1.Money{Amount: "58.00", Currency: "AUD"} }

// convertingToL2TP records an aggregation conversion.
func convertingToL2TP(phase v1alpha1.RequestPhase) func(*services.Input) {
	return with(phase, func(r *v1alpha1.Request) {
		r.Operation, r.Target = v1alpha1.OperationAggregationConversion, v1alpha1.RequestTarget{AggregationMethod: "L2TP"}
	})
}

type inputEdits = []func(*services.Input)

func TestAnUnknownValueIsTrustedOnlyIfAUserAllowsIt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		edits    inputEdits
		believed bool
		handled  string
	}{
		"no policy and no annotation":   {inputEdits{shows(toEthernet)}, false, ""},
		"unknownValues: Trust":          {inputEdits{policy(v1alpha1.UnknownTrust)}, true, ""},
		"unknownValues: Request":        {inputEdits{policy(v1alpha1.UnknownRequest)}, false, ""},
		"trusted as it is shown":        {inputEdits{shows(toEthernet), trusted}, true, shownHash},
		"trusted, and nothing is shown": {inputEdits{trusted}, false, ""},
		"trusted with another hash": {
			inputEdits{shows(toEthernet), annotated(v1alpha1.AnnotationTrust, "p0")}, false, "",
		},
		"approved, not trusted": {
			inputEdits{shows(toEthernet), annotated(v1alpha1.AnnotationApprove, shownHash)}, false, "",
		},
		"another value was shown": {
			inputEdits{shows(unlike(toEthernet, func(c *v1alpha1.Change) { c.To = "L2TP" })), trusted}, false, "",
		},
		"another field was shown": {
			inputEdits{shows(unlike(toEthernet, func(c *v1alpha1.Change) { c.Field = "x" })), trusted}, false, "",
		},
		"it was shown as known": {
			inputEdits{shows(unlike(toEthernet, func(c *v1alpha1.Change) { c.Unknown, c.From = false, "L2TP" })), trusted},
			false, "",
		},
		"trusted while a request is in progress": {
			inputEdits{shows(toEthernet), trusted, convertingToL2TP(v1alpha1.PhaseInProgress)}, false, "",
		},
		"trusted after our request": {
			inputEdits{shows(toEthernet), trusted, convertingToL2TP(v1alpha1.PhaseFailed)}, true, shownHash,
		},
		"unknownValues: Trust after our request": {
			inputEdits{policy(v1alpha1.UnknownTrust), convertingToL2TP(v1alpha1.PhaseFailed)}, false, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := settled(append(inputEdits{unknownMethod, policy(v1alpha1.UnknownAsk)}, test.edits...)...)
			services.UpdateState(&view)
			known := view.Service.Status.Carrier.AggregationMethod
			if believed := known != nil && known.Source == v1alpha1.SourceDeclared; believed != test.believed {
				t.Errorf("it is taken to be %v, and is to be believed: %v", known, test.believed)
			}
			if handled := view.Service.Status.Handled.Trust; handled != test.handled {
				t.Errorf("the annotation %q counts as acted on, want %q", handled, test.handled)
			}
		})
	}
}

func TestAnotherSpellingIsTrustedOnlyIfAUserAllowsIt(t *testing.T) {
	t.Parallel()
	const answered, failed = decide.ReadingAnswered, decide.ReadingFailed
	for name, test := range map[string]struct {
		edits    inputEdits
		believed bool
	}{
		"no policy and no annotation":      {inputEdits{shows(spelling), offering(answered, "Fast")}, false},
		"trusted as it is shown":           {inputEdits{shows(spelling), trusted}, true},
		"health shows another plan by now": {inputEdits{shows(spelling), trusted, wanting}, false},
		"unknownValues: Trust": {
			inputEdits{policy(v1alpha1.UnknownTrust), offering(answered, "Fast")}, true,
		},
		"Trust, and the offers not read": {inputEdits{policy(v1alpha1.UnknownTrust)}, false},
		"Trust, and the offers refused":  {inputEdits{policy(v1alpha1.UnknownTrust), offering(failed)}, false},
		"Trust, and it is offered": {
			inputEdits{policy(v1alpha1.UnknownTrust), offering(answered, "Fast (100)")}, false,
		},
		"trusted after our change": {inputEdits{shows(spelling), trusted, with(v1alpha1.PhaseFailed)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := settled(append(inputEdits{otherSpelling, policy(v1alpha1.UnknownAsk)}, test.edits...)...)
			services.UpdateState(&view)
			plan := view.Service.Status.Carrier.Plan
			if believed := plan.Source == v1alpha1.SourceDeclared; believed != test.believed {
				t.Errorf("it is taken to be %v, and is to be believed: %v", plan, test.believed)
			}
			if test.believed && (plan.Value != "Fast" || plan.AsHealth != "FAST (100)") {
				t.Errorf("%+v is believed", plan)
			}
		})
	}
}

// Whether health spells the declared plan differently stays a question after a request that has
// changed nothing, and the hash stays under which a person has approved to send it.
func TestARefusalDoesNotAnswerWhetherAPlanIsSpelledDifferently(t *testing.T) {
	t.Parallel()
	pending := func(edits ...func(*services.Input)) *v1alpha1.Pending {
		offers := offering(decide.ReadingAnswered, "Fast")
		return services.Decide(settled(append(edits, otherSpelling, policy(v1alpha1.UnknownAsk), offers)...)).Pending
	}
	for _, row := range []struct {
		phase   v1alpha1.RequestPhase
		unknown bool
	}{
		{v1alpha1.PhaseRejected, true},
		{v1alpha1.PhaseNotAccepted, true},
		{v1alpha1.PhaseNotSent, true},
		{v1alpha1.PhaseFailed, false},
		{v1alpha1.PhaseAbandoned, false},
	} {
		if shown := pending(with(row.phase)); shown.Changes[0].Unknown != row.unknown {
			t.Errorf("after %s it is unknown: %t", row.phase, shown.Changes[0].Unknown)
		}
	}
	withoutTarget := func(request *v1alpha1.Request) { request.Target = v1alpha1.RequestTarget{} }
	if shown := pending(with(v1alpha1.PhaseSucceeded, withoutTarget)); !shown.Changes[0].Unknown {
		t.Error("after the ledger was lost, the declared plan may be the one that health names")
	}
	before, after := pending(), pending(with(v1alpha1.PhaseRejected, anotherInProgress))
	if before.Hash != after.Hash {
		t.Errorf("the approval %s is void: the hash is now %s", before.Hash, after.Hash)
	}
}

func TestAnUnknownValueWaitsForAPerson(t *testing.T) {
	t.Parallel()
	const answered, failed = decide.ReadingAnswered, decide.ReadingFailed
	const asks, goes = v1alpha1.ReasonAwaitingApproval, v1alpha1.ReasonProgressing
	for name, test := range map[string]struct {
		edits   inputEdits
		reason  string
		unknown bool
	}{
		"an unknown method":                {inputEdits{unknownMethod}, asks, true},
		"an unknown method, requested":     {inputEdits{unknownMethod, policy(v1alpha1.UnknownRequest)}, goes, true},
		"another spelling, not compared":   {inputEdits{otherSpelling}, goes, false},
		"another spelling":                 {inputEdits{otherSpelling, offering(answered, "Fast")}, asks, true},
		"another spelling, offers refused": {inputEdits{otherSpelling, offering(failed)}, asks, true},
		"another plan":                     {inputEdits{wanting, offering(answered, "Fast", "Slow")}, goes, false},
		"another spelling, shown before":   {inputEdits{otherSpelling, shows(spelling)}, goes, true},
		"another spelling, shown with its price before": {
			inputEdits{otherSpelling, shows(unlike(spelling, pricedAt), newTerm)}, asks, true,
		},
		"the same, and by now unknownValues: Trust": {
			inputEdits{otherSpelling, shows(unlike(spelling, pricedAt), newTerm), policy(v1alpha1.UnknownTrust)}, goes, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := settled(append(inputEdits{policy(v1alpha1.UnknownAsk)}, test.edits...)...)
			decision := services.Decide(view)
			if decision.Verdict.Reason != test.reason {
				t.Errorf("it says %s: %s", decision.Verdict.Reason, decision.Verdict.Message)
			}
			if got := decision.Pending.Changes[0].Unknown; got != test.unknown {
				t.Errorf("its change is unknown: %v, want %v", got, test.unknown)
			}
		})
	}
}

// A service may become hidden after its SLA change was proposed. It then has no plan of changes.
func TestNoApprovalIsRequestedForAHiddenService(t *testing.T) {
	t.Parallel()
	view := settled(policy(v1alpha1.UnknownAsk), func(in *services.Input) {
		in.Service.Spec.RestorationSLA = "Gold"
		in.Memory.Readings.Cancellation = decide.Reading{
			State: decide.ReadingFailed, RequestedAt: in.Now,
			Err: &carrier.Error{HTTPStatus: 404, Class: carrier.NotFoundOrForbidden},
		}
	})
	decision := services.Decide(view)
	if decision.Verdict.Reason != v1alpha1.ReasonNotFoundOrForbidden || decision.Pending != nil {
		t.Errorf("it says %s, and shows %+v", decision.Verdict.Reason, decision.Pending)
	}
	for _, aspect := range decision.Aspects {
		if aspect.Type == v1alpha1.ConditionApprovalRequired {
			t.Errorf("it asks: %s", aspect.Message)
		}
	}
}

func TestAnUnknownValueThatIsToBeApprovedHasNoPrice(t *testing.T) {
	t.Parallel()
	verdict := services.Decide(settled(unknownMethod, policy(v1alpha1.UnknownAsk))).Verdict
	unpriced := strings.Contains(verdict.Message, "; the carrier quotes no price;")
	if verdict.Reason != v1alpha1.ReasonAwaitingApproval || !unpriced {
		t.Errorf("%s (%s)", verdict.Reason, verdict.Message)
	}
}

// With ServiceRead the API can report a value, but the carrier may leave it out.
func TestTheMessageAboutAnUnknownValueSaysWhyItIsUnknown(t *testing.T) {
	t.Parallel()
	described := func(in *services.Input) {
		describing(0, showing(v1alpha1.DescribedValues{Plan: "Fast"}))(in)
		knownBy(v1alpha1.SourceService)(in)
	}
	for want, edit := range map[string]func(*services.Input){
		"the carrier's API cannot report aggregationMethod; ":        unknownMethod,
		"the carrier does not show aggregationMethod at present; no": described,
	} {
		verdict := services.Decide(settled(unknownMethod, policy(v1alpha1.UnknownAsk), edit)).Verdict
		if verdict.Reason != v1alpha1.ReasonAwaitingApproval || !strings.HasPrefix(verdict.Message, want) {
			t.Errorf("%q, want %q", verdict, want)
		}
	}
}

// unknownSLA declares an SLA beside the plan and term that the service has. The SLA that the
// service has is unknown.
func unknownSLA(in *services.Input) {
	policy(v1alpha1.UnknownAsk)(in)
	in.Service.Spec.RestorationSLA = "Gold"
	known := in.Service.Status.Carrier
	known.Term = &v1alpha1.KnownValue{
		Value: "12", Plan: known.Plan.Value, Source: v1alpha1.SourceChangeResult, Since: known.Plan.Since,
	}
}

// goldAt makes the price of the SLA read just now, for the approval that is given.
func goldAt(oneTime, monthly carrier.Number) func(*services.Input) {
	return func(in *services.Input) {
		offering(decide.ReadingAnswered, "Fast")(in)
		in.Memory.Readings.Options.Token = in.Service.Annotations[v1alpha1.AnnotationApprove]
		in.Memory.Readings.Options.Options.SLAs = []carrier.SLA{{SLA: "Gold", Fee: decidetest.Fee(oneTime, monthly)}}
	}
}

// The price of an unknown SLA is read only after its approval. A change that turns out to cost
// something has to be approved again, at its price.
func TestAnUnknownSLAThatIsNotFreeIsApprovedAgain(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		oneTime, monthly carrier.Number
		step             string
	}{
		"free": {
			"0.00", "0.00", "Submit",
		}, "a monthly fee": {"0.00", "5.00", "Rest"}, "a fee once": {"5.00", "0.00", "Rest"},
	} {
		view := settled(unknownSLA, justRead, pendingShown, approving)
		first := view.Service.Status.Pending.Hash
		goldAt(row.oneTime, row.monthly)(&view)
		decision := services.Decide(view)
		if decidetest.StepName(decision.Step) != row.step || (decision.Pending.Hash == first) != (row.step == "Submit") {
			t.Errorf("%s: %T, %s", name, decision.Step, decision.Verdict.Message)
		}
	}
}
