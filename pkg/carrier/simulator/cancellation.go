package simulator

import (
	"net/http"
	"time"
)

// The states of a cancellation. The last two are not in the specification but were observed.
const (
	cancelRequested  = "REQUESTED"
	cancelInError    = "IN_ERROR"
	cancelCompleted  = "COMPLETED"
	cancelAborted    = "ABORTED"
	cancelInProgress = "IN_PROGRESS"
	cancelRejected   = "REJECTED"
)

func cancellationStates() []string {
	return []string{cancelRequested, cancelInError, cancelCompleted, cancelAborted, cancelInProgress, cancelRejected}
}

// cancellation is the state of a service's cancellation: the last action and its time. The date and
// the clock determine whether the cancellation has been carried out.
type cancellation struct {
	LastStatus   string    `json:"done,omitempty"` // the state after the last action; empty if there was none
	Date         string    `json:"date,omitempty"` // the day on which the service is to end
	RequestedOn  time.Time `json:"requestedOn,omitzero"`
	RequestedBy  User      `json:"requestedBy,omitzero"`
	AbortedOn    time.Time `json:"abortedOn,omitzero"`
	AbortedBy    User      `json:"abortedBy,omitzero"`
	ErrorDetail  string    `json:"errorDetail,omitempty"`
	DueAt        time.Time `json:"dueAt,omitzero"`       // when a requested cancellation is carried out
	ReclaimedAt  time.Time `json:"reclaimedAt,omitzero"` // when a reclaim restores the service; zero if there is none
	SettledAt    time.Time `json:"settledAt,omitzero"`   // when the last reschedule or abort is complete
	ChangeFailed bool      `json:"refused,omitempty"`    // the last reschedule or abort was accepted and then failed
}

// cancellationOf returns the initial cancellation of a service in the seed.
func (s *Simulator) cancellationOf(service *Service, now time.Time) cancellation {
	seed := service.Cancellation
	if seed == nil {
		return cancellation{}
	}
	c := cancellation{
		LastStatus: seed.Status, Date: seed.RequestDate, RequestedOn: now, ErrorDetail: seed.ErrorDetail,
		RequestedBy: s.clients[service.Client].User, DueAt: s.dayStarts(seed.RequestDate),
	}
	if seed.Status == cancelRequested {
		c.DueAt = s.cancellationDue(seed.RequestDate, now)
	}
	if seed.Status == cancelAborted {
		c.AbortedOn, c.AbortedBy = now, c.RequestedBy
	}
	return c
}

// cancellationDue returns when a cancellation requested now is carried out: on its date, but not
// before the delay of a reschedule has passed. Without the delay, a cancellation for today could be
// neither changed nor aborted.
func (s *Simulator) cancellationDue(day string, now time.Time) time.Time {
	soonest, starts := now.Add(s.delay(OpCancellationReschedule)), s.dayStarts(day)
	if starts.Before(soonest) {
		return soonest
	}
	return starts
}

// dayStarts returns when a date begins in the carrier's time zone. The date must be valid.
func (s *Simulator) dayStarts(day string) time.Time {
	starts, err := time.ParseInLocation(time.DateOnly, day, s.zone)
	if err != nil {
		return time.Time{}
	}
	return starts
}

// status computes the state (spec §3).
func (c *cancellation) status(now time.Time) string {
	if !c.ReclaimedAt.IsZero() && !now.Before(c.ReclaimedAt) {
		return ""
	}
	// REQUESTED and reaching the cancellation date: COMPLETED.
	if c.LastStatus == cancelRequested && !now.Before(c.DueAt) {
		return cancelCompleted
	}
	return c.LastStatus
}

func (c *cancellation) cancelled(now time.Time) bool { return c.status(now) == cancelCompleted }

// carriedOutAt reports whether the cancellation was carried out at exactly this instant.
func (c *cancellation) carriedOutAt(at time.Time) bool { return c.DueAt.Equal(at) && c.cancelled(at) }

// changeable reports whether the cancellation has not been submitted to the carrier yet, so that it
// can be rescheduled and aborted.
func (c *cancellation) changeable(now time.Time) bool {
	status := c.status(now)
	return status == cancelRequested || status == cancelInError
}

// cancellationResult is the service cancellation resource of spec §2.
type cancellationResult struct {
	ServiceID                 int64   `json:"serviceId"`
	Cancelled                 bool    `json:"cancelled"`
	Status                    *string `json:"status"`
	RequestDate               *string `json:"requestDate"`
	RequestedOn               *string `json:"requestedOn"`
	RequestedByID             *int64  `json:"requestedById"`
	RequestedByName           *string `json:"requestedByName"`
	RequestedByEmail          *string `json:"requestedByEmail"`
	ErrorDetail               *string `json:"errorDetail"`
	CancelledOn               *string `json:"cancelledOn"`
	AbortedOn                 *string `json:"abortedOn"`
	AbortedByID               *int64  `json:"abortedById"`
	AbortedByName             *string `json:"abortedByName"`
	AbortedByEmail            *string `json:"abortedByEmail"`
	CanRequestCancellation    bool    `json:"canRequestCancellation"`
	CanAbortCancellation      bool    `json:"canAbortCancellation"`
	CanRescheduleCancellation bool    `json:"canRescheduleCancellation"`
}

// readCancellation is the GET by service id (spec §4).
func readCancellation(x *exchange) (response, error) {
	svc, err := x.serviceInPath()
	if err != nil {
		return response{}, err
	}
	switch {
	case x.now.Before(svc.cancellation.SettledAt):
		return response{status: http.StatusAccepted, body: svc.showCancellation(x.now)}, nil
	case svc.cancellation.ChangeFailed:
		status := svc.cancellation.status(x.now)
		return response{}, refused(notEligible(subError{
			Object: "ServiceCancellation", Field: statusField, RejectedValue: status,
		}))
	}
	return response{status: http.StatusOK, body: svc.showCancellation(x.now)}, nil
}

func (svc *serviceState) showCancellation(now time.Time) cancellationResult {
	c, status := svc.cancellation, svc.cancellation.status(now) // a copy: the result outlives the lock
	result := cancellationResult{
		ServiceID: svc.ID, Cancelled: status == cancelCompleted, Status: orNull(status),
		CanRequestCancellation: !svc.NotCancellable && (status == "" || status == cancelAborted),
		CanAbortCancellation:   c.changeable(now), CanRescheduleCancellation: c.changeable(now),
	}
	if status == "" {
		return result
	}
	result.RequestDate = orNull(c.Date)
	result.RequestedOn, result.ErrorDetail = instantOrNull(c.RequestedOn), orNull(c.ErrorDetail)
	result.RequestedByID, result.RequestedByName = &c.RequestedBy.ID, orNull(c.RequestedBy.Name)
	result.RequestedByEmail = orNull(c.RequestedBy.Email)
	if result.Cancelled {
		result.CancelledOn = instantOrNull(c.DueAt)
	}
	if status == cancelAborted {
		result.AbortedOn = instantOrNull(c.AbortedOn)
		result.AbortedByID, result.AbortedByName = &c.AbortedBy.ID, orNull(c.AbortedBy.Name)
		result.AbortedByEmail = orNull(c.AbortedBy.Email)
	}
	return result
}

// instantOrNull returns a date-time, or null for the zero time.
func instantOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	written := timestamp(t)
	return &written
}
