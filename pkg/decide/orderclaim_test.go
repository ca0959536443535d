// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// claimCase is a claim, as its holder and attempt are, beside an object's status.
type claimCase struct {
	phase, own   v1alpha1.RequestPhase // of the claimed attempt and of the one in the status; "" for none
	another      bool                  // the status holds another attempt
	holder       string                // the claim's; "" for this object
	lives        bool
	sender       string // "" for another process
	posted       bool
	version      string // at which it was claimed
	url, hash    string // "" for the same
	finalizer    bool
	adopt, write v1alpha1.RequestPhase // what goes into the status, and into the claim
	take         bool
	reason       string // why nothing may be done
}

func (c claimCase) view() decide.ClaimView {
	order := &v1alpha1.ServiceOrder{ObjectMeta: metav1.ObjectMeta{UID: "me", Name: "site", ResourceVersion: "7"}}
	if c.finalizer {
		order.Finalizers = []string{v1alpha1.Finalizer}
	}
	account := &v1alpha1.CarrierAccount{Spec: v1alpha1.CarrierAccountSpec{BaseURL: "https://a", Identity: "i"}}
	view := decide.ClaimView{Lives: c.lives, Posted: c.posted, OrderView: decide.OrderView{
		Order: order, View: decide.View{
			Subject: order, Now: start, Account: decide.Account{Object: account}, Memory: decide.Memory{Sender: "us"},
		},
	}}
	if c.own != "" {
		order.Status.Request = &v1alpha1.Request{Operation: v1alpha1.OperationOrderCreate, AttemptID: "a", Phase: c.own}
		if c.another {
			order.Status.Request.AttemptID = "b"
		}
	}
	if c.phase != "" {
		view.Claim = &decide.Claim{
			BaseURL: "https://a" + c.url, UID: "me" + c.holder, ResourceVersion: c.version,
			Request: v1alpha1.Request{AttemptID: "a", Phase: c.phase, Sender: c.sender, BodyHash: c.hash},
		}
	}
	return view
}

func TestClaimSays(t *testing.T) {
	t.Parallel()
	const (
		submitting, unknown   = v1alpha1.PhaseSubmitting, v1alpha1.PhaseOutcomeUnknown
		succeeded, rejected   = v1alpha1.PhaseSucceeded, v1alpha1.PhaseRejected
		notSent, notProcessed = v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed
		abandoned             = v1alpha1.PhaseAbandoned
	)
	for name, c := range map[string]claimCase{
		"no claim, no request":         {},
		"no claim, refused":            {own: rejected, finalizer: true},
		"no claim, open":               {own: unknown, write: unknown},
		"no claim, status lost":        {finalizer: true, adopt: unknown},
		"another lives":                {phase: rejected, holder: "x", lives: true, reason: v1alpha1.ReasonConflict},
		"another is gone, taken":       {phase: succeeded, holder: "x", take: true, adopt: succeeded},
		"another is gone, unknown":     {phase: unknown, holder: "x", take: true, adopt: unknown},
		"another is gone, in the post": {phase: submitting, holder: "x", take: true, adopt: submitting},
		"another is gone, given up":    {phase: abandoned, holder: "x", hash: "other", take: true, adopt: abandoned},
		"another is gone, refused":     {phase: rejected, holder: "x", hash: "other"},
		"another is gone, turned away": {phase: notProcessed, holder: "x", hash: "other"},
		"another is gone, not sent":    {phase: notSent, holder: "x"},
		"another order":                {phase: succeeded, holder: "x", hash: "other", reason: v1alpha1.ReasonOrderDiffers},
		"another order, perhaps":       {phase: unknown, holder: "x", hash: "other", reason: v1alpha1.ReasonOrderDiffers},
		"another carrier":              {phase: rejected, url: "x", reason: v1alpha1.ReasonConflict},
		"another carrier, holder gone": {phase: succeeded, holder: "x", url: "x", reason: v1alpha1.ReasonConflict},
		"another carrier, under way":   {phase: submitting, own: submitting, url: "x"},
		"under way":                    {phase: submitting, own: submitting},
		"the claim knows the end":      {phase: succeeded, own: submitting, adopt: succeeded},
		"the claim knows a refusal":    {phase: rejected, own: unknown, adopt: rejected},
		"the claim is behind":          {phase: submitting, own: notSent, write: notSent},
		"both know":                    {phase: succeeded, own: succeeded},
		"the status lies":              {phase: succeeded, own: rejected, adopt: succeeded},
		"the status lies, unknown":     {phase: unknown, own: rejected, adopt: unknown},
		"the status lies, under way":   {phase: submitting, own: rejected, adopt: submitting},
		"the status lies, never so":    {phase: succeeded, own: v1alpha1.PhaseInProgress, another: true, adopt: succeeded},
		"the status goes on by itself": {phase: submitting, own: unknown, another: true},
		"no intent, as it was":         {phase: submitting, version: "7", adopt: notSent},
		"no intent, after a refusal":   {phase: submitting, own: rejected, another: true, version: "7", adopt: notSent},
		"no intent, changed":           {phase: submitting, version: "6", adopt: unknown},
		"no intent, taken over":        {phase: submitting, adopt: unknown},
		"no intent, ours":              {phase: submitting, version: "6", sender: "us", adopt: notSent},
		"no intent, ours and posted":   {phase: submitting, version: "6", sender: "us", posted: true, adopt: submitting},
		"status lost":                  {phase: submitting, version: "6", finalizer: true, adopt: unknown},
		"status lost, end known":       {phase: succeeded, finalizer: true, adopt: succeeded},
		"status lost, refused":         {phase: rejected, finalizer: true, adopt: rejected},
		"status lost, and edited":      {phase: succeeded, finalizer: true, hash: "x", reason: v1alpha1.ReasonOrderDiffers},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			say := decide.ClaimSays(c.view())
			got := claimCase{adopt: phaseOf(say.Adopt), write: phaseOf(say.Write), take: say.Take}
			if say.Verdict != nil {
				got = claimCase{reason: say.Verdict.Reason} // nothing else counts then
			}
			want := claimCase{adopt: c.adopt, write: c.write, take: c.take, reason: c.reason}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func phaseOf(request *v1alpha1.Request) v1alpha1.RequestPhase {
	if request == nil {
		return ""
	}
	return request.Phase
}
