package rewrite

import (
	"bytes"
	"encoding/json"
)

// Member is one name and its value.
type Member struct {
	Name  string
	Value json.RawMessage
}

// MembersOf returns the members of an object in order, and false for anything else.
func MembersOf(content []byte) ([]Member, bool) {
	decoder := json.NewDecoder(bytes.NewReader(content))
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('{') {
		return nil, false
	}
	var members []Member
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
		members = append(members, Member{text, value})
	}
	return members, true
}

func joinMembers(members []Member) []byte {
	var out bytes.Buffer
	separator := byte('{')
	for _, m := range members {
		out.WriteByte(separator)
		out.Write(marshal(m.Name))
		out.WriteByte(':')
		out.Write(m.Value)
		separator = ','
	}
	out.WriteByte('}')
	return out.Bytes()
}

// marshal returns a text, or a list of values, as JSON.
func marshal(value any) json.RawMessage {
	content, err := json.Marshal(value)
	if err != nil {
		return nil // texts and JSON values can be marshaled
	}
	return content
}
