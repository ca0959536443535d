package carrier

import (
	"errors"
	"net/http"
	"strings"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/jsondoc"
)

// maxSubErrors limits how many sub-errors of one response are kept.
const maxSubErrors = 20

// wireError is the standard error body (spec §7).
type wireError struct {
	Status    int            `json:"httpStatusCode"`
	Type      string         `json:"type"`
	Code      string         `json:"code"`
	Message   string         `json:"message"`
	SubErrors []wireSubError `json:"apiSubErrors"`
	Timestamp string         `json:"timestamp"`
}

// isStandard reports whether a body is the standard error body for a response with this status.
func isStandard(status int, body []byte) bool {
	_, is := standardType(status, body)
	return is
}

// isRefusal reports whether a body is the carrier's own refusal of a request. This is the
// standard error body, unless it reports a fault of the carrier or of a system behind it. A
// body that reports such a fault refuses nothing, whatever the status.
func isRefusal(status int, body []byte) bool {
	kind, standard := standardType(status, body)
	return standard && kind != TypeRemoteCall && kind != TypeServerInternal
}

// standardType returns the type in a standard error body, which has the status of the response, a type
// and a code. It returns false for any other body.
func standardType(status int, body []byte) (ErrorType, bool) {
	var wire wireError
	if err := readObject(body, &wire); err != nil {
		return "", false
	}
	return ErrorType(wire.Type), wire.Status == status && wire.Type != "" && wire.Code != ""
}

type wireSubError struct {
	Code          string `json:"code"`
	Message       string `json:"message"`
	Detail        string `json:"detail"` // sometimes used instead of message
	Object        string `json:"object"`
	Field         string `json:"field"`
	RejectedValue string `json:"rejectedValue"` // of any type
}

// responseError makes an [Error] from a response that is not a success. The status decides the
// class. A body that is not the standard error body is ignored and not shown. The note says what
// else is known, and becomes the message if the carrier sent none.
func (c *Client) responseError(k call, resp response, note string) *Error {
	if resp.status == 0 {
		return unreachable(k, resp)
	}
	failure := readError(resp.body, secretsOf(k, resp))
	failure.Operation, failure.Target = k.operation, k.target()
	failure.HTTPStatus, failure.Class = resp.status, classOfStatus(resp.status)
	if failure.Message == "" {
		failure.Message = note
	}
	if failure.Message == "" {
		failure.Message = http.StatusText(resp.status)
	}
	return failure
}

// secretsOf returns the texts that must not appear in any message about a call.
func secretsOf(k call, resp response) scrubber {
	return append(contactsIn(k.body), resp.token.AccessToken.Reveal())
}

// readError reads a standard error body as far as possible.
func readError(body []byte, scrub scrubber) *Error {
	d, err := jsondoc.Parse(body)
	if err != nil {
		return &Error{}
	}
	var wire wireError
	newReader().read(&wire, d)
	failure := &Error{
		Type:    ErrorType(scrub.name(wire.Type)),
		Code:    ErrorCode(scrub.name(wire.Code)),
		Message: scrub.message(wire.Message, maxMessage),

		Timestamp: scrub.name(wire.Timestamp),
	}
	for _, sub := range wire.SubErrors[:min(len(wire.SubErrors), maxSubErrors)] {
		failure.SubErrors = append(failure.SubErrors, sub.sanitized(scrub))
	}
	return failure
}

// sanitized returns a sub-error that is safe to display. The rejected value of a contact field is
// personal data.
func (w wireSubError) sanitized(scrub scrubber) SubError {
	message, rejected := w.Message, w.RejectedValue
	if message == "" {
		message = w.Detail
	}
	if isContact(w.Field) {
		rejected = ""
	}
	return SubError{
		Code:          SubErrorCode(scrub.name(w.Code)),
		Message:       scrub.message(message, maxMessage),
		Object:        scrub.message(w.Object, maxName),
		Field:         scrub.name(w.Field),
		RejectedValue: scrub.value(rejected, maxName),
	}
}

// isContact reports whether a key, or a path of keys, may hold a contact detail, as contactName,
// contactPhone and contactEmail do.
func isContact(key string) bool { return strings.Contains(strings.ToLower(key), "contact") }

// contactsIn returns the contact details in a request body.
func contactsIn(body []byte) []string {
	d, err := jsondoc.Parse(body)
	if err != nil {
		return nil
	}
	var contacts []string
	for key, value := range d.Members() {
		if isContact(key) {
			contacts = append(contacts, value.Text())
		}
	}
	return contacts
}

// unreachable reports a call without a response. The text is scrubbed, because net/http quotes a
// response that is not HTTP, and the server may have echoed our request.
func unreachable(k call, resp response) *Error {
	message := "no response"
	switch {
	case resp.refused != nil:
		return &Error{
			Operation: k.operation, Target: k.target(), Class: Unreachable, Message: resp.refused.Error(), cause: resp.refused,
		}
	case !resp.written:
		message = "cannot connect"
	}
	return &Error{
		Operation: k.operation, Target: k.target(), Class: Unreachable,
		Message: message + ": " + secretsOf(k, resp).message(steadyText(resp.err), maxMessage), cause: resp.err,
	}
}

// incomplete reports a body that was not read to its end. If the network cut the body off,
// there is no response, whatever the status. A body that is too long would be too long again.
func incomplete(k call, err error) *Error {
	failure := unreadable(k, err)
	if !errors.Is(err, errBodyTooLarge) {
		failure.Class = Unreachable
	}
	return failure
}

// unreadable reports an unusable response with a success status.
func unreadable(k call, err error) *Error {
	return &Error{
		Operation: k.operation, Target: k.target(), HTTPStatus: http.StatusOK, Class: Unreadable,
		Message: steadyText(err), cause: err,
	}
}
