// Package problem has the standard error documents of the specification (spec §7), one function for
// each.
package problem

import (
	"net/http"
	"time"
)

// The error types of spec §7, and two more that were observed, for cases that section 7 leaves out.
const (
	typeValidation   = "client.validation"
	typeBusinessRule = "business.rule"
	typeRemoteCall   = "remote.call"
	typeAccess       = "client.access"
	typeInternal     = "server.internal"
)

// Error is a refused call, with the content of the standard error body (spec §7).
type Error struct {
	Status    int
	SubErrors []SubError
	Header    map[string]string // of the response, in addition to the common headers

	kind    string
	code    string
	message string
}

// SubError is one reason for a refusal.
type SubError struct {
	Code          string `json:"code"`
	Message       string `json:"message"`
	Object        string `json:"object"`
	Field         string `json:"field"`
	RejectedValue any    `json:"rejectedValue"`
}

// errorBody is the standard error body on the wire.
type errorBody struct {
	HTTPStatusCode int        `json:"httpStatusCode"`
	Type           string     `json:"type"`
	Code           string     `json:"code"`
	Message        string     `json:"message"`
	APISubErrors   []SubError `json:"apiSubErrors"`
	Timestamp      string     `json:"timestamp"`
}

// Error returns the code and the message.
func (e *Error) Error() string { return e.code + ": " + e.message }

// Body returns the standard error body.
func (e *Error) Body(now time.Time) any {
	body := errorBody{
		HTTPStatusCode: e.Status, Type: e.kind, Code: e.code, Message: e.message,
		APISubErrors: e.SubErrors, Timestamp: now.UTC().Format("2006-01-02T15:04:05.000Z07:00"),
	}
	if body.APISubErrors == nil {
		body.APISubErrors = []SubError{} // spec §7: empty for 400, 404 and 502, never null
	}
	return body
}

// Malformed is a 400: the body cannot be read.
func Malformed(message string) error {
	return invalid(http.StatusBadRequest, "malformed.json.request", message)
}

// NotNumeric is a 400: an id or parameter that must be a number is not one (spec §1 rule 4).
func NotNumeric(name string) error {
	return invalid(
		http.StatusBadRequest, "method.argument.type.mismatch", "The value of '"+name+"' has the wrong type",
	)
}

// VersionRefused is a 400: X-API-VERSION is missing or not supported.
func VersionRefused(message string) error {
	return invalid(http.StatusBadRequest, "api.version.invalid", message)
}

func invalid(status int, code, message string, subErrors ...SubError) *Error {
	return &Error{Status: status, kind: typeValidation, code: code, message: message, SubErrors: subErrors}
}

// TokenRefused is a 401, or a 404 on plan change options (spec §4).
func TokenRefused(status int) error {
	refused := Standard(status)
	if status == http.StatusUnauthorized {
		refused.Header = map[string]string{"WWW-Authenticate": `Bearer error="invalid_token"`}
	}
	return refused
}

// NotFound is a 404: no permission or no such object, which look the same (spec §7).
func NotFound() error { return Standard(http.StatusNotFound) }

// MethodRefused is a 405.
func MethodRefused(allowed string) error {
	refused := noAccess(http.StatusMethodNotAllowed, "method.not.allowed", "Only "+allowed+" is supported")
	refused.Header = map[string]string{"Allow": allowed}
	return refused
}

// BodyTooLarge is a 413.
func BodyTooLarge() error {
	return noAccess(http.StatusRequestEntityTooLarge, "request.too.large", "The request body is too large")
}

// MediaTypeRefused is a 415.
func MediaTypeRefused() error {
	return noAccess(
		http.StatusUnsupportedMediaType, "media.type.not.supported",
		"Only application/json in UTF-8 without content encoding is supported",
	)
}

func noAccess(status int, code, message string) *Error {
	return &Error{Status: status, kind: typeAccess, code: code, message: message}
}

// ArgumentsInvalid is a 422 for fields that break a rule of their own.
func ArgumentsInvalid(subErrors ...SubError) error {
	return invalid(http.StatusUnprocessableEntity, "method.argument.not.valid", "Validation failed", subErrors...)
}

// Refused is a 422 for a request that breaks a business rule or has failed.
func Refused(subErrors ...SubError) error {
	return invalid(http.StatusUnprocessableEntity, "validation", "Validation failed", subErrors...)
}

// Standard returns the usual error for a status. Faults use it.
func Standard(status int) *Error {
	switch {
	case status == http.StatusUnauthorized:
		return noAccess(status, "unauthorized", "Bearer token missing or invalid")
	case status == http.StatusNotFound:
		return &Error{Status: status, kind: typeBusinessRule, code: "resource.not.found", message: "Resource not found"}
	case status == http.StatusTooManyRequests:
		return noAccess(status, "too.many.requests", "Too many requests")
	case status == http.StatusInternalServerError:
		return &Error{Status: status, kind: typeInternal, code: "internal.error", message: "Unexpected error"}
	case status > http.StatusInternalServerError:
		return &Error{Status: status, kind: typeRemoteCall, code: "remote.call.error", message: "Upstream unavailable"}
	}
	return invalid(status, "validation", http.StatusText(status))
}
