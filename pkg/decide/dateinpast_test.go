// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Otherwise each new process would write what depends on the date into the status of a settled
// object.
func TestADateInThePastIsShownWithoutToday(t *testing.T) {
	t.Parallel()
	today, later := start.AddDate(0, 0, 1), start.AddDate(0, 0, 9)
	service := func(now time.Time) decide.Verdict {
		view := settled(ending("2026-03-01"), endsOn(carrier.CancellationRequested, "2026-11-30"))
		view.Now = now
		return decide.Service(view).Verdict
	}
	appointment := func(now time.Time) decide.Verdict {
		view := decide.AppointmentInput{Appointment: &v1alpha1.AppointmentRequest{}}
		view.Subject, view.Now, view.Account = view.Appointment, now, taskInput().Account
		view.Appointment.Spec.DateFrom = "2026-03-01"
		view.Appointment.Spec.OrderID = "1"
		return decide.Appointment(view).Verdict
	}
	for name, judge := range map[string]func(time.Time) decide.Verdict{"service": service, "appointment": appointment} {
		first, then := judge(today), judge(later)
		if first.Reason != v1alpha1.ReasonDateInPast || first != then {
			t.Errorf("%s: %s: %s, and then %s: %s", name, first.Reason, first.Message, then.Reason, then.Message)
		}
	}
}
