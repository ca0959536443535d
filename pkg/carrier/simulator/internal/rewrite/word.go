// Package rewrite changes JSON documents between client and simulator: it exchanges the carrier's own
// word for that of the specification, and distorts objects as a hostile carrier does.
package rewrite

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
)

// Word is the carrier's own word, which replaces the specification's wholesale in keys and
// enumeration values, in five shapes: wholesaleLocationId, wholesale_test_id, wholesale-tech,
// WHOLESALE_TECHNICIAN_FOR_INSTALL and wholesale. Paths and free text are never changed. Empty
// means the specification's own word.
//
// The two words are exchanged, so that a client that still writes wholesale is not understood.
type Word string

// CheckWord returns an error unless the word can be used in identifiers.
func CheckWord(word string) error {
	if !regexp.MustCompile(`^[a-z][a-z0-9]{0,31}$`).MatchString(word) {
		return errors.New("the API word is a lower-case letter and at most 31 lower-case letters or digits")
	}
	return nil
}

// specificationWord is the word that the specification uses.
const specificationWord = "wholesale"

// none reports whether there is nothing to rewrite.
func (w Word) none() bool { return w == "" || w == specificationWord }

// Key rewrites the name of a member.
func (w Word) Key(name string) string { return w.swap(name, inName) }

// text rewrites a text under a key.
func (w Word) text(key, text string) string { return w.swap(text, formUnder(key)) }

// swap exchanges the two words at the beginning of a text if the rest has the form.
func (w Word) swap(text string, form func(rest string) bool) string {
	if w.none() {
		return text
	}
	own := string(w)
	pairs := [][2]string{
		{specificationWord, own},
		{own, specificationWord},
		{strings.ToUpper(specificationWord), strings.ToUpper(own)},
		{strings.ToUpper(own), strings.ToUpper(specificationWord)},
	}
	for _, pair := range pairs {
		if rest, begins := strings.CutPrefix(text, pair[0]); begins && form(rest) {
			return pair[1] + rest
		}
	}
	return text
}

// formUnder returns what may follow the word in a text under a key. The text under name may be the
// name of a fee, or free text, as for plans and charges. Therefore only a text that looks like the
// name of a fee is rewritten.
func formUnder(key string) func(rest string) bool {
	switch key {
	case "sourceType", "provider", "installationType", "ntdInstallation", "option":
		return inSource
	case "name", "addOnTypeName", "rejectedValue":
		return inEnumeration
	case "field", "property":
		return inName // the text is a key
	}
	return func(string) bool { return false } // free text
}

// inName reports whether the text after the word ends a key: wholesaleLocationId,
// wholesale_test_id.
func inName(rest string) bool {
	return len(rest) > 1 && (rest[0] == '_' || 'A' <= rest[0] && rest[0] <= 'Z')
}

// inSource reports whether the word stands alone, or the text after it ends a value of an
// enumeration.
func inSource(rest string) bool { return rest == "" || inEnumeration(rest) }

// inEnumeration reports whether the text after the word ends a value of an enumeration: -tech,
// _TECHNICIAN.
func inEnumeration(rest string) bool {
	const lower, upper = "-0123456789abcdefghijklmnopqrstuvwxyz", "_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return len(rest) > 1 && (rest[0] == '-' && strings.Trim(rest, lower) == "" ||
		rest[0] == '_' && strings.Trim(rest, upper) == "")
}

// Read rewrites the members of a request body, which are flat (spec §4).
func (w Word) Read(received map[string]json.RawMessage) map[string]json.RawMessage {
	if w.none() {
		return received
	}
	rewritten := make(map[string]json.RawMessage, len(received))
	for name, value := range received {
		known := w.Key(name)
		var text string
		if json.Unmarshal(value, &text) == nil && text != "" {
			value = marshal(w.text(known, text))
		}
		rewritten[known] = value
	}
	return rewritten
}

// Write rewrites a JSON document.
func (w Word) Write(content []byte) []byte {
	if w.none() || len(content) == 0 {
		return content
	}
	return w.value("", content)
}

// value rewrites a value under a key. The elements of an array are under the array's key.
func (w Word) value(key string, content json.RawMessage) json.RawMessage {
	switch content[0] {
	case '{':
		return w.object(content)
	case '[':
		return w.array(key, content)
	case '"':
		var text string
		if json.Unmarshal(content, &text) == nil {
			return marshal(w.text(key, text))
		}
	}
	return content
}

func (w Word) object(content json.RawMessage) json.RawMessage {
	members, _ := MembersOf(content)
	if len(members) == 0 {
		return content
	}
	for i, m := range members {
		members[i] = Member{w.Key(m.Name), w.value(m.Name, m.Value)}
	}
	return joinMembers(members)
}

func (w Word) array(key string, content json.RawMessage) json.RawMessage {
	var elements []json.RawMessage
	if json.Unmarshal(content, &elements) != nil {
		return content
	}
	for i, element := range elements {
		elements[i] = w.value(key, element)
	}
	return marshal(elements)
}
