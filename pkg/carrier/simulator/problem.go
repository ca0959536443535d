package simulator

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

// problem is a refused call, with the content of the standard error body (spec §7).
type problem struct {
	status    int
	kind      string
	code      string
	message   string
	subErrors []subError
	header    map[string]string
}

// subError is one reason of a problem.
type subError struct {
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
	APISubErrors   []subError `json:"apiSubErrors"`
	Timestamp      string     `json:"timestamp"`
}

// Error returns the code and message of the problem.
func (p *problem) Error() string { return p.code + ": " + p.message }

// response returns the problem as a response.
func (p *problem) response(now time.Time) response {
	body := errorBody{
		HTTPStatusCode: p.status, Type: p.kind, Code: p.code, Message: p.message,
		APISubErrors: p.subErrors, Timestamp: now.UTC().Format("2006-01-02T15:04:05.000Z07:00"),
	}
	if body.APISubErrors == nil {
		body.APISubErrors = []subError{} // spec §7: empty for 400, 404 and 502, never null
	}
	return response{status: p.status, body: body, header: p.header}
}

// malformed is a 400: the body cannot be read.
func malformed(message string) error {
	return &problem{status: http.StatusBadRequest, kind: typeValidation, code: "malformed.json.request", message: message}
}

// notNumeric is a 400: an id or parameter that must be a number is not one (spec §1 rule 4).
func notNumeric(name string) error {
	return &problem{
		status: http.StatusBadRequest, kind: typeValidation, code: "method.argument.type.mismatch",
		message: "The value of '" + name + "' has the wrong type",
	}
}

// versionRefused is a 400: X-API-VERSION is missing or not supported.
func versionRefused(message string) error {
	return &problem{status: http.StatusBadRequest, kind: typeValidation, code: "api.version.invalid", message: message}
}

// tokenRefused is a 401, or a 404 on plan change options (spec §4).
func tokenRefused(status int) error {
	if status == http.StatusNotFound {
		return notFound()
	}
	return &problem{
		status: status, kind: typeAccess, code: "unauthorized", message: "Bearer token missing or invalid",
		header: map[string]string{"WWW-Authenticate": `Bearer error="invalid_token"`},
	}
}

// notFound is a 404: no permission or no such object, which cannot be told apart (spec §7).
func notFound() error {
	return &problem{
		status: http.StatusNotFound, kind: typeBusinessRule, code: "resource.not.found", message: "Resource not found",
	}
}

// methodRefused is a 405.
func methodRefused(allowed string) error {
	return &problem{
		status: http.StatusMethodNotAllowed, kind: typeAccess, code: "method.not.allowed",
		message: "Only " + allowed + " is supported", header: map[string]string{"Allow": allowed},
	}
}

// bodyTooLarge is a 413.
func bodyTooLarge() error {
	return &problem{
		status: http.StatusRequestEntityTooLarge, kind: typeAccess, code: "request.too.large",
		message: "The request body is too large",
	}
}

// mediaTypeRefused is a 415.
func mediaTypeRefused() error {
	return &problem{
		status: http.StatusUnsupportedMediaType, kind: typeAccess, code: "media.type.not.supported",
		message: "Only application/json in UTF-8 without content encoding is supported",
	}
}

// argumentsInvalid is a 422 for fields that break a rule of their own.
func argumentsInvalid(subErrors ...subError) error {
	return unprocessable("method.argument.not.valid", subErrors)
}

// refused is a 422 for a request that breaks a business rule or has failed.
func refused(subErrors ...subError) error {
	return unprocessable("validation", subErrors)
}

func unprocessable(code string, subErrors []subError) error {
	return &problem{
		status: http.StatusUnprocessableEntity, kind: typeValidation, code: code,
		message: "Validation failed", subErrors: subErrors,
	}
}

// standard returns the usual problem for a status. Faults use it.
func standard(status int) *problem {
	switch {
	case status == http.StatusUnauthorized:
		return &problem{status: status, kind: typeAccess, code: "unauthorized", message: "Bearer token missing or invalid"}
	case status == http.StatusNotFound:
		return &problem{status: status, kind: typeBusinessRule, code: "resource.not.found", message: "Resource not found"}
	case status == http.StatusTooManyRequests:
		return &problem{status: status, kind: typeAccess, code: "too.many.requests", message: "Too many requests"}
	case status == http.StatusInternalServerError:
		return &problem{status: status, kind: typeInternal, code: "internal.error", message: "Unexpected error"}
	case status > http.StatusInternalServerError:
		return &problem{status: status, kind: typeRemoteCall, code: "remote.call.error", message: "Upstream unavailable"}
	default:
		return &problem{status: status, kind: typeValidation, code: "validation", message: http.StatusText(status)}
	}
}
