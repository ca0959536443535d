// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// offersInFull is what the carrier offers for the service: Slow and Fast for 1, 12 and 36 months, Fast
// with an NTD option, and two SLAs.
func offersInFull(in *services.Input) {
	atFees(in)
	options := &in.Memory.Readings.Options.Options
	for i := range options.Plans {
		options.Plans[i].NTDOptions = []carrier.NTDOption{{Option: "4_PORT", Fee: decidetest.Fee("0.00", "0.00")}}
	}
	options.SLAs = []carrier.SLA{{SLA: "Standard"}, {SLA: "Enhanced"}}
}

// wantsSLA declares an SLA, in place of a known one.
func wantsSLA(name string) func(*services.Input) {
	return func(in *services.Input) {
		justRead(in)
		in.Service.Spec.RestorationSLA = name
		in.Service.Status.Carrier.RestorationSLA = valueFrom(v1alpha1.SourceChangeResult, "Standard", 0)
	}
}

// What the carrier does not offer for the service is neither put up for approval nor sent.
func TestNobodyIsAskedAboutWhatTheCarrierDoesNotOffer(t *testing.T) {
	t.Parallel()
	option := func(name string) func(*services.Input) {
		return func(in *services.Input) { withNTDOption(in); in.Service.Spec.Plan.NTDOption = name }
	}
	none := func(in *services.Input) { in.Memory.Readings.Options.Options = carrier.PlanOptionsResult{} }
	partial := func(in *services.Input) { in.Memory.Readings.Options.Partial = true }
	for name, row := range map[string]struct {
		edits inputEdits
		says  string // "": it is asked
	}{
		"another plan": {inputEdits{wanting}, ""},
		"a mistyped plan": {
			inputEdits{wanting, declaring("Fasst", 12)},
			`plan "Fasst" for this service; nearest: "Fast"; it offers: "Slow", "Fast"`,
		},
		"an unknown plan": {
			inputEdits{wanting, declaring("Family", 12)}, `plan "Family" for this service; it offers: "Slow", "Fast"`,
		},
		"a plan in lower case": {
			inputEdits{wanting, declaring("fast", 12)}, `plan "fast" for this service: it is spelled "Fast"`,
		},
		"a term": {
			inputEdits{wanting, declaring("Fast", 13)}, `term "13" for this service; it offers: "1", "12", "36"`,
		},
		"an SLA": {
			inputEdits{wantsSLA("Gold")}, `restoration SLA "Gold" for this service; it offers: "Standard", "Enhanced"`,
		},
		"an SLA in lower case": {
			inputEdits{wantsSLA("enhanced")}, `restoration SLA "enhanced" for this service: it is spelled "Enhanced"`,
		},
		"another SLA": {inputEdits{wantsSLA("Enhanced")}, ""},
		"an NTD option": {
			inputEdits{wanting, option("8_PORT")},
			`NTD option "8_PORT" for this service; nearest: "4_PORT"; it offers: "4_PORT"`,
		},
		"another NTD option":         {inputEdits{wanting, option("4_PORT")}, ""},
		"offers without plans":       {inputEdits{wanting, declaring("Fasst", 12), none}, ""},
		"offers that are incomplete": {inputEdits{wanting, declaring("Fasst", 12), partial}, ""},
		"offers that were refused":   {inputEdits{wanting, declaring("Fasst", 12), offering(decide.ReadingFailed)}, ""},
	} {
		all := slices.Concat(inputEdits{approval(v1alpha1.ApprovalAlways), offersInFull}, row.edits)
		decision := services.Decide(settled(all...))
		want := decide.Verdict{State: decide.Waiting, Reason: v1alpha1.ReasonAwaitingApproval}
		if row.says != "" {
			want = decide.Verdict{State: decide.Stuck, Reason: v1alpha1.ReasonNotOffered}
		}
		got := decision.Verdict
		if got.State != want.State || got.Reason != want.Reason || !strings.Contains(got.Message, row.says) {
			t.Errorf("%s: %s, %s", name, got.Reason, got.Message)
		}
	}
}

// A plan that health spells differently and that is declared as the carrier does not offer it may
// still be the declared one: a person can say so, but cannot have it sent.
func TestAnUnlistedPlanThatIsNotOfferedCanBeTrusted(t *testing.T) {
	t.Parallel()
	decision := services.Decide(settled(policy(v1alpha1.UnknownAsk), otherSpelling, offersInFull, declaring("Fst", 12)))
	message := decision.Verdict.Message
	if decision.Verdict.Reason != v1alpha1.ReasonNotOffered || !strings.Contains(message, "trust="+decision.Pending.Hash) {
		t.Errorf("%s: %s", decision.Verdict.Reason, message)
	}
}

