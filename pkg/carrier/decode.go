package carrier

import "cmp"

// decode reads the result of an operation, as tolerantly as possible.
func decode[Result any](op Operation, body []byte) (Result, error) {
	var result Result
	err := readObject(body, &result)
	return result, undecodable(op, err)
}

// RequestSummary has the fields that the resources of all accepted requests share: enough to
// identify a request and its status. Its texts are sanitized, bounded and safe to display. The
// texts of the results themselves are as the carrier wrote them.
type RequestSummary struct {
	ID          int64  // of the request; zero if the resource has none
	ServiceID   int64  // of the service; zero if the resource has none
	Status      string // such as OPEN, IN_PROGRESS, IN_ERROR; empty if the resource has none
	ErrorDetail string // a text about an earlier error; empty: none
}

// DecodeSummary reads the common part of any resource, completed or in progress. It also accepts
// version 5 of health, where the status is named serviceStatus. The error is an [Error] of class
// Unreadable.
func DecodeSummary(op Operation, body []byte) (RequestSummary, error) {
	if op == CancellationReschedule || op == CancellationAbort {
		return summaryOfCancellation(op, body)
	}
	var wire struct {
		ID            int64  `json:"id"`
		ServiceID     int64  `json:"serviceId"`
		Status        string `json:"status"`
		ServiceStatus string `json:"serviceStatus"`
		ErrorDetail   string `json:"errorDetail"`
	}
	err := readObject(body, &wire)
	return RequestSummary{
		ID: wire.ID, ServiceID: wire.ServiceID,
		Status:      sanitize(cmp.Or(wire.Status, wire.ServiceStatus), maxStatus),
		ErrorDetail: scrubber(nil).message(wire.ErrorDetail, maxMessage),
	}, undecodable(op, err)
}

// summaryOfCancellation reads a cancellation, which has no id of its own (spec §2): a key with that
// name says nothing about the request.
func summaryOfCancellation(op Operation, body []byte) (RequestSummary, error) {
	found, err := decode[Cancellation](op, body)
	return RequestSummary{
		ServiceID:   found.ServiceID,
		Status:      sanitize(string(found.Status), maxStatus),
		ErrorDetail: scrubber(nil).message(found.ErrorDetail, maxMessage),
	}, err
}

// readSummary is DecodeSummary with a zero result for an unreadable body.
func readSummary(body []byte) RequestSummary {
	summary, err := DecodeSummary("", body)
	if err != nil {
		return RequestSummary{}
	}
	return summary
}

// undecodable reports that the result of an operation cannot be decoded.
func undecodable(op Operation, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Operation: op, Class: Unreadable, Message: err.Error(), cause: err}
}
