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
	return &Error{Status: http.StatusBadRequest, kind: typeValidation, code: "malformed.json.request", message: message}
}

// NotNumeric is a 400: an id or parameter that must be a number is not one (spec §1 rule 4).
func NotNumeric(name string) error {
	return &Error{
		Status: http.StatusBadRequest, kind: typeValidation, code: "method.argument.type.mismatch",
		message: "The value of '" + name + "' has the wrong type",
	}
}

// VersionRefused is a 400: X-API-VERSION is missing or not supported.
func VersionRefused(message string) error {
	return &Error{Status: http.StatusBadRequest, kind: typeValidation, code: "api.version.invalid", message: message}
}

// TokenRefused is a 401, or a 404 on plan change options (spec §4).
func TokenRefused(status int) error {
	if status == http.StatusNotFound {
		return NotFound()
	}
	return &Error{
		Status: status, kind: typeAccess, code: "unauthorized", message: "Bearer token missing or invalid",
		Header: map[string]string{"WWW-Authenticate": `Bearer error="invalid_token"`},
	}
}

// NotFound is a 404: no permission or no such object, which look the same (spec §7).
func NotFound() error {
	return &Error{
		Status: http.StatusNotFound, kind: typeBusinessRule, code: "resource.not.found", message: "Resource not found",
	}
}

// MethodRefused is a 405.
func MethodRefused(allowed string) error {
	return &Error{
		Status: http.StatusMethodNotAllowed, kind: typeAccess, code: "method.not.allowed",
		message: "Only " + allowed + " is supported", Header: map[string]string{"Allow": allowed},
	}
}

// BodyTooLarge is a 413.
func BodyTooLarge() error {
	return &Error{
		Status: http.StatusRequestEntityTooLarge, kind: typeAccess, code: "request.too.large",
		message: "The request body is too large",
	}
}

// MediaTypeRefused is a 415.
func MediaTypeRefused() error {
	return &Error{
		Status: http.StatusUnsupportedMediaType, kind: typeAccess, code: "media.type.not.supported",
		message: "Only application/json in UTF-8 without content encoding is supported",
	}
}

// ArgumentsInvalid is a 422 for fields that break a rule of their own.
func ArgumentsInvalid(subErrors ...SubError) error {
	return unprocessable("method.argument.not.valid", subErrors)
}

// Refused is a 422 for a request that breaks a business rule or has failed.
func Refused(subErrors ...SubError) error {
	return unprocessable("validation", subErrors)
}

func unprocessable(code string, subErrors []SubError) error {
	return &Error{
		Status: http.StatusUnprocessableEntity, kind: typeValidation, code: code,
		message: "Validation failed", SubErrors: subErrors,
	}
}

// Standard returns the usual error for a status. Faults use it.
func Standard(status int) *Error {
	switch {
	case status == http.StatusUnauthorized:
		return &Error{Status: status, kind: typeAccess, code: "unauthorized", message: "Bearer token missing or invalid"}
	case status == http.StatusNotFound:
		return &Error{Status: status, kind: typeBusinessRule, code: "resource.not.found", message: "Resource not found"}
	case status == http.StatusTooManyRequests:
		return &Error{Status: status, kind: typeAccess, code: "too.many.requests", message: "Too many requests"}
	case status == http.StatusInternalServerError:
		return &Error{Status: status, kind: typeInternal, code: "internal.error", message: "Unexpected error"}
	case status > http.StatusInternalServerError:
		return &Error{Status: status, kind: typeRemoteCall, code: "remote.call.error", message: "Upstream unavailable"}
	default:
		return &Error{Status: status, kind: typeValidation, code: "validation", message: http.StatusText(status)}
	}
}
