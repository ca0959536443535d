// SPDX-License-Identifier: Apache-2.0

package appointments_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide/appointments"
)

// Of a cancelled appointment, only the reason was once kept: not which one it was, or when.
func TestWhatIsKnownOfACancelledAppointment(t *testing.T) {
	t.Parallel()
	notice := v1alpha1.Notice{Event: "AppointmentCancelled", Reason: "storm"}
	got := appointments.CancelledOf(&notice, carrier.EventAppointment{
		ID: 77, WholesaleID: "APT000000000077", ServiceID: 1234567, Status: "cancelled",
		StartTime: "2026-11-30T21:00:00Z", EndTime: "2026-12-01T01:00:00Z", SlotType: "AM", TimezoneOffset: "+11:00",
		PriorityAssist: true, ESLA: "Standard", DemandType: strings.Repeat("é", 200), CancelledOn: "2026-11-30T03:04:05Z",
	})
	want := &v1alpha1.CancelledAppointment{
		Notice: notice, AppointmentID: "77", WholesaleAppointmentID: "APT000000000077", ServiceID: "1234567",
		Status: "cancelled", StartTime: "2026-11-30T21:00:00Z", EndTime: "2026-12-01T01:00:00Z", SlotType: "AM",
		TimezoneOffset: "+11:00", LocalTime: "Tue 2026-12-01 08:00–12:00 +11:00", PriorityAssist: true, ESLA: "Standard",
		DemandType: got.DemandType, CancelledOn: "2026-11-30T03:04:05Z",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if utf8.RuneCountInString(got.DemandType) > 64 || !strings.HasPrefix(got.DemandType, "éé") {
		t.Errorf("demandType %q", got.DemandType)
	}
	bare := appointments.CancelledOf(&notice, carrier.EventAppointment{})
	if diff := cmp.Diff(&v1alpha1.CancelledAppointment{Notice: notice}, bare); diff != "" {
		t.Error(diff)
	}
}
