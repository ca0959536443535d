// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"crypto/rsa"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"github.com/golang-jwt/jwt/v5"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// signatures are the signatures made so far.
var signatures resultCache[[]byte]

// sign is a [carrier.Signer] with a cache. Every plan of a scenario begins with the same login at
// the same moment. Without the cache, half of the time would be spent on reading its key, signing
// and verifying. RS256 is deterministic (RFC 8017 section 8.2), so the result can be reused.
func sign(key carrier.Key, text string) ([]byte, error) {
	return signatures.getOrCompute(digest(key.PEM, []byte(text)), func() ([]byte, error) {
		return carrier.Sign(key, text)
	})
}

// rs256 is RS256 with a cache for verification.
type rs256 struct {
	*jwt.SigningMethodRSA

	verified resultCache[bool]
}

// cacheVerification makes every JWT parser in this process remember what it has verified.
func cacheVerification() {
	method := &rs256{SigningMethodRSA: jwt.SigningMethodRS256}
	jwt.RegisterSigningMethod(method.Alg(), func() jwt.SigningMethod { return method })
}

// Verify implements [jwt.SigningMethod]. Invalid signatures are not cached.
func (m *rs256) Verify(text string, signature []byte, by any) error {
	key, is := by.(*rsa.PublicKey)
	if !is {
		return fmt.Errorf("%w: %T", jwt.ErrInvalidKeyType, by)
	}
	_, err := m.verified.getOrCompute(digest(key.N.Bytes(), []byte(text), signature), func() (bool, error) {
		return true, m.SigningMethodRSA.Verify(text, signature, key)
	})
	return err
}

func digest(parts ...[]byte) [sha256.Size]byte { return sha256.Sum256(slices.Concat(parts...)) }

// resultCache caches results by a digest of their input. It is safe for concurrent use.
type resultCache[T any] struct {
	mu      sync.Mutex
	results map[[sha256.Size]byte]T
}

// getOrCompute computes a result once. Failures are not cached.
func (m *resultCache[T]) getOrCompute(from [sha256.Size]byte, how func() (T, error)) (T, error) {
	if known, is := m.get(from); is {
		return known, nil
	}
	made, err := how()
	if err == nil {
		m.put(from, made)
	}
	return made, err
}

func (m *resultCache[T]) get(from [sha256.Size]byte) (T, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, is := m.results[from]
	return known, is
}

func (m *resultCache[T]) put(from [sha256.Size]byte, made T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.results == nil {
		m.results = map[[sha256.Size]byte]T{}
	}
	m.results[from] = made
}