// The offers are forgotten after some minutes, and by a restart. The verdict stays without reading
// them again, until the manifest changes or somebody asks for a reading.
func TestWhatIsNotOfferedStaysSoWithoutAnotherReading(t *testing.T) {
	t.Parallel()
	asks := inputEdits{approval(v1alpha1.ApprovalAlways), wanting, declaring("Fasst", 12)}
	first := services.Decide(settled(slices.Concat(asks, inputEdits{offersInFull})...))
	shown := func(in *services.Input) {
		in.Service.Status.Conditions = []metav1.Condition{{
			Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: first.Verdict.Reason,
			Message: first.Verdict.Message, ObservedGeneration: in.Service.Generation,
			LastTransitionTime: metav1.NewTime(decidetest.Start()),
		}}
	}
	for name, row := range map[string]struct {
		edits inputEdits
		step  string
	}{
		"later": {inputEdits{shown}, "Rest"},
		"after an edit": {
			inputEdits{shown, func(in *services.Input) { in.Service.Generation++ }}, "StartReading plan options",
		},
		"for another value": {inputEdits{shown, declaring("Fst", 12)}, "StartReading plan options"},
		"somebody asks to read it": {
			inputEdits{shown, annotated(v1alpha1.AnnotationReconcile, "now")}, "StartReading plan options",
		},
		"not judged yet": {nil, "StartReading plan options"},
	} {
		decision := services.Decide(settled(slices.Concat(asks, row.edits)...))
		if step := decidetest.StepName(decision.Step); step != row.step {
			t.Errorf("%s: %s, %s", name, step, decision.Verdict.Message)
		}
		if row.step == "Rest" && decision.Verdict.Message != first.Verdict.Message {
			t.Errorf("%s: it says %q", name, decision.Verdict.Message)
		}
	}
}

// A fibre line has no DSL stability profile.
func TestNoDSLProfileIsRequestedOnALineWithoutDSL(t *testing.T) {
	t.Parallel()
	for technology, sends := range map[string]bool{
		"": true, "FTTN": true, "FTTC": true, "a new one": true, "FTTP": false, "hfc": false, "Fixed Wireless": false,
	} {
		decision := services.Decide(settled(justRead, func(in *services.Input) {
			in.Service.Spec.DSLStabilityProfile = "Stable"
			in.Service.Status.Carrier.TechnologyType = technology
		}))
		_, submits := decision.Step.(decide.Submit)
		if submits != sends || !sends && decision.Verdict.Reason != v1alpha1.ReasonNotOffered {
			t.Errorf("on %q: %s, %s", technology, decidetest.StepName(decision.Step), decision.Verdict.Message)
		}
	}
}

// A contact that cannot be sent is reported before a person is asked, and its Secret is read once for
// that.
func TestTheContactIsReadBeforeAnApproval(t *testing.T) {
	t.Parallel()
	secret := func(in *services.Input) {
		in.Service.Spec.Plan.NTDOption = "4_PORT"
		in.Service.Spec.Plan.ContactSecretRef = &v1alpha1.SecretReference{Name: "customer-17"}
	}
	read := func(in *services.Input) { in.Memory.ContactRead = "customer-17" }
	flawed := func(in *services.Input) {
		in.Memory.ContactErr = &decide.SecretError{Secret: "customer-17", Key: "phone"}
		in.Memory.ContactAgain = in.Now.Add(time.Minute)
	}
	for name, row := range map[string]struct {
		edits        inputEdits
		step, reason string
	}{
		"not read":        {inputEdits{secret}, "ReadContact customer-17", v1alpha1.ReasonProgressing},
		"read":            {inputEdits{secret, read}, "Rest", v1alpha1.ReasonAwaitingApproval},
		"without a phone": {inputEdits{secret, flawed}, "Rest", v1alpha1.ReasonContactRequired},
		"in the manifest": {inputEdits{withNTDOption}, "Rest", v1alpha1.ReasonAwaitingApproval},
		"under managementPolicy Plan": {inputEdits{secret, func(in *services.Input) {
			in.Service.Spec.ManagementPolicy = v1alpha1.ManagementPlan
		}}, "Rest", v1alpha1.ReasonPlanned},
	} {
		all := slices.Concat(inputEdits{approval(v1alpha1.ApprovalAlways), wanting, offersInFull}, row.edits)
		decision := services.Decide(settled(all...))
		if step := decidetest.StepName(decision.Step); step != row.step || decision.Verdict.Reason != row.reason {
			t.Errorf("%s: %s, %s", name, step, decision.Verdict.Message)
		}
	}
}

// The services of an import have managementPolicy Plan, and most of them an SLA that nobody can read.
// Each read of a price that nobody has asked for would cost two calls.
func TestThePriceOfAnUnknownSLAIsNotReadWhileTheServiceIsOnlyPlanned(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		edits inputEdits
		step  string
	}{
		"the SLA alone":            {inputEdits{unknownSLA}, "Rest"},
		"with another plan":        {inputEdits{unknownSLA, wanting}, "StartReading"},
		"an SLA that is requested": {inputEdits{unknownSLA, policy(v1alpha1.UnknownRequest)}, "StartReading"},
	} {
		decision := services.Decide(settled(slices.Concat(inputEdits{planned}, row.edits)...))
		if step := decidetest.StepName(decision.Step); !strings.HasPrefix(step, row.step) {
			t.Errorf("%s: %s, %s", name, step, decision.Verdict.Message)
		}
	}
}
