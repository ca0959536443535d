package carrier

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// decoded returns a document as package json would decode it into an any, with numbers as they are
// written.
func (d document) decoded() any {
	switch {
	case d.isObject():
		object := make(map[string]any)
		for key, value := range d.members() {
			object[key] = value.decoded() // the last of two equal keys counts
		}
		return object
	case d.isArray():
		array := make([]any, 0)
		for element := range d.elements() {
			array = append(array, element.decoded())
		}
		return array
	case d.isNull():
		return nil
	case d.isString():
		return d.text()
	case d[0] == 't' || d[0] == 'f':
		return d[0] == 't'
	}
	return json.Number(d.text())
}

// mustMatchEncodingJSON expects the walk over a document and package json to find the same.
func mustMatchEncodingJSON(t *testing.T, body []byte) {
	t.Helper()
	d, err := parseDocument(body)
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

func TestDocumentMatchesEncodingJSON(t *testing.T) {
	for _, body := range unusualDocuments() {
		mustMatchEncodingJSON(t, []byte(body))
	}
	for name := range goldens() {
		mustMatchEncodingJSON(t, golden(t, name))
	}
}

// unusualDocuments are valid and invalid documents, all of them unusual.
func unusualDocuments() []string {
	return []string{
		``, ` `, `null`, `true`, `"a"`, `7`, `-0.0e+10`, `{}`, `[]`, `[[]]`, `[{}]`, `{"":""}`, `{"a":1,"a":2}`,
		` { "a" : [ 1 , "}" , { "b" : "]" } ] , "c\"" : null } `,
		"\t[\n1\r,2 ]\n", `"\ud800"`, `"\u0000"`, `"\\"`, `["\\\"",1]`,
		`{"a\u0062":1,"ab":2}`, "\"\xff\"", "{\"\xff\":1}", `{"a":1}x`, `{"a":1,}`, `[1,]`, `{"a" 1}`, `[1 2]`, `01`,
		`1e400`,
		strings.Repeat("[", 100) + strings.Repeat("]", 100), nested(20_000), `[` + strings.Repeat(`0,`, maxValues) + `0]`,
	}
}

// FuzzDocument compares the walk over documents, which is written by hand because it has to keep
// numbers, order and equal keys, with package json. Both must find the same.
func FuzzDocument(f *testing.F) {
	for _, body := range unusualDocuments() {
		if len(body) < 1000 {
			f.Add([]byte(body))
		}
	}
	for name := range goldens() {
		f.Add(golden(f, name))
	}
	f.Fuzz(func(t *testing.T, body []byte) { mustMatchEncodingJSON(t, body) })
}

// FuzzDecode runs every decoder on every body. A refused body is Unreadable. An accepted one is
// decoded in the same way by all decoders of the same ID, a second time, with space around it, and
// with an additional unknown field.
func FuzzDecode(f *testing.F) {
	for name := range goldens() {
		f.Add(golden(f, name))
	}
	own := []string{`{"id":1,"id":2}`, `{"fees":{"tc4":[1]}}`, `{"plan":"x"}`, `{"a":[}`}
	for _, body := range slices.Concat(own, unusualDocuments()[:30]) {
		f.Add([]byte(body))
	}
	names := slices.Sorted(goldenNames())
	f.Fuzz(func(t *testing.T, body []byte) {
		summary, summaryErr := DecodeSummary(Health, body)
		for _, name := range names {
			checkDecoder(t, name, body)
		}
		order, err := DecodeOrder(body)
		if (err == nil) != (summaryErr == nil) || order.ID != summary.ID {
			t.Fatalf("two decoders disagree about the id: %d (%v) and %d (%v)", summary.ID, summaryErr, order.ID, err)
		}
		if err == nil {
			checkSummaryIDs(t, body, summary)
		}
	})
}

// goldenNames are the names of the documents, each of which identifies its decoder.
func goldenNames() func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range goldens() {
			if !yield(name) {
				return
			}
		}
	}
}

// checkDecoder checks what must be true of every decoder and every body.
func checkDecoder(t *testing.T, name string, body []byte) {
	t.Helper()
	decodeGolden := goldens()[name]
	got, err := decodeGolden(body)
	if err != nil {
		if ClassOf(err) != Unreadable {
			t.Fatalf("%s: %v is not Unreadable", name, err)
		}
		return
	}
	trimmed := bytes.TrimSpace(body)
	extended := slices.Concat([]byte(" \n"), trimmed, []byte("\t"))
	if trimmed[0] == '{' && len(trimmed) > 2 {
		extended = slices.Concat([]byte(`{"fieldThatNobodyKnows":[{"a":1}],`), bytes.TrimSpace(trimmed[1:]))
	}
	again, err := decodeGolden(extended)
	if bytes.HasSuffix(extended, []byte(",}")) { // it was an empty object with space in it
		return
	}
	if diff := cmp.Diff(got, again, equalSecrets()); diff != "" || err != nil {
		t.Fatalf("%s: %q and %q differ (%v):\n%s", name, body, extended, err, diff)
	}
}

// equalSecrets compares secrets by value, and raw JSON as text: cmp would print neither.
func equalSecrets() cmp.Option {
	return cmp.Options{
		cmp.Comparer(func(a, b Secret) bool { return a.Reveal() == b.Reveal() }),
		cmp.Comparer(func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }),
	}
}

// checkSummaryIDs expects the IDs to be, digit by digit, those that package json finds.
func checkSummaryIDs(t *testing.T, body []byte, summary RequestSummary) {
	t.Helper()
	var plain map[string]json.RawMessage
	if err := json.Unmarshal(body, &plain); err != nil {
		t.Fatalf("%q was accepted, but is not an object: %v", body, err)
	}
	for key, id := range map[string]int64{"id": summary.ID, "serviceId": summary.ServiceID} {
		want, ok := wholeNumber(document(plain[key]))
		if (ok || id != 0) && want != id {
			t.Fatalf("%q: %s is %d, want %s", body, key, id, plain[key])
		}
	}
}
