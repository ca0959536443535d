package carrier

import (
	"strings"
	"testing"
)

// published is the notification of a cancelled appointment, with every field of the published
// interface. A carrier's own word is where the specification says wholesale.
const published = `{"orderId":555,"id":77,"nbnAppointmentId":"APT000000000077","status":"cancelled",
	"startTime":"2026-12-01T21:00:00Z","endTime":"2026-12-02T01:00:00Z","slotType":"AM","timezoneOffset":"+11:00",
	"priorityAssist":true,"eSla":"Standard","demandType":"Standard Install",
	"contact":{"name":"Jo","type":"Site","phone":"0400000000","notes":null},"customerRef":"SITE-014",
	"cancelledOn":"2026-11-30T03:04:05Z","serviceId":1234567}`

// TestReadAppointment reads every field but the contact, and what the object holds already.
func TestReadAppointment(t *testing.T) {
	want := EventAppointment{
		ID: 77, WholesaleID: "APT000000000077", ServiceID: 1234567, Status: "cancelled",
		StartTime: "2026-12-01T21:00:00Z", EndTime: "2026-12-02T01:00:00Z", SlotType: "AM", TimezoneOffset: "+11:00",
		PriorityAssist: true, ESLA: "Standard", DemandType: "Standard Install", CancelledOn: "2026-11-30T03:04:05Z",
	}
	long := strings.Repeat("x", 1000)
	for payload, want := range map[string]EventAppointment{
		published: want,
		`{"id":1,"eventType":"AppointmentCancelled","appointment":` + published + `}`: want,
		strings.Replace(published, "nbnApp", "wholesaleApp", 1):                       want,
		`{"id":"evt_1","slotType":"PM"}`:                                              {SlotType: "PM"},
		`{"id":5,"id":6,"endTime":null,"priorityAssist":"true"}`:                      {PriorityAssist: true},
		`{"slotType":"` + long + `","status":"a\u202e\nb","demandType":"ask ada@mail.example"}`: {
			SlotType: long[:61] + "…", Status: "a b", DemandType: "ask REDACTED",
		},
		`[]`:           {},
		`{"slotType":`: {},
		`{"slotType":"AM"}` + strings.Repeat(" ", 2<<20): {},
	} {
		got := ReadAppointment("nbn", []byte(payload))
		if got != want {
			t.Errorf("ReadAppointment(%.60s) = %+v, want %+v", payload, got, want)
		}
	}
}
