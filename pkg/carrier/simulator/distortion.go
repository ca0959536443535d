package simulator

import (
	"encoding/json"
	"math/rand/v2"
)

// distortion states how a hostile carrier writes the members of an object: shuffled, one of them
// twice, and with an additional unknown one that is null.
type distortion struct {
	shuffle, repeat, null bool
	random                *rand.Rand
}

// apply rewrites an object. Other values are unchanged.
func (d *distortion) apply(content []byte) []byte {
	if d == nil {
		return content
	}
	members, isObject := membersOf(content)
	if !isObject || len(members) == 0 {
		return content
	}
	if d.null {
		members = append(members, member{"_nothing", json.RawMessage("null")})
	}
	if d.repeat {
		members = append(members, members[d.random.IntN(len(members))])
	}
	if d.shuffle {
		d.random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	}
	return joinMembers(members)
}
