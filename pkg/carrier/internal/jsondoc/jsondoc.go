// Package jsondoc reads JSON without decoding it into Go values, which would lose the digits of
// numbers, the order of keys, and duplicate keys.
package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// Value is one JSON value that is known to be valid, so that reading it needs no error handling:
// [json.Valid] has checked all of it, including its depth.
type Value []byte

// maxValues limits the number of values in one document. Otherwise a megabyte of "0,0,0" would
// become half a million structs. The carrier's documents have less than a tenth of maxValues.
const maxValues = 1 << 16

// The errors of [Parse].
var (
	ErrNotJSON       = errors.New("the body is not one JSON document")
	ErrTooManyValues = errors.New("the body has more values than any response of the carrier")
)

const whitespace = " \t\r\n" // only that of RFC 8259

// Parse validates a body and returns it without surrounding whitespace. Commas separate
// values, so counting commas limits the number of values.
func Parse(body []byte) (Value, error) {
	trimmed := bytes.Trim(body, whitespace)
	switch {
	case bytes.Count(trimmed, []byte{','}) > maxValues:
		return nil, ErrTooManyValues
	case !json.Valid(trimmed):
		return nil, ErrNotJSON
	}
	return Value(trimmed), nil
}

// IsNull reports whether the value is null or missing.
func (d Value) IsNull() bool { return len(d) == 0 || d[0] == 'n' }

// IsObject reports whether the value is an object.
func (d Value) IsObject() bool { return len(d) > 0 && d[0] == '{' }

// IsArray reports whether the value is an array.
func (d Value) IsArray() bool { return len(d) > 0 && d[0] == '[' }

func (d Value) isString() bool { return len(d) > 0 && d[0] == '"' }

// Text returns a scalar as text: the content of a string, a number exactly as written, true or
// false. Null is empty, and an object or an array is its own JSON text.
func (d Value) Text() string {
	switch {
	case d.IsNull():
		return ""
	case !d.isString():
		return string(d)
	}
	var text string
	if err := json.Unmarshal(d, &text); err != nil {
		return string(d)
	}
	return text
}

// Members yields the keys and values of an object in order, including duplicates. It yields nothing
// for other values. As a value is valid, reading it has no errors.
func (d Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if !d.IsObject() {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(d))
		_, err := decoder.Token() // the opening brace
		for err == nil && decoder.More() {
			var key json.Token
			var value json.RawMessage
			if key, err = decoder.Token(); err == nil {
				err = decoder.Decode(&value)
			}
			if err != nil || !yield(fmt.Sprint(key), Value(value)) {
				return
			}
		}
	}
}

// Elements yields the values of an array in order. It yields nothing for other values.
func (d Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		var elements []json.RawMessage
		if !d.IsArray() || json.Unmarshal(d, &elements) != nil {
			return
		}
		for _, element := range elements {
			if !yield(Value(element)) {
				return
			}
		}
	}
}

// Has reports whether an object has at least one of the keys.
func (d Value) Has(keys ...string) bool {
	for key := range d.Members() {
		if slices.Contains(keys, key) {
			return true
		}
	}
	return false
}
