package simulator

import "time"

// The states of a cancellation. The last three are not in the specification but were observed. A
// cancellation that is submitted again is as final as one that was submitted.
const (
	cancelRequested  = "REQUESTED"
	cancelInError    = "IN_ERROR"
	cancelCompleted  = "COMPLETED"
	cancelAborted    = "ABORTED"
	cancelInProgress = "IN_PROGRESS"
	cancelRetried    = "IN_ERROR_RETRY"
	cancelRejected   = "REJECTED"
)

func cancellationStates() []string {
	return []string{
		cancelRequested, cancelInError, cancelCompleted, cancelAborted, cancelInProgress, cancelRetried, cancelRejected,
	}
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

	// Meanwhile is what a read shows until the last reschedule or abort is complete: its target, even
	// if it fails, or the old cancellation if changes take effect late.
	Meanwhile *cancellation `json:"meanwhile,omitempty"`
}

// shown returns the cancellation that a read shows.
func (c *cancellation) shown(now time.Time) *cancellation {
	if c.Meanwhile != nil && now.Before(c.SettledAt) {
		return c.Meanwhile
	}
	return c
}

// status computes the state (spec §3).
func (c *cancellation) status(now time.Time) string {
	c = c.shown(now)
	if !c.ReclaimedAt.IsZero() && !now.Before(c.ReclaimedAt) {
		return ""
	}
	// A REQUESTED cancellation becomes COMPLETED when its date is reached.
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
