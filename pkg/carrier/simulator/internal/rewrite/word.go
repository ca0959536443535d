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

// wordShape is how a text can contain the word.
type wordShape int

const (
	freeText   wordShape = iota // not at all
	enumerated                  // wholesale-tech, WHOLESALE_TECHNICIAN_FOR_INSTALL
	sourceWord                  // as enumerated, or the word alone
	named                       // wholesaleLocationId, wholesale_test_id: a text that is a key
)

// shapeOf returns the shape of the texts under a key. Names are those of fees, or of plans and
// charges, which are free text: only a name that looks like a fee's is rewritten.
func shapeOf(key string) wordShape {
	switch key {
	case "sourceType", "provider", "installationType", "ntdInstallation", "option":
		return sourceWord
	case "name", "addOnTypeName", "rejectedValue":
		return enumerated
	case "field", "property":
		return named
	}
	return freeText
}

// none reports whether there is nothing to rewrite.
func (w Word) none() bool { return w == "" || w == specificationWord }

// swap exchanges the two words at the beginning of a text if the rest matches the shape.
func (w Word) swap(text string, fits func(rest string) bool) string {
	own := string(w)
	pairs := [][2]string{
		{specificationWord, own},
		{own, specificationWord},
		{strings.ToUpper(specificationWord), strings.ToUpper(own)},
		{strings.ToUpper(own), strings.ToUpper(specificationWord)},
	}
	for _, pair := range pairs {
		if rest, begins := strings.CutPrefix(text, pair[0]); begins && fits(rest) {
			return pair[1] + rest
		}
	}
	return text
}

// Key rewrites the name of a member: the word must be followed by a capital letter or an
// underscore.
func (w Word) Key(name string) string {
	if w.none() {
		return name
	}
	return w.swap(name, func(rest string) bool {
		return len(rest) > 1 && (rest[0] == '_' || 'A' <= rest[0] && rest[0] <= 'Z')
	})
}

// text rewrites a text under a key.
func (w Word) text(key, text string) string {
	if w.none() {
		return text
	}
	switch shapeOf(key) {
	case named:
		return w.Key(text)
	case enumerated:
		return w.swap(text, continued)
	case sourceWord:
		return w.swap(text, func(rest string) bool { return rest == "" || continued(rest) })
	case freeText:
	}
	return text
}

// continued reports whether the rest is that of an enumeration: -tech, _TECHNICIAN.
func continued(rest string) bool {
	return len(rest) > 1 && (allOf(rest, '-', 'a', 'z') || allOf(rest, '_', 'A', 'Z'))
}

// allOf reports whether a text begins with the separator and consists only of separators, digits
// and letters in the range.
func allOf(text string, separator, first, last rune) bool {
	for i, c := range text {
		letter := first <= c && c <= last || '0' <= c && c <= '9'
		if i == 0 && c != separator || !letter && c != separator {
			return false
		}
	}
	return true
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
	members, isObject := membersOf(content)
	if !isObject || len(members) == 0 {
		return content
	}
	for i, m := range members {
		members[i] = member{w.Key(m.name), w.value(m.name, m.value)}
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
