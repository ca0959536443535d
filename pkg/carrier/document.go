package carrier

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
)

// A document is one JSON value that is known to be valid, so that reading it needs no error
// handling: [json.Valid] has checked all of it, including its depth.
type document []byte

// maxValues limits the number of values in one document. Otherwise a megabyte of "0,0,0" would
// become half a million structs. The carrier's documents have less than a tenth of this.
const maxValues = 1 << 16

var (
	errNotJSON       = errors.New("the body is not one JSON document")
	errTooManyValues = errors.New("the body has more values than any answer of the carrier")
)

// parseDocument validates a body and returns it without surrounding whitespace. Commas separate
// values, so counting commas limits the number of values.
func parseDocument(body []byte) (document, error) {
	trimmed := bytes.Trim(body, " \t\r\n") // only the whitespace of RFC 8259
	switch {
	case bytes.Count(trimmed, []byte{','}) > maxValues:
		return nil, errTooManyValues
	case !json.Valid(trimmed):
		return nil, errNotJSON
	}
	return document(trimmed), nil
}

// isNull reports whether the value is null or missing.
func (d document) isNull() bool { return len(d) == 0 || d[0] == 'n' }

func (d document) isObject() bool { return len(d) > 0 && d[0] == '{' }
func (d document) isArray() bool  { return len(d) > 0 && d[0] == '[' }
func (d document) isString() bool { return len(d) > 0 && d[0] == '"' }

// text returns a scalar as text: the content of a string, a number exactly as written, true or
// false. Null is empty, and an object or an array is its own JSON text.
func (d document) text() string {
	switch {
	case d.isNull():
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

// members yields the keys and values of an object in order, including duplicates. It yields nothing
// for other values.
func (d document) members() iter.Seq2[string, document] {
	return func(yield func(string, document) bool) {
		if !d.isObject() {
			return
		}
		for at := d.skipSpace(1); d[at] != '}'; {
			key := d[at:d.end(at)]
			at = d.skipSpace(d.skipSpace(at+len(key)) + 1) // skip the colon
			value := d[at:d.end(at)]
			if !yield(key.text(), value) {
				return
			}
			at = d.skipComma(at + len(value))
		}
	}
}

// elements yields the values of an array in order. It yields nothing for other values.
func (d document) elements() iter.Seq[document] {
	return func(yield func(document) bool) {
		if !d.isArray() {
			return
		}
		for at := d.skipSpace(1); d[at] != ']'; {
			value := d[at:d.end(at)]
			if !yield(value) {
				return
			}
			at = d.skipComma(at + len(value))
		}
	}
}

func (d document) skipSpace(at int) int {
	for d[at] == ' ' || d[at] == '\n' || d[at] == '\r' || d[at] == '\t' {
		at++
	}
	return at
}

func (d document) skipComma(at int) int {
	at = d.skipSpace(at)
	if d[at] == ',' {
		at = d.skipSpace(at + 1)
	}
	return at
}

// end returns the end of the value that starts at a position.
func (d document) end(at int) int {
	switch d[at] {
	case '"':
		return d.endOfString(at)
	case '{', '[':
		return d.endOfComposite(at)
	}
	if length := bytes.IndexAny(d[at:], ",]} \n\r\t"); length >= 0 {
		return at + length
	}
	return len(d)
}

func (d document) endOfString(at int) int {
	for at++; d[at] != '"'; at++ {
		if d[at] == '\\' {
			at++
		}
	}
	return at + 1
}

func (d document) endOfComposite(at int) int {
	for depth := 0; ; at++ {
		switch d[at] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return at + 1
			}
		case '"':
			at = d.endOfString(at) - 1
		}
	}
}
