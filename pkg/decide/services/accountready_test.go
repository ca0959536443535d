// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// With another carrier or reseller identity, the Location of a request leads to nothing, or to
// another reseller's request.
func TestARequestInProgressBelongsToTheCarrierAndIdentityItWasSentTo(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		edit func(*v1alpha1.CarrierAccountSpec)
		held bool
	}{
		"the same account":  {func(*v1alpha1.CarrierAccountSpec) {}, false},
		"another identity":  {func(a *v1alpha1.CarrierAccountSpec) { a.Identity = "another" }, true},
		"another carrier":   {func(a *v1alpha1.CarrierAccountSpec) { a.BaseURL = "https://another.example" }, true},
		"the same identity": {func(a *v1alpha1.CarrierAccountSpec) { a.Identity = "reseller" }, false},
	} {
		for _, phase := range []v1alpha1.RequestPhase{
			v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress, v1alpha1.PhaseOutcomeUnknown,
		} {
			view := settled(with(phase), at(0))
			row.edit(&view.Account.Object.Spec)
			view.Account.Object.Status.Login = new(view.Account.Object.Login())
			decision := services.Decide(view)
			conflict := decision.Verdict.Reason == v1alpha1.ReasonConflict && isRest(decision.Step)
			if conflict != row.held || row.held && !strings.Contains(decision.Verdict.Message, "under identity reseller") {
				t.Errorf("%s, %s: %T, %s (%s)", name, phase, decision.Step, decision.Verdict.Reason, decision.Verdict.Message)
			}
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

// "(baseURL, clientName) -> identity is on record in the identity's ledger when the account first
// sends": that is so once the account is Ready with that login.
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
