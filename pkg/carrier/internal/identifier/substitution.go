package identifier

import (
	"bytes"
	"strings"
)

const (
	lowerCase = "abcdefghijklmnopqrstuvwxyz"
	upperCase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits    = "0123456789"
)

// keyName is the key of the name of a fee, and of other names.
const keyName = "name"

// substitution is one direction of the replacement.
type substitution struct {
	from, to           string // wholesale, abc
	fromUpper, toUpper string // WHOLESALE, ABC
}

func newSubstitution(from, to string) substitution {
	return substitution{from: from, to: to, fromUpper: strings.ToUpper(from), toUpper: strings.ToUpper(to)}
}

// occursIn reports whether a body has anything to replace.
func (s substitution) occursIn(body []byte) bool {
	return bytes.Contains(body, []byte(s.from)) || bytes.Contains(body, []byte(s.fromUpper))
}

// appendKey appends a key: wholesaleLocationId and wholesale_test_id are rewritten, wholesaler is
// not.
func (s substitution) appendKey(out, key []byte) []byte {
	rest, ok := bytes.CutPrefix(key, []byte(s.from))
	if ok && len(rest) > 1 && (rest[0] == '_' || isUpper(rest[0])) {
		return append(append(out, s.to...), rest...)
	}
	return append(out, key...)
}

// appendValue appends the value of a key. The value is rewritten if the values of the key are an
// enumeration and this one contains the word.
func (s substitution) appendValue(out, key, value []byte) []byte {
	switch string(key) {
	case "sourceType", "provider", "installationType", "ntdInstallation", "option", "installationOptions",
		"infrastructureInstallationOptions", "hardwareShortfall":
		return s.appendEnum(out, value)
	case keyName, "addOnTypeName": // of fees; other names are free text, see rewriter.inFee
		return s.appendUpper(out, value)
	case "field", "property": // of a sub-error and of a sort order: their values are keys
		return s.appendKey(out, value)
	}
	return append(out, value...)
}

// appendEnum appends the word itself, or a value such as wholesale-tech.
func (s substitution) appendEnum(out, value []byte) []byte {
	rest, ok := bytes.CutPrefix(value, []byte(s.from))
	if !ok {
		return s.appendUpper(out, value)
	}
	if len(rest) == 0 || rest[0] == '-' && consistsOf(rest, lowerCase+digits+"-") {
		return append(append(out, s.to...), rest...)
	}
	return append(out, value...)
}

// appendUpper appends a value such as WHOLESALE_TECHNICIAN_FOR_INSTALL.
func (s substitution) appendUpper(out, value []byte) []byte {
	rest, ok := bytes.CutPrefix(value, []byte(s.fromUpper))
	if ok && len(rest) > 1 && rest[0] == '_' && consistsOf(rest, upperCase+digits+"_") {
		return append(append(out, s.toUpper...), rest...)
	}
	return append(out, value...)
}

// consistsOf reports whether a text contains only these characters.
func consistsOf(text []byte, characters string) bool { return len(bytes.Trim(text, characters)) == 0 }

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
