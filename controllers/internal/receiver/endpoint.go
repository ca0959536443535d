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

	// What is read at an account's endpoint, from whomever, and what is acted on: far more than
	// its services can have to say.
	readPerSecond, readBurst   = 500, 1000
	takenPerSecond, takenBurst = 50, 200

	// What was taken is remembered for as long as its timestamp would be accepted.
	remembered  = 4096
	rememberFor = 2 * tolerance
)

// endpoint is where the notifications of one account arrive.
type endpoint struct {
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

// add lets a shared secret open the endpoint. White space around it is no part of it: files end
// in a line break.
func (e *endpoint) add(ref v1alpha1.SecretKeyReference, secret []byte) error {
	secret = bytes.TrimSpace(secret)
	key := signingKey(secret)
	if len(key) < minSecret {
		return &WeakSecretError{Ref: ref}
	}
	e.keys, e.paths = append(e.keys, key), append(e.paths, PathOf(secret, e.account))
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

// inherit takes over rates and memory of the endpoint that stood here before for the same
// account; for another account both are new.
func (e *endpoint) inherit(before *endpoint, now func() time.Time) {
	if before != nil && before.uid == e.uid {
		e.reads, e.takes, e.taken = before.reads, before.takes, before.taken
		return
	}
	e.reads, e.takes = rate.NewLimiter(readPerSecond, readBurst), rate.NewLimiter(takenPerSecond, takenBurst)
	e.taken = cache.NewLRUExpireCacheWithClock(remembered, clock(now))
}

// authenticates says whether a message is the carrier's. Without signatures knowing the path is
// all that it takes.
func (e *endpoint) authenticates(from message, now time.Time) bool {
	return !e.signed || from.recent(now) && from.signedBy(e.keys)
}

// isDuplicate says whether a message was taken before. One without a signature has no id to be
// known by; to look twice does no harm.
func (e *endpoint) isDuplicate(from message) bool {
	_, found := e.taken.Get(from.id())
	return e.signed && found
}

func (e *endpoint) remember(from message) {
	if e.signed {
		e.taken.Add(from.id(), true, rememberFor)
	}
}

// path is that of the oldest secret. Those of the others are good too, so that the carrier
// can be told another path before the old one is gone.
func (e *endpoint) path() string { return e.paths[0] }

// shown is the path as far as the account's status may show it.
func (e *endpoint) shown() string {
	if !e.signed {
		return ""
	}
	return e.path()
}

// clock is a function as the cache wants a clock.
type clock func() time.Time

// Now is the time.
func (c clock) Now() time.Time { return c() }
