// SPDX-License-Identifier: Apache-2.0

// Package receiver receives the carrier's notifications (specification section 6) over HTTPS. A
// sender that knows the path of an account and can sign for it may report that something has
// happened; nothing else in its messages is trusted.
//
//	POST /events/<hash> ──► whose path? ──► rate ──► ≤ 64 KiB ──► signature, age ──► new? ──► Take
//	          505, 405, 404           429        411, 413           401       202, 429    202, 503
//
// The answers have constant bodies: they reveal nothing about accounts or objects.
package receiver

import (
	"context"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Notification is an event that the carrier reports.
type Notification struct {
	Account types.NamespacedName // the account whose path received it
	Event   carrier.EventName
	Hint    carrier.EventHint // which object it concerns
	Signed  bool
}

// Config configures a receiver.
type Config struct {
	// Secret reads one key of a Secret, for an account with these addresses.
	Secret func(
		ctx context.Context, namespace string, ref v1alpha1.SecretKeyReference, addresses ...string,
	) ([]byte, error)
	// Take handles a notification. An error makes the sender retry later.
	Take func(ctx context.Context, notification Notification) error
	// Changed is called if listening for an account started, stopped or failed; nil: not called.
	Changed func(account types.NamespacedName)
	Now     func() time.Time
}

// Receiver receives notifications for the accounts that request them.
type Receiver struct {
	config Config
	asked  chan struct{} // closed when the first account needs it

	once  sync.Once
	count *Counter // nil: answers are not counted

	mu        sync.Mutex
	endpoints map[types.NamespacedName]*endpoint
	paths     map[[sha256.Size]byte]*endpoint // by hash: the time of a lookup reveals nothing about the paths
	fault     error                           // why it does not listen; nil if it does, or if no account needs it yet
}

// New returns a receiver without accounts.
func New(config Config) *Receiver {
	return &Receiver{
		config: config, asked: make(chan struct{}),
		endpoints: map[types.NamespacedName]*endpoint{}, paths: map[[sha256.Size]byte]*endpoint{},
	}
}

// CountIn makes the receiver count every answer. It must be called before the receiver is used.
func (r *Receiver) CountIn(count *Counter) { r.count = count }

// The values of Retry-After, in seconds.
const (
	retryLimited   = "1"
	retryPostponed = "5"
)

// ServeHTTP implements [http.Handler].
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	answered := r.receive(w, request)
	r.count.add(answered)
	switch answered.status {
	case http.StatusTooManyRequests:
		w.Header().Set("Retry-After", retryLimited)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", retryPostponed)
	}
	if answered.status != http.StatusAccepted {
		w.Header().Set("Connection", "close") // the rest of the body is not read
	}
	http.Error(w, http.StatusText(answered.status), answered.status)
}

// response is the answer to a notification.
type response struct {
	status int
	event  carrier.EventName // empty if it was not read, or is unknown
}

// receive checks the request, step by step, and handles its message.
func (r *Receiver) receive(w http.ResponseWriter, request *http.Request) response {
	if status := wellFormed(request); status != 0 {
		return response{status: status}
	}
	endpoint := r.at(request.URL.Path)
	switch {
	case endpoint == nil:
		return response{status: http.StatusNotFound}
	case !endpoint.reads.AllowN(r.config.Now(), 1):
		return response{status: http.StatusTooManyRequests}
	}
	body, err := bodyOf(w, request)
	if err != nil {
		return response{status: bodyStatus(err)}
	}
	ctx, cancel := context.WithTimeout(request.Context(), handlingTimeout)
	defer cancel()
	return r.admit(ctx, endpoint, message{header: request.Header, body: body})
}

// handlingTimeout is the time limit for handling a notification: an API server may hang.
const handlingTimeout = 20 * time.Second

// admit handles a message if it is from the carrier, and only once.
func (r *Receiver) admit(ctx context.Context, at *endpoint, from message) response {
	now := r.config.Now()
	switch {
	case !at.authenticates(from, now):
		return response{status: http.StatusUnauthorized}
	case at.isDuplicate(from):
		return response{status: http.StatusAccepted}
	case !at.takes.AllowN(now, 1):
		return response{status: http.StatusTooManyRequests}
	}
	return r.act(ctx, at, from)
}

// act handles the content of a message.
func (r *Receiver) act(ctx context.Context, at *endpoint, from message) response {
	hint, readable := carrier.ReadEvent(from.body)
	if !readable {
		return response{status: http.StatusBadRequest}
	}
	event, known := from.event(hint)
	if !known {
		return response{status: http.StatusAccepted} // counted as unknown
	}
	notification := Notification{Account: at.account, Event: event, Hint: hint, Signed: at.signed}
	if err := r.config.Take(ctx, notification); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "cannot take a notification now", "event", event, "account", at.account)
		return response{status: http.StatusServiceUnavailable, event: event}
	}
	at.remember(from)
	return response{status: http.StatusAccepted, event: event}
}

// maxBody is the maximum size of a notification, from any sender.
const maxBody = 64 << 10

// wellFormed returns the status for a request that is refused whatever its content; 0 if it is not.
func wellFormed(request *http.Request) int {
	switch {
	case !request.ProtoAtLeast(1, 1):
		return http.StatusHTTPVersionNotSupported
	case request.Method != http.MethodPost:
		return http.StatusMethodNotAllowed
	}
	return 0
}
