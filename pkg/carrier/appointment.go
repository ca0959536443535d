package carrier

// AppointmentSlotsRequest requests the available slots of a technician for an order (spec §4). It
// creates an appointment-request, whose id is in the Location.
type AppointmentSlotsRequest struct {
	DateFrom string `json:"dateFrom,omitempty"` // required, YYYY-MM-DD: slots on or after it
	OrderID  int64  `json:"orderId,omitempty"`  // required
}

// Body returns the request as it is sent.
func (r AppointmentSlotsRequest) Body() []byte { return encode(r) }

// AppointmentCancelRequest withdraws an appointment-request, which can then no longer become a
// booking. It does not cancel an appointment (spec §4).
type AppointmentCancelRequest struct {
	AppointmentRequestID int64 `json:"appointmentRequestId,omitempty"` // required
}

// Body returns the request as it is sent.
func (r AppointmentCancelRequest) Body() []byte { return encode(r) }

// SlotType is the kind of a slot; other values are kept.
type SlotType string

// The slot types. On a typical connection all but AM and PM may cost extra (spec §2).
const (
	SlotAM  SlotType = "AM"
	SlotPM  SlotType = "PM"
	SlotAHA SlotType = "AHA"
	SlotCA  SlotType = "CA"
)

// LeadTime is how soon a slot is; other values are kept.
type LeadTime string

// The lead times. On a typical connection all but Standard may cost extra (spec §2).
const (
	LeadTimeStandard       LeadTime = "Standard"
	LeadTimeAccelerated    LeadTime = "Accelerated"
	LeadTimePriorityAssist LeadTime = "PriorityAssist"
	LeadTimeReduced        LeadTime = "Reduced lead time"
)

// AppointmentSlot is an available time of a technician (spec §2).
type AppointmentSlot struct {
	SlotID         string    `json:"slotId"`
	SlotType       SlotType  `json:"slotType"`
	StartTime      Timestamp `json:"startTime"`
	EndTime        Timestamp `json:"endTime"`
	TimezoneOffset string    `json:"timezoneOffset"` // +HH:MM; may occur with times in Z

	// WithinTimeWindow is true if the slot is within the SLA of the order or incident. It only
	// counts on FTTN, FTTB and satellite, and not if a technician is to restore a service (spec
	// §2).
	WithinTimeWindow bool     `json:"withinTimeWindow"`
	LeadTime         LeadTime `json:"leadTime"`
}

// MayBeCharged reports whether choosing the slot may incur charges. It returns true unless the
// carrier's text rules charges out, so also for unknown types and lead times.
func (s AppointmentSlot) MayBeCharged() bool {
	usual := s.SlotType == SlotAM || s.SlotType == SlotPM
	return !usual || s.LeadTime != LeadTimeStandard
}

// DecodeAppointmentSlots reads the result of an appointment slots request, a JSON array. The error
// is an [Error] of class Unreadable.
func DecodeAppointmentSlots(body []byte) ([]AppointmentSlot, error) {
	var slots []AppointmentSlot
	err := readArray(body, &slots)
	return slots, undecodable(AppointmentSlots, err)
}
