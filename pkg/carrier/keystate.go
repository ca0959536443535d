package carrier

import (
	"crypto/sha256"
	"slices"
)

// keyHash is a hash of the ids and the contents of keys. Zero means that they have not been read,
// or could not be.
type keyHash [sha256.Size]byte

// keyState has what a source remembers of its keys: a hash of them, and the id of the key that
// worked. It never holds a key.
type keyState struct {
	hash     keyHash // of the keys last read
	accepted string  // id of the last accepted key; empty: none yet
}

func hashKeys(keys []Key) keyHash {
	hash := sha256.New()
	for _, key := range keys {
		for _, part := range [][]byte{[]byte(key.ID), key.PEM} {
			sum := sha256.Sum256(part)
			hash.Write(sum[:])
		}
	}
	return keyHash(hash.Sum(nil))
}

// order puts the last accepted key first, so that a rotation causes one refused exchange in total,
// not one per token.
func (r keyState) order(keys []Key) []Key {
	i := slices.IndexFunc(keys, func(k Key) bool { return k.ID == r.accepted })
	if i <= 0 {
		return keys
	}
	return slices.Concat(keys[i:i+1], keys[:i], keys[i+1:])
}

// forgetKeys makes the keys count as changed when they are next read.
func (s *ClientCredentials) forgetKeys() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys.hash = keyHash{}
}

// updateKeys returns the keys in the order in which they are tried. If the keys in the Secret
// have been replaced, it forgets which key was accepted, and ends a pause. Otherwise it
// returns the error that caused the pause until the pause is over.
func (s *ClientCredentials) updateKeys(keys []Key) ([]Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if hash := hashKeys(keys); hash != s.keys.hash {
		s.keys = keyState{hash: hash}
		s.pause, s.refusals = pause{since: s.pause.since}, 0
	}
	if s.config.Now().Before(s.pause.until) {
		return nil, s.pause.err
	}
	return s.keys.order(keys), nil
}
