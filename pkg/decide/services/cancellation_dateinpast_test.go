// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// A message that names the current day would make each new process update the status of a settled
// object.
func TestADateInThePastIsReportedWithoutTheCurrentDay(t *testing.T) {
	t.Parallel()
	judge := func(now time.Time) decide.Verdict {
		view := settled(ending("2026-03-01"), endsOn(carrier.CancellationRequested, "2026-11-30"))
		view.Now = now
		return services.Decide(view).Verdict
	}
	first, then := judge(decidetest.Start().AddDate(0, 0, 1)), judge(decidetest.Start().AddDate(0, 0, 9))
	if first.Reason != v1alpha1.ReasonDateInPast || first != then {
		t.Errorf("%s: %s, and then %s: %s", first.Reason, first.Message, then.Reason, then.Message)
	}
}
