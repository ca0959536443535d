// SPDX-License-Identifier: Apache-2.0

package receiver

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

const (
	pathPrefix = "/events/"
	minSecret  = 16 // bytes; the path is a hash of the secret and may be shown

	// What is read at an account's door, from whomever, and what is acted on: far more than
	// its services can have to say.
	readPerSecond, readBurst   = 500, 1000
	takenPerSecond, takenBurst = 50, 200

	// What was taken is remembered for as long as its timestamp would be accepted.
	remembered  = 4096
	rememberFor = 2 * tolerance
)

// door is where the notifications of one account arrive.
type door struct {
	account types.NamespacedName
	uid     types.UID
	signed  bool
	keys    [][]byte // of the secrets, the oldest first
	paths   []string // of the secrets too

	reads, takes *rate.Limiter
	taken        *cache.LRUExpireCache // ids
}

// PathOf is where the notifications of an account arrive: a hash that cannot be guessed
// without the secret, of secret, namespace and name with slashes between them.
func PathOf(secret []byte, account types.NamespacedName) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%s/%s", secret, account.Namespace, account.Name))
	return pathPrefix + hex.EncodeToString(sum[:])
}

// add lets a shared secret open the door. White space around it is no part of it: files end
// in a line break.
func (d *door) add(ref v1alpha1.SecretKeyReference, secret []byte) error {
	secret = bytes.TrimSpace(secret)
	key := signingKey(secret)
	if len(key) < minSecret {
		return &WeakSecretError{Ref: ref}
	}
	d.keys, d.paths = append(d.keys, key), append(d.paths, PathOf(secret, d.account))
	return nil
}

// signingKey is what a secret signs with: its bytes, or where it has the prefix of Standard
// Webhooks what the base64 behind that stands for.
// It is nothing where that is no base64.
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

// WeakSecretError says that a shared secret is too short to protect anything.
type WeakSecretError struct{ Ref v1alpha1.SecretKeyReference }

// Error says which one, and what is needed.
func (e *WeakSecretError) Error() string {
	return fmt.Sprintf("key %s of Secret %s is no shared secret: at least %d random bytes are needed, "+
		"as they are or in base64 behind whsec_", e.Ref.Key, e.Ref.Name, minSecret)
}

// inherit takes over rates and memory of the door that stood here before for the same
// account; for another account both are new.
func (d *door) inherit(before *door, now func() time.Time) {
	if before != nil && before.uid == d.uid {
		d.reads, d.takes, d.taken = before.reads, before.takes, before.taken
		return
	}
	d.reads, d.takes = rate.NewLimiter(readPerSecond, readBurst), rate.NewLimiter(takenPerSecond, takenBurst)
	d.taken = cache.NewLRUExpireCacheWithClock(remembered, clock(now))
}

// proves says whether a letter is the carrier's. Without signatures knowing the path is
// all that it takes.
func (d *door) proves(from letter, now time.Time) bool {
	return !d.signed || from.recent(now) && from.signedBy(d.keys)
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

// clock is a function as the cache wants a clock.
type clock func() time.Time

// Now is the time.
func (c clock) Now() time.Time { return c() }
