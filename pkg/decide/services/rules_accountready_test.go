// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// With another login, the Location of a request leads to nothing, or to another reseller's request.
func TestARequestInProgressStaysWithItsLogin(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		edit func(*decide.Account)
		held bool
	}{
		"the same account": {func(*decide.Account) {}, false},
		"another client":   {func(a *decide.Account) { a.Object.Spec.Auth.ClientName = "another" }, true},
		"another carrier":  {func(a *decide.Account) { a.Object.Spec.BaseURL = "https://another.example" }, true},
		"another client that continues it": {func(a *decide.Account) {
			a.Object.Spec.Auth.ClientName, a.Continues = "another", new(decidetest.Login())
		}, false},
	} {
		for _, phase := range []v1alpha1.RequestPhase{
			v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress, v1alpha1.PhaseOutcomeUnknown,
		} {
			view := settled(with(phase), at(0))
			row.edit(&view.Account)
			view.Account.Object.Status.Login = new(view.Account.Object.Login())
			decision := services.Decide(view)
			conflict := decision.Verdict.Reason == v1alpha1.ReasonConflict && isRest(decision.Step)
			const sentWith = "was sent with clientName reseller at https://carrier.example"
			if conflict != row.held || row.held && !strings.Contains(decision.Verdict.Message, sentWith) {
				t.Errorf("%s, %s: %T, %s (%s)", name, phase, decision.Step, decision.Verdict.Reason, decision.Verdict.Message)
			}
		}
	}
}

// The message names the command that resolves such a request, so it is used at once, or as soon as no
// process can be sending the request.
func TestARequestAtAnotherCarrierCanBeResolved(t *testing.T) {
	t.Parallel()
	moved := func(in *services.Input) {
		in.Account.Object.Spec.BaseURL = "https://another.example"
		in.Account.Object.Status.Login = new(in.Account.Object.Login())
	}
	read := func(r *v1alpha1.Request) { r.EndedBy = v1alpha1.EndedByCarrier }
	given := annotated(v1alpha1.AnnotationResolve, "a-1=Abandoned")
	for name, row := range map[string]struct {
		request func(*services.Input)
		after   time.Duration
		step    string
		again   time.Duration // when it can be resolved; 0: now, or never
	}{
		"in progress":             {with(v1alpha1.PhaseInProgress), 0, "Resolve Abandoned", 0},
		"perhaps being sent":      {with(v1alpha1.PhaseSubmitting), 0, "Rest", 2 * time.Minute},
		"no longer being sent":    {with(v1alpha1.PhaseSubmitting), 2 * time.Minute, "Resolve Abandoned", 0},
		"done, and read again":    {with(v1alpha1.PhaseInProgress, read), 0, "Rest", 0},
		"of an unknown outcome":   {with(v1alpha1.PhaseOutcomeUnknown), 0, "Resolve Abandoned", 0},
		"accepted after it ended": {with(v1alpha1.PhaseLateAcceptance), 0, "Resolve Abandoned", 0},
	} {
		decision := services.Decide(settled(row.request, moved, given, at(row.after)))
		var again time.Duration
		if !decision.RequeueAt.IsZero() {
			again = decision.RequeueAt.Sub(decidetest.Start())
		}
		if got := decidetest.StepName(decision.Step); got != row.step || row.again > 0 && again != row.again {
			t.Errorf("%s: %s, and again after %s: %s", name, got, again, decision.Verdict.Message)
		}
		if names := strings.Contains(decision.Verdict.Message, "resolve="); row.step == "Rest" && names != (row.again > 0) {
			t.Errorf("%s: it says %s", name, decision.Verdict.Message)
		}
	}
}

// accountRef is immutable, so an object with a wrong one cannot be corrected.
func TestAMissingAccountIsCreatedOrReplaced(t *testing.T) {
	t.Parallel()
	verdict := services.Decide(settled(func(in *services.Input) { in.Account.Object = nil })).Verdict
	for _, says := range []string{"create it", "create this object again with another accountRef"} {
		if verdict.Reason != v1alpha1.ReasonAccountNotReady || !strings.Contains(verdict.Message, says) {
			t.Errorf("%s: %s", verdict.Reason, verdict.Message)
		}
	}
}

// While no call is possible, a request whose outcome only a person can determine is not in progress,
// and is not hidden.
func TestAnAccountThatIsNotReadyHidesNoUnknownOutcome(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		phase  v1alpha1.RequestPhase
		state  decide.State
		reason string
		says   string
	}{
		{
			v1alpha1.PhaseInProgress, decide.Working, v1alpha1.ReasonAccountNotReady,
			"the PlanChange in progress is tracked once the account is ready",
		},
		{
			v1alpha1.PhaseSubmitting, decide.Working, v1alpha1.ReasonAccountNotReady,
			"whether the carrier accepted the PlanChange is determined once the account is ready",
		},
		{v1alpha1.PhaseOutcomeUnknown, decide.Stuck, v1alpha1.ReasonOutcomeUnknown, "wholesale.broadband/resolve="},
		{v1alpha1.PhaseLateAcceptance, decide.Stuck, v1alpha1.ReasonLateAcceptance, "wholesale.broadband/resolve="},
	} {
		verdict := services.Decide(settled(with(row.phase), withoutAccount)).Verdict
		if verdict.State != row.state || verdict.Reason != row.reason || !strings.Contains(verdict.Message, row.says) ||
			!strings.Contains(verdict.Message, "CarrierAccount ") {
			t.Errorf("%s: %v", row.phase, verdict)
		}
	}
}

// The ledger of a login exists once the account is Ready with that login.
func TestR31OnlyACheckedLoginSends(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		edit  func(*v1alpha1.CarrierAccount)
		sends bool
	}{
		"as it was checked": {func(*v1alpha1.CarrierAccount) {}, true},
		"edited since, with the same login": {func(a *v1alpha1.CarrierAccount) {
			a.Generation, a.Spec.Approval = 2, v1alpha1.ApprovalAutomatic
		}, true},
		"another clientName": {func(a *v1alpha1.CarrierAccount) { a.Spec.Auth.ClientName = "another" }, false},
		"another baseURL":    {func(a *v1alpha1.CarrierAccount) { a.Spec.BaseURL = "https://other.example" }, false},
		"no login is known":  {func(a *v1alpha1.CarrierAccount) { a.Status.Login = nil }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decision := services.Decide(settled(wanting, at(time.Hour), func(in *services.Input) {
				test.edit(in.Account.Object)
			}))
			if _, sends := decision.Step.(decide.Submit); sends != test.sends {
				t.Errorf("%T, %s: %s", decision.Step, decision.Verdict.Reason, decision.Verdict.Message)
			}
		})
	}
}
