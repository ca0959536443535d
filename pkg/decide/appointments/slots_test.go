// SPDX-License-Identifier: Apache-2.0

package appointments_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/appointments"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// week returns the offers of one week. At +11:00 they are: Thu 5 March in the morning and an AHA
// slot that may be charged, Fri in the morning (accelerated, so it may be charged too), Sat in the
// morning (which is still Friday in UTC), and Mon in the afternoon. Only Saturday and Monday are
// within the window.
func week() []v1alpha1.Slot {
	slot := func(id, kind, start, lead string, chargeable, within bool) v1alpha1.Slot {
		return v1alpha1.Slot{
			SlotID: id, SlotType: kind, StartTime: start, TimezoneOffset: "+11:00", LeadTime: lead,
			Chargeable: chargeable, WithinTimeWindow: within,
		}
	}
	return []v1alpha1.Slot{
		slot("thu-am", "AM", "2026-03-04T21:00:00Z", "Standard", false, false),
		slot("thu-aha", "AHA", "2026-03-05T07:00:00Z", "Standard", true, false),
		slot("fri-am", "AM", "2026-03-05T21:00:00Z", "Accelerated", true, false),
		slot("sat-am", "AM", "2026-03-06T21:00:00Z", "Standard", false, true),
		slot("mon-pm", "PM", "2026-03-09T02:00:00Z", "Standard", false, true),
	}
}

func TestRecommend(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		wants      v1alpha1.SlotPreferences
		technology string
		chosen     string
	}{
		{"without preferences, the first free of charge", v1alpha1.SlotPreferences{}, "FTTP", "thu-am"},
		{"the window is ignored if it is not reliable", v1alpha1.SlotPreferences{}, "FTTP", "thu-am"},
		{"the window is preferred if it is reliable", v1alpha1.SlotPreferences{}, "FTTN", "sat-am"},
		{
			"a slot outside of the window is better than none",
			v1alpha1.SlotPreferences{Weekdays: []v1alpha1.Weekday{"Thu"}},
			"FTTN", "thu-am",
		},
		{"the type", v1alpha1.SlotPreferences{SlotTypes: []v1alpha1.SlotType{"PM"}}, "FTTP", "mon-pm"},
		{"a type that may be charged", v1alpha1.SlotPreferences{SlotTypes: []v1alpha1.SlotType{"AHA"}}, "FTTP", ""},
		{
			"a type that may be charged, and is allowed",
			v1alpha1.SlotPreferences{SlotTypes: []v1alpha1.SlotType{"AHA"}, AllowChargeable: true},
			"FTTP", "thu-aha",
		},
		{
			"a lead time that may be charged",
			v1alpha1.SlotPreferences{LeadTimes: []v1alpha1.LeadTime{"Accelerated"}},
			"FTTP", "",
		},
		{
			"a lead time that may be charged, and is allowed",
			v1alpha1.SlotPreferences{LeadTimes: []v1alpha1.LeadTime{"Accelerated"}, AllowChargeable: true},
			"FTTP", "fri-am",
		},
		{
			"the weekday at the slot's own offset",
			v1alpha1.SlotPreferences{Weekdays: []v1alpha1.Weekday{"Sat"}},
			"FTTP", "sat-am",
		},
		{"a weekday that is one in UTC only", v1alpha1.SlotPreferences{Weekdays: []v1alpha1.Weekday{"Wed"}}, "FTTP", ""},
		{
			"notAfter at the slot's own offset",
			v1alpha1.SlotPreferences{Weekdays: []v1alpha1.Weekday{"Sat"}, NotAfter: "2026-03-06"},
			"FTTP", "",
		},
		{
			"notAfter is the last day that matches",
			v1alpha1.SlotPreferences{Weekdays: []v1alpha1.Weekday{"Sat"}, NotAfter: "2026-03-07"},
			"FTTP", "sat-am",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			chosen := ""
			if slot := appointments.Recommend(week(), test.wants, test.technology); slot != nil {
				chosen = slot.SlotID
			}
			if chosen != test.chosen {
				t.Errorf("recommended is %q, not %q", chosen, test.chosen)
			}
		})
	}
}

func TestRecommendOfUnreadableTimes(t *testing.T) {
	t.Parallel()
	unreadable := []v1alpha1.Slot{{
		SlotID: "odd", SlotType: "AM", StartTime: "soon", TimezoneOffset: "here", LeadTime: "Standard",
	}}
	if appointments.Recommend(unreadable, v1alpha1.SlotPreferences{}, "") == nil {
		t.Error("a slot whose start cannot be read suits those to whom the day does not matter")
	}
	if appointments.Recommend(unreadable, v1alpha1.SlotPreferences{NotAfter: "2099-01-01"}, "") != nil {
		t.Error("a slot whose start cannot be read suits nobody to whom the day matters")
	}
	unreadable[0].StartTime = "2026-03-06T08:00:00+11:00"
	if appointments.Recommend(unreadable, v1alpha1.SlotPreferences{Weekdays: []v1alpha1.Weekday{"Fri"}}, "") == nil {
		t.Error("without a readable offset the day is that of the start as it is written")
	}
}

