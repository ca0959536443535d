// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/internal/decidetest"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// confirming is an account whose carrier has confirmed that its list is complete.
func confirming(in *services.Input) {
	in.Account.Object.Spec.ServiceRead.Modifications = v1alpha1.ModificationsListedFromAcceptance
}

// unlocated is an attempt for which the carrier has given no Location.
func unlocated(r *v1alpha1.Request) { r.Location = "" }

// listedAt is when the description last listed a modification.
func listedAt(after time.Duration) func(*services.Input) {
	return func(in *services.Input) {
		in.Memory.Readings.Service.ModifiedAt = decidetest.Start().Add(after)
	}
}

// endedBefore records attempts that ended before this one, the oldest first. The words are keys of
// endings, separated by commas.
func endedBefore(words string) func(*services.Input) {
	return func(in *services.Input) {
		in.Ledger = &v1alpha1.RequestLedger{}
		for i, word := range strings.Split(words, ",") {
			attempt := v1alpha1.Request{
				Operation: v1alpha1.OperationPlanChange, AttemptID: "b-" + strconv.Itoa(i), Generation: 3,
				Target: v1alpha1.RequestTarget{Plan: "Fast", Term: 12},
			}
			endings()[word](&attempt)
			in.Ledger.Put(attempt)
		}
	}
}

// endings are the ways in which an attempt can have ended.
func endings() map[string]func(*v1alpha1.Request) {
	return map[string]func(*v1alpha1.Request){
		"unaccepted": endedAs(v1alpha1.PhaseNotAccepted, v1alpha1.EndedByProof),
		"resolved":   endedAs(v1alpha1.PhaseNotAccepted, v1alpha1.EndedByPerson),
		"unsent":     endedAs(v1alpha1.PhaseNotSent, v1alpha1.EndedBySender),
		"repeated":   endedAs(v1alpha1.PhaseRepeated, v1alpha1.EndedByCarrier),
		"busy": func(r *v1alpha1.Request) {
			endedAs(v1alpha1.PhaseRejected, v1alpha1.EndedByCarrier)(r)
			anotherInProgress(r)
		},
		"another": func(r *v1alpha1.Request) {
			endedAs(v1alpha1.PhaseNotAccepted, v1alpha1.EndedByProof)(r)
			r.Target.Plan = "Faster"
		},
	}
}

// endedAs is an attempt that ended in a phase.
func endedAs(phase v1alpha1.RequestPhase, by v1alpha1.EndedBy) func(*v1alpha1.Request) {
	return func(r *v1alpha1.Request) { r.Phase, r.EndedBy = phase, by }
}

// asked edits the request of a case.
func asked(edits ...func(*v1alpha1.Request)) []func(*v1alpha1.Request) { return edits }

// given edits the input of a case.
func given(edits ...func(*services.Input)) []func(*services.Input) { return edits }

// counts is when the description of a case is requested: five minutes after the first time at which
// a description counts.
const counts = 376 * time.Second

// oldValues is what the description of a case contains.
func oldValues() decide.ServiceValues {
	return decide.ServiceValues{Plan: "Slow", RestorationSLA: "Standard", Listed: true}
}

// notAcceptedCase changes one thing of an attempt that the rule ends.
type notAcceptedCase struct {
	request []func(*v1alpha1.Request)
	edits   []func(*services.Input)
	ended   bool
}

