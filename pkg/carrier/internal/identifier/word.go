// Package identifier replaces the carrier's own word in the identifiers of JSON documents.
package identifier

import (
	"errors"
	"strings"
)

// SpecWord is the word that the specification uses in place of the carrier's own.
const SpecWord = "wholesale"

// Word replaces the carrier's own word in identifiers by the specification's, and back, so
// that the rest of the code uses only the specification's. The word occurs in keys, such as
// wholesaleLocationId and wholesale_test_id, and in enumeration values, such as wholesale,
// wholesale-tech and WHOLESALE_TECHNICIAN_FOR_INSTALL. Nothing else is changed: free text may
// contain the carrier's name, and customer references belong to the customer.
type Word struct {
	toWire, fromWire *substitution // nil: the carrier uses the specification's word
}

var (
	errWord     = errors.New("an identifier word is a lower-case letter and at most 31 more lower-case letters or digits")
	errReserved = errors.New("an identifier word cannot be one with which other keys of the carrier begin")
)

const maxWord = 32

// reservedWords has the first words of all specification keys that consist of several words.
// If the carrier's word were service, for example, serviceId would be read as wholesaleId.
const reservedWords = " aborted access add additional address aggregation alert allowed alternative api appointment " +
	"available avc bandwidth battery building can cancellation cancelled connectivity contact convert " +
	"copper created current customer cvc date demand dsl e end error est estimated fee fibre first formatted " +
	"generation hardware has health hri http ignore infrastructure installation is last lead legacy loc " +
	"location lower maintenance modified monthly network new next nfas ntd null one order performance permission " +
	"plan poi port pots pri price priority product qualification quote recommended referenced region rejected " +
	"remaining remote replacement request requested require requires restoration service serviceability " +
	"sla slot source speed sq stability start street subscriber subsequent technology test timezone total traffic " +
	"transfer uni unit upper upstream valid vlan within "

// NewWord returns the replacement of a carrier's own word. An empty word means the specification's.
func NewWord(own string) (Word, error) {
	switch {
	case own == "" || own == SpecWord:
		return Word{}, nil
	case len(own) > maxWord || strings.Trim(own, lowerCase+digits) != "" || own[0] <= '9':
		return Word{}, errWord
	case strings.Contains(reservedWords, " "+own+" "):
		return Word{}, errReserved
	}
	toWire, fromWire := newSubstitution(SpecWord, own), newSubstitution(own, SpecWord)
	return Word{toWire: &toWire, fromWire: &fromWire}, nil
}

// ToWire returns a body with the carrier's word.
func (w Word) ToWire(body []byte) []byte { return rewrite(body, w.toWire) }

// FromWire returns a body with the specification's word.
func (w Word) FromWire(body []byte) []byte { return rewrite(body, w.fromWire) }
