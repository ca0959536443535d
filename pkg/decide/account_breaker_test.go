// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The condition `Carrier` of an account says whether the carrier answers, since when, and what was
// last heard.
func TestTheConditionShowsSinceWhenTheCarrierDoesNotAnswer(t *testing.T) {
	t.Parallel()
	account := &v1alpha1.CarrierAccount{}
	account.Spec.TimeZone = "Australia/Sydney"
	answered := time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)
	since := answered.Add(time.Hour)
	err := errors.New("GET /x: 503")
	silent := &decide.Silence{Since: since, Err: err}
	for name, test := range map[string]struct {
		known  decide.Breaker
		status metav1.ConditionStatus
		says   string
	}{
		"it answers": {decide.Breaker{AnsweredAt: answered}, metav1.ConditionTrue, "the carrier answers"},
		"it answers no call": {
			decide.Breaker{AnsweredAt: answered, Silence: silent},
			metav1.ConditionFalse,
			"the carrier has answered no call since 2026-03-02 21:00:00 +11:00 (GET /x: 503); " +
				"it last answered at 2026-03-02 20:00:00 +11:00",
		},
		"a response was lost": {
			decide.Breaker{
				AnsweredAt: answered, Silence: &decide.Silence{Since: since, Lost: "PlanChange for bbs/site", Err: err},
			},
			metav1.ConditionFalse,
			"the response to PlanChange for bbs/site was lost at 2026-03-02 21:00:00 +11:00, " +
				"and the carrier has not answered a read since (GET /x: 503); it last answered at 2026-03-02 20:00:00 +11:00",
		},
		"it never answered": {
			decide.Breaker{Silence: silent},
			metav1.ConditionFalse,
			"the carrier has answered no call since 2026-03-02 21:00:00 +11:00 (GET /x: 503); " +
				"it has never answered this process",
		},
		"the error is long": {
			decide.Breaker{
				AnsweredAt: answered, Silence: &decide.Silence{Since: since, Err: errors.New(strings.Repeat("x", 2000))},
			},
			metav1.ConditionFalse,
			"the carrier has answered no call since 2026-03-02 21:00:00 +11:00 (" + strings.Repeat("x", 512) + "); " +
				"it last answered at 2026-03-02 20:00:00 +11:00",
		},
	} {
		if got := decide.CarrierAspect(account, test.known); got.Status != test.status || got.Message != test.says {
			t.Errorf("%s: %s, %s", name, got.Status, got.Message)
		}
	}
	if got := decide.CarrierAspect(account, decide.Breaker{}); got != nil {
		t.Errorf("nothing is known: %v", got)
	}
}
