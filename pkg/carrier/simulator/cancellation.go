package simulator

import (
	"net/http"
	"strconv"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/problem"
)

// readCancellation is the GET by service id (spec §4).
func readCancellation(x *exchange) (response, error) {
	svc, err := x.serviceInPath()
	if err != nil {
		return response{}, err
	}
	switch {
	case x.now.Before(svc.CancellationState.SettledAt):
		changing := response{status: http.StatusAccepted, body: svc.showCancellation(x.now)}
		return x.sim.hostile.toggleBody(changing, svc.CancellationState.status(x.now)), nil
	case svc.CancellationState.ChangeFailed:
		status := svc.CancellationState.status(x.now)
		return response{}, problem.Refused(notEligible(problem.SubError{
			Object: "ServiceCancellation", Field: statusField, RejectedValue: status,
		}))
	}
	return response{status: http.StatusOK, body: svc.showCancellation(x.now)}, nil
}

// showCancellation returns the service cancellation resource of spec §2.
func (svc *serviceState) showCancellation(now time.Time) resource {
	c, status := svc.CancellationState.shown(now), svc.CancellationState.status(now)
	shown := resource{
		serviceIDField: svc.ID, "cancelled": status == cancelCompleted, statusField: orNull(status),
		"canRequestCancellation":    !svc.NotCancellable && (status == "" || status == cancelAborted),
		"canAbortCancellation":      c.changeable(now),
		"canRescheduleCancellation": c.changeable(now),
		"requestDate":               nil, "requestedOn": nil, "errorDetail": nil, "cancelledOn": nil, "abortedOn": nil,
	}
	var requestedBy, abortedBy User
	if status != "" {
		requestedBy = c.RequestedBy
		shown["requestDate"], shown["errorDetail"] = orNull(c.Date), orNull(c.ErrorDetail)
		shown["requestedOn"] = instantOrNull(c.RequestedOn)
	}
	switch status {
	case cancelCompleted:
		shown["cancelledOn"] = instantOrNull(c.DueAt)
	case cancelAborted:
		abortedBy, shown["abortedOn"] = c.AbortedBy, instantOrNull(c.AbortedOn)
	}
	shown.addUser("requestedBy", requestedBy)
	shown.addUser("abortedBy", abortedBy)
	return shown
}

// addUser adds the fields of a user. They are null if there is no user.
func (r resource) addUser(prefix string, user User) {
	r[prefix+"Id"], r[prefix+"Name"], r[prefix+"Email"] = idOrNull(user.ID), orNull(user.Name), orNull(user.Email)
}

// rescheduleFields is the body of a reschedule (spec §4). A separate rule requires the date.
func rescheduleFields() []field {
	return []field{
		{name: serviceIDField, kind: number, required: true},
		{name: "cancellationDate", kind: date},
	}
}

// reschedule moves a cancellation to another date (spec §3).
func reschedule(x *exchange) (response, error) {
	day := x.fields.text("cancellationDate")
	if day < x.now.In(x.sim.zone).Format(time.DateOnly) { // an empty text sorts before every date
		return response{}, problem.ArgumentsInvalid(problem.SubError{
			Code: "constraints.local.date.future.or.present", Message: "must be a date in the present or in the future",
			Object: "RescheduleServiceCancellationCommand", Field: "cancellationDate", RejectedValue: orNull(day),
		})
	}
	return x.changeCancellation(func(c *cancellation) {
		c.LastStatus, c.Date, c.ErrorDetail = cancelRequested, day, ""
		c.DueAt = x.sim.cancellationDue(day, x.now)
	})
}

// abort withdraws a cancellation (spec §3).
func abort(x *exchange) (response, error) {
	return x.changeCancellation(func(c *cancellation) {
		c.LastStatus, c.AbortedOn, c.AbortedBy, c.ErrorDetail = cancelAborted, x.now, x.client.User, ""
	})
}

// changeCancellation changes a cancellation that has not been submitted to the carrier yet, unless the
// change fails. It responds with 204 and the Location of the cancellation.
func (x *exchange) changeCancellation(change func(*cancellation)) (response, error) {
	if err := x.findService(); err != nil {
		return response{}, err
	}
	if err := x.requireChangeable(); err != nil {
		return response{}, err
	}
	c := &x.service.CancellationState
	former := *c
	if !c.ChangeFailed {
		former = *c.shown(x.now)
	}
	former.Meanwhile, former.SettledAt = nil, x.now.Add(x.sim.delay(x.route.operation, x.serviceID()))
	former.ChangeFailed = x.fault.Kind == FaultEndInError || x.service.Outcomes[string(x.route.operation)] == OutcomeFails
	target := former
	change(&target)
	meanwhile := target
	if x.sim.options.Seed.SlowCancellations {
		meanwhile = former
	}
	*c = target
	if target.ChangeFailed {
		*c = former
	}
	c.Meanwhile = &meanwhile
	if !c.ChangeFailed {
		x.sim.announceCancellation(x.service)
	}
	id := strconv.FormatInt(x.service.ID, 10)
	x.call.Accepted, x.call.RequestID, x.call.EndsInError = true, id, c.ChangeFailed
	path := x.sim.readPath(OpCancellationRead, x.version, id)
	return response{status: http.StatusNoContent, location: x.formatLocation(path)}, nil
}

// requireChangeable applies the state table of spec §3.
func (x *exchange) requireChangeable() error {
	refusal := problem.SubError{
		Object: "ServiceCancellation", Field: statusField, RejectedValue: orNull(x.service.CancellationState.status(x.now)),
		Code: "constraints.service-cancellation.not.requested", Message: "No cancellation is requested",
	}
	switch {
	case x.service.NotCancellable:
		return problem.Refused(notEligible(refusal))
	case !x.service.CancellationState.changeable(x.now):
		return problem.Refused(refusal)
	}
	return nil
}

// notEligible changes a refusal into the sub-error of spec §7 for a service that is not eligible
// for cancellation.
func notEligible(refusal problem.SubError) problem.SubError {
	refusal.Code = "constraints.service.not.eligible.for.cancellation"
	refusal.Message = "The service is not eligible for cancellation"
	return refusal
}
