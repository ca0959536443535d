// SPDX-License-Identifier: Apache-2.0

package appointments_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/appointments"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// See the test of the same name in package services.
func TestADateInThePastIsReportedWithoutTheCurrentDay(t *testing.T) {
	t.Parallel()
	judge := func(now time.Time) decide.Verdict {
		request := &v1alpha1.AppointmentRequest{}
		request.Spec.DateFrom, request.Spec.OrderID = "2026-03-01", "1"
		view := appointments.Input{Appointment: request, Input: decidetest.Input(request)}
		view.Now = now
		return appointments.Decide(view).Verdict
	}
	first, then := judge(decidetest.Start().AddDate(0, 0, 1)), judge(decidetest.Start().AddDate(0, 0, 9))
	if first.Reason != v1alpha1.ReasonDateInPast || first != then {
		t.Errorf("%s: %s, and then %s: %s", first.Reason, first.Message, then.Reason, then.Message)
	}
}
