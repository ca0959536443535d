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

// The message has what the carrier needs to find the request, and when it is read next.
func TestTheMessageAboutAnUnknownOutcomeSaysWhatToAskTheCarrier(t *testing.T) {
	t.Parallel()
	sydney := func(in *services.Input) { in.Account.Object.Spec.TimeZone = "Australia/Sydney" }
	withoutTarget := func(request *v1alpha1.Request) {
		request.Error, request.Location = &v1alpha1.RequestError{Message: "connection reset"}, ""
	}
	unread := func(in *services.Input) { in.Memory.Readings.Cancellation = decide.Reading{} }
	zone, err := time.LoadLocation("Australia/Sydney")
	if err != nil {
		t.Fatal(err)
	}
	sent := "the outcome of PlanChange for service 1234567, sent at " +
		decidetest.Start().In(zone).Format("2006-01-02 15:04:05 -07:00") + ", is unknown (connection reset)"
	at := func(after time.Duration) string { return decidetest.Start().Add(after).In(zone).Format("15:04:05") }
	for name, test := range map[string]struct {
		phase     v1alpha1.RequestPhase
		operation v1alpha1.Operation
		says      []string
	}{
		"while health may show it": {v1alpha1.PhaseSubmitting, v1alpha1.OperationPlanChange, []string{
			sent, at(2*time.Minute) + " +", ", " + at(10*time.Minute) + ", " + at(30*time.Minute) + " and may show the outcome",
		}},
		"once a person is asked": {v1alpha1.PhaseOutcomeUnknown, v1alpha1.OperationPlanChange, []string{
			sent, "Of the requests that change this service, only those that move or abort its cancellation are sent until " +
				"you have asked the carrier", "wholesale.broadband/resolve=a-1=Accepted:<request id>",
		}},
		"about its cancellation": {v1alpha1.PhaseOutcomeUnknown, v1alpha1.OperationCancellationAbort, []string{
			"Nothing that changes this service is sent until you have asked the carrier",
			"wholesale.broadband/resolve=a-1=<outcome>",
		}},
		"of a change that was accepted late": {v1alpha1.PhaseLateAcceptance, v1alpha1.OperationPlanChange, []string{
			"only those that move or abort its cancellation are sent until you resolve it. If",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := func(request *v1alpha1.Request) { request.Operation = test.operation }
			decision := services.Decide(settled(wanting, unread, sydney, with(test.phase, withoutTarget, of)))
			for _, words := range test.says {
				if !strings.Contains(decision.Verdict.Message, words) {
					t.Errorf("it does not say %q: %s", words, decision.Verdict.Message)
				}
			}
		})
	}
}
