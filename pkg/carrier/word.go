package carrier

import (
	"bytes"
	"errors"
	"strings"
)

// specWord is the word that the specification uses in place of the carrier's own.
const specWord = "wholesale"

// word replaces the carrier's own word in identifiers, so that the rest of this package uses only
// the specification's. It occurs in keys, such as wholesaleLocationId and wholesale_test_id, and in
// enumeration values, such as wholesale, wholesale-tech and WHOLESALE_TECHNICIAN_FOR_INSTALL.
// Nothing else is changed: free text may contain the carrier's name, and customer references belong
// to the customer.
type word struct {
	out, in *substitution // nil: the carrier uses the specification's word
}

var errWord = errors.New("an identifier word is a lower-case letter and at most 31 more lower-case letters or digits")

var errWordReserved = errors.New("an identifier word cannot be one with which other keys of the carrier begin")

const maxWord = 32

// keyName is the key of the name of a fee, and of other names.
const keyName = "name"

// reservedWords has the first words of all specification keys that consist of several words. If one
// of them were the carrier's word, serviceId would be read as wholesaleId.
const reservedWords = " aborted access add additional address aggregation alert allowed alternative api appointment " +
	"available avc bandwidth battery building can cancellation cancelled connectivity contact convert " +
	"copper created current customer cvc date dsl e end error est estimated fee fibre first formatted " +
	"generation hardware has health hri http ignore infrastructure installation is last lead legacy loc " +
	"location lower maintenance monthly network new next nfas ntd null one order performance permission " +
	"plan poi port pots pri price product qualification quote recommended referenced region rejected " +
	"remaining remote replacement request requested require requires restoration service serviceability " +
	"sla slot source speed sq stability start street subsequent technology test timezone total traffic " +
	"transfer uni unit upper upstream valid vlan within "

func newWord(own string) (word, error) {
	switch {
	case own == "" || own == specWord:
		return word{}, nil
	case len(own) > maxWord || strings.Trim(own, "abcdefghijklmnopqrstuvwxyz0123456789") != "" || own[0] <= '9':
		return word{}, errWord
	case strings.Contains(reservedWords, " "+own+" "):
		return word{}, errWordReserved
	}
	out, in := newSubstitution(specWord, own), newSubstitution(own, specWord)
	return word{out: &out, in: &in}, nil
}

// toWire returns a body with the carrier's word.
func (w word) toWire(body []byte) []byte { return rewrite(body, w.out) }

// fromWire returns a body with the specification's word.
func (w word) fromWire(body []byte) []byte { return rewrite(body, w.in) }

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

// appendValue appends the value of a key. It is rewritten if the key has an enumeration and the
// value belongs to it.
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
	if len(rest) == 0 || rest[0] == '-' && isAll(rest, isKebab) {
		return append(append(out, s.to...), rest...)
	}
	return append(out, value...)
}

// appendUpper appends a value such as WHOLESALE_TECHNICIAN_FOR_INSTALL.
func (s substitution) appendUpper(out, value []byte) []byte {
	rest, ok := bytes.CutPrefix(value, []byte(s.fromUpper))
	if ok && len(rest) > 1 && rest[0] == '_' && isAll(rest, isUpperSnake) {
		return append(append(out, s.toUpper...), rest...)
	}
	return append(out, value...)
}

func isAll(text []byte, holds func(byte) bool) bool {
	for _, c := range text {
		if !holds(c) {
			return false
		}
	}
	return true
}

func isUpper(c byte) bool      { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool      { return '0' <= c && c <= '9' }
func isKebab(c byte) bool      { return 'a' <= c && c <= 'z' || isDigit(c) || c == '-' }
func isUpperSnake(c byte) bool { return isUpper(c) || isDigit(c) || c == '_' }
