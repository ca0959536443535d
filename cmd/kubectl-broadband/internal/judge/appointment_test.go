// SPDX-License-Identifier: Apache-2.0

package judge_test

import (
	"slices"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
)

func TestAnAppointmentRequestShowsWhichAppointmentWasCancelled(t *testing.T) {
	t.Parallel()
	request := &v1alpha1.AppointmentRequest{}
	request.Status.Cancelled = &v1alpha1.CancelledAppointment{Notice: v1alpha1.Notice{Reason: "storm"}}
	if facts := judge.DetailOf(request, judge.Around{}).Facts; len(facts) != 0 {
		t.Errorf("it shows %+v, although the notification named no appointment", facts)
	}
	request.Status.Cancelled.StartTime, request.Status.Cancelled.AppointmentID = "2026-12-01T08:00", "77"
	want := []judge.Fact{{Name: "cancelled appointment", Value: "2026-12-01T08:00; 77"}}
	if facts := judge.DetailOf(request, judge.Around{}).Facts; !slices.Equal(facts, want) {
		t.Errorf("it shows %+v, want %+v", facts, want)
	}
	request.Status.Cancelled.LocalTime = "Tue 2026-12-01 08:00–12:00 +11:00"
	want[0].Value = "Tue 2026-12-01 08:00–12:00 +11:00; 77"
	if facts := judge.DetailOf(request, judge.Around{}).Facts; !slices.Equal(facts, want) {
		t.Errorf("it shows %+v, want %+v", facts, want)
	}
}