func notAcceptedCases() map[string]notAcceptedCase {
	old, busy, unlisted := oldValues(), oldValues(), oldValues()
	busy.Modified, unlisted.Listed = true, false
	shows := func(plan string) func(*services.Input) {
		return describing(counts, decide.ServiceValues{Plan: plan, Listed: true})
	}
	return map[string]notAcceptedCase{
		"the old value, and nothing in progress": {nil, nil, true},
		"the carrier has confirmed nothing":      {nil, given(unconfirmed), false},
		"too early by the recorded time":         {nil, given(describing(counts-time.Second, old)), false},
		"asked for before the attempt":           {nil, given(describing(-time.Minute, old)), false},
		"too early on the local clock":           {nil, given(firstSeenAt(time.Second + 1)), false},
		"just late enough on the local clock":    {nil, given(firstSeenAt(time.Second)), true},
		"almost an hour later":                   {nil, given(describing(time.Hour-time.Second, old)), true},
		"an hour later":                          {nil, given(describing(time.Hour, old)), false},
		"it lists a modification":                {nil, given(describing(counts, busy)), false},
		"it has no list":                         {nil, given(describing(counts, unlisted)), false},
		"it listed one since the attempt":        {nil, given(listedAt(time.Minute)), false},
		"it listed one before the attempt":       {nil, given(listedAt(-time.Minute)), true},
		"it shows another value":                 {nil, given(shows("Slower")), false},
		"it shows the old value in capitals":     {nil, given(shows("SLOW")), false},
		"it shows nothing":                       {nil, given(shows("")), false},
		"both old values":                        {asked(withSLATarget), nil, true},
		"one of two old values":                  {asked(withSLATarget), given(shows("Slow")), false},
		"the request sends a technician":         {asked(withNTDTarget), nil, true},
		"only the term differs":                  {asked(fastBefore), given(shows("Fast")), false},
		"nothing was described before":           {asked(undescribedBefore), nil, false},
		"the carrier has given a Location":       {asked(located), nil, false},
		"it repeats another attempt":             {asked(repeating), nil, false},
		"one was not accepted before":            {nil, given(endedBefore("unaccepted")), true},
		"two were not accepted before":           {nil, given(endedBefore("unaccepted,unaccepted")), false},
		"two, and one refused for another":       {nil, given(endedBefore("unaccepted,unaccepted,busy")), false},
		"two, and some that were not sent":       {nil, given(endedBefore("unaccepted,unsent,unaccepted,unsent")), false},
		"two, and one that was repeated":         {nil, given(endedBefore("unaccepted,unaccepted,repeated")), false},
		"two, and then a person resolved one":    {nil, given(endedBefore("unaccepted,unaccepted,resolved")), true},
		"two, and then one for something else":   {nil, given(endedBefore("unaccepted,unaccepted,another")), true},
		"one, one for something else, and one":   {nil, given(endedBefore("unaccepted,another,unaccepted")), true},
		"the description has failed since":       {nil, given(serviceReadFailed), false},
		"another process has sent it":            {asked(stranger, unanswered), nil, true},
		"the carrier has answered with 201":      {asked(created), nil, false},
		"health shows the new plan since":        {nil, given(read("Fast", counts)), false},
		"health shows the old plan since":        {nil, given(read("Slow", counts)), true},
		"one before it was accepted after all":   {nil, given(endedBefore("unaccepted"), acceptedAfterAll), false},
	}
}

// TestADescriptionShowsThatARequestWasNotAccepted is the rule of
// docs/design/0030-a-carrier-may-confirm-its-list.md.
func TestADescriptionShowsThatARequestWasNotAccepted(t *testing.T) {
	t.Parallel()
	for name, test := range notAcceptedCases() {
		shown := describing(counts, oldValues())
		edits := slices.Concat(given(at(2*time.Hour), confirming, firstSeenAt(0), shown), test.edits)
		before := describedBefore(v1alpha1.DescribedValues{Plan: "Slow", RestorationSLA: "Standard"})
		request := slices.Concat(asked(lost, unlocated, before), test.request)
		decision := services.Decide(settled(append(edits, with(v1alpha1.PhaseSubmitting, request...))...))
		settled, resolves := decision.Step.(decide.Resolve)
		if ended := resolves && settled.Phase == v1alpha1.PhaseNotAccepted; ended != test.ended {
			t.Errorf("%s: %s (%s)", name, decidetest.StepName(decision.Step), decision.Verdict.Message)
		}
	}
}

