package carrier

import (
	"encoding/json"
	"slices"
	"strconv"
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

// bodyWriter writes a request body with its keys in the order of the specification's table and
// without absent ones, so that equal requests have equal bytes, and so equal hashes.
type bodyWriter struct {
	buffer []byte
}

func (w *bodyWriter) key(name string) {
	separator := byte(',')
	if len(w.buffer) == 0 {
		separator = '{'
	}
	w.buffer = append(w.buffer, separator)
	w.buffer = strconv.AppendQuote(w.buffer, name)
	w.buffer = append(w.buffer, ':')
}

// number writes a number. Zero is absent, because no id or term of the carrier is zero.
func (w *bodyWriter) number(name string, n int64) *bodyWriter {
	if n != 0 {
		w.key(name)
		w.buffer = strconv.AppendInt(w.buffer, n, 10)
	}
	return w
}

// numberIf writes a number that may be zero. Nil is absent.
func (w *bodyWriter) numberIf(name string, n *int64) *bodyWriter {
	if n != nil {
		w.key(name)
		w.buffer = strconv.AppendInt(w.buffer, *n, 10)
	}
	return w
}

// text writes a string. Empty is absent.
func (w *bodyWriter) text(name, value string) *bodyWriter {
	if value != "" {
		w.key(name)
		w.buffer = append(w.buffer, quote(value)...)
	}
	return w
}

// textOrNull writes a string. Empty is null.
func (w *bodyWriter) textOrNull(name, value string) *bodyWriter {
	if value == "" {
		w.key(name)
		w.buffer = append(w.buffer, "null"...)
		return w
	}
	return w.text(name, value)
}

// flag writes a boolean. Nil is absent.
func (w *bodyWriter) flag(name string, value *bool) *bodyWriter {
	if value != nil {
		w.key(name)
		w.buffer = strconv.AppendBool(w.buffer, *value)
	}
	return w
}

// extra writes further fields, in the order of their names.
func (w *bodyWriter) extra(fields []ExtraField) *bodyWriter {
	byName := func(a, b ExtraField) int { return strings.Compare(a.Name, b.Name) }
	for _, field := range slices.SortedFunc(slices.Values(fields), byName) {
		w.key(field.Name)
		w.buffer = append(w.buffer, field.Value...)
	}
	return w
}

// bytes returns the whole object.
func (w *bodyWriter) bytes() []byte {
	if len(w.buffer) == 0 {
		return []byte("{}")
	}
	return append(w.buffer, '}')
}

// serviceBody returns the body of the operations that need only a service id.
func serviceBody(serviceID int64) []byte {
	var w bodyWriter
	return w.number("serviceId", serviceID).bytes()
}

// quote returns value as a JSON string. Marshaling a string cannot fail.
func quote(value string) []byte {
	quoted, err := json.Marshal(value)
	if err != nil {
		return []byte(`""`)
	}
	return quoted
}
