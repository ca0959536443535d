package carrier

import (
	"net/http"
	"strings"
)

// maxSubErrors bounds the sub-errors that are kept of one answer.
const maxSubErrors = 20

// wireError is the standard error body (spec §7).
type wireError struct {
	Type      string         `json:"type"`
	Code      string         `json:"code"`
	Message   string         `json:"message"`
	SubErrors []wireSubError `json:"apiSubErrors"`
}

type wireSubError struct {
	Code          string `json:"code"`
	Message       string `json:"message"`
	Detail        string `json:"detail"` // seen in the place of message
	Object        string `json:"object"`
	Field         string `json:"field"`
	RejectedValue string `json:"rejectedValue"` // of any type
}

// failureOf makes an [Error] of an answer that is no success. The status decides; a body that is
// not the standard error body adds nothing, and is not shown. note is what else is known, and
// stands in when the carrier said nothing.
func (c *Client) failureOf(k call, a answer, note string) *Error {
	if a.status == 0 {
		return unreachable(k, a)
	}
	failure := readError(a.body, scrubber(append(contactsIn(k.body), a.token.AccessToken.Reveal())))
	failure.Operation, failure.Target = k.operation, k.target()
	failure.HTTPStatus, failure.Class = a.status, classOfStatus(a.status)
	if failure.Message == "" {
		failure.Message = note
	}
	if failure.Message == "" {
		failure.Message = http.StatusText(a.status)
	}
	return failure
}

// readError reads a standard error body as far as it is one.
func readError(body []byte, hide scrubber) *Error {
	d, ok := parseDocument(body)
	if !ok {
		return &Error{}
	}
	var wire wireError
	newReader().read(&wire, d)
	failure := &Error{
		Type:    ErrorType(clean(wire.Type, maxName)),
		Code:    ErrorCode(clean(wire.Code, maxName)),
		Message: clean(hide.scrub(wire.Message), maxMessage),
	}
	for _, sub := range wire.SubErrors[:min(len(wire.SubErrors), maxSubErrors)] {
		failure.SubErrors = append(failure.SubErrors, sub.shown(hide))
	}
	return failure
}

// shown makes a sub-error fit to be shown. The rejected value of a contact field is a person's.
func (w wireSubError) shown(hide scrubber) SubError {
	message, rejected := w.Message, w.RejectedValue
	if message == "" {
		message = w.Detail
	}
	if isContact(w.Field) {
		rejected = ""
	}
	return SubError{
		Code:          SubErrorCode(clean(w.Code, maxName)),
		Message:       clean(hide.scrub(message), maxMessage),
		Object:        clean(hide.scrub(w.Object), maxName),
		Field:         clean(w.Field, maxName),
		RejectedValue: clean(hide.scrub(rejected), maxName),
	}
}

// isContact tells whether a key holds a contact detail: contactName, contactPhone, contactEmail,
// and the paths that end in one.
func isContact(key string) bool { return strings.Contains(strings.ToLower(key), "contact") }

// contactsIn returns the contact details of a request's body.
func contactsIn(body []byte) []string {
	d, ok := parseDocument(body)
	if !ok {
		return nil
	}
	var contacts []string
	for key, value := range d.members() {
		if isContact(key) {
			contacts = append(contacts, value.text())
		}
	}
	return contacts
}

func unreachable(k call, a answer) *Error {
	message := "no answer"
	if !a.written {
		message = "cannot connect"
	}
	return &Error{
		Operation: k.operation, Target: k.target(), Class: Unreachable,
		Message: message + ": " + clean(a.failure.Error(), maxMessage), cause: a.failure,
	}
}

// unreadable reports an answer of the right status that cannot be used.
func unreadable(k call, err error) *Error {
	return &Error{
		Operation: k.operation, Target: k.target(), HTTPStatus: http.StatusOK, Class: Unreadable,
		Message: err.Error(), cause: err,
	}
}

// undecodable reports the result of an operation that cannot be read as one.
func undecodable(op Operation, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Operation: op, Class: Unreadable, Message: err.Error(), cause: err}
}

// decode reads the result of an operation, as tolerantly as can be.
func decode[Result any](op Operation, body []byte) (Result, error) {
	var result Result
	err := readObject(body, &result)
	return result, undecodable(op, err)
}
