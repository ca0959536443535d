package carrier

import (
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Class says what a caller does about an error. It is the only thing a caller should branch on.
type Class string

// The classes.
const (
	Unreachable         Class = "Unreachable"         // no answer: wait, and try again
	Unauthorized        Class = "Unauthorized"        // 401: the token was dropped, the next call fetches another
	NotFoundOrForbidden Class = "NotFoundOrForbidden" // 403, 404: no permission or no such id; never a proof of absence
	Throttled           Class = "Throttled"           // 425, 429: come back later
	Invalid             Class = "Invalid"             // 400, 405, 406, 413–415: this request will never do
	Refused             Class = "Refused"             // 422: a rule of the carrier; the sub-errors name it
	ServerFault         Class = "ServerFault"         // 5xx: the carrier's trouble, proves nothing
	Unreadable          Class = "Unreadable"          // an answer that the specification does not have; proves nothing
)

// ClassOf returns the class of an error of this package, or of an error that wraps one; Unreachable
// for any other, and "" for nil. Errors of the identity provider count as Unauthorized.
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

// classOfStatus is a total function: a status nobody expects is Unreadable.
func classOfStatus(status int) Class {
	if class, ok := statusClasses[status]; ok {
		return class
	}
	if status >= http.StatusInternalServerError && status < 600 {
		return ServerFault
	}
	return Unreadable
}

// SubError is one entry of apiSubErrors: which rule was broken, by which field (spec §7). All texts
// are sanitized and bounded.
type SubError struct {
	Code          SubErrorCode
	Message       string
	Object        string // the carrier's name of the request, such as CreateOrderCommand
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

// Error is everything that can be said about a call that brought no result. All texts of the
// carrier in it are sanitized, bounded, and free of tokens and contact details: it may be logged
// and shown.
type Error struct {
	Operation  Operation // what was tried; empty for reads that belong to no operation
	Target     string    // to what: method and path, such as "GET /api/connect/…/requests/7"
	Class      Class     // what to do about it
	HTTPStatus int       // the answer's status line; zero: there was no answer
	Type       ErrorType
	Code       ErrorCode
	Message    string // the carrier's words, or ours where it said nothing
	SubErrors  []SubError

	cause error
}

// maxSubErrorsShown bounds what Error prints; the list itself is bounded when it is read.
const maxSubErrorsShown = 5

// Error names the operation, the target, the status, the codes and the message, in this order.
func (e *Error) Error() string {
	parts := []string{e.subject(), e.verdict()}
	if e.Message != "" {
		parts = append(parts, e.Message)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
}

func (e *Error) subject() string {
	return strings.TrimSpace(string(e.Operation) + " " + e.Target)
}

// verdict is the status and the most telling codes: those of the sub-errors, or else the code of
// the whole.
func (e *Error) verdict() string {
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

// Unwrap returns the error below: of the network, of the decoder, or of the identity provider.
func (e *Error) Unwrap() error { return e.cause }

// Has tells whether the carrier named this rule among its sub-errors.
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
