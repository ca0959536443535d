// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"bytes"
	"encoding/json"
)

// maxFreeText limits a text in a value of the carrier.
const maxFreeText = 16 << 10

// FreeForm decodes a value of the carrier whose form is not documented, so that a status can hold
// it. Texts become printable, and numbers stay as they were written. It returns nil if there is no
// value.
func FreeForm(wire json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(wire))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	return printed(value)
}

// printed returns a value without characters that control a terminal or change the text direction.
func printed(value any) any {
	switch value := value.(type) {
	case string:
		return Bounded(value, maxFreeText)
	case json.Number:
		if _, err := value.Float64(); err != nil {
			return string(value) // the API server would refuse a number that is no float64 (R18)
		}
	case []any:
		for i := range value {
			value[i] = printed(value[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(value))
		for key, held := range value {
			clean[Bounded(key, maxFreeText)] = printed(held)
		}
		return clean
	}
	return value
}

// Fitting returns as many items from the start of a list as fit, and true if some were left out.
func Fitting[T any](all []T, most int, left *int) ([]T, bool) {
	for i := range all {
		text, err := json.Marshal(all[i])
		if err != nil || i == most || len(text) > *left {
			return all[:i], true
		}
		*left -= len(text)
	}
	return all, false
}
