// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/internal/decidetest"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// "Messages of unknown outcomes say what to ask the carrier: service number, operation, sent at
// (account's time zone), and when it will be looked at next by the clock".
func TestTheMessageAboutAnUnknownOutcomeSaysWhatToAskTheCarrier(t *testing.T) {
	t.Parallel()
	sydney := func(in *services.Input) { in.Account.Object.Spec.TimeZone = "Australia/Sydney" }
	lost := func(request *v1alpha1.Request) {
		request.Error, request.Location = &v1alpha1.RequestError{Message: "connection reset"}, ""
	}
	zone, err := time.LoadLocation("Australia/Sydney")
	if err != nil {
		t.Fatal(err)
	}
	sent := "the outcome of PlanChange for service 1234567, sent at " +
		decidetest.Start().In(zone).Format("2006-01-02 15:04:05 -07:00") + ", is unknown (connection reset)"
	at := func(after time.Duration) string { return decidetest.Start().Add(after).In(zone).Format("15:04:05") }
	for name, test := range map[string]struct {
		phase v1alpha1.RequestPhase
		says  []string
	}{
		"while health may show it": {v1alpha1.PhaseSubmitting, []string{
			sent, at(2*time.Minute) + " +", ", " + at(10*time.Minute) + ", " + at(30*time.Minute) + " and may show the outcome",
		}},
		"once a person is asked": {v1alpha1.PhaseOutcomeUnknown, []string{
			sent, "until you have asked the carrier", "wholesale.broadband/resolve=a-1=Accepted:<request id>",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decision := services.Decide(settled(wanting, sydney, with(test.phase, lost)))
			for _, words := range test.says {
				if !strings.Contains(decision.Verdict.Message, words) {
					t.Errorf("it does not say %q: %s", words, decision.Verdict.Message)
				}
			}
		})
	}
}
