package rewrite

import (
	"encoding/json"
	"math/rand/v2"
)

// Distortion states how a hostile carrier writes the members of an object: shuffled, with one
// member repeated, and with an additional unknown member that is null.
type Distortion struct {
	Shuffle, Repeat, Null bool
	Random                *rand.Rand
}

// Apply rewrites an object. Other values are unchanged.
func (d *Distortion) Apply(content []byte) []byte {
	if d == nil {
		return content
	}
	members, _ := MembersOf(content)
	if len(members) == 0 {
		return content
	}
	if d.Null {
		members = append(members, Member{"_nothing", json.RawMessage("null")})
	}
	if d.Repeat {
		members = append(members, members[d.Random.IntN(len(members))])
	}
	if d.Shuffle {
		d.Random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	}
	return joinMembers(members)
}
