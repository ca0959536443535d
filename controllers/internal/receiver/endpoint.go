// SPDX-License-Identifier: Apache-2.0

package receiver

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

const (
	pathPrefix = "/events/"
	minSecret  = 16 // bytes; the path is a hash of the secret and may be shown

	// Limits on what is read at an account's endpoint, from any sender, and on what is accepted. They
	// allow far more than the account's services can cause.
	readPerSecond, readBurst   = 500, 1000
	takenPerSecond, takenBurst = 50, 200

	// Accepted messages are remembered for as long as their timestamp would be accepted.
	remembered  = 4096
	rememberFor = 2 * tolerance
)

// endpoint receives the notifications of one account.
type endpoint struct {
	account types.NamespacedName
	uid     types.UID
	word    string // the carrier's own word in identifiers
	signed  bool
	keys    [][]byte // the signing keys of the secrets, the oldest first
	paths   []string // the paths of the secrets, in the same order

	reads, takes *rate.Limiter
	taken        *cache.LRUExpireCache // ids of accepted messages
}

// pathOf returns the path for the notifications of an account: a hash of secret, namespace and name
// with slashes between them. It cannot be guessed without the secret.
func pathOf(secret []byte, account types.NamespacedName) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%s/%s", secret, account.Namespace, account.Name))
	return pathPrefix + hex.EncodeToString(sum[:])
}

// add adds a shared secret to the endpoint. Surrounding white space is ignored, because files end
// in a line break.
func (e *endpoint) add(ref v1alpha1.SecretKeyReference, secret []byte) error {
	secret = bytes.TrimSpace(secret)
	key := signingKey(secret)
	if len(key) < minSecret {
		return &WeakSecretError{Ref: ref}
	}
	e.keys, e.paths = append(e.keys, key), append(e.paths, pathOf(secret, e.account))
	return nil
}

// signingKey returns the key that a secret signs with: its bytes or, if it has the prefix of
// Standard Webhooks, the decoded base64 after the prefix. It is nil if that is not valid base64.
func signingKey(secret []byte) []byte {
	encoded, standard := bytes.CutPrefix(secret, []byte("whsec_"))
	if !standard {
		return secret
	}
	decoded, err := base64.StdEncoding.AppendDecode(nil, encoded)
	if err != nil {
		return nil
	}
	return decoded
}

// WeakSecretError reports that a shared secret is too short to protect anything.
type WeakSecretError struct{ Ref v1alpha1.SecretKeyReference }

// Error names the secret, and what is needed.
func (e *WeakSecretError) Error() string {
	return fmt.Sprintf("key %s of Secret %s is not a usable shared secret: at least %d random bytes are needed, "+
		"either raw or in base64 after the prefix whsec_", e.Ref.Key, e.Ref.Name, minSecret)
}

// inherit takes over the rates and the remembered ids of the previous endpoint of the same account;
// for another account, both start from zero.
func (e *endpoint) inherit(before *endpoint, now func() time.Time) {
	if before != nil && before.uid == e.uid {
		e.reads, e.takes, e.taken = before.reads, before.takes, before.taken
		return
	}
	e.reads, e.takes = rate.NewLimiter(readPerSecond, readBurst), rate.NewLimiter(takenPerSecond, takenBurst)
	e.taken = cache.NewLRUExpireCacheWithClock(remembered, clock(now))
}

// authenticates reports whether a message is from the carrier. Without signatures, knowing the path
// is sufficient.
func (e *endpoint) authenticates(from message, now time.Time) bool {
	return !e.signed || from.recent(now) && from.signedBy(e.keys)
}

// isDuplicate reports whether a message was accepted before. A message without a signature has no
// id that could be trusted; handling it twice does no harm.
func (e *endpoint) isDuplicate(from message) bool {
	_, found := e.taken.Get(from.id())
	return e.signed && found
}

func (e *endpoint) remember(from message) {
	if e.signed {
		e.taken.Add(from.id(), true, rememberFor)
	}
}

// path returns the path of the oldest secret. The paths of the other secrets work too, so that the
// carrier can be given another path before the old one is removed.
func (e *endpoint) path() string { return e.paths[0] }

// shown returns the path if the account's status may show it, otherwise "".
func (e *endpoint) shown() string {
	if !e.signed {
		return ""
	}
	return e.path()
}

// clock adapts a function to the clock interface of the cache.
type clock func() time.Time

// Now returns the current time.
func (c clock) Now() time.Time { return c() }

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
