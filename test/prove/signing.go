// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"github.com/golang-jwt/jwt/v5"
)

// remembered is RS256 that signs a text by a key once, and says the same when it is asked again: its
// signatures are deterministic (RFC 8017 section 8.2). Every plan of a story begins with the same
// login at the same moment, and half of all time would go into that.
type remembered struct {
	*jwt.SigningMethodRSA

	mu         sync.Mutex
	signatures map[[sha256.Size]byte][]byte // of a digest of key and text
}

// rs256 is the one of this process.
var rs256 = &remembered{SigningMethodRSA: jwt.SigningMethodRS256, signatures: map[[sha256.Size]byte][]byte{}}

var errNoRSA = errors.New("RS256 needs an RSA key")

// Sign implements [jwt.SigningMethod].
func (r *remembered) Sign(text string, by any) ([]byte, error) {
	key, is := by.(*rsa.PrivateKey)
	if !is {
		return nil, errNoRSA
	}
	what := sha256.Sum256(append(key.N.Bytes(), text...))
	if known := r.known(what); known != nil {
		return known, nil
	}
	signature, err := r.SigningMethodRSA.Sign(text, key)
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.signatures[what] = signature
	return signature, nil
}

func (r *remembered) known(what [sha256.Size]byte) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.signatures[what]
}
