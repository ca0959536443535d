// SPDX-License-Identifier: Apache-2.0

// Package receiver takes the carrier's notifications (specification section 6) over HTTPS.
// Whoever knows the path of an account and can sign for it may say that something has
// happened; nothing else is believed of what they say.
//
//	POST /events/<hash> ──► whose path? ──► rate ──► ≤ 64 KiB ──► signature, age ──► new? ──► Take
//	          505, 405, 404           429        411, 413           401       202, 429    202, 503
//
// The answers have constant bodies: they say nothing about accounts or objects.
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

// Notification is what the carrier says has happened.
type Notification struct {
	Account types.NamespacedName // whose path it came by
	Event   carrier.EventName
	Hint    carrier.EventHint // whom it concerns
	Signed  bool
}

// Config is what a receiver needs.
type Config struct {
	// Secret reads one key of a Secret, for an account with these addresses.
	Secret func(
		ctx context.Context, namespace string, ref v1alpha1.SecretKeyReference, addresses ...string,
	) ([]byte, error)
	// Take acts on a notification. An error says that it is to be sent again later.
	Take func(ctx context.Context, told Notification) error
	// Changed is told of an account that is listened to in another way than before; nil: nobody is.
	Changed func(account types.NamespacedName)
	Now     func() time.Time
}

// Receiver takes notifications for the accounts that ask for it.
type Receiver struct {
	config Config
	asked  chan struct{} // closed when the first account asks

	once  sync.Once
	count *Counter // nil: nobody counts

	mu        sync.Mutex
	endpoints map[types.NamespacedName]*endpoint
	paths     map[[sha256.Size]byte]*endpoint // by hash: how long a look takes tells nothing about the paths
	fault     error                           // why nobody listens; nil when somebody does, or nobody has asked
}

// New returns a receiver for no account yet.
func New(config Config) *Receiver {
	return &Receiver{
		config: config, asked: make(chan struct{}),
		endpoints: map[types.NamespacedName]*endpoint{}, paths: map[[sha256.Size]byte]*endpoint{},
	}
}

// CountIn has every answer counted. It is called before the receiver is used.
func (r *Receiver) CountIn(count *Counter) { r.count = count }

// The pauses that an answer asks for, in seconds.
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
		w.Header().Set("Connection", "close") // what is left of the body is not read
	}
	http.Error(w, http.StatusText(answered.status), answered.status)
}

// response is how a notification was answered.
type response struct {
	status int
	event  carrier.EventName // empty where it was not read, or is none that we know
}

// receive takes a notification as far as it is entitled to go.
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

// handlingTimeout is how long a notification may take: an API server may hang.
const handlingTimeout = 20 * time.Second

// admit acts on a message that is the carrier's, once.
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

// act does what a message asks for.
func (r *Receiver) act(ctx context.Context, at *endpoint, from message) response {
	hint, readable := carrier.ReadEvent(from.body)
	if !readable {
		return response{status: http.StatusBadRequest}
	}
	event, known := from.event(hint)
	if !known {
		return response{status: http.StatusAccepted} // counted as unknown
	}
	told := Notification{Account: at.account, Event: event, Hint: hint, Signed: at.signed}
	if err := r.config.Take(ctx, told); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "cannot take a notification now", "event", event, "account", at.account)
		return response{status: http.StatusServiceUnavailable, event: event}
	}
	at.remember(from)
	return response{status: http.StatusAccepted, event: event}
}

// maxBody bounds what is read of a notification, whoever sends it.
const maxBody = 64 << 10

// wellFormed is the status of a request that is refused whatever it says; 0 for another.
func wellFormed(request *http.Request) int {
	switch {
	case !request.ProtoAtLeast(1, 1):
		return http.StatusHTTPVersionNotSupported
	case request.Method != http.MethodPost:
		return http.StatusMethodNotAllowed
	}
	return 0
}
