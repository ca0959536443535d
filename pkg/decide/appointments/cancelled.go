// SPDX-License-Identifier: Apache-2.0

package appointments

import (
	"cmp"
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// NoticeOf returns the notification in what is known of a cancelled appointment; nil if there is none.
func NoticeOf(cancelled *v1alpha1.CancelledAppointment) *v1alpha1.Notice {
	if cancelled == nil {
		return nil
	}
	return &cancelled.Notice
}

// CancelledOf returns what a notification says of a cancelled appointment, as the status shows it.
func CancelledOf(notice *v1alpha1.Notice, appointment carrier.EventAppointment) *v1alpha1.CancelledAppointment {
	const maxText = 64
	text := func(given string) string { return decide.Bounded(given, maxText) }
	return &v1alpha1.CancelledAppointment{
		Notice: *notice, AppointmentID: v1alpha1.CarrierIDOf(appointment.ID),
		WholesaleAppointmentID: text(appointment.WholesaleID), ServiceID: v1alpha1.CarrierIDOf(appointment.ServiceID),
		Status: text(appointment.Status), StartTime: text(appointment.StartTime), EndTime: text(appointment.EndTime),
		SlotType: text(appointment.SlotType), TimezoneOffset: text(appointment.TimezoneOffset),
		LocalTime: localTime(&v1alpha1.Slot{
			StartTime: appointment.StartTime, EndTime: appointment.EndTime, TimezoneOffset: appointment.TimezoneOffset,
		}),
		PriorityAssist: appointment.PriorityAssist, ESLA: text(appointment.ESLA),
		DemandType: text(appointment.DemandType), CancelledOn: text(appointment.CancelledOn),
	}
}

// cancelledByCarrier says which appointment the carrier has cancelled, why, and what to do.
func cancelledByCarrier(in *Input) string {
	cancelled := in.Appointment.Status.Cancelled
	return fmt.Sprintf("the carrier cancelled the appointment%s for order %s%s: %s. To query slots again, set "+
		"another dateFrom, or run: %s. Then book another slot",
		whichAppointment(cancelled), OrderNumber(in.Appointment, in.Order), decide.UnsignedNote(&cancelled.Notice),
		decide.ReasonGiven(&cancelled.Notice),
		decide.AnnotateCommand(&in.Input, v1alpha1.AnnotationReconcile, "<any new value>"))
}

// whichAppointment names a cancelled appointment by its time and number, as far as they are known.
func whichAppointment(cancelled *v1alpha1.CancelledAppointment) string {
	words := ""
	if at := cmp.Or(cancelled.LocalTime, cancelled.StartTime); at != "" {
		words = " of " + at
	}
	if id := cmp.Or(string(cancelled.AppointmentID), cancelled.WholesaleAppointmentID); id != "" {
		words += " (" + id + ")"
	}
	return words
}
