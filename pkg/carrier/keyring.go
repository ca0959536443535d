package carrier

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"
)

// keyring has what a source remembers of its keys: a hash of them, and the id of the key that
// worked. It never holds a key.
type keyring struct {
	seen    [sha256.Size]byte // hash of the keys last read; zero: they could not be read
	working string            // id of the last accepted key; empty: none yet
}

func hashKeys(keys []Key) [sha256.Size]byte {
	hash := sha256.New()
	for _, key := range keys {
		for _, part := range [][]byte{[]byte(key.ID), key.PEM} {
			sum := sha256.Sum256(part)
			hash.Write(sum[:])
		}
	}
	return [sha256.Size]byte(hash.Sum(nil))
}

// order puts the last accepted key first, so that a rotation causes one refused exchange in total,
// not one per token.
func (r keyring) order(keys []Key) []Key {
	i := slices.IndexFunc(keys, func(k Key) bool { return k.ID == r.working })
	if i <= 0 {
		return keys
	}
	return slices.Concat(keys[i:i+1], keys[:i], keys[i+1:])
}

// renew reads the keys and tries them in turn.
func (s *ClientCredentials) renew(ctx context.Context) (grant, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*grantTimeout)
	defer cancel()
	keys, err := s.config.Keys(ctx)
	if err != nil {
		s.lostKeys()
		return grant{}, err
	}
	ordered, err := s.noticeKeys(keys)
	if err != nil {
		return grant{}, err
	}
	return s.try(ctx, ordered)
}

// lostKeys makes the next keys read count as changed.
func (s *ClientCredentials) lostKeys() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys.seen = [sha256.Size]byte{}
}

// noticeKeys ends a pause if the keys have changed. Otherwise it returns the error that caused the
// pause.
func (s *ClientCredentials) noticeKeys(keys []Key) ([]Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seen := hashKeys(keys); seen != s.keys.seen {
		s.keys = keyring{seen: seen}
		s.pause, s.strikes = pause{}, 0
	}
	if s.config.Now().Before(s.pause.until) {
		return nil, s.pause.err
	}
	return s.keys.order(keys), nil
}

// try returns the grant of the first key that the identity provider accepts, or the error of the
// first key.
func (s *ClientCredentials) try(ctx context.Context, keys []Key) (grant, error) {
	var first error = &TokenError{Reason: TokenKeyInvalid, Message: "there is no private key"}
	for i, key := range keys {
		granted, err := s.tryKey(ctx, key)
		if err == nil {
			s.took(key)
			return granted, nil
		}
		if i == 0 {
			first = err
		}
		if !anotherKeyMayDo(err) {
			break
		}
	}
	return grant{}, first
}

func (s *ClientCredentials) took(key Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys.working = key.ID
}

// anotherKeyMayDo reports whether the fault is in the key, not one that every key would have.
func anotherKeyMayDo(err error) bool {
	failure, ok := errors.AsType[*TokenError](err)
	return ok && (failure.Reason == TokenRejected || failure.Reason == TokenKeyInvalid)
}

// tryKey makes one exchange with a key. If the key is refused and the response shows a different
// clock skew, it makes one more exchange with that skew, and with a new assertion: the old one is
// never sent again.
func (s *ClientCredentials) tryKey(ctx context.Context, key Key) (grant, error) {
	used := s.granter.usableSkew()
	granted, err := s.exchange(ctx, key, used)
	if !rejected(err) {
		return granted, err
	}
	skew := s.granter.dates.skew()
	switch {
	case skew.Abs() > skewRefused:
		return grant{}, clockSkew(err, skew)
	case (skew - used).Abs() > skewNoticed:
		return s.exchange(ctx, key, skew)
	}
	return grant{}, err
}

func rejected(err error) bool {
	failure, ok := errors.AsType[*TokenError](err)
	return ok && failure.Reason == TokenRejected
}

func clockSkew(err error, skew time.Duration) error {
	direction := " ahead of ours"
	if skew < 0 {
		direction = " behind ours"
	}
	return &TokenError{
		Reason: TokenClockSkew, cause: err,
		Message: "the identity provider's clock is " + skew.Abs().Round(time.Second).String() + direction,
	}
}

// exchange signs an assertion and posts it.
func (s *ClientCredentials) exchange(ctx context.Context, key Key, skew time.Duration) (grant, error) {
	start := s.config.Now()
	signed, err := assertion{
		id: s.config.NewID(), client: s.config.ClientName, audience: s.audience, now: start.Add(skew),
	}.sign(s.config.Sign, key)
	if err != nil {
		return grant{}, &TokenError{Reason: TokenKeyInvalid, KeyID: excerpt(key.ID), Message: "key", cause: err}
	}
	granted, err := s.granter.exchange(ctx, signed, start)
	if failure, ok := errors.AsType[*TokenError](err); ok {
		failure.KeyID = key.ID
	}
	return granted, err
}