func TestWindowReliable(t *testing.T) {
	t.Parallel()
	for technology, reliable := range map[string]bool{
		"FTTN": true, "FTTB": true, "Satellite": true, "SATELLITE": true,
		"FTTP": false, "FTTC": false, "HFC": false, "": false,
	} {
		if appointments.WindowReliable(technology) != reliable {
			t.Errorf("%q: reliable is not %t", technology, reliable)
		}
	}
}

// taken is the part of an offer that a status shows.
func taken(t *testing.T, offered ...string) v1alpha1.AppointmentRequestStatus {
	t.Helper()
	var status v1alpha1.AppointmentRequestStatus
	body := []byte("[" + strings.Join(offered, ",") + "]")
	if err := appointments.RecordSlots(&status, body, decidetest.Start()); err != nil {
		t.Fatal(err)
	}
	return status
}

func TestRecordSlots(t *testing.T) {
	t.Parallel()
	offered := make([]string, 0, 63)
	for day := range 60 { // the last day first
		offered = append(offered, fmt.Sprintf(
			`{"slotId":"s%02d","slotType":"AM","startTime":"2026-%02d-%02dT08:00:00+11:00","leadTime":"Standard"}`,
			59-day, 4-day/30, 30-day%30))
	}
	offered = append(
		offered,
		`{"slotId":"unread","slotType":"CA","startTime":"later"}`,
		`{"slotId":"`+strings.Repeat("x", 129)+`","slotType":"AM"}`,
		`{"slotId":"","slotType":"AM"}`,
	)
	status := taken(t, offered...)
	if len(status.Slots) != 50 || status.SlotCount != 63 || !status.Since.Time.Equal(decidetest.Start()) {
		t.Errorf("%d slots are shown, and %d counted, since %s", len(status.Slots), status.SlotCount, status.Since)
	}
	if first, last := status.Slots[0].SlotID, status.Slots[49].SlotID; first != "s00" || last != "s49" {
		t.Errorf("the first 50 by start run from %s to %s", first, last)
	}
}

func TestRecordSlotsWithUnreadableTimesAndTypes(t *testing.T) {
	t.Parallel()
	status := taken(
		t, `{"slotId":"b","startTime":"x"}`,
		`{"slotId":"a","startTime":"y","slotType":"AM","leadTime":"Standard"}`,
	)
	if status.Slots[0].SlotID != "b" || !status.Slots[0].Chargeable || status.Slots[1].Chargeable {
		t.Errorf("what cannot be ordered keeps the carrier's order, and unknown types may be charged: %+v", status.Slots)
	}
	if err := appointments.RecordSlots(&status, []byte(`{"slots":[]}`), decidetest.Start()); err == nil {
		t.Error("a body that is no array is accepted")
	}
}

// The carrier's texts are cut to the lengths that the schema of the status allows.
func TestTheTextsOfASlotAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200)
	slot := taken(t, fmt.Sprintf(
		`{"slotId":"a","slotType":%[1]q,"startTime":%[1]q,"endTime":%[1]q,"timezoneOffset":%[1]q,"leadTime":%[1]q}`, long,
	)).Slots[0]
	lengths := [...]int{
		len(slot.SlotType), len(slot.StartTime), len(slot.EndTime), len(slot.TimezoneOffset), len(slot.LeadTime),
	}
	if want := [...]int{32, 64, 64, 16, 64}; lengths != want {
		t.Errorf("the lengths are %v, want %v", lengths, want)
	}
}

func TestARecommendedSlotIsShownInItsLocalTime(t *testing.T) {
	t.Parallel()
	for shown, slot := range map[string]v1alpha1.Slot{
		"Tue 2026-12-01 08:00–12:00 +11:00": {
			StartTime: "2026-11-30T21:00:00Z", EndTime: "2026-12-01T01:00:00Z", TimezoneOffset: "+11:00",
		},
		"Mon 2026-11-30 21:00–23:00 +00:00": {StartTime: "2026-11-30T21:00:00Z", EndTime: "2026-11-30T23:00:00Z"},
		"Mon 2026-11-30 21:00 +00:00":       {StartTime: "2026-11-30T21:00:00Z", EndTime: "2026-12-01T01:00:00Z"},
		"Mon 2026-11-30 22:00 +00:00":       {StartTime: "2026-11-30T22:00:00Z", EndTime: "noon"},
		"":                                  {StartTime: "tomorrow", TimezoneOffset: "+11:00"},
	} {
		slot.SlotID, slot.SlotType = "S-1", "AM"
		choice := appointments.Recommend([]v1alpha1.Slot{slot}, v1alpha1.SlotPreferences{}, "FTTP")
		if choice.LocalTime != shown {
			t.Errorf("%s is shown as %q, not %q", slot.StartTime, choice.LocalTime, shown)
		}
	}
}
