package jsondoc

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/test/jsondoctest"
)

// specified is the folder of the documents transcribed from the specification.
const specified = "../../testdata"

// decoded returns a document as package json would decode it into an any, with numbers as they are
// written.
func (d Value) decoded() any {
	switch {
	case d.IsObject():
		object := make(map[string]any)
		for key, value := range d.Members() {
			object[key] = value.decoded() // the last of two equal keys counts
		}
		return object
	case d.IsArray():
		array := make([]any, 0)
		for element := range d.Elements() {
			array = append(array, element.decoded())
		}
		return array
	case d.IsNull():
		return nil
	case d.isString():
		return d.Text()
	case d[0] == 't' || d[0] == 'f':
		return d[0] == 't'
	}
	return json.Number(d.Text())
}

// mustMatchEncodingJSON expects the walk over a document to find what package json finds.
func mustMatchEncodingJSON(t *testing.T, body []byte) {
	t.Helper()
	d, err := Parse(body)
	var want any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err != nil {
		if json.Valid(body) && bytes.Count(body, []byte{','}) <= maxValues {
			t.Fatalf("%q: %v, but it is JSON", body, err)
		}
		return
	}
	if err := decoder.Decode(&want); err != nil {
		t.Fatalf("%q was accepted, but is not JSON: %v", body, err)
	}
	if wanted, got := encoded(t, want), encoded(t, d.decoded()); !bytes.Equal(wanted, got) {
		t.Fatalf("%q is %s, but was walked as %s", body, wanted, got)
	}
}

func encoded(t *testing.T, tree any) []byte {
	t.Helper()
	text, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestValueMatchesEncodingJSON(t *testing.T) {
	for _, body := range documents() {
		mustMatchEncodingJSON(t, []byte(body))
	}
	for _, body := range jsondoctest.Specified(t, specified) {
		mustMatchEncodingJSON(t, body)
	}
}

// documents returns the unusual documents and those at the limits of what is accepted.
func documents() []string {
	nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	return append(jsondoctest.Unusual(), nested(100), nested(20_000), "["+strings.Repeat("0,", maxValues)+"0]")
}

// FuzzValue compares the walk over documents, which keeps numbers as they are written, the order of
// keys and equal keys, with package json. Both must find the same.
func FuzzValue(f *testing.F) {
	for _, body := range documents() {
		if len(body) < 1000 {
			f.Add([]byte(body))
		}
	}
	for _, body := range jsondoctest.Specified(f, specified) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) { mustMatchEncodingJSON(t, body) })
}
