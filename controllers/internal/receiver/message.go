// SPDX-License-Identifier: Apache-2.0

package receiver

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// The headers of a signed notification, as in Standard Webhooks. Signatures are "v1," and the
// base64 of HMAC-SHA256 over id.timestamp.body, separated by spaces; the timestamp is in seconds
// since 1970.
const (
	headerID        = "Webhook-Id"
	headerTimestamp = "Webhook-Timestamp"
	headerSignature = "Webhook-Signature"
	signatureScheme = "v1,"
)

// The headers that name the event if the body is the bare resource, as in the published interface
// (docs/carrier-api.md).
const (
	headerEventType        = "Z-Event-Type"
	headerNotificationType = "Z-Notification-Type"
)

const (
	tolerance     = 5 * time.Minute // how far a timestamp may differ from our clock, in either direction
	maxSignatures = 8
	maxID         = 256
)

// message is a notification as received.
type message struct {
	header http.Header
	body   []byte
}

var errShort = errors.New("the notification is shorter than its Content-Length")

// maxBody is the maximum size of a notification, from any sender.
const maxBody = 64 << 10

// bodyOf reads a body of at most maxBody bytes, with a Content-Length or in chunks.
func bodyOf(w http.ResponseWriter, request *http.Request) ([]byte, error) {
	if request.ContentLength > maxBody {
		return nil, &http.MaxBytesError{Limit: maxBody}
	}
	var body bytes.Buffer
	if _, err := io.Copy(&body, http.MaxBytesReader(w, request.Body, maxBody)); err != nil {
		return nil, fmt.Errorf("read the notification: %w", err)
	}
	if int64(body.Len()) < request.ContentLength {
		return nil, errShort
	}
	return body.Bytes(), nil
}

// isChunked reports whether a request has its body in chunks. A proxy that parses the chunks
// differently could pass on a second request inside the body (request smuggling), so the connection
// ends with the response.
func isChunked(request *http.Request) bool { return len(request.TransferEncoding) > 0 }

func bodyStatus(err error) int {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusBadRequest
}

// single returns the value of a header that occurs exactly once, otherwise "".
func (m message) single(name string) string {
	if values := m.header.Values(name); len(values) == 1 {
		return values[0]
	}
	return ""
}

// id returns the id that identifies a signed notification.
func (m message) id() string { return m.single(headerID) }

// recent reports whether the message's timestamp is close to the current time.
func (m message) recent(now time.Time) bool {
	seconds, err := strconv.ParseInt(m.single(headerTimestamp), 10, 64)
	return err == nil && now.Sub(time.Unix(seconds, 0)).Abs() <= tolerance
}

// signedBy reports whether one of the message's signatures was made with one of the keys. It
// compares every pair, in constant time.
func (m message) signedBy(keys [][]byte) bool {
	id := m.id()
	if id == "" || len(id) > maxID || strings.Contains(id, ".") {
		return false // with a dot in the id, id.timestamp.body would be ambiguous
	}
	content := slices.Concat([]byte(id+"."+m.single(headerTimestamp)+"."), m.body)
	signatures := strings.Fields(m.single(headerSignature))
	signed := false
	for _, signature := range signatures[:min(len(signatures), maxSignatures)] {
		encoded, isOurs := strings.CutPrefix(signature, signatureScheme)
		given, err := base64.StdEncoding.DecodeString(encoded)
		for _, key := range keys {
			mac := hmac.New(sha256.New, key)
			mac.Write(content)
			signed = hmac.Equal(given, mac.Sum(nil)) && isOurs && err == nil || signed
		}
	}
	return signed
}

// event returns the name of the event, from a header or from the body.
func (m message) event(hint carrier.EventHint) (carrier.EventName, bool) {
	return carrier.ParseEventName(cmp.Or(m.single(headerEventType), m.single(headerNotificationType), hint.Name))
}
