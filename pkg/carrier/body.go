package carrier

import (
	"encoding/json"
	"slices"
	"strings"
)

// Keys that version rules also use.
const (
	keyRestorationSLA = "restorationSla"
	keyNTDOption      = "ntdOption"
	keyContactName    = "contactName"
	keyContactPhone   = "contactPhone"
	keyContactEmail   = "contactEmail"
)

// encode returns a value as JSON. Keys are in the order of the specification's table, and
// absent ones are omitted, so that equal requests have equal bytes and equal hashes. The
// carrier's ids and terms are never zero. Every value here can be marshaled.
func encode(value any) []byte {
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return encoded
}

// withExtra adds further fields at the end of a body, in the order of their names.
func withExtra(body []byte, fields []ExtraField) []byte {
	byName := func(a, b ExtraField) int { return strings.Compare(a.Name, b.Name) }
	body = body[:len(body)-1]
	for _, field := range slices.SortedFunc(slices.Values(fields), byName) {
		body = append(body, ',')
		body = append(body, encode(field.Name)...)
		body = append(body, ':')
		body = append(body, field.Value...)
	}
	return append(body, '}')
}
