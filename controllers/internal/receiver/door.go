// SPDX-License-Identifier: Apache-2.0

package receiver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

const (
	pathPrefix = "/events/"
	minSecret  = 16 // bytes; the path is a hash of the secret and may be shown

	// An account's notifications: far more than its services can have to say.
	perSecond = 50
	burst     = 200

	// What was taken is remembered for as long as its timestamp would be accepted.
	remembered  = 4096
	rememberFor = 2 * tolerance

	readPause = 10 * time.Second // between two looks at the Secrets for notifications that do not fit
)

// door is where the notifications of one account arrive.
type door struct {
	account types.NamespacedName
	uid     types.UID
	events  v1alpha1.AccountEvents
	signed  bool
	secrets [][]byte // the oldest first
	paths   []string // of each secret
	limiter *rate.Limiter
	taken   *cache.LRUExpireCache // ids
}

// PathOf is where the notifications of an account arrive: a hash that cannot be guessed
// without the secret, of secret, namespace and name with slashes between them.
func PathOf(secret []byte, account types.NamespacedName) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%s/%s", secret, account.Namespace, account.Name))
	return pathPrefix + hex.EncodeToString(sum[:])
}

// proves says whether a letter is the carrier's. Without signatures knowing the path is
// all that it takes.
func (d *door) proves(from letter, now time.Time) bool {
	return !d.signed || from.recent(now) && from.signedBy(d.secrets)
}

// seen says whether a letter was taken before. One without a signature has no id to be
// known by; to look twice does no harm.
func (d *door) seen(from letter) bool {
	_, found := d.taken.Get(from.id())
	return d.signed && found
}

func (d *door) remember(from letter) {
	if d.signed {
		d.taken.Add(from.id(), true, rememberFor)
	}
}

// path is that of the oldest secret. Those of the others are good too, so that the carrier
// can be told another path before the old one is gone.
func (d *door) path() string { return d.paths[0] }

// shown is the path as far as the account's status may show it.
func (d *door) shown() string {
	if !d.signed {
		return ""
	}
	return d.path()
}

// WeakSecretError says that a shared secret is too short to protect anything.
type WeakSecretError struct {
	Ref    v1alpha1.SecretKeyReference
	Length int // bytes
}

// Error says which one, and what is needed.
func (e *WeakSecretError) Error() string {
	return fmt.Sprintf("key %s of Secret %s has %d bytes: at least %d random ones are needed",
		e.Ref.Key, e.Ref.Name, e.Length, minSecret)
}

// Learn makes the receiver listen for an account as its spec says now, with its Secrets as
// they are now, and returns the path for its status. The error says why its notifications
// are not taken; it is that of Secret, or a [WeakSecretError].
func (r *Receiver) Learn(ctx context.Context, account *v1alpha1.CarrierAccount) (string, error) {
	key := client.ObjectKeyFromObject(account)
	if account.Spec.Events == nil {
		r.Forget(key)
		return "", nil
	}
	learned, err := r.open(ctx, key, *account.Spec.Events)
	if err != nil {
		r.forgetUnless(key, err)
		return "", err
	}
	learned.uid = account.UID
	r.mu.Lock()
	defer r.mu.Unlock()
	r.install(learned)
	return learned.shown(), r.fault
}

// Listens says whether the receiver takes notifications for an account, and where.
func (r *Receiver) Listens(account types.NamespacedName) (path string, listens bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := r.doors[account]
	if found == nil {
		return "", false
	}
	return found.path(), r.fault == nil
}

// Forget makes the receiver deaf for an account.
func (r *Receiver) Forget(account types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.close(account)
}

// close takes a door away. The lock is held.
func (r *Receiver) close(account types.NamespacedName) {
	if gone := r.doors[account]; gone != nil {
		for _, path := range gone.paths {
			delete(r.paths, hashOf(path))
		}
		delete(r.doors, account)
	}
}

// forgetUnless keeps what is known of an account whose Secret could not be read this time.
func (r *Receiver) forgetUnless(account types.NamespacedName, err error) {
	_, missing := errors.AsType[*decide.SecretError](err)
	_, weak := errors.AsType[*WeakSecretError](err)
	if missing || weak {
		r.Forget(account)
	}
}

// open reads the Secrets of an account.
func (r *Receiver) open(
	ctx context.Context, account types.NamespacedName, events v1alpha1.AccountEvents,
) (*door, error) {
	opened := &door{account: account, events: events, signed: events.Signature != v1alpha1.SignatureNone}
	for _, ref := range events.SecretRefs {
		secret, err := r.config.Secret(ctx, account.Namespace, ref)
		switch {
		case err != nil:
			return nil, err
		case len(secret) < minSecret:
			return nil, &WeakSecretError{Ref: ref, Length: len(secret)}
		}
		opened.secrets = append(opened.secrets, secret)
		opened.paths = append(opened.paths, PathOf(secret, account))
	}
	return opened, nil
}

// install puts a door in its place. What the one before it has taken stays taken. The lock
// is held.
func (r *Receiver) install(learned *door) {
	before := r.doors[learned.account]
	r.close(learned.account)
	if before != nil && before.uid == learned.uid {
		learned.limiter, learned.taken = before.limiter, before.taken
	} else {
		learned.limiter = rate.NewLimiter(perSecond, burst)
		learned.taken = cache.NewLRUExpireCacheWithClock(remembered, clock(r.config.Now))
	}
	r.doors[learned.account] = learned
	for _, path := range learned.paths {
		r.paths[hashOf(path)] = learned
	}
	r.once.Do(func() { close(r.asked) })
}

// find is the door at a path. A path that nobody knows may be that of a Secret which has
// replaced another.
func (r *Receiver) find(ctx context.Context, path string) *door {
	hash, ours := strings.CutPrefix(path, pathPrefix)
	if !ours || len(hash) != hex.EncodedLen(sha256.Size) {
		return nil
	}
	if found := r.at(path); found != nil {
		return found
	}
	r.refresh(ctx)
	return r.at(path)
}

func (r *Receiver) at(path string) *door {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.paths[hashOf(path)]
}

func hashOf(path string) [sha256.Size]byte { return sha256.Sum256([]byte(path)) }

// refresh reads the Secrets of all accounts again, at most every few seconds: Secrets are
// not watched, and a notification that does not fit is the first sign of another one.
func (r *Receiver) refresh(ctx context.Context) {
	for _, known := range r.due() {
		again, err := r.open(ctx, known.account, known.events)
		if err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "cannot read the Secrets of notifications again", "account", known.account)
			r.forgetUnless(known.account, err)
		} else {
			again.uid = known.uid
			r.replace(known, again)
		}
		if (err != nil || again.path() != known.path()) && r.config.Changed != nil {
			r.config.Changed(known.account)
		}
	}
}

// due are the doors to look at again; none when that was done just now.
func (r *Receiver) due() []*door {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.config.Now()
	if now.Before(r.looked.Add(readPause)) {
		return nil
	}
	r.looked = now
	return slices.Collect(maps.Values(r.doors))
}

// accounts are those that ask for notifications. The lock is held.
func (r *Receiver) accounts() []types.NamespacedName { return slices.Collect(maps.Keys(r.doors)) }

// replace puts a door in the place of one, unless it has been replaced meanwhile.
func (r *Receiver) replace(known, again *door) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.doors[known.account] == known {
		r.install(again)
	}
}

// clock is a function as the cache wants a clock.
type clock func() time.Time

// Now is the time.
func (c clock) Now() time.Time { return c() }
