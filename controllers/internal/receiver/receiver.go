// SPDX-License-Identifier: Apache-2.0

// Package receiver receives the carrier's notifications (spec §6) over HTTPS. A
// sender that knows the path of an account and can sign for it may report that something has
// happened; nothing else in its messages is trusted.
//
//	POST /events/<hash> ──► whose path? ──► rate ──► ≤ 64 KiB ──► signature, age ──► new? ──► Take
//	          505, 405, 404           429        400, 413           401       202, 429    202, 503
//
// The responses have constant bodies, so they reveal nothing about accounts or objects.
package receiver

import (
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/metrics"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Notification is an event that the carrier reports.
type Notification struct {
	Account types.NamespacedName // the account whose path received it
	Event   carrier.EventName
	Hint    carrier.EventHint // which object it concerns
	Signed  bool

	Appointment carrier.EventAppointment // set if an appointment was cancelled
}

// SecretFunc reads a key of a Secret in a namespace if the Secret allows the addresses.
type SecretFunc func(
	ctx context.Context, namespace string, ref v1alpha1.SecretKeyReference, addresses ...string,
) ([]byte, error)

// ErrNotYet means that a notification cannot be processed before something else is recorded. The
// carrier sends it again, so this is not a failure.
var ErrNotYet = errors.New("the notification has to be sent again later")

// Config configures a receiver.
type Config struct {
	// Secret reads one key of a Secret, for an account with these addresses.
	Secret SecretFunc
	// Take handles a notification. An error makes the sender retry later. [ErrNotYet] is expected.
	Take func(ctx context.Context, notification Notification) error
	// Changed is called when listening for an account has started, stopped or failed; nil: not called.
	Changed func(account types.NamespacedName)
	Now     func() time.Time
}

// Receiver receives notifications for the accounts that request them.
type Receiver struct {
	config Config
	needed chan struct{} // closed when the first account needs it

	once  sync.Once
	count *metrics.Notifications // nil: responses are not counted

	mu        sync.Mutex
	endpoints map[types.NamespacedName]*endpoint
	paths     map[[sha256.Size]byte]*endpoint // by hash: the time of a lookup reveals nothing about the paths
	fault     error                           // why it does not listen; nil if it does, or if no account needs it yet
}

// New returns a receiver without accounts.
func New(config Config) *Receiver {
	return &Receiver{
		config: config, needed: make(chan struct{}),
		endpoints: map[types.NamespacedName]*endpoint{}, paths: map[[sha256.Size]byte]*endpoint{},
	}
}

// CountIn makes the receiver count every response. It must be called before the receiver is used.
func (r *Receiver) CountIn(count *metrics.Notifications) { r.count = count }

// Learn makes the receiver listen for an account, with its current spec and Secrets, and returns
// the path for its status. The error says why its notifications are not accepted; it is an error of
// Config.Secret, or a [WeakSecretError]. If a Secret cannot be read this time, nothing changes.
func (r *Receiver) Learn(ctx context.Context, account *v1alpha1.CarrierAccount) (string, error) {
	key := client.ObjectKeyFromObject(account)
	if account.Spec.Events == nil {
		r.Forget(key)
		return "", nil
	}
	learned, err := r.open(ctx, account)
	if lost(err) {
		r.Forget(key)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.install(learned)
	}
	if kept := r.endpoints[key]; kept != nil {
		return kept.shown(), r.fault
	}
	return "", err
}

// lost reports whether an error is about the Secret itself, and not about reading it.
func lost(err error) bool {
	_, missing := errors.AsType[*decide.SecretError](err)
	_, weak := errors.AsType[*WeakSecretError](err)
	return missing || weak
}

// Listens reports whether the receiver accepts notifications for an account, and at which path.
func (r *Receiver) Listens(account types.NamespacedName) (path string, listens bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := r.endpoints[account]
	if found == nil {
		return "", false
	}
	return found.path(), r.fault == nil
}

// Forget stops listening for an account.
func (r *Receiver) Forget(account types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.close(account)
}

// close removes an endpoint. The lock must be held.
func (r *Receiver) close(account types.NamespacedName) {
	if gone := r.endpoints[account]; gone != nil {
		for _, path := range gone.paths {
			delete(r.paths, hashOf(path))
		}
		delete(r.endpoints, account)
	}
}

// open builds an account's endpoint from its Secrets.
func (r *Receiver) open(ctx context.Context, account *v1alpha1.CarrierAccount) (*endpoint, error) {
	spec := account.Spec
	opened := &endpoint{
		account: client.ObjectKeyFromObject(account), uid: account.UID, word: spec.IdentifierWord,
		signed: spec.Events.Signature != v1alpha1.SignatureNone,
	}
	for _, ref := range spec.Events.SecretRefs {
		secret, err := r.config.Secret(ctx, account.Namespace, ref, spec.BaseURL, spec.Auth.TokenURL)
		if err == nil {
			err = opened.add(ref, secret)
		}
		if err != nil {
			return nil, err
		}
	}
	return opened, nil
}

// install replaces the endpoint of an account. The lock must be held.
func (r *Receiver) install(learned *endpoint) {
	learned.inherit(r.endpoints[learned.account], r.config.Now)
	r.close(learned.account)
	r.endpoints[learned.account] = learned
	for _, path := range learned.paths {
		r.paths[hashOf(path)] = learned
	}
	r.once.Do(func() { close(r.needed) })
}

// at returns the endpoint at a path.
func (r *Receiver) at(path string) *endpoint {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.paths[hashOf(path)]
}

func hashOf(path string) [sha256.Size]byte { return sha256.Sum256([]byte(path)) }

// accounts returns the accounts with an endpoint. The lock must be held.
func (r *Receiver) accounts() []types.NamespacedName { return slices.Collect(maps.Keys(r.endpoints)) }