func unconfirmed(in *services.Input) { in.Account.Object.Spec.ServiceRead = v1alpha1.ServiceRead{} }

func withNTDTarget(r *v1alpha1.Request) { r.Target.NTDOption = "1_PORT" }

func fastBefore(r *v1alpha1.Request) { r.Before.Described.Plan = "Fast" }

func undescribedBefore(r *v1alpha1.Request) { r.Before.Described = nil }

func located(r *v1alpha1.Request) { r.Location = "/api/connect/services/plan-changes/requests/77" }

func repeating(r *v1alpha1.Request) { r.Repeats = 1 }

func unanswered(r *v1alpha1.Request) { r.Error = nil }

// created is a response without a usable Location.
func created(r *v1alpha1.Request) { r.Error.HTTPStatus = http.StatusCreated }

// acceptedAfterAll is a late acceptance of the first attempt that had ended.
func acceptedAfterAll(in *services.Input) {
	in.Ledger.AcceptLate(v1alpha1.Request{
		Operation: v1alpha1.OperationPlanChange, AttemptID: "b-0", Location: "/api/connect/services/plan-changes/requests/76",
	})
}

func serviceReadFailed(in *services.Input) { in.Memory.Readings.Service.State = decide.ReadingFailed }

// TestOnlyALostResponseIsShownNotToBeAccepted: a Location that was lost shows that the carrier had
// accepted the request, and an unknown outcome is left to a person.
func TestOnlyALostResponseIsShownNotToBeAccepted(t *testing.T) {
	t.Parallel()
	for _, phase := range []v1alpha1.RequestPhase{v1alpha1.PhaseInProgress, v1alpha1.PhaseOutcomeUnknown} {
		before := describedBefore(v1alpha1.DescribedValues{Plan: "Slow"})
		view := settled(at(25*time.Hour), confirming, firstSeenAt(0),
			describing(10*time.Minute, decide.ServiceValues{Plan: "Slow", Listed: true}),
			with(phase, lost, unlocated, forgotten, before))
		decision := services.Decide(view)
		if settled, resolves := decision.Step.(decide.Resolve); resolves && settled.Phase == v1alpha1.PhaseNotAccepted {
			t.Errorf("%s: %s", phase, settled.Error.Message)
		}
	}
}

// TestItSaysHowItIsKnownThatARequestWasNotAccepted: the message has the time of the description.
func TestItSaysHowItIsKnownThatARequestWasNotAccepted(t *testing.T) {
	t.Parallel()
	view := settled(at(7*time.Minute), confirming, firstSeenAt(0),
		describing(390*time.Second, decide.ServiceValues{Plan: "Slow", Listed: true}),
		with(v1alpha1.PhaseSubmitting, lost, unlocated, describedBefore(v1alpha1.DescribedValues{Plan: "Slow"})))
	settled, resolves := services.Decide(view).Step.(decide.Resolve)
	const want = "the carrier's description of the service showed, at 2026-03-02 09:06:30 +00:00, " +
		"that it had not accepted the change"
	if !resolves || settled.By != decide.WriterRule || settled.Error.Message != want {
		t.Errorf("%+v", settled)
	}
}

// shownUnaccepted is a change of plan that a person has approved, that was sent, and that ended in
// NotAccepted. The price was read at the same time as for that attempt.
func shownUnaccepted(t *testing.T, by v1alpha1.EndedBy, quotedAfter time.Duration) (view services.Input, hash string) {
	t.Helper()
	view = refusedAfterApproval(t, 1, func(r *v1alpha1.Request) {
		endedAs(v1alpha1.PhaseNotAccepted, by)(r)
		r.FinishedAt = metav1.NewTime(decidetest.Start().Add(3 * time.Minute))
	})
	confirming(&view)
	at(5 * time.Minute)(&view)
	view.Memory.Readings.Options.RequestedAt = decidetest.Start().Add(quotedAfter)
	view.Memory.Readings.Health.RequestedAt = view.Now
	return view, view.Service.RequestOf(v1alpha1.OperationPlanChange).ApprovedHash
}

