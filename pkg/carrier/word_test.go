package carrier

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func testWord(tb testing.TB) word {
	tb.Helper()
	w, err := newWord("abc")
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
		if got := string(w.toWire([]byte(spec))); got != wire {
			t.Errorf("toWire(%s) = %s, want %s", spec, got, wire)
		}
		if got := string(w.fromWire([]byte(wire))); got != spec {
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
		if got := string(w.fromWire([]byte(body))); got != body {
			t.Errorf("fromWire(%s) = %s", body, got)
		}
	}
}

func TestNewWordValidates(t *testing.T) {
	for own, want := range map[string]bool{
		"": true, specWord: true, "nbn": true, "a1": true, strings.Repeat("a", 32): true,
		"1a": false, "NBN": false, "n-b": false, "n b": false, `n"`: false, strings.Repeat("a", 33): false, "ñ": false,
	} {
		if _, err := newWord(own); (err == nil) != want {
			t.Errorf("newWord(%q) = %v, want success %t", own, err, want)
		}
	}
}

func TestWordRoundTripOfGoldens(t *testing.T) {
	w := testWord(t)
	for name := range goldens() {
		spec := golden(t, name)
		wire := w.toWire(spec)
		if strings.Contains(strings.ToLower(string(wire)), specWord) {
			t.Errorf("%s: the specification's word is on the wire", name)
		}
		if got := w.fromWire(wire); !bytes.Equal(got, spec) {
			t.Errorf("%s changed in the round trip: %s", name, got)
		}
	}
}

func TestClientTranslatesTheCarriersWord(t *testing.T) {
	var sent []byte
	carrier := serve(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			printTo(rw, `{"abcQuoteId":"Q1","name":"abc"}`)
			return
		}
		sent = readAll(t, io.LimitReader(r.Body, maxBodyBytes))
		respond(201, `{"id":8,"provider":"abc","installationType":"abc-tech"}`)(rw, r)
	})
	client := testClient(t, carrier.URL, func(c *Config) { c.Word = "abc" })
	body := OrderRequest{NTDInstallation: InstallTech, CustomerReference: "wholesale-tech"}.Body()
	receipt := client.Submit(t.Context(), OrderCreate, 8, body, true)
	want := `{"sourceType":"abc","infrastructureId":null,"ntdInstallation":"abc-tech",` +
		`"customerReference":"wholesale-tech"}`
	if string(sent) != want {
		t.Errorf("sent %s, want %s", sent, want)
	}
	order, err := DecodeOrder(receipt.Body)
	if err != nil || order.Provider != specWord || order.InstallationType != InstallTech {
		t.Errorf("order %+v, %v", order, err)
	}
	outcome, err := client.Poll(t.Context(), Handle{FibreBuildCharge, 8, "1"})
	if err != nil {
		t.Fatal(err)
	}
	quote, err := DecodeFibreBuildCharge(outcome.Body)
	if err != nil || quote.WholesaleQuoteID != "Q1" || quote.Name != "abc" {
		t.Errorf("quote %+v, %v", quote, err)
	}
}

// TestFirstWordsOfKeysAreReserved: a word that is a prefix of keys of the specification would
// change those keys; every such word is known.
func TestFirstWordsOfKeysAreReserved(t *testing.T) {
	orders := OrderRequest{
		PlanName: "a", Term: 1, TrafficClass: "a", RemoteQualificationSearchID: "a", QualificationSearchID: "a",
		LocationID: "a", RemoteOrderID: "a", ProductType: "a", RestorationSLA: "a", ContactName: "a", PortID: 1,
		RequireVLAN: new(bool), VLANID: 1, NTDInstallation: "a", CustomerReference: "a", AggregationMethod: "a",
		AVCIDForTransfer: "a", TransferType: "a",
	}
	documents := goldens()
	bodies := make([][]byte, 0, len(documents)+7)
	bodies = append(bodies,
		orders.Body(), AppointmentCancelRequest{1}.Body(), AppointmentSlotsRequest{"a", 1}.Body(), healthBody,
		CancellationRescheduleRequest{1, "a"}.Body(), DiagnosticTestRequest{1, "a"}.Body(), golden(t, "error-422.json"),
	)
	for name := range documents {
		bodies = append(bodies, golden(t, name))
	}
	for _, body := range bodies {
		for first := range firstWords(document(bytes.TrimSpace(body))) {
			if _, err := newWord(first); err == nil && first != specWord {
				t.Errorf("%q was accepted as an identifier word, but keys begin with it", first)
			}
		}
	}
}

