package carrier

import (
	"context"
	"errors"
	"net/http"
	"strconv"
)

// CancellationRescheduleRequest moves a pending cancellation to another date (spec §4).
type CancellationRescheduleRequest struct {
	ServiceID        int64  `json:"serviceId,omitempty"`        // required
	CancellationDate string `json:"cancellationDate,omitempty"` // required, YYYY-MM-DD, today or later at the carrier
}

// Body returns the request as it is sent.
func (r CancellationRescheduleRequest) Body() []byte { return encode(r) }

// CancellationAbortRequest withdraws a pending cancellation, so that the service continues (spec
// §4).
type CancellationAbortRequest struct {
	ServiceID int64 `json:"serviceId,omitempty"` // required
}

// Body returns the request as it is sent.
func (r CancellationAbortRequest) Body() []byte { return encode(r) }

// CancellationStatus is the status of a cancellation request. It is empty if there is none; other
// values are kept.
type CancellationStatus string

// The statuses (spec §3, service cancellation). The last three were observed but are not in the
// specification.
const (
	CancellationRequested    CancellationStatus = "REQUESTED"      // can be rescheduled and aborted
	CancellationInError      CancellationStatus = "IN_ERROR"       // not yet submitted: can be rescheduled and aborted
	CancellationCompleted    CancellationStatus = "COMPLETED"      // the service is cancelled
	CancellationAborted      CancellationStatus = "ABORTED"        // withdrawn
	CancellationInProgress   CancellationStatus = "IN_PROGRESS"    // handed to the carrier: can no longer be changed
	CancellationInErrorRetry CancellationStatus = "IN_ERROR_RETRY" // failed on the way to the carrier, retried
	CancellationRejected     CancellationStatus = "REJECTED"       // refused by the carrier
)

// Cancellation is the state of a service's cancellation (spec §2, service cancellation). Null and
// missing fields are empty.
type Cancellation struct {
	ServiceID        int64              `json:"serviceId"`
	Cancelled        bool               `json:"cancelled"`   // the service is cancelled
	Status           CancellationStatus `json:"status"`      // empty: no cancellation was requested
	RequestDate      string             `json:"requestDate"` // YYYY-MM-DD: when the service is to end
	RequestedOn      Timestamp          `json:"requestedOn"` // when it was requested; differs for every request
	RequestedByID    string             `json:"requestedById"`
	RequestedByName  Secret             `json:"requestedByName"`
	RequestedByEmail Secret             `json:"requestedByEmail"`
	ErrorDetail      string             `json:"errorDetail"`
	CancelledOn      Timestamp          `json:"cancelledOn"` // when the carrier cancelled the service
	AbortedOn        Timestamp          `json:"abortedOn"`   // when the cancellation request was aborted
	AbortedByID      string             `json:"abortedById"`
	AbortedByName    Secret             `json:"abortedByName"`
	AbortedByEmail   Secret             `json:"abortedByEmail"`
	CanRequest       bool               `json:"canRequestCancellation"`    // eligible for a cancellation
	CanAbort         bool               `json:"canAbortCancellation"`      // eligible for an abort
	CanReschedule    bool               `json:"canRescheduleCancellation"` // eligible for a reschedule

	InProgress bool // the response was a 202: a reschedule or an abort is in progress, and may not be visible yet
}

// DecodeCancellation reads the state of a cancellation. The error is an [Error] of class
// Unreadable, also for a resource that has neither "cancelled" nor "status": such a resource
// does not show that there is no cancellation.
func DecodeCancellation(body []byte) (Cancellation, error) {
	var state struct {
		Cancelled *bool   `json:"cancelled"`
		Status    *string `json:"status"`
	}
	err := readObject(body, &state)
	if err == nil && state.Cancelled == nil && state.Status == nil {
		err = errNoCancellation
	}
	if err != nil {
		return Cancellation{}, undecodable("", err)
	}
	return decode[Cancellation]("", body)
}

// Cancellation reads the state of a service's cancellation: a plain GET by service id, at the
// client's own version.
//
// A 202 may have the resource, too, in its current state. A 202 without it is an error of class
// ServerFault: read again later. The error is an [Error]. A 422 is an error here, as it says
// nothing about a request of ours. A response about another service is of class Unreadable.
func (c *Client) Cancellation(ctx context.Context, serviceID int64) (Cancellation, error) {
	handle := Handle{Operation: CancellationAbort, Version: c.version, ID: strconv.FormatInt(serviceID, 10)}
	k := call{reads: CancellationRead, method: http.MethodGet, path: handle.Path(), version: c.version}
	if serviceID <= 0 {
		return Cancellation{}, invalidServiceID(k)
	}
	resp, err := c.read(ctx, k, http.StatusOK, http.StatusAccepted)
	if err != nil {
		return Cancellation{}, err
	}
	result, err := DecodeCancellation(resp.body)
	inProgress := resp.status == http.StatusAccepted
	switch {
	case err != nil && inProgress:
		return Cancellation{}, notShownYet(k)
	case err != nil:
		return Cancellation{}, err
	case result.ServiceID != 0 && result.ServiceID != serviceID:
		return Cancellation{}, unreadable(k, errOtherService)
	}
	result.ServiceID, result.InProgress = serviceID, inProgress
	return result, nil
}

// IsNotShownYet reports whether a read of the cancellation returned a 202 without the
// cancellation, because it is being changed.
func IsNotShownYet(err error) bool {
	refusal, is := errors.AsType[*Error](err)
	return is && refusal.HTTPStatus == http.StatusAccepted
}

// notShownYet is the error for a 202 without the cancellation.
func notShownYet(k call) *Error {
	return &Error{
		Target: k.target(), HTTPStatus: http.StatusAccepted, Class: ServerFault,
		Message: "the cancellation is being changed, and the response does not show it",
	}
}

// invalidServiceID refuses an impossible service id, because a path with such an id could
// address another resource.
func invalidServiceID(k call) *Error {
	return &Error{Target: k.target(), Class: Invalid, Message: "a service id is a number above zero"}
}
