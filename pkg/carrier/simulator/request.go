package simulator

import (
	"cmp"
	"encoding/json"
	"maps"
	"time"
)

// The statuses of requests in the specification (spec §2, §3).
const (
	statusOpen       = "OPEN"
	statusInProgress = "IN_PROGRESS"
	statusCompleted  = "COMPLETED"
	statusInError    = "IN_ERROR"
	statusRetry      = "IN_ERROR_RETRY"
	statusFailed     = "FAILED"
	statusError      = "ERROR_OCCURRED" // of a diagnostic test
	statusTimeout    = "TIMEOUT"        // of a diagnostic test
)

// request is an accepted submission: its body, and when it began and will end. Only PolledAt and
// AlteredReads change later.
type request struct {
	ID          string          `json:"id"`
	Number      int64           `json:"number"`
	Operation   Operation       `json:"operation"`
	Client      string          `json:"client"`
	ServiceID   int64           `json:"serviceId,omitempty"`
	Body        json.RawMessage `json:"asked"`
	SubmittedAt time.Time       `json:"submittedAt"`
	DoneAt      time.Time       `json:"doneAt"`
	// Failure is the final status if the request does not complete.
	Failure     string `json:"failure,omitempty"`
	ErrorDetail string `json:"errorDetail,omitempty"`
	// Stalled means that the request is in error for a while and then continues.
	Stalled bool `json:"stalled,omitempty"`
	// Altered changes what is read of the request once it has ended; nil for no change.
	Altered *Fault `json:"altered,omitempty"`
	// AlteredReads is the number of reads that were changed.
	AlteredReads int `json:"alteredReads,omitempty"`

	// PolledAt is the time of the last poll, for the rule on polling.
	PolledAt time.Time `json:"polledAt,omitzero"`
}

// status computes the current status. A request is open for the first quarter of its time. If it
// stalls, it is in error for the two middle quarters.
func (r *request) status(now time.Time) string {
	quarter := r.DoneAt.Sub(r.SubmittedAt) / 4
	switch {
	case !now.Before(r.DoneAt):
		return cmp.Or(r.Failure, statusCompleted)
	case now.Before(r.SubmittedAt.Add(quarter)):
		return statusOpen
	case r.Stalled && now.Before(r.DoneAt.Add(-quarter)):
		return r.stalledStatus()
	default:
		return statusInProgress
	}
}

// stalledStatus is the status of a stalled request. By spec §3, it is IN_ERROR for an aggregation
// conversion. For all other operations IN_ERROR is final, so it is IN_ERROR_RETRY.
func (r *request) stalledStatus() string {
	if r.Operation == OpAggregationConversion {
		return statusInError
	}
	return statusRetry
}

// errorDetailAt returns the error detail of the request at an instant, null if there is none.
func (r *request) errorDetailAt(now time.Time) *string {
	if status := r.status(now); status == statusOpen || status == statusCompleted && r.Failure == "" && !r.Stalled {
		return nil
	}
	return orNull(r.ErrorDetail)
}

// shown returns the resource of a request: the fields common to all requests, and its own.
func (r *request) shown(x *exchange, own resource) resource {
	shown := resource{
		"id": r.Number, serviceIDField: r.ServiceID, "requestedOn": timestamp(r.SubmittedAt), statusField: r.status(x.now),
	}
	maps.Copy(shown, own)
	return shown
}

func (r *request) body() fields {
	parsed, err := parseFields(r.Body)
	if err != nil {
		return nil // it was parsed before it was accepted
	}
	return parsed
}
