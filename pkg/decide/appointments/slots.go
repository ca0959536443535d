// SPDX-License-Identifier: Apache-2.0

package appointments

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// maxSlots is the maximum number of slots in a status, and maxSlotID the maximum length of a slot's
// id. A slot with a longer id could not be referred to, so it is counted but not shown.
const (
	maxSlots  = 50
	maxSlotID = 128
)

// RecordSlots records the slots that the carrier offers: the first ones by start time, in the
// carrier's order if they start together.
func RecordSlots(status *v1alpha1.AppointmentRequestStatus, body []byte, now time.Time) error {
	offered, err := carrier.DecodeAppointmentSlots(body)
	if err != nil {
		return fmt.Errorf("read the appointment slots: %w", err)
	}
	shown := slices.DeleteFunc(slices.Clone(offered), func(slot carrier.AppointmentSlot) bool {
		return slot.SlotID == "" || slot.SlotID != decide.Bounded(slot.SlotID, maxSlotID)
	})
	slices.SortStableFunc(shown, startsFirst)
	status.Slots, status.Cancelled = nil, nil
	for _, slot := range shown[:min(len(shown), maxSlots)] {
		status.Slots = append(status.Slots, shownSlot(slot))
	}
	status.SlotCount = int32(min(len(offered), maxCount))
	status.Since = v1alpha1.WholeSeconds(now)
	return nil
}

// maxCount is far more than the number of slots that fit in a body of 1 MiB.
const maxCount = 1 << 20

// startsFirst orders slots by start. A slot whose start cannot be read comes last.
func startsFirst(a, b carrier.AppointmentSlot) int {
	start, known := a.StartTime.Time()
	other, otherKnown := b.StartTime.Time()
	switch {
	case known && otherKnown:
		return start.Compare(other)
	case known:
		return -1
	case otherKnown:
		return 1
	}
	return 0
}

func shownSlot(slot carrier.AppointmentSlot) v1alpha1.Slot {
	const kind, moment, offset = 32, 64, 16
	return v1alpha1.Slot{
		SlotID: slot.SlotID, SlotType: decide.Bounded(string(slot.SlotType), kind),
		StartTime: decide.Bounded(string(slot.StartTime), moment), EndTime: decide.Bounded(string(slot.EndTime), moment),
		TimezoneOffset: decide.Bounded(slot.TimezoneOffset, offset), LeadTime: decide.Bounded(string(slot.LeadTime), moment),
		WithinTimeWindow: slot.WithinTimeWindow, Chargeable: slot.MayBeCharged(),
	}
}

// Recommend returns the first slot that matches the preferences; nil if none does. If the
// technology of the order is known to make withinTimeWindow reliable, a slot within the window is
// preferred.
func Recommend(
	offered []v1alpha1.Slot, preferences v1alpha1.SlotPreferences, technologyType string,
) *v1alpha1.RecommendedSlot {
	var first *v1alpha1.Slot
	for i := range offered {
		slot := &offered[i]
		if !suits(slot, preferences) {
			continue
		}
		if !WindowReliable(technologyType) || slot.WithinTimeWindow {
			return recommended(slot)
		}
		if first == nil {
			first = slot
		}
	}
	return recommended(first)
}

func recommended(slot *v1alpha1.Slot) *v1alpha1.RecommendedSlot {
	if slot == nil {
		return nil
	}
	return &v1alpha1.RecommendedSlot{
		SlotID: slot.SlotID, SlotType: slot.SlotType, StartTime: slot.StartTime, EndTime: slot.EndTime,
		LocalTime: localTime(slot),
	}
}

// localTime returns the local time of a slot at the site. The technician comes on the local day,
// which may differ from the day in UTC.
func localTime(slot *v1alpha1.Slot) string {
	const day, hour = "Mon 2006-01-02", "15:04"
	start, known := atSite(slot, slot.StartTime)
	if !known {
		return ""
	}
	hours := start.Format(hour)
	if end, known := atSite(slot, slot.EndTime); known && end.Format(day) == start.Format(day) {
		hours += "–" + end.Format(hour)
	}
	return start.Format(day) + " " + hours + " " + start.Format("-07:00")
}

// suits reports whether a slot meets the preferences. A slot that may cost extra needs
// allowChargeable. The slot's weekday is that at the site. A preference that is not set matches
// any slot.
func suits(slot *v1alpha1.Slot, preferences v1alpha1.SlotPreferences) bool {
	return (preferences.AllowChargeable || !slot.Chargeable) &&
		anyOr(preferences.SlotTypes, v1alpha1.SlotType(slot.SlotType)) &&
		anyOr(preferences.LeadTimes, v1alpha1.LeadTime(slot.LeadTime)) &&
		daySuits(slot, preferences)
}

func anyOr[T comparable](wanted []T, value T) bool {
	return len(wanted) == 0 || slices.Contains(wanted, value)
}

// daySuits checks the day at the site. A slot whose start cannot be read matches only if no day is
// preferred.
func daySuits(slot *v1alpha1.Slot, preferences v1alpha1.SlotPreferences) bool {
	if len(preferences.Weekdays) == 0 && preferences.NotAfter == "" {
		return true
	}
	start, known := atSite(slot, slot.StartTime)
	if !known {
		return false
	}
	inTime := preferences.NotAfter == "" || start.Format(time.DateOnly) <= string(preferences.NotAfter)
	return inTime && anyOr(preferences.Weekdays, v1alpha1.Weekday(start.Format("Mon")))
}

// atSite converts a time of a slot to the slot's own offset, because the times may be in UTC.
// Without a readable offset the time is not converted.
func atSite(slot *v1alpha1.Slot, written string) (time.Time, bool) {
	at, known := carrier.Timestamp(written).Time()
	if offset, err := time.Parse("-07:00", slot.TimezoneOffset); err == nil {
		at = at.In(offset.Location())
	}
	return at, known
}

// WindowReliable reports whether withinTimeWindow counts, which is the case for three
// technologies (spec §2). It does not count for a service restoration, but an order is not one.
func WindowReliable(technologyType string) bool {
	return slices.ContainsFunc([]string{"FTTN", "FTTB", "Satellite"}, func(reliable string) bool {
		return strings.EqualFold(reliable, technologyType)
	})
}

func slotsMessage(a *v1alpha1.AppointmentRequest, choice *v1alpha1.RecommendedSlot) string {
	status := &a.Status
	offer := fmt.Sprintf("the carrier offers %d slots from %s", status.SlotCount, status.DateFrom)
	if int(status.SlotCount) > len(status.Slots) {
		offer += fmt.Sprintf(" (only the first %d are shown and considered)", len(status.Slots))
	}
	if choice != nil {
		return fmt.Sprintf("%s; the recommended slot is %s, %s",
			offer, cmp.Or(choice.LocalTime, choice.StartTime), choice.SlotType)
	}
	willing := a.Spec.Preferences
	willing.AllowChargeable = true
	costly := 0
	for i := range status.Slots {
		if suits(&status.Slots[i], willing) {
			costly++
		}
	}
	if costly == 0 {
		return offer + "; none of them matches the preferences"
	}
	return fmt.Sprintf("%s; none of them matches the preferences, but %d would with preferences.allowChargeable",
		offer, costly)
}

// NoticeOf returns the notification about a cancelled appointment; nil if there is none.
func NoticeOf(cancelled *v1alpha1.CancelledAppointment) *v1alpha1.Notice {
	if cancelled == nil {
		return nil
	}
	return &cancelled.Notice
}

// CancelledOf returns the cancelled appointment of a notification, as the status shows it.
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
