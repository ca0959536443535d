package simulator

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"strconv"
)

// distortion states how a hostile carrier writes the members of an object: shuffled, one of them
// twice, and with an additional unknown one that is null.
type distortion struct {
	shuffle, repeat, null bool
	random                *rand.Rand
}

// distortion decides how to distort the next response. Nil leaves it unchanged.
func (h *hostility) distortion() *distortion {
	if h == nil {
		return nil
	}
	const half = 500
	random := rand.New(rand.NewPCG(h.random.Uint64(), 0)) //nolint:gosec // G404: as in newHostility
	return &distortion{shuffle: h.chance(half), repeat: h.chance(10), null: h.chance(half), random: random}
}

// member is one name and its value.
type member struct {
	name  string
	value json.RawMessage
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

// membersOf returns the members of an object in order.
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

func joinMembers(members []member) []byte {
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

// writeTrickle sends the headers and half of the body, and then nothing until nobody is waiting any
// more.
func (resp response) writeTrickle(w http.ResponseWriter, opts writeOptions) {
	content := resp.encode(opts)
	resp.writeHead(w, opts)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)+1))
	w.WriteHeader(resp.status)
	_, _ = w.Write(content[:len(content)/2])  //nolint:errcheck // the response is broken on purpose
	_ = http.NewResponseController(w).Flush() //nolint:errcheck // as above
	opts.wait()
	panic(http.ErrAbortHandler)
}

// writeBomb sends a gigabyte of blanks compressed to a megabyte. A client without limits would read
// all of them before any JSON.
func (resp response) writeBomb(w http.ResponseWriter, opts writeOptions) {
	const part, parts = 1 << 20, 1 << 10
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(bytes.Repeat([]byte(" "), part)) //nolint:errcheck // writing to a buffer cannot fail
	_ = zip.Close()                                   //nolint:errcheck // as above
	resp.writeHead(w, opts)
	w.Header().Set("Content-Type", jsonMediaType)
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(resp.status)
	for range parts { // consecutive members of a gzip stream decompress to one text
		if _, err := w.Write(packed.Bytes()); err != nil {
			return // the client has disconnected
		}
	}
}
