package rewrite

import (
	"bytes"
	"encoding/json"
)

// member is one name and its value.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of an object in order, and whether there are any.
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
	return members, len(members) > 0
}

func joinMembers(members []member) []byte {
	var out bytes.Buffer
	separator := byte('{')
	for _, m := range members {
		out.WriteByte(separator)
		out.Write(marshal(m.name))
		out.WriteByte(':')
		out.Write(m.value)
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
