package identifier

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/jsondoc"
	"github.com/broadband-operator/broadband-operator/test/jsondoctest"
)

// specified is the folder of the documents transcribed from the specification.
const specified = "../../testdata"

func testWord(tb testing.TB) Word {
	tb.Helper()
	w, err := NewWord("abc")
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

func TestWordTranslatesIdentifiers(t *testing.T) {
	w := testWord(t)
	for spec, wire := range map[string]string{
		`{"wholesaleLocationId":"LOC1"}`:                  `{"abcLocationId":"LOC1"}`,
		`{"result":{"wholesale_test_id":"1"}}`:            `{"result":{"abc_test_id":"1"}}`,
		`{"ntdInstallation": "wholesale-tech"}`:           `{"ntdInstallation": "abc-tech"}`,
		`{"option":"wholesale-no-action"}`:                `{"option":"abc-no-action"}`,
		`{"sourceType":"wholesale"}`:                      `{"sourceType":"abc"}`,
		`{"provider":"wholesale","id":1}`:                 `{"provider":"abc","id":1}`,
		`{"fee":{"name":"WHOLESALE_INSTALL"}}`:            `{"fee":{"name":"ABC_INSTALL"}}`,
		`{"planFee":{"name":"WHOLESALE_INSTALL"}}`:        `{"planFee":{"name":"ABC_INSTALL"}}`,
		`{"fees":{"tc4":[{"name":"WHOLESALE_INSTALL"}]}}`: `{"fees":{"tc4":[{"name":"ABC_INSTALL"}]}}`,
		`{"addOnTypeName":"WHOLESALE_INSTALL"}`:           `{"addOnTypeName":"ABC_INSTALL"}`,
		`{"installationOptions":["wholesale-tech","x"]}`:  `{"installationOptions":["abc-tech","x"]}`,
		`{"field":"wholesaleLocationId"}`:                 `{"field":"abcLocationId"}`,
		`[{"option":"wholesale-tech"},{"a":["b"]}]`:       `[{"option":"abc-tech"},{"a":["b"]}]`,
		`{"sourceType":"wholesale","a":{"b":[{}]},"c":1}`: `{"sourceType":"abc","a":{"b":[{}]},"c":1}`,
	} {
		if got := string(w.ToWire([]byte(spec))); got != wire {
			t.Errorf("toWire(%s) = %s, want %s", spec, got, wire)
		}
		if got := string(w.FromWire([]byte(wire))); got != spec {
			t.Errorf("fromWire(%s) = %s, want %s", wire, got, spec)
		}
	}
}

func TestWordIgnoresFreeText(t *testing.T) {
	w := testWord(t)
	for _, body := range []string{
		`{"message":"abc says no","description":"abc-tech","rejectedReason":"abc","alertMessage":"ABC_X"}`,
		`{"customerRef":"abc-tech","customerReference":"abc","planName":"abc"}`,
		`{"name":"abc","name":"abc-tech","name":"ABC Broadband"}`,
		`{"sourceType":"abcd","sourceType":"abc tech","sourceType":"abc-Tech","sourceType":"ABC_"}`,
		`{"abcdef":1,"abc":2,"ABC_KEY":3,"xabcId":4}`,
		`{"sourceType":["x",{"message":"abc"}]}`,
		`{"a":"\"sourceType\":\"abc\""}`,
		`<html>abc "sourceType abc`,
		`"abc\"`, `"`, ``, `abc`, `}}]]"abc"`,
		`{"name":"ABC_FAST","plans":[{"name":"ABC_FAST"}],"planOptions":{"name":"ABC_X"}}`, // plan names are free text
		strings.Repeat(`{"option":[`, 80) + `"x","abc-tech",{"message":["y","abc"]}` + strings.Repeat(`]}`, 80),
	} {
		if got := string(w.FromWire([]byte(body))); got != body {
			t.Errorf("fromWire(%s) = %s", body, got)
		}
	}
}

func TestNewWordValidates(t *testing.T) {
	for own, want := range map[string]bool{
		"": true, SpecWord: true, "nbn": true, "a1": true, strings.Repeat("a", 32): true,
		"1a": false, "NBN": false, "n-b": false, "n b": false, `n"`: false, strings.Repeat("a", 33): false, "ñ": false,
	} {
		if _, err := NewWord(own); (err == nil) != want {
			t.Errorf("newWord(%q) = %v, want success %t", own, err, want)
		}
	}
}

func TestWordRoundTripOfGoldens(t *testing.T) {
	w := testWord(t)
	for name, spec := range jsondoctest.Specified(t, specified) {
		wire := w.ToWire(spec)
		if strings.Contains(strings.ToLower(string(wire)), SpecWord) {
			t.Errorf("%s: the specification's word is on the wire", name)
		}
		if got := w.FromWire(wire); !bytes.Equal(got, spec) {
			t.Errorf("%s changed in the round trip: %s", name, got)
		}
	}
}

func FuzzWord(f *testing.F) {
	for _, body := range jsondoctest.Specified(f, specified) {
		f.Add(body)
	}
	for _, seed := range append([]string{
		`"wholesale\`, `{"sourceType":"wholesale`, `[[{"option":["wholesale-tech"]}]]`, `}"wholesaleX":`,
		`{"name":"WHOLESALE_X","fee":{"name":"WHOLESALE_X","message":"wholesale-tech"}}`,
		strings.Repeat(`{"option":[`, 80) + `"wholesale-a","wholesale-b"`,
		`{"message":["wholesale",{"provider":"wholesale"}]}`,
	}, jsondoctest.Unusual()...) {
		f.Add([]byte(seed))
	}
	w := testWord(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		if !containsFold(body, "abc") { // the carrier's word cannot be distinguished from the specification's
			checkRoundTrip(t, w, body)
		}
	})
}

// checkRoundTrip expects a document to be the same after a translation and its reverse.
func checkRoundTrip(t *testing.T, w Word, body []byte) {
	t.Helper()
	before := bytes.Clone(body)
	wire := w.ToWire(body)
	if got := w.FromWire(wire); !bytes.Equal(got, body) || !bytes.Equal(body, before) {
		t.Fatalf("%q came back as %q, over %q", body, got, wire)
	}
	if json.Valid(body) != json.Valid(wire) {
		t.Fatalf("%q became %q", body, wire)
	}
	translated, err := jsondoc.Parse(wire)
	if original, invalid := jsondoc.Parse(body); err == nil && invalid == nil {
		checkTranslation(t, "", original, translated)
	}
}

// enumerations are the keys whose values we may rewrite, transcribed independently.
var enumerations = []string{
	"sourceType", "provider", "installationType", "ntdInstallation", "option", "installationOptions",
	"infrastructureInstallationOptions", "hardwareShortfall", "name", "addOnTypeName", "field", "property",
}

// checkTranslation expects two documents to differ in keys and enumerations only, and there only in
// the word.
func checkTranslation(t *testing.T, key string, spec, wire jsondoc.Value) {
	t.Helper()
	if !spec.IsObject() && !spec.IsArray() {
		checkScalar(t, key, spec, wire)
		return
	}
	next, stop := iter.Pull2(children(key, wire))
	defer stop()
	for name, value := range children(key, spec) {
		other, counterpart, ok := next()
		if !ok || name != other && !differsByWordOnly(name, other) {
			t.Fatalf("the key %q became %q", name, other)
		}
		checkTranslation(t, name, value, counterpart)
	}
}

func checkScalar(t *testing.T, key string, spec, wire jsondoc.Value) {
	t.Helper()
	translated := slices.Contains(enumerations, key) && differsByWordOnly(spec.Text(), wire.Text())
	if !bytes.Equal(spec, wire) && !translated {
		t.Fatalf("the value %s of %q became %s", spec, key, wire)
	}
}

// children are the members of an object, or the elements of an array under its key.
func children(key string, d jsondoc.Value) iter.Seq2[string, jsondoc.Value] {
	if d.IsObject() {
		return d.Members()
	}
	return func(yield func(string, jsondoc.Value) bool) {
		for element := range d.Elements() {
			if !yield(key, element) {
				return
			}
		}
	}
}

func differsByWordOnly(spec, wire string) bool {
	for ours, theirs := range map[string]string{SpecWord: "abc", strings.ToUpper(SpecWord): "ABC"} {
		if rest, ok := strings.CutPrefix(spec, ours); ok && theirs+rest == wire {
			return true
		}
	}
	return false
}

func containsFold(body []byte, text string) bool {
	return bytes.Contains(bytes.ToLower(body), []byte(text))
}

// BenchmarkWord rewrites the largest document: for the carrier, back, and in the case where there
// is nothing to rewrite, as in most responses.
func BenchmarkWord(b *testing.B) {
	w := testWord(b)
	spec := jsondoctest.Specified(b, specified)["qualification.json"]
	without := bytes.ReplaceAll(bytes.ReplaceAll(spec, []byte("wholesale"), []byte("x")), []byte("WHOLESALE"), []byte("X"))
	b.Run("out", func(b *testing.B) { measure(b, spec, func(body []byte) { w.ToWire(body) }) })
	b.Run("in", func(b *testing.B) { measure(b, w.ToWire(spec), func(body []byte) { w.FromWire(body) }) })
	b.Run("absent", func(b *testing.B) { measure(b, without, func(body []byte) { w.FromWire(body) }) })
	b.Run("none", func(b *testing.B) { measure(b, spec, func(body []byte) { Word{}.FromWire(body) }) })
	request := []byte(`{"sourceType":"wholesale","infrastructureId":null,"ntdInstallation":"wholesale-tech"}`)
	b.Run("request", func(b *testing.B) { measure(b, request, func(body []byte) { w.ToWire(body) }) })
}

// measure runs one function on one body, again and again.
func measure(b *testing.B, body []byte, what func([]byte)) {
	b.Helper()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		what(body)
	}
}
