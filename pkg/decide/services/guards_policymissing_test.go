// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

const flaw = "ValidatingAdmissionPolicyBinding broadband-operator-approval is not installed"

// unguarded is a cluster without the binding of the policy of approvals.
func unguarded(in *services.Input) {
	in.Installation.Policies = decide.Policies{Flaw: flaw, InForce: "none"}
}

// guardedBy is a cluster whose policy of approvals has an identity.
func guardedBy(policy string) func(*services.Input) {
	return func(in *services.Input) { in.Installation.Policies = decide.Policies{InForce: policy} }
}

// approvedUnder returns edits for a more expensive plan that was approved under a policy.
func approvedUnder(policy string, more ...func(*services.Input)) []func(*services.Input) {
	return append([]func(*services.Input){
		guardedBy(policy), wanting, approval(v1alpha1.ApprovalOnCost), quoted("45.00", "58.00"), approving, reread,
	}, more...)
}

func TestNothingIsSentWithoutTheAdmissionPolicies(t *testing.T) {
	missing := judged{"Rest", decide.Stuck, v1alpha1.ReasonPolicyMissing}
	cases{
		"nothing to change":         {settled(unguarded), judged{"Rest", decide.Settled, "InSync"}},
		"a change without approval": {settled(wanting, unguarded), missing},
		"a change that waits for approval": {
			settled(wanting, approval(v1alpha1.ApprovalOnCost), quoted("45.00", "58.00"), unguarded), missing,
		},
		"a change that was approved": {settled(approvedUnder("one", unguarded)...), missing},
		"approved, and in force":     {settled(approvedUnder("one")...), working("Submit")},
	}.run(t)
}

func TestTheMessageSaysWhichPolicyIsMissing(t *testing.T) {
	t.Parallel()
	message := services.Decide(settled(wanting, unguarded)).Verdict.Message
	if !strings.Contains(message, flaw) || !strings.Contains(message, "docs/install.md") {
		t.Errorf("the message does not say what is missing, and what to do: %s", message)
	}
}

func TestAnApprovalCountsOnlyUnderThePolicyThatCheckedIt(t *testing.T) {
	waits := judged{"Rest", decide.Waiting, v1alpha1.ReasonAwaitingApproval}
	cases{
		"the same policy":                    {settled(approvedUnder("one")...), working("Submit")},
		"a policy that was installed since":  {settled(approvedUnder("one", guardedBy("two"))...), waits},
		"approved while there was no policy": {settled(approvedUnder("none", guardedBy("two"))...), waits},
	}.run(t)
}

// The last check before a POST finds that the policy is missing. The attempt has the hash that was
// approved meanwhile by anybody.
func TestAnAttemptThatWasNotSentProvesNoApproval(t *testing.T) {
	t.Parallel()
	view := settled(approvedUnder("one")...)
	submit, submits := services.Decide(view).Step.(decide.Submit)
	if !submits {
		t.Fatal("what is approved is not sent")
	}
	ended := func(phase v1alpha1.RequestPhase) func(*services.Input) {
		return with(phase, func(r *v1alpha1.Request) {
			r.ApprovedHash, r.Plan, r.BodyHash = submit.Request.ApprovedHash, submit.Request.Plan, submit.Request.BodyHash
		})
	}
	for name, test := range map[string]struct {
		policy string
		keeps  bool
	}{"the same policy": {"one", true}, "a policy that was installed since": {"two", false}} {
		after := settled(approvedUnder("one", ended(v1alpha1.PhaseNotSent), guardedBy(test.policy))...)
		decision := services.Decide(after)
		if decision.Pending == nil {
			t.Fatalf("%s: nothing waits: %s", name, decision.Verdict.Message)
		}
		if keeps := decision.Pending.Hash == submit.Request.ApprovedHash; keeps != test.keeps {
			t.Errorf("%s: the hash that was approved stays: %t, want %t", name, keeps, test.keeps)
		}
	}
}

func TestAResolutionHasNoEffectWithoutTheAdmissionPolicies(t *testing.T) {
	t.Parallel()
	const value = "a-1=NotAccepted"
	lost := []func(*services.Input){
		wanting, with(v1alpha1.PhaseOutcomeUnknown), annotated(v1alpha1.AnnotationResolve, value),
	}
	if _, resolves := services.Decide(settled(lost...)).Step.(decide.Resolve); !resolves {
		t.Error("a resolution resolves nothing while the policies are in force")
	}
	decision := services.Decide(settled(append(lost, unguarded)...))
	if _, resolves := decision.Step.(decide.Resolve); resolves {
		t.Error("a resolution counts that anybody could have set")
	}
	if said := strings.Join(decision.Unused, "; "); !strings.Contains(said, flaw) || !strings.Contains(said, value) {
		t.Errorf("nothing shows that the resolution has no effect: %q", said)
	}
	ignored := func(in *services.Input) { in.Service.Controls().IgnoredResolve = value }
	decision = services.Decide(settled(append(lost, ignored)...))
	if _, resolves := decision.Step.(decide.Resolve); resolves {
		t.Error("a resolution that was ignored counts after the policies are restored")
	}
	if said := strings.Join(decision.Unused, "; "); !strings.Contains(said, "remove the annotation, and set it again") {
		t.Errorf("nothing shows what to do: %q", said)
	}
}
