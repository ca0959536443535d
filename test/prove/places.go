// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/test/world"
)

// key is a resource that an effect reads or writes, or that an act changes or depends on.
type key string

// The keys.
const (
	keyObject  key = "object"
	keyLedger  key = "ledger"
	keyAccount key = "account"
	keyCarrier key = "carrier"
)

// keysOf returns what an effect reads or writes; all keys if its name does not tell.
func keysOf(effect Effect) []key {
	for _, group := range []struct {
		is   bool
		keys []key
	}{
		{effect.Sort.calls(), []key{keyCarrier}},
		{effect.Sort == Token, []key{keyAccount}},
		{effect.Sort == Key, []key{keyAccount}},
		{strings.Contains(effect.What, "identity-"), nil}, // the ledger of the identity: no act touches it
		{strings.HasPrefix(effect.What, "list "), everyKey()},
		{strings.Contains(effect.What, ofLedger), []key{keyLedger}},
		{strings.Contains(effect.What, ofAccount), []key{keyAccount}},
		{effect.What == "read "+world.AccountName, []key{keyAccount}},
		{effect.What == "read "+site, []key{keyObject}},
		{effect.Sort == Read, []key{keyLedger}}, // the ledger of the object, by its name
		{effect.Sort == Write && strings.HasSuffix(effect.What, " "+site), []key{keyObject}},
	} {
		if group.is {
			return group.keys
		}
	}
	return everyKey()
}

func everyKey() []key { return []key{keyObject, keyLedger, keyAccount, keyCarrier} }

// touches returns the keys of an act: what it changes and what it depends on.
func (k Kind) touches() []key {
	for _, group := range []struct {
		kinds []Kind
		keys  []key
	}{
		{
			[]Kind{Deleted, Recreated, Edited, Suspended, Forged, PutBack, Restored, MisResolved, ReadAnew, ForcedOff, Trusted},
			[]key{keyObject},
		},
		// The ledger of a deleted object cannot be found.
		{[]Kind{Dropped, RolledBack, Emptied, Outdated, Retried}, []key{keyObject, keyLedger}},
		{[]Kind{Unlisted, Demanded, Replaced}, []key{keyAccount}},
		{[]Kind{Elsewhere}, []key{keyCarrier, keyObject}},
	} {
		if slices.Contains(group.kinds, k) {
			return group.keys
		}
	}
	return everyKey() // resolutions depend on what the carrier has accepted
}

// isPlace reports whether an act immediately before an effect may have another result than the same
// act before the next effect. That is so if the effect, or a cache read between the two, has a key
// of the act, or if time passes between them. A pass of another manager has every key.
func isPlace(effects []Effect, at int, kind Kind) bool {
	if kind == Overtaken || at+1 >= len(effects) || effects[at+1].at.After(effects[at].at) {
		return true
	}
	has := func(one key) bool {
		return slices.Contains(keysOf(effects[at]), one) || slices.Contains(effects[at].looked, one)
	}
	return slices.ContainsFunc(kind.touches(), has)
}

// noteLook notes, with the newest effect, that something was read from the cache after it.
func (r *run) noteLook(of string) {
	if len(r.effects) == 0 {
		return
	}
	newest, one := &r.effects[len(r.effects)-1], keyObject
	switch of {
	case ofAccount:
		one = keyAccount
	case ofLedger:
		one = keyLedger
	}
	if !slices.Contains(newest.looked, one) {
		newest.looked = append(newest.looked, one)
	}
}