// firstWords are the first words of the keys of a document, of keys with several words.
func firstWords(d document) map[string]bool {
	words := make(map[string]bool)
	for key, value := range d.members() {
		end := strings.IndexFunc(key, func(r rune) bool { return r == '_' || 'A' <= r && r <= 'Z' })
		if end > 0 && key[0] >= 'a' {
			words[key[:end]] = true
		}
		maps.Copy(words, firstWords(value))
	}
	for element := range d.elements() {
		maps.Copy(words, firstWords(element))
	}
	return words
}

func FuzzWord(f *testing.F) {
	for name := range goldens() {
		f.Add(golden(f, name))
	}
	for _, seed := range append([]string{
		`"wholesale\`, `{"sourceType":"wholesale`, `[[{"option":["wholesale-tech"]}]]`, `}"wholesaleX":`,
		`{"name":"WHOLESALE_X","fee":{"name":"WHOLESALE_X","message":"wholesale-tech"}}`,
		strings.Repeat(`{"option":[`, 80) + `"wholesale-a","wholesale-b"`,
		`{"message":["wholesale",{"provider":"wholesale"}]}`,
	}, unusualDocuments()[:30]...) {
		f.Add([]byte(seed))
	}
	w := testWord(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		if containsFold(body, "abc") {
			return // the carrier's word cannot be distinguished from the specification's
		}
		before := bytes.Clone(body)
		wire := w.toWire(body)
		if got := w.fromWire(wire); !bytes.Equal(got, body) || !bytes.Equal(body, before) {
			t.Fatalf("%q came back as %q, over %q", body, got, wire)
		}
		if json.Valid(body) != json.Valid(wire) {
			t.Fatalf("%q became %q", body, wire)
		}
		translated, err := parseDocument(wire)
		if original, invalid := parseDocument(body); err == nil && invalid == nil {
			checkTranslation(t, "", original, translated)
		}
	})
}

// enumerations are the keys whose values we may rewrite, transcribed independently.
var enumerations = []string{
	"sourceType", "provider", "installationType", "ntdInstallation", "option", "installationOptions",
	"infrastructureInstallationOptions", "hardwareShortfall", "name", "addOnTypeName", "field", "property",
}

// checkTranslation expects two documents to differ in keys and enumerations only, and there only in
// the word.
func checkTranslation(t *testing.T, key string, spec, wire document) {
	t.Helper()
	if !spec.isObject() && !spec.isArray() {
		translated := slices.Contains(enumerations, key) && differsByWordOnly(spec.text(), wire.text())
		if !bytes.Equal(spec, wire) && !translated {
			t.Fatalf("the value %s of %q became %s", spec, key, wire)
		}
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

// children are the members of an object, or the elements of an array under its key.
func children(key string, d document) iter.Seq2[string, document] {
	if d.isObject() {
		return d.members()
	}
	return func(yield func(string, document) bool) {
		for element := range d.elements() {
			if !yield(key, element) {
				return
			}
		}
	}
}

func differsByWordOnly(spec, wire string) bool {
	for ours, theirs := range map[string]string{specWord: "abc", strings.ToUpper(specWord): "ABC"} {
		if rest, ok := strings.CutPrefix(spec, ours); ok && theirs+rest == wire {
			return true
		}
	}
	return false
}

func containsFold(body []byte, text string) bool {
	return bytes.Contains(bytes.ToLower(body), []byte(text))
}