func TestR11AnApprovalOutlivesARequestThatWasShownNotToBeAccepted(t *testing.T) {
	t.Parallel()
	view, hash := shownUnaccepted(t, v1alpha1.EndedByProof, 4*time.Minute)
	submit, submits := services.Decide(view).Step.(decide.Submit)
	if !submits || submit.Request.ApprovedHash != hash || submit.Request.Attempt != 2 || submit.Request.Repeats != 0 {
		t.Errorf("%+v", submit.Request)
	}
	view, hash = shownUnaccepted(t, v1alpha1.EndedByPerson, 4*time.Minute)
	decision := services.Decide(view)
	if decision.Verdict.Reason != v1alpha1.ReasonAwaitingApproval || decision.Pending.Hash == hash {
		t.Errorf("a person has ended it: %s", decision.Verdict.Message)
	}
}

func TestThePriceIsReadAgainAfterARequestThatWasShownNotToBeAccepted(t *testing.T) {
	t.Parallel()
	view, _ := shownUnaccepted(t, v1alpha1.EndedByProof, 2*time.Minute)
	if step := decidetest.StepName(services.Decide(view).Step); step != "StartReading plan options" {
		t.Error(step)
	}
	view, hash := shownUnaccepted(t, v1alpha1.EndedByProof, 4*time.Minute)
	quoted("45.00", "59.00")(&view)
	view.Memory.Readings.Options.RequestedAt = view.Now
	decision := services.Decide(view)
	if decision.Verdict.Reason != v1alpha1.ReasonAwaitingApproval || decision.Pending.Hash == hash {
		t.Errorf("the price has changed: %s", decision.Verdict.Message)
	}
}

// TestALateAcceptanceSaysThatTheListIsNotComplete: a person has to know that the account is wrong.
func TestALateAcceptanceSaysThatTheListIsNotComplete(t *testing.T) {
	t.Parallel()
	late := func(r *v1alpha1.Request) { r.AttemptID = "b-0" }
	view := settled(endedBefore("unaccepted"), with(v1alpha1.PhaseLateAcceptance, late))
	verdict := services.Decide(view).Verdict
	if verdict.Reason != v1alpha1.ReasonLateAcceptance || !strings.Contains(verdict.Message, "remove spec.serviceRead") {
		t.Errorf("%s: %s", verdict.Reason, verdict.Message)
	}
}

// TestAChangeThatWasShownNotToBeAcceptedIsNotSentAgainAgainstAPerson: the resolution may have been
// written before the manager saw it, and a statement that was withdrawn may have been wrong.
func TestAChangeThatWasShownNotToBeAcceptedIsNotSentAgainAgainstAPerson(t *testing.T) {
	t.Parallel()
	for said, sends := range map[string]bool{
		"": false, "Abandoned": false, "Succeeded": false, "Accepted:998877": false, "NotAccepted": true,
	} {
		view, _ := shownUnaccepted(t, v1alpha1.EndedByProof, 4*time.Minute)
		if said == "" {
			unconfirmed(&view)
		} else {
			annotations := maps.Clone(view.Service.Annotations)
			annotations[v1alpha1.AnnotationResolve] = "a-1=" + said
			view.Service.Annotations = annotations
		}
		decision := services.Decide(view)
		if sent := decidetest.StepName(decision.Step) == "Submit"; sent != sends {
			t.Errorf("%q: sent is %t: %s", said, sent, decision.Verdict.Message)
		}
		if waits := decision.Verdict.Reason == v1alpha1.ReasonOutcomeUnknown; waits == sends {
			t.Errorf("%q: %s", said, decision.Verdict.Message)
		}
	}
}
