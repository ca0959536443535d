package carrier

import (
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Class states how a caller should handle an error. Callers should branch on the class first, and
// on the sub-errors or the HTTP status only where the class does not suffice.
type Class string

// The classes.
const (
	Unreachable         Class = "Unreachable"         // no complete response: wait and try again
	Unauthorized        Class = "Unauthorized"        // 401: the token was dropped, the next call fetches a new one
	NotFoundOrForbidden Class = "NotFoundOrForbidden" // 403, 404: no permission or no such id; never proves absence
	Throttled           Class = "Throttled"           // 425, 429: come back later
	Invalid             Class = "Invalid"             // 400, 405, 406, 413–415: this request can never succeed
	Refused             Class = "Refused"             // 422: the request breaks a rule of the carrier; see the sub-errors
	ServerFault         Class = "ServerFault"         // 5xx: a fault of the carrier; proves nothing
	Unreadable          Class = "Unreadable"          // a response outside the specification; proves nothing
)

// ClassOf returns the class of an [Error] or of an error that wraps one, Unauthorized for a
// [TokenError], Unreachable for any other error, and "" for nil.
func ClassOf(err error) Class {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	if _, ok := errors.AsType[*TokenError](err); ok {
		return Unauthorized
	}
	return Unreachable
}

// classOfStatus returns the class of any status. Unexpected ones are Unreadable.
func classOfStatus(status int) Class {
	switch status {
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotAcceptable,
		http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong, http.StatusUnsupportedMediaType:
		return Invalid
	case http.StatusUnauthorized:
		return Unauthorized
	case http.StatusForbidden, http.StatusNotFound:
		return NotFoundOrForbidden
	case http.StatusUnprocessableEntity:
		return Refused
	case http.StatusTooEarly, http.StatusTooManyRequests:
		return Throttled
	}
	if status >= http.StatusInternalServerError && status < 600 {
		return ServerFault
	}
	return Unreadable
}

// SubError is one entry of apiSubErrors: a broken rule and the field that broke it (spec §7). All
// texts are sanitized and bounded.
type SubError struct {
	Code          SubErrorCode
	Message       string
	Object        string // the carrier's name for the request, such as CreateOrderCommand
	Field         string // the key in the body
	RejectedValue string // as the carrier wrote it; empty for contact fields
}

// String returns the code, and the field in parentheses.
func (s SubError) String() string {
	if s.Field == "" {
		return string(s.Code)
	}
	return string(s.Code) + " (" + s.Field + ")"
}

// Error describes a call without a result. The carrier's texts in it are sanitized, bounded, and
// free of tokens and contact details, so it may be logged and displayed.
type Error struct {
	Operation  Operation // the attempted operation; empty for reads without an operation
	Target     string    // method and path, such as "GET /api/connect/…/requests/7"
	Class      Class     // how to handle it
	HTTPStatus int       // the response status; zero: no response
	Type       ErrorType
	Code       ErrorCode
	Message    string // the carrier's message, or ours if it had none
	Timestamp  string // time of the error, as the carrier wrote it; empty: not given
	SubErrors  []SubError

	cause error
}

// maxSubErrorsShown limits what Error prints. The list itself is limited when it is read.
const maxSubErrorsShown = 5

// Error returns the operation, the target, the status, the codes and the message, in this order.
func (e *Error) Error() string {
	parts := []string{e.subject(), e.statusAndCodes()}
	if e.Message != "" {
		parts = append(parts, e.Message)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
}

func (e *Error) subject() string {
	return strings.TrimSpace(string(e.Operation) + " " + e.Target)
}

// statusAndCodes returns the status and the most specific codes: those of the sub-errors, or else
// that of the error.
func (e *Error) statusAndCodes() string {
	var words []string
	if e.HTTPStatus != 0 {
		words = append(words, strconv.Itoa(e.HTTPStatus))
	}
	for i, sub := range e.SubErrors {
		if i == maxSubErrorsShown {
			words = append(words, "…")
			break
		}
		words = append(words, sub.String())
	}
	if len(e.SubErrors) == 0 && e.Code != "" {
		words = append(words, string(e.Code))
	}
	return strings.Join(words, " ")
}

// Unwrap returns the underlying error of the network, the decoder or the identity provider.
func (e *Error) Unwrap() error { return e.cause }

// Has reports whether the sub-errors contain this code.
func (e *Error) Has(code SubErrorCode) bool {
	return slices.ContainsFunc(e.SubErrors, func(s SubError) bool { return s.Code == code })
}

// LogValue returns the error as a group of attributes.
func (e *Error) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("operation", string(e.Operation)),
		slog.String("target", e.Target),
		slog.String("class", string(e.Class)),
		slog.Int("httpStatus", e.HTTPStatus),
		slog.String("code", string(e.Code)),
		slog.String("message", e.Message),
		slog.Any("subErrors", e.SubErrors),
	)
}
