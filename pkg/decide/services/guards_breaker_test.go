// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// answerLost is an account for which a response was lost some time ago.
func answerLost(ago time.Duration, edit func(*decide.Breaker)) func(*services.Input) {
	return func(in *services.Input) {
		at := in.Now.Add(-ago)
		in.Account.Breaker = decide.Breaker{
			LostRequest: "PlanChange for bbs/other", LostAt: at, Until: at.Add(time.Second), ProbeAt: at.Add(time.Second),
		}
		edit(&in.Account.Breaker)
	}
}

// After a lost response, chargeable requests wait until the carrier has answered a free read.
func TestChargeableRequestsWaitAfterALostResponse(t *testing.T) {
	t.Parallel()
	heard := func(b *decide.Breaker) { b.Answered = true }
	longer := func(b *decide.Breaker) { b.Answered, b.Until = true, b.LostAt.Add(10*time.Minute) }
	failed := func(b *decide.Breaker) {
		b.ProbeError, b.ProbeAt = errors.New("the carrier answered 503"), b.LostAt.Add(time.Hour)
	}
	for name, test := range map[string]struct {
		ago   time.Duration
		edit  func(*decide.Breaker)
		step  string
		brief bool
		again time.Duration // after the loss
		says  string
	}{
		"and probes": {time.Second, func(*decide.Breaker) {}, "Probe", false, 0, ""},
		"for a moment": {
			0, func(*decide.Breaker) {}, "Rest", true, time.Second, "and resume, one at a time, at 20",
		},
		"answered, for a moment": {0, heard, "Rest", true, time.Second, "PlanChange for bbs/other was lost at 20"},
		"answered, and longer": {
			time.Minute, longer, "Rest", false, 10 * time.Minute, "and resume, one at a time, at 20",
		},
		"while reads fail": {
			time.Minute, failed, "Rest", false, time.Hour, "has not answered a read since (the carrier answered 503)",
		},
		"and continues": {time.Second, heard, "Submit", false, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := settled(wanting, answerLost(test.ago, test.edit))
			decision := services.Decide(view)
			if got := decidetest.StepName(decision.Step); got != test.step || decision.Transient != test.brief {
				t.Errorf("%s, brief: %t", got, decision.Transient)
			}
			if test.step == "Rest" {
				waits(t, decision, test.says, view.Account.Breaker.LostAt.Add(test.again))
			}
		})
	}
}

// waits expects the message of a decision to show the state of the breaker, and the time of the
// next reconciliation.
func waits(t *testing.T, decision decide.Decision, says string, again time.Time) {
	t.Helper()
	if decision.Verdict.Reason != v1alpha1.ReasonBreakerOpen || !strings.Contains(decision.Verdict.Message, says) {
		t.Errorf("%s: %s", decision.Verdict.Reason, decision.Verdict.Message)
	}
	if !decision.RequeueAt.Equal(again) {
		t.Errorf("it is looked at again at %s, want %s", decision.RequeueAt, again)
	}
}

func TestFreeRequestsDoNotWaitAfterALostResponse(t *testing.T) {
	t.Parallel()
	view := settled(answerLost(0, func(*decide.Breaker) {}), func(in *services.Input) {
		in.Service.Spec.DSLStabilityProfile = "STABLE"
		in.Service.Spec.TrustDeclared = nil
		in.Account.Object.Spec.UnknownValues = v1alpha1.UnknownRequest
	})
	if decision := services.Decide(view); decision.Verdict.Reason == v1alpha1.ReasonBreakerOpen {
		t.Error(decision.Verdict.Message)
	}
}
