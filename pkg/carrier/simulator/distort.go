package simulator

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"strconv"
)

// distortion is how the members of an answer are written by a hostile carrier: in another order, one
// of them twice, and one that nobody knows, which is null.
type distortion struct {
	shuffle, repeat, null bool
	dice                  *rand.Rand
}

// distortion decides on the next answer; nil leaves it alone.
func (h *hostility) distortion() *distortion {
	if h == nil {
		return nil
	}
	const half = 500
	dice := rand.New(rand.NewPCG(h.dice.Uint64(), 0)) //nolint:gosec // G404: as in newHostility
	return &distortion{shuffle: h.chance(half), repeat: h.chance(10), null: h.chance(half), dice: dice}
}

// member is one name and its value.
type member struct {
	name  string
	value json.RawMessage
}

// apply rewrites an object; anything else stays as it is.
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
		members = append(members, members[d.dice.IntN(len(members))])
	}
	if d.shuffle {
		d.dice.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	}
	return join(members)
}

// membersOf takes an object apart, in its order.
func membersOf(content []byte) ([]member, bool) {
	decoder := json.NewDecoder(bytes.NewReader(content))
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('{') {
		return nil, false
	}
	var members []member
	for decoder.More() {
		name, err := decoder.Token()
		text, isText := name.(string)
		if err != nil || !isText {
			return nil, false
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, false
		}
		members = append(members, member{text, value})
	}
	return members, true
}

func join(members []member) []byte {
	var out bytes.Buffer
	separator := byte('{')
	for _, m := range members {
		out.WriteByte(separator)
		out.Write(encoded(m.name))
		out.WriteByte(':')
		out.Write(m.value)
		separator = ','
	}
	out.WriteByte('}')
	return out.Bytes()
}

// trickle sends the head and half of the answer, and then nothing until nobody waits any more.
func (a reply) trickle(w http.ResponseWriter, how manner) {
	content := a.encode(how)
	a.writeHead(w, how)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)+1))
	w.WriteHeader(a.status)
	_, _ = w.Write(content[:len(content)/2])  //nolint:errcheck // the answer is to be broken
	_ = http.NewResponseController(w).Flush() //nolint:errcheck // as above
	how.wait()
	panic(http.ErrAbortHandler)
}

// bomb sends a body of a gigabyte in a megabyte: blanks, compressed, as a client without bounds would
// read them before any JSON.
func (a reply) bomb(w http.ResponseWriter, how manner) {
	const part, parts = 1 << 20, 1 << 10
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(bytes.Repeat([]byte(" "), part)) //nolint:errcheck // a buffer takes everything
	_ = zip.Close()                                   //nolint:errcheck // as above
	a.writeHead(w, how)
	w.Header().Set("Content-Type", jsonMediaType)
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(a.status)
	for range parts { // members of one gzip stream that follow each other are one text
		if _, err := w.Write(packed.Bytes()); err != nil {
			return // the client has had enough
		}
	}
}
