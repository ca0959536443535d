package simulator

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/problem"
)

// slotsFields is the body of an appointment slots request (spec §4).
func slotsFields() []field {
	return []field{
		{name: "orderId", kind: number, required: true},
		{name: "dateFrom", kind: date, required: true},
	}
}

// slotsCancelFields is the body of an appointment-request cancel (spec §4).
func slotsCancelFields() []field {
	return []field{{name: "appointmentRequestId", kind: number, required: true}}
}

func slotsFamily() family {
	return family{
		operation: OpAppointmentSlots,
		accept:    acceptSlots, result: showSlots,
		failed: "constraints.appointment.request.status.in.error", object: "AppointmentRequest",
	}
}

// acceptSlots applies spec §4: 404 for an order that is not the client's.
func acceptSlots(x *exchange, _ *request) error {
	owned, known := x.sim.state.Orders[x.fields.number("orderId")]
	if !known || owned.Client != x.client.Name {
		return problem.NotFound()
	}
	return nil
}

// cancelSlots cancels an appointment-request, even if it was cancelled before.
func cancelSlots(x *exchange) (response, error) {
	id := strconv.FormatInt(x.fields.number("appointmentRequestId"), 10)
	given, known := x.sim.state.Requests[id]
	if !known || given.Operation != OpAppointmentSlots || given.Client != x.client.Name {
		return response{}, problem.NotFound()
	}
	x.call.Accepted, x.call.RequestID = true, id
	return response{status: http.StatusNoContent}, nil
}

// slotOffer is one slot of a day.
type slotOffer struct {
	kind, lead string
	from, to   int // hours of the day in the carrier's time zone
}

// slotOffers returns the slots of a working day: two free ones and a chargeable one. The slots of
// three days cover every type and lead time of spec §2.
func slotOffers(day int) []slotOffer {
	chargeable := []slotOffer{
		{"AHA", "Accelerated", 18, 20},
		{"CA", "PriorityAssist", 18, 20},
		{"CA", "Reduced lead time", 18, 20},
	}
	return []slotOffer{{"AM", standard, 8, 12}, {"PM", standard, 13, 17}, chargeable[day%len(chargeable)]}
}

// windowDays is the number of days from the requested date that are within the SLA of the order.
const windowDays = 4

// showSlots returns the appointment slots of spec §2 on the working days of the week that starts on
// the requested date.
func showSlots(x *exchange, r *request) any {
	const week = 7
	slots := []resource{}
	first := x.sim.dayStarts(r.body().text("dateFrom"))
	for ahead := range week {
		day := first.AddDate(0, 0, ahead)
		if day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
			continue
		}
		for _, offer := range slotOffers(ahead) {
			shown := offer.on(day)
			shown["slotId"] = fmt.Sprintf("APT-%d-%d-%s", r.Number, ahead, offer.kind)
			shown["withinTimeWindow"] = ahead < windowDays
			shown["leadTime"] = offer.lead
			slots = append(slots, shown)
		}
	}
	return slots
}

// on returns the fields that state the time of a slot or an appointment.
func (o slotOffer) on(day time.Time) resource {
	hour := func(h int) time.Time {
		return time.Date(day.Year(), day.Month(), day.Day(), h, 0, 0, 0, day.Location())
	}
	return resource{
		"slotType": o.kind, "startTime": timestamp(hour(o.from)), "endTime": timestamp(hour(o.to)),
		"timezoneOffset": hour(o.from).Format("-07:00"),
	}
}
