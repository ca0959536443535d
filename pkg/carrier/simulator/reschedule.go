package simulator

import (
	"net/http"
	"strconv"
	"time"
)

// rescheduleFields is the body of a reschedule (spec §4). A separate rule requires the date.
func rescheduleFields() []field {
	return []field{
		{name: serviceIDField, kind: number, required: true},
		{name: "cancellationDate", kind: date},
	}
}

// reschedule moves a cancellation to another date (spec §3).
func reschedule(x *exchange) (reply, error) {
	day := x.fields.text("cancellationDate")
	if day < x.now.In(x.sim.zone).Format(time.DateOnly) { // an empty text is before every date
		return reply{}, argumentsInvalid(subError{
			Code: "constraints.local.date.future.or.present", Message: "must be a date in the present or in the future",
			Object: "RescheduleServiceCancellationCommand", Field: "cancellationDate", RejectedValue: orNull(day),
		})
	}
	return x.alterCancellation(func(c *ending) {
		c.Done, c.Date, c.ErrorDetail = cancelRequested, day, ""
		c.DueAt = x.sim.cancellationDue(day, x.now)
	})
}

// abort withdraws a cancellation (spec §3).
func abort(x *exchange) (reply, error) {
	return x.alterCancellation(func(c *ending) {
		c.Done, c.AbortedOn, c.AbortedBy, c.ErrorDetail = cancelAborted, x.now, x.client.User, ""
	})
}

// alterCancellation changes a cancellation that has not been submitted to the carrier yet. It
// responds with 204 and the Location of the cancellation.
func (x *exchange) alterCancellation(change func(*ending)) (reply, error) {
	if err := x.ownLine(); err != nil {
		return reply{}, err
	}
	if err := x.alterable(); err != nil {
		return reply{}, err
	}
	on := &x.line.ending
	on.SettledAt = x.now.Add(x.sim.delay(x.route.operation))
	on.Refused = x.fault.Kind == FaultEndInError
	if !on.Refused {
		change(on)
		x.sim.announceCancellation(x.line)
	}
	id := strconv.FormatInt(x.line.ID, 10)
	x.call.Accepted, x.call.RequestID = true, id
	path := x.sim.readPath(OpCancellationRead, x.version, id)
	return reply{status: http.StatusNoContent, location: x.place(path)}, nil
}

// alterable applies the state table of spec §3.
func (x *exchange) alterable() error {
	refusal := subError{
		Object: "ServiceCancellation", Field: statusField, RejectedValue: orNull(x.line.ending.status(x.now)),
		Code: "constraints.service-cancellation.not.requested", Message: "No cancellation is requested",
	}
	switch {
	case x.line.NotCancellable:
		return refused(notEligible(refusal))
	case !x.line.ending.open(x.now):
		return refused(refusal)
	}
	return nil
}

// notEligible returns the other sub-error of spec §7.
func notEligible(refusal subError) subError {
	refusal.Code = "constraints.service.not.eligible.for.cancellation"
	refusal.Message = "The service is not eligible for cancellation"
	return refusal
}
