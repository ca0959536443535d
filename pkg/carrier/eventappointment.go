package carrier

import (
	"cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/identifier"
)

// EventAppointment is an appointment as its notification shows it, without the contact. Any field may
// be missing. Texts are sanitized and at most 64 bytes long, and times are as the carrier writes them.
type EventAppointment struct {
	ID             int64
	WholesaleID    string // wholesaleAppointmentId
	ServiceID      int64
	Status         string
	StartTime      string
	EndTime        string
	SlotType       string
	TimezoneOffset string
	PriorityAssist bool
	ESLA           string
	DemandType     string
	CancelledOn    string
}

// wireAppointment has the fields of an appointment, as the published interface spells them.
type wireAppointment struct {
	ID             givenIDs `json:"id"`
	WholesaleID    string   `json:"wholesaleAppointmentId"`
	ServiceID      givenIDs `json:"serviceId"`
	Status         string   `json:"status"`
	StartTime      string   `json:"startTime"`
	EndTime        string   `json:"endTime"`
	SlotType       string   `json:"slotType"`
	TimezoneOffset string   `json:"timezoneOffset"`
	PriorityAssist bool     `json:"priorityAssist"`
	ESLA           string   `json:"eSla"`
	DemandType     string   `json:"demandType"`
	CancelledOn    string   `json:"cancelledOn"`
}

// ReadAppointment reads an appointment from a notification: the payload itself, or its member
// appointment. Identifiers may contain the carrier's own word. Unreadable fields are empty.
func ReadAppointment(word string, payload []byte) EventAppointment {
	if len(payload) > maxBodyBytes {
		return EventAppointment{}
	}
	if own, err := identifier.NewWord(word); err == nil {
		payload = own.FromWire(payload)
	}
	var envelope struct {
		Appointment *wireAppointment `json:"appointment"`
	}
	var bare wireAppointment
	if readObject(payload, &envelope) != nil || readObject(payload, &bare) != nil {
		return EventAppointment{}
	}
	return cmp.Or(envelope.Appointment, &bare).shown()
}

// shown returns the appointment with texts that are safe to print.
func (a *wireAppointment) shown() EventAppointment {
	const maxText = 64
	text := func(given string) string { return scrubber(nil).message(given, maxText) }
	id, _ := agreedID(a.ID)
	service, _ := agreedID(a.ServiceID)
	return EventAppointment{
		ID: id, WholesaleID: text(a.WholesaleID), ServiceID: service, Status: text(a.Status),
		StartTime: text(a.StartTime), EndTime: text(a.EndTime), SlotType: text(a.SlotType),
		TimezoneOffset: text(a.TimezoneOffset), PriorityAssist: a.PriorityAssist, ESLA: text(a.ESLA),
		DemandType: text(a.DemandType), CancelledOn: text(a.CancelledOn),
	}
}
